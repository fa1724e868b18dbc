// Package manager keeps any number of named connections to servers as one immutable value. It
// does no I/O.
package manager
