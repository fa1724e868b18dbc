// Package ws carries MCP over WebSocket connections: one session a connection, one message a
// text frame, subprotocol "mcp". The specification has no such transport; this is one that
// the library makes easy, complete with what peers need that do not behave, and a pattern for
// any connection that carries messages.
//
// A server is an http.Handler, a client has a Transport for package client/session:
//
//	s, err := ws.NewServer(cfg, handlers, ws.ServerOptions{})
//	http.ListenAndServe("127.0.0.1:8080", s)
//
//	t, err := ws.Dial(ctx, "ws://127.0.0.1:8080", ws.DialOptions{})
//	c, err := session.Connect(ctx, cfg, t, session.Options{})
//
// What is in which file:
//
//   - conn.go: messages to and from the frames of a connection.
//   - server.go: a host.Host for each connection, over one host.Work.
//   - client.go: the Transport.
//
// What happens to a peer that does not behave:
//
//   - One that does not read: its queue fills up, nothing of it is taken in any more, and
//     after Options.Stall the connection is closed.
//   - One that vanishes without a word: Config.Keepalive, on by default here, misses its
//     answers to pings, and the session ends. It is the State that notices, so the driver
//     has no timer for it.
//   - One that connects and never gets ready: ServerOptions.Handshake.
//   - One that sends a frame that is too long, or not text: the connection is closed with
//     the status for that.
//   - A web page of another origin, and one whose name was made to resolve to the loopback
//     address: refused with 403 before the connection is a WebSocket.
//
// A connection that is gone takes its session with it: there is nothing to resume. Where
// that is needed there is Streamable HTTP.
package ws
