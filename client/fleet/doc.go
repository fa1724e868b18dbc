// Package fleet runs one calls.Caller for an application: many servers by name, over the
// connections that links.Links open. It does I/O, so no pure package imports it.
//
// # Loop
//
// The Fleet runs the loop. An application lists its servers, calls their tools, and closes:
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
// Call Set again when the list has changed. Catalog.Sources in the calls.Config set, for each
// server by name, which of its tools are used and how long its list is fresh (catalog.Filter,
// TTL). Options.Local runs tools of the program itself. Options.Serve answers requests from
// servers, Options.Event gets their notifications, and Options.Changed gets changes of their
// tools. All of these may use the Fleet.
//
// # Contract
//
//   - Methods may be called from any goroutine; one lock guards the Caller (row B27), and no
//     method waits while it holds the lock. The end of a context ends the operation.
//   - A server that is silent, does not read, floods, hangs or dies delays only its own
//     callers. What it can make the Fleet keep is bounded: running functions, waiting
//     events, queued messages.
//   - Each call and each request ends once: with a result, or with an error that says why. When a
//     server dies, its callers get their errors at once.
//   - Results and events of an earlier connection under the same name are never reported.
//   - The functions of Options run on their own goroutines, those for progress on that of the
//     call or request.
//   - After Close nothing runs, except functions that ignore their contexts and a
//     Transport that does not close (links.ErrCloseTimeout).
//
// # Not promised
//
// The order of events of different servers, and the texts of errors.
package fleet
