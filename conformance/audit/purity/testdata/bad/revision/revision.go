// Package revision declares types without an order.
package revision

// Revision is a text.
type Revision string

// Flag is a number behind a field.
type Flag struct{ Name string }

// Text returns the name.
func (f Flag) Text() string { return f.Name }

// Before may compare: it is at home here.
func (r Revision) Before(o Revision) bool { return r < o }
