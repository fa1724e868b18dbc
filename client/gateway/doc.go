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
// docs/examples/gateway is a program of it.
//
// # Contract
//
//   - Each session with a client has links of its own to all servers, opened when its client is ready
//     and closed when it ends. So requests and progress of a server reach the client that they are
//     meant for. A server that is a command is one process for each session.
//   - Requests without a session over HTTP share links by principal, or else by address: up to four sets, by what their
//     clients declare. Over streams they have those of their connection. What a server asks within such a
//     call is its result, and the call waits for the client to make it again (docs/eras.md).
//   - Nearly all clients leave a session over HTTP without a DELETE. It ends its servers after RestAfter
//     and keeps what they listed. Its next request starts them again.
//   - A server does not hold up others, nor the sessions of other clients. What it sends waits for its
//     session, up to 64 messages and 1 MiB; at the limit the server is no longer read.
//   - A session costs a goroutine for each link, and one more while messages wait.
//   - SetServers and Restart reach every session soon after; servers that did not change go on.
//   - Of many processes that share a nethttp.Cluster one has the links of a session, and others pass requests on to it. After its
//     death another one goes on with the session, with links that begin anew (docs/cluster.md).
//   - After Close nothing runs: commands have had the end of their input, then SIGTERM, then SIGKILL.
//
// # Not promised
//
// The text of a Status, and the wording of errors.
package gateway
