// Package session runs one client.State for an application: requests from many goroutines, answers
// to the server, its lists, timeouts, and the end. A Transport, such as those of packages
// client/child and client/remote, carries the messages.
//
// # Loop
//
// The Client has the loop. An application connects, sends requests, and closes:
//
//	c, err := session.Connect(ctx, cfg, transport, session.Options{})
//	if err != nil {
//		return err
//	}
//	defer c.Close(ctx)
//	tools, err := c.Tools(ctx)
//	r, err := c.CallTool(ctx, protocol.CallToolParams{Name: "add", Arguments: `{"a":1,"b":2}`}, session.RequestOptions{})
//
// Options.Serve answers requests of the server (Config.Serve), Options.Event gets its
// notifications. Both may use the Client.
//
// Many servers are a machine of package client/manager, which a links.Loop runs; package
// client/fleet is one for an application.
//
// # Contract
//
//   - Methods may be called from any goroutine. When the context of a request ends, the server gets
//     a cancellation.
//   - Each request ends once, with a result or an error.
//   - The functions of Options run on their own goroutines, OnProgress and Visit on that of
//     Request. None blocks the receiving of messages.
//   - What a server can make the Client keep is bounded: running functions, waiting events and
//     progress, messages to send. If a server does not read these its messages are not read, and
//     the session ends after Options.SendTimeout.
//   - If the server has lost the session, the Client opens a new one. Open requests fail, new ones
//     wait, and lists are read again. The application must restore subscriptions: Event is called
//     with PhaseChanged, and Lost returns the earlier ones.
//   - After Close nothing runs, except functions that ignore their contexts.
//
// # Not promised
//
// The order of requests of different goroutines, and the texts of errors.
package session
