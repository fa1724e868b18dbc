// Package catalog holds the lists of many servers, and the tools of the program itself, under one set of
// names. It does no I/O.
//
// # Loop
//
// A Catalog stands beside a manager.Manager. The Effects of each step of the Manager pass through it:
//
//	m, effects := d.m.Report(now, report)
//	d.c, d.m, update = d.c.Handle(m, now, effects)       // do Actions, look at Events and Changes
//	d.c, d.m, update = d.c.Tick(d.m, now)                // NextDeadline has come
//
// It reads the lists of a server when the server becomes ready, when it announces a change, and when a
// call needs a list that is stale. A lookup is a function of the value:
//
//	item, ok := d.c.Lookup(protocol.ToolList, "mcp.files.read")
//	for item := range d.c.Items(protocol.ToolList, false) { … }
//
// A Filter says which items of a server are in the Catalog. Set replaces the servers and their Filters:
//
//	d.c, d.m, update, err = d.c.Set(d.m, now, []catalog.Source{{Name: "files", Filter: filter}})
//
// # Contract
//
//   - A Catalog is an immutable value: every step returns the next one, and the one before stays
//     as it was. Time is an argument; a zero or earlier time counts as the latest seen.
//   - A local tool goes before those of servers. A plain name stays that of the server that had it first,
//     also while that server is away. Qualified names lead to their items, but for one that was the plain
//     name of another server's before: that is withdrawn.
//   - There is one reading of a list at a time. A failure is never taken for an empty list. A server
//     without a capability, or that does not know the method, has no items.
//   - What servers send is bounded by Limits, copied, and left out item by item where it is
//     not valid. A change costs what changes. A lookup costs one look at a table; a Seek for a plain name
//     looks at each server.
//   - Everything comes in the order of servers, and of the items in their lists.
//   - A Filter is a plain value. Its methods take time linear in its rules. A rule that cannot be
//     understood keeps items out: a malformed pattern, or annotations that cannot be read.
//
// # Not promised
//
// The texts of errors; which hash is in a name that was cut; the form of snapshots.
package catalog
