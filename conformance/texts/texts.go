// Package texts makes sets of texts for tests: all short ones, and all that are
// near an example. A test compares two readers on each of them.
package texts

import "iter"

// Every yields all concatenations of up to n of the pieces.
func Every(n int, pieces ...string) iter.Seq[string] {
	return func(yield func(string) bool) {
		var more func(text string, n int) bool
		more = func(text string, n int) bool {
			if !yield(text) {
				return false
			}
			for _, p := range pieces {
				if n > 0 && !more(text+p, n-1) {
					return false
				}
			}
			return true
		}
		more("", n)
	}
}

// Near yields the examples, and all variants with one byte omitted, replaced by each other
// byte, or doubled.
func Near(examples ...string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, s := range examples {
			if !yield(s) {
				return
			}
			for i := range len(s) {
				if !yield(s[:i]+s[i+1:]) || !yield(s[:i+1]+s[i:]) {
					return
				}
				for c := range 256 {
					if !yield(s[:i] + string([]byte{byte(c)}) + s[i+1:]) {
						return
					}
				}
			}
		}
	}
}
