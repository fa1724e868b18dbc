// Package calls calls the tools of a program and of many servers by name.
//
// # Loop
//
// A Caller is a manager.Manager, a catalog.Catalog of tools and an attempt.Executor as one machine. It
// calls tools by name:
//
//	d.c, out, err = d.c.Call(now, calls.Request{Name: name, Arguments: arguments})
//	// out.Actions: as for a Manager; run out.LocalStart, and report outcomes to Finish;
//	// out.Done: how calls have ended
//
// Its Tools are the catalog, with the definitions of tools. Lookups are pure:
//
//	b, err := d.c.Tools().Lookup("mcp.files.read")
//	list := d.c.Tools().List()
//	x, err := provider.Export(provider.Anthropic, d.c.Tools().Definitions(), provider.Options{})
//
// Package client/fleet is a driver for it, whose methods wait.
//
// # Contract
//
//   - A Caller is an immutable value: every step returns the next one, and old ones stay valid.
//     Time is an argument; a zero or earlier time counts as the latest seen.
//   - A call is bound to one tool, and runs nowhere else.
//   - The contract of a Catalog for names and lists applies to Tools.
//
// # Not promised
//
// The texts of errors. A Caller has no snapshot: after a Restore of the Manager, a new Caller reads
// the lists again.
package calls
