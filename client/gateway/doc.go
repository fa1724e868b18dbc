// Package gateway serves the servers behind a relay.Relay to any number of clients: the driver of
// package client/relay, over Streamable HTTP and over standard input and output. It does I/O, so
// nothing pure imports it.
//
// # Loop
//
// A Gateway has the servers; a Handler of it serves sessions over HTTP, and Serve one over two
// streams:
//
//	g, err := gateway.New(gateway.Options{Relay: relay.Config{Info: info}, Servers: servers})
//	…
//	h, err := g.Handler(nethttp.Options{})
//	mux.Handle("/mcp", h)
//	mux.Handle("/status", g.StatusHandler(nethttp.Options{}))
//	…
//	err = g.SetServers(others) // at any time
//	err = g.Close(ctx)
//
// docs/examples/gateway is a program of it.
//
// # Contract
//
//   - Each session with a client has connections of its own to all servers, which are opened when
//     its client is ready and end with it: so what a server asks, and what it tells of progress,
//     comes to the client that it is meant for. A server that is a command is a process for
//     each session.
//   - A session over HTTP that its client has left, as nearly all clients do without a DELETE, ends
//     its servers after RestAfter and keeps what they listed. Its next request starts them again.
//   - A server costs the others nothing, nor the sessions of others: what it says waits for its
//     session, up to QueueMessages and QueueBytes, and then it is read no further.
//   - A session costs a goroutine for each connection, and one more while something has come.
//   - SetServers and Restart reach every session soon after; what did not change goes on.
//   - After Close nothing runs: commands have had the end of their input, then SIGTERM, then SIGKILL.
//
// # Not promised
//
// The text of a Status, and the wording of errors.
package gateway
