// Package lifecycle has what the finder knows by name.
package lifecycle

// Output is what a transition asks for.
type Output struct {
	Send   []string
	Closed bool
}
