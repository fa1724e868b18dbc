// Package catalog holds what an application decides about what servers list. It does no I/O.
//
// # Loop
//
// Whoever lists the items of a server drops those that its Filter does not pass, before names are
// given out, and answers a request for one of them as for an item that does not exist:
//
//	if err := filter.Check(); err != nil { … }              // when the settings are given
//	if filter.Passes(protocol.ToolList, name, item) { … }   // for each item of a list
//
// # Contract
//
//   - A Filter is a plain value. Its methods change nothing, and take time linear in its rules.
//   - What restricts and cannot be understood keeps out: a malformed pattern, and annotations that
//     cannot be read.
//
// # Not promised
//
// The wording of errors.
package catalog
