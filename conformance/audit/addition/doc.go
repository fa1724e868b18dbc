// Package addition shows what a method costs: a copy of the product gets a made-up method
// of a made-up revision, with types, rows, a capability and a flag of it that one of its
// params needs. Both roles serve it then, and nothing outside package protocol was edited.
package addition
