// Package deep is left out.
package deep

func run(f func()) { go f() }
