// Package fleet runs one calls.Caller for an application: many servers at once, by name, over what
// links.Links open. It does I/O, so nothing pure imports it.
//
// # Loop
//
// The Fleet has the loop. An application says which servers there are, calls their tools, and closes:
//
//	f, err := fleet.New(calls.Config{Manager: manager.Config{Client: cfg}}, fleet.Options{Dial: dial.Dialer{}.Dial})
//	if err != nil {
//		return err
//	}
//	defer f.Close(ctx)
//	err = f.Set(ctx, []fleet.Definition{
//		{Name: "files", Options: manager.Options{Endpoint: dial.Command{Args: args}, Supervise: true}},
//		{Name: "search", Options: manager.Options{Endpoint: dial.URL{URL: url}, Supervise: true}},
//	})
//	tools := f.Caller().Tools().Definitions() // of all servers, under one set of names
//	o, err := f.Call(ctx, calls.Request{Name: "mcp.files.read", Arguments: `{"path":"a"}`}, nil)
//	r, err := fleet.Do[protocol.ReadResourceResult](ctx, f.Server("files"), protocol.ReadResourceParams{URI: uri}, fleet.RequestOptions{})
//
// Set takes the list again when it has changed. The Catalog.Sources of the calls.Config say of a
// server, by its name, which of its tools there are and how long its list is good (catalog.Filter,
// TTL). Tools of the program itself are run by Options.Local.
// What servers ask is answered by Options.Serve; what they say is told to Options.Event, and what
// becomes of their tools to Options.Changed. All of these may use the Fleet.
//
// # Contract
//
//   - Methods may be called from any goroutine; one lock stands before the Caller (row B27),
//     and nothing is waited for while it is held. A context that ends ends the operation.
//   - A server that is mute, does not read, floods, hangs or dies holds up its own callers
//     alone. What it can make the Fleet keep is bounded: functions that run for it, events
//     that wait, what is to be sent.
//   - Each call and each request ends once: with a result, or an error that says why there is none.
//     When a server dies its callers are told at once.
//   - What came of an earlier connection under the same name never shows.
//   - The functions of Options run on goroutines of their own, those for progress on that of the
//     call or request.
//   - After Close nothing runs, except functions that ignore their contexts and what
//     links.ErrCloseTimeout is about.
//
// # Not promised
//
// The order of events of different servers, and the texts of errors.
package fleet
