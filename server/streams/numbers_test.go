package streams

import (
	"fmt"
	"math"
	"testing"

	"github.com/sansmcp/mcp/lifecycle/engine"
)

// The number of an event outside, at both sides of a cut: events 2 and 3 are known as such, 4 to 8 may have been
// given, and 9 is the one after 3.
func TestCutNumbers(t *testing.T) {
	c := &cut{at: 3, by: 5}
	for outside, want := range map[uint64]struct {
		n    int
		lost bool
	}{
		2: {2, false}, 3: {3, false}, 4: {0, true}, 8: {0, true}, 9: {4, false},
		math.MaxInt32 + 5: {math.MaxInt32, false}, math.MaxInt32 + 6: {-1, false},
	} {
		if n, lost := c.event(outside); n != want.n || lost != want.lost {
			t.Errorf("%d: %d, %v", outside, n, lost)
		}
	}
	for n, want := range map[int]uint64{2: 2, 3: 3, 4: 9} {
		if got := c.number(n); got != want {
			t.Errorf("%d: %d", n, got)
		}
	}
}

// A cut in a snapshot has numbers that one can have, to the last of each.
func TestCutLimits(t *testing.T) {
	first := &cut{at: 3, by: 5, gen: 1}
	for _, c := range []struct {
		at, by, gen uint64
		good        bool
	}{
		{math.MaxInt32, 6, 1, true}, {math.MaxInt32 + 1, 6, 1, false},
		{4, 6, 1, true}, {4, 5, 1, false},
		{4, engine.MaxNumber, 1, true}, {4, engine.MaxNumber + 1, 1, false},
		{4, 6, math.MaxUint32, true}, {4, 6, math.MaxUint32 + 1, false},
	} {
		f := engine.ReadFields(fmt.Appendf(nil, `{"at":%d,"by":%d,"gen":%d}`, c.at, c.by, c.gen))
		got := first.restored(f)
		if (f.Err() == nil) != c.good {
			t.Errorf("%+v: %v", c, f.Err())
		} else if c.good && *got != (cut{int(c.at), c.by, uint32(c.gen), first}) {
			t.Errorf("%+v: %+v", c, *got)
		}
	}
	for _, c := range []struct {
		c    cut
		good bool
	}{
		{cut{at: 3, by: 6, gen: 1, before: first}, true}, {cut{at: 3, by: 5, gen: 1, before: first}, false},
		{cut{at: 2, by: 6, gen: 1, before: first}, false}, {cut{at: 4, by: 6, gen: 2, before: first}, true},
		{cut{at: 5, by: 6, gen: 1, before: first}, false}, {cut{at: 4, by: 6, gen: 3, before: first}, false},
		{cut{at: 1, by: 1}, true}, {cut{by: 1}, false},
	} {
		if c.c.possible(4, 2) != c.good {
			t.Errorf("%+v: %v", c.c, !c.good)
		}
	}
}
