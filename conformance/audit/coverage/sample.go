package coverage

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"
)

// Week returns a seed from the week of an instant, ISO year and week, so that a sample
// changes each week and is the same within the week.
func Week(t time.Time) uint64 {
	year, week := t.ISOWeek()
	return uint64(year*100 + week)
}

// Single returns the rows with a single case of their own: no other case would
// notice if that case did not prove them.
func Single(results []Result) []Result {
	return slices.DeleteFunc(slices.Clone(results), func(r Result) bool {
		return r.TransportOnly() || len(r.Cases) != 1 || r.See() != ""
	})
}

// Sample picks n of the rows that have a case. A row's place in the draw depends only on the
// seed and its id, so that a new or newly covered row moves no other
// one. Rows that refer to another one are not drawn.
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
