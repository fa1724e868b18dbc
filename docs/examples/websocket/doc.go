// Package ws carries MCP over WebSocket connections: one session per connection, one message per
// text frame, subprotocol "mcp". The specification has no such transport. It shows how to write one
// with this library, including what misbehaving peers require, and is a pattern for any connection
// that carries messages.
//
// A server is an http.Handler, a client has a Transport for package client/session:
//
//	s, err := ws.NewServer(cfg, handlers, ws.ServerOptions{})
//	http.ListenAndServe("127.0.0.1:8080", s)
//
//	t, err := ws.Dial(ctx, "ws://127.0.0.1:8080", ws.DialOptions{})
//	c, err := session.Connect(ctx, cfg, t, session.Options{})
//
// The files:
//
//   - conn.go: messages to and from the frames of a connection.
//   - server.go: a host.Host for each connection, over one host.Work.
//   - client.go: the Transport.
//
// Peers that misbehave:
//
//   - A peer that does not read: its queue fills up, nothing more is read from it, and after
//     Options.Stall the connection is closed.
//   - A peer that vanishes: Config.Keepalive, on by default here, gets no answers to its
//     pings, and the session ends. The State notices that, so the driver needs no timer.
//   - A peer that connects and never gets ready: ServerOptions.Handshake.
//   - A peer that sends a frame that is too long, or not text: the connection is closed with
//     the status for that.
//   - A web page of another origin, or one whose name was made to resolve to the loopback
//     address: refused with 403 before the connection is a WebSocket.
//
// A session ends with its connection: nothing can be resumed. If that is needed, use Streamable
// HTTP.
package ws
