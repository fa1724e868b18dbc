// Package global changes package-level variables.
package global

import "strings"

type counter struct{ n int }

func (c *counter) add()    { c.n++ }
func (c counter) get() int { return c.n }

var (
	total   int
	seen    = map[string]bool{}
	list    [4]struct{ n int }
	hits    counter
	hitsPtr = &hits
	text    strings.Builder
)

func count(key string) {
	total++                 // want global
	total = total + 1       // want global
	seen[key] = true        // want global
	delete(seen, key)       // want global
	list[0].n += 2          // want global
	hits.add()              // want global
	text.WriteByte('x')     // want global
	clear(seen)             // want global
	copy(list[:], list[1:]) // want global
	*(hitsPtr) = hits       // want global
	for total = range 3 {   // want global
	}
	_ = func() { total-- } // want global
}

func init() {
	total = 1 // want global
}

func pure() int {
	total := total
	total++
	c := hits
	c.add()
	mine := list
	mine[0].n = 4
	return total + c.get() + hits.get() + len(seen)
}
