// Package session runs one client.State for an application: concurrent requests, answers
// to the server's requests, the server's lists, timers, and the end. A Transport carries
// the messages, such as those of packages client/child and client/remote.
//
// # Loop
//
// The Client runs the loop. An application connects, sends requests, and closes:
//
//	c, err := session.Connect(ctx, cfg, transport, session.Options{})
//	if err != nil {
//		return err
//	}
//	defer c.Close(ctx)
//	tools, err := c.Tools(ctx)
//	r, err := c.CallTool(ctx, protocol.CallToolParams{Name: "add", Arguments: `{"a":1,"b":2}`}, session.RequestOptions{})
//
// Options.Serve answers the server's requests (Config.Serve); Options.Event gets its
// notifications. Both may use the Client.
//
// For many servers, use package client/fleet, or a machine of package client/manager run
// by a links.Loop.
//
// # Contract
//
//   - Methods may be called from any goroutine. If its context ends, a request is cancelled at
//     the server too.
//   - Each request ends once: with a result, or with an error that says why.
//   - The functions of Options run on their own goroutines, OnProgress and Visit on that of
//     Request. None of them delays incoming messages.
//   - What a server can make the Client keep is bounded: running functions, waiting
//     events and progress, queued messages. While a server accepts no messages, the
//     Client reads nothing from it, and gives it up after Options.SendTimeout.
//   - If a server has lost the session, the Client opens a new one. Requests in flight
//     fail, later ones wait, and lists are read again. The application renews
//     subscriptions: Event is called with PhaseChanged, and Lost returns the earlier ones.
//   - After Close nothing runs, except functions that ignore their contexts.
//
// # Not promised
//
// The order in which requests of different goroutines are sent, and the texts of errors.
package session
