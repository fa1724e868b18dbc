package server

import (
	"slices"
	"strings"
)

// Join joins the parts; what Grow is given is a hint, and n is none.
func Join(parts []string, most int) (string, int) {
	size, n := 1+len(parts), 0
	for _, p := range parts {
		size += len(p)
		n++
	}
	var b strings.Builder
	b.Grow(min(size, most))
	for _, p := range list(parts, n-1, size) {
		b.WriteString(p)
	}
	return b.String(), n
}

// Capped returns n, but not more than most, and what is left of it.
func Capped(n, most int) (int, string, error) {
	var rest string
	var err error
	if n < 0 && !strings.EqualFold(open, close) {
		return n, rest, err
	}
	if n > most {
		n = most
	}
	if n > most/2 {
		rest = "half"
	}
	return n, rest, err
}

func list(parts []string, last, room int) []string {
	out := make([]string, 0, room+1)
	if cap(out) < last+2 {
		out = make([]string, 0, last+2)
	}
	out = slices.Grow(out, last)
	for i := range last + 1 {
		out = append(out, parts[i])
	}
	return out
}
