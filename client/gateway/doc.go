// Package gateway serves many servers to any number of clients, over Streamable HTTP and over standard
// input and output. It is the driver of package client/relay.
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
// docs/examples/gateway is a complete program.
//
// # Contract
//
//   - Each client session has its own links to all servers, opened when its client is ready and
//     closed when it ends. So requests and progress of a server reach the right client. A server that
//     is a command runs as one process for each session.
//   - Requests without a session over HTTP share links by principal, otherwise by address: up to four sets each, one
//     for each set of declared capabilities. Over streams they use the links of their connection. A question of a
//     server becomes the result of the call, which waits for the client to retry (docs/eras.md).
//   - Nearly all clients leave a session over HTTP without a DELETE. After RestAfter its servers end and
//     their lists stay. Its next request starts them again.
//   - A server does not delay others, or the sessions of other clients. Its messages wait for its
//     session, up to 64 messages and 1 MiB; at the limit the server is no longer read.
//   - A session costs a goroutine for each link, and one more while messages wait.
//   - SetServers and Restart reach every session soon after; unchanged servers keep running.
//   - Of many processes that share a nethttp.Cluster one has the links of a session, and others forward requests to
//     it. After its death another one continues the session, with new links (docs/cluster.md).
//   - After Close nothing runs: commands have been ended by the end of their input, then SIGTERM,
//     then SIGKILL.
//
// # Not promised
//
// The text of a Status, and the wording of errors.
package gateway
