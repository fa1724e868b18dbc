// Package addition shows what a method costs: a copy of the product gets a made-up method
// of a made-up revision, with types, rows, a capability and a flag of it for one of its
// params. Both roles then serve it, with edits only in package protocol.
package addition
