// Package fleet runs one manager.Manager for an application: many servers at once, by name,
// over what links.Links open. It does I/O, so nothing pure imports it.
//
// # Loop
//
// The Fleet has the loop. An application connects, asks, and closes:
//
//	f, err := fleet.New(manager.Config{Client: cfg}, fleet.Options{Dial: dial.Dialer{}.Dial})
//	if err != nil {
//		return err
//	}
//	defer f.Close(ctx)
//	err = f.Connect(ctx, "files", manager.Options{Endpoint: dial.Command{Args: args}, Supervise: true})
//	tools, err := f.Tools(ctx, "files")
//	r, err := f.CallTool(ctx, "files", protocol.CallToolParams{Name: "add", Arguments: `{"a":1,"b":2}`}, fleet.RequestOptions{})
//
// Set takes a whole list of servers instead, and again when that has changed. What servers
// ask is answered by Options.Serve; what they say is told to Options.Event. Both may use the
// Fleet.
//
// # Contract
//
//   - Methods may be called from any goroutine; one lock stands before the Manager (row B27),
//     and nothing is waited for while it is held. A context that ends ends the operation.
//   - A server that is mute, does not read, floods, hangs or dies holds up its own callers
//     alone. What it can make the Fleet keep is bounded: functions that run for it, events
//     that wait, what is to be sent.
//   - Each request ends once: with a result, or an error that says why there is none. When a
//     server dies its callers are told at once.
//   - What came of an earlier connection under the same name never shows.
//   - The functions of Options run on goroutines of their own, OnProgress on that of its
//     request.
//   - After Close nothing runs any more, but functions that do not heed their contexts, and
//     what links.ErrCloseTimeout is about.
//
// # Not promised
//
// The order of events of different servers, and the texts of errors.
package fleet
