// Package session runs one client.State for an application: requests of many goroutines at
// once, answers to what the server asks, its lists, time, and the end. What
// carries the messages is a Transport, as those of packages client/child and
// client/remote.
//
// # Loop
//
// The Client has the loop. An application connects, asks, and closes:
//
//	c, err := session.Connect(ctx, cfg, transport, session.Options{})
//	if err != nil {
//		return err
//	}
//	defer c.Close(ctx)
//	tools, err := c.Tools(ctx)
//	r, err := c.CallTool(ctx, protocol.CallToolParams{Name: "add", Arguments: `{"a":1,"b":2}`}, session.RequestOptions{})
//
// What the server asks (Config.Serve) is answered by Options.Serve; what it says is told to
// Options.Event. Both may use the Client.
//
// Many servers are a machine of package client/manager, which a links.Loop runs; package
// client/fleet is one for an application.
//
// # Contract
//
//   - Methods may be called from any goroutine. A context that ends cancels the request, which
//     the server is told.
//   - Each request ends once: with a result, or an error that says why there is none.
//   - The functions of Options run on goroutines of their own, OnProgress and Visit on that of
//     Request. None holds up what arrives.
//   - What a server can make the Client keep is bounded: functions that run, events and
//     progress that wait, messages to be sent. A server that does not take those is not
//     listened to, and given up after Options.SendTimeout.
//   - A server that has forgotten the session is asked for a new one. Requests that were on
//     their way fail, those that come meanwhile wait, lists are forgotten, and
//     subscriptions are the application's: Event is called with PhaseChanged, and Lost has
//     what there was.
//   - After Close nothing runs, except functions that ignore their contexts.
//
// # Not promised
//
// The order in which requests of different goroutines go out, and the texts of errors.
package session
