// Package toolset is the catalogue of the tools that a host has, local ones and those of many
// servers, under one set of names; and the way to call them by name.
//
// # Loop
//
// A Toolset stands beside a manager.Manager. The Effects of each step of the Manager pass through it:
//
//	m, out := d.m.Report(now, report)
//	d.t, d.m, effects = d.t.Handle(m, now, out)          // do Actions, look at Events and Changes
//	d.t, d.m, effects = d.t.Tick(d.m, now)               // NextDeadline has come
//
// It reads the list of each server when the server is ready, when it announces a change, and when a
// call needs it and it is stale. Looking up is a function of the value:
//
//	b, err := d.t.Resolve("mcp.files.read")
//	list := d.t.List()
//	x, err := d.t.Export(provider.Anthropic, provider.Options{})
//
// A Caller is a Manager, a Toolset and an attempt.Executor as one machine. It calls by name:
//
//	d.c, out, err = d.c.Call(now, toolset.Request{Name: name, Arguments: arguments})
//	// out.Actions as those of a Manager; run out.Invoke, and tell what it came to by Finish;
//	// out.Done says how calls have ended
//
// docs/examples/catalogue has a driver for it, a links.Loop: methods that wait.
//
// # Contract
//
//   - All are immutable values: every step returns the next one, and the one before stays
//     as it was. Time is an argument; a zero or earlier time counts as the latest seen.
//   - A local tool goes before those of servers. A plain name stays that of the server that had it first.
//     Qualified names always lead to their tools, whatever tools of other servers are called.
//   - There is one listing of a server at a time. A failure is never taken for an empty list.
//   - A call is bound to one tool, and runs there or nowhere.
//   - What servers send is bounded by Limits, copied, and left out tool by tool where it is
//     not valid. A change costs what changes, and looking up a name costs one look at a table.
//   - Everything comes in the order of servers, and of the tools in their lists.
//
// # Not promised
//
// The texts of errors; which hash is in a name that was cut. There is no snapshot: after a Restore
// of the Manager a new Toolset reads the lists again.
package toolset
