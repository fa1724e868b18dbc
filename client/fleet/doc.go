// Package fleet runs one calls.Caller for an application: many servers at once, by name, over
// links.Links. It does I/O; no pure package imports it.
//
// # Loop
//
// The Fleet has the loop. An application sets the servers, calls their tools, and closes:
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
// TTL). Options.Local runs tools of the program itself. Options.Serve answers requests of servers,
// Options.Event gets their notifications, and Options.Changed the changes of their tools. All of
// these may use the Fleet.
//
// # Contract
//
//   - Methods may be called from any goroutine. One lock protects the Caller (row B27), and is
//     never held while waiting. When a context ends, its operation ends.
//   - A server that is silent, does not read, floods, hangs or dies delays only its own callers.
//     What it can make the Fleet keep is bounded: running functions, waiting events, messages to
//     send.
//   - Each call and each request ends once, with a result or an error. When a server dies its calls
//     fail at once.
//   - Messages of an earlier connection of the same name are dropped.
//   - The functions of Options run on their own goroutines, those for progress on that of the call
//     or request.
//   - After Close nothing runs, except functions that ignore their contexts and what
//     links.ErrCloseTimeout is about.
//
// # Not promised
//
// The order of events of different servers, and the texts of errors.
package fleet
