// Package catalog holds the lists of many servers, and the tools of the program itself, under one set of
// names. It does no I/O.
//
// # Loop
//
// A Catalog accompanies a manager.Manager. The Effects of each step of the Manager pass through it:
//
//	m, effects := d.m.Report(now, report)
//	d.c, d.m, update = d.c.Handle(m, now, effects)       // do Actions, look at Events and Changes
//	d.c, d.m, update = d.c.Tick(d.m, now)                // NextDeadline has come
//
// It reads the lists of a server when the server becomes ready, when it announces a change, and when a
// call needs a list that is stale. Lookups are pure:
//
//	item, ok := d.c.Lookup(protocol.ToolList, "mcp.files.read")
//	for item := range d.c.Items(protocol.ToolList, false) { … }
//
// A Filter decides which items of a server are in the Catalog. Set replaces the servers and their
// Filters:
//
//	d.c, d.m, update, err = d.c.Set(d.m, now, []catalog.Source{{Name: "files", Filter: filter}})
//
// # Contract
//
//   - A Catalog is an immutable value: every step returns the next one, and the old one stays
//     valid. Time is an argument; a zero or earlier time counts as the latest seen.
//   - A local tool precedes those of servers. A plain name belongs to the server that had it first, also
//     while that server is unavailable. A qualified name leads to its item, unless it was before the
//     plain name of another server's item: then it is withdrawn.
//   - A list is read once at a time. A failure is never treated as an empty list. A server without a
//     capability, or that does not know the method, has no items.
//   - Data from servers is bounded by Limits and copied, and each invalid item is dropped. A change takes
//     time in proportion to what changes. A lookup takes one table lookup; a Seek for a plain name
//     examines each server.
//   - Everything is in server order, and in list order for each server.
//   - A Filter is a plain value. Its methods take time linear in its rules. A rule that is not
//     valid excludes items: a malformed pattern, or annotations that cannot be decoded.
//
// # Not promised
//
// The texts of errors; the hash within a name that was cut; the form of snapshots.
package catalog
