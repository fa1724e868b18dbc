// Package gateway serves many servers to any number of clients, over Streamable HTTP and over standard
// input and output. It is the driver of package client/relay.
//
// # Loop
//
// A Gateway has the servers; its Handler serves sessions over HTTP, and Serve serves one over
// two streams:
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
// docs/examples/gateway is such a program.
//
// # Contract
//
//   - Each session with a client has its own links to all servers, opened when its client is ready
//     and closed when it ends. So requests and progress from a server reach the right client. A
//     server that is a command runs one process for each session.
//   - Requests without a session over HTTP share links by principal, or otherwise by address: up to four
//     sets, by the capabilities that their clients declare. Over streams they use the links of their
//     connection. A server's question during such a call becomes the result of the call, and the call waits
//     for the client to repeat it (docs/eras.md).
//   - Nearly all clients leave a session over HTTP without a DELETE. After RestAfter the session ends
//     its servers and keeps their lists. Its next request starts them again.
//   - A server does not delay other servers or the sessions of other clients. Its messages wait for
//     their session, up to 64 messages and 1 MiB; at the limit the server is no longer read.
//   - A session uses a goroutine for each link, and one more while messages wait.
//   - SetServers and Restart reach every session soon after; unchanged servers continue.
//   - If many processes share a nethttp.Cluster, one holds the links of a session, and the others forward
//     requests to it. After its death another process continues the session with new links (docs/cluster.md).
//   - After Close nothing runs: commands have got the end of their input, then SIGTERM, then SIGKILL.
//
// # Not promised
//
// The text of a Status, and the wording of errors.
package gateway
