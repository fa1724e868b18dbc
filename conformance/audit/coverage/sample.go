package coverage

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"
)

// Week is the seed of the week that an instant is in, ISO year and week: what is sampled
// by it is another sample each week, and the same one for all who ask in that week.
func Week(t time.Time) uint64 {
	year, week := t.ISOWeek()
	return uint64(year*100 + week)
}

// Single returns the rows that rest on a single case of their own: nothing else would
// notice if the case did not prove them.
func Single(results []Result) []Result {
	return slices.DeleteFunc(slices.Clone(results), func(r Result) bool {
		return r.TransportOnly() || len(r.Cases) != 1 || r.See() != ""
	})
}

// Sample picks n of the rows that have a case. A row's place in the draw depends on the
// seed and its id alone, so that a row which is new, or newly covered, moves no other
// one. A row that says the same as another one is not drawn.
func Sample(results []Result, n int, seed uint64) []Result {
	own := slices.DeleteFunc(slices.Clone(results), func(r Result) bool {
		return r.TransportOnly() || len(r.Cases) == 0 || r.See() != ""
	})
	place := func(r Result) string {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", seed, r.ID))
		return string(sum[:])
	}
	slices.SortFunc(own, func(a, b Result) int { return cmp.Compare(place(a), place(b)) })
	return own[:min(n, len(own))]
}
