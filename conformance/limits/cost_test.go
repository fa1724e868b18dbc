package limits_test

import (
	"flag"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/conformance/cputime"
)

// entry is a public entry point with an input of variable size.
type entry struct {
	name string
	// of returns the entry with an input of about n bytes. Making the input is
	// not measured.
	of func(n int) func()
	// most is how many bytes the entry may allocate for each byte of its input; 0 for entries
	// that use only part of it, or are bounded otherwise.
	most float64
	// one marks an entry of a whole matrix, of which a usual run tries a part.
	one bool
}

// used is the cost of one run.
type used struct{ bytes, count float64 }

// alloc returns what f allocates: the minimum of some runs, since the runtime allocates
// too.
func alloc(f func()) used {
	var before, after runtime.MemStats
	var least used
	for i := range 3 {
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		got := used{float64(after.TotalAlloc - before.TotalAlloc), float64(after.Mallocs - before.Mallocs)}
		if i == 0 {
			least = got
		}
		least = used{min(least.bytes, got.bytes), min(least.count, got.count)}
	}
	return least
}

// shortest returns the minimum CPU time of f in some runs.
func shortest(f func(), runs int) time.Duration {
	least := time.Duration(1 << 62)
	for range runs {
		start := cputime.Now()
		f()
		least = min(least, cputime.Now()-start)
	}
	return least
}

// Eight times the input may take sixteen times the memory, because short slices are
// doubled and long ones grow by a quarter; quadratic cost would take 64 times as much.
// Sixteen times the input may take 64 times the time, where 256 would be quadratic: the
// machine may be busy.
const (
	moreInput, moreMemory = 8, 16
	timeInput, moreTime   = 16, 64
	least                 = 20 * time.Microsecond // shorter times are noise
	longest               = 2 * time.Second       // the limit for any part of a test
)

// check reports where the cost of an entry grows faster than its input.
func (e entry) check(n int) (faults []string) {
	small, large := e.of(n), e.of(moreInput*n)
	if took := shortest(large, 1); took > longest {
		return []string{fmt.Sprintf("%v for an input of %d", took, moreInput*n)}
	}
	a, b := alloc(small), alloc(large)
	if b.bytes > moreMemory*a.bytes+128<<10 || b.count > moreMemory*a.count+200 {
		faults = append(faults, fmt.Sprintf("%.0f bytes in %.0f allocations for an input of %d, %.0f in %.0f for %d times as much", a.bytes, a.count, n, b.bytes, b.count, moreInput))
	}
	if got := b.bytes / float64(moreInput*n); e.most > 0 && got > e.most && !race {
		faults = append(faults, fmt.Sprintf("%.1f bytes for each of the input, %.1f are allowed", got, e.most))
	}
	large = e.of(timeInput * n)
	var t1, t2 time.Duration
	for runs := 2; ; runs *= 2 {
		t1, t2 = max(shortest(small, 2*runs), least), shortest(large, runs)
		if t2 <= moreTime*t1 {
			return faults
		}
		if runs > 16 {
			return append(faults, fmt.Sprintf("%v for an input of %d, %v for %d times as much", t1, n, t2, timeInput))
		}
	}
}

var all = flag.Bool("all", false, "try every shape at every entry, with larger inputs")

// TestAllocationsAndTime tries every public entry point for bytes of the peer or of the application.
func TestAllocationsAndTime(t *testing.T) {
	n, every := 4<<10, 7
	switch {
	case *all:
		n, every = 16<<10, 1
	case testing.Short():
		n, every = 2<<10, 19
	}
	for _, group := range []struct {
		name    string
		entries []entry
	}{
		{"jsonrpc", wireEntries()}, {"server", serverEntries(t)}, {"client", clientEntries(t)}, {"phases", phaseEntries(t)},
		{"verbs", verbEntries(t)}, {"catalog", catalogEntries(t)}, {"machines", machineEntries(t)}, {"streams", streamEntries(t)}, {"snapshot", snapshotEntries(t)},
		{"protocol", typeEntries()}, {"schema", schemaEntries()}, {"uritemplate", templateEntries()},
	} {
		start := time.Now()
		t.Run(group.name, func(t *testing.T) {
			// Maps have no order, and the omitted entries must be the same each time.
			slices.SortStableFunc(group.entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
			tried := 0
			for i, e := range group.entries {
				if e.one && i%every != 0 {
					continue
				}
				tried++
				if faults := e.check(n); len(faults) > 0 {
					t.Errorf("%s: %s", e.name, strings.Join(faults, "; "))
				}
			}
			t.Logf("%d of %d entries in %v", tried, len(group.entries), time.Since(start).Round(time.Millisecond))
		})
	}
}

// The harness finds excessive cost.
func TestAllocationsAreFound(t *testing.T) {
	var keep []byte
	tooMuch := 1
	if race {
		tooMuch = 0
	}
	for _, c := range []struct {
		name string
		of   func(n int) func()
		most float64
		want int
	}{
		{"linear", func(n int) func() { return func() { keep = make([]byte, n) } }, 2, 0},
		{"too much", func(n int) func() { return func() { keep = make([]byte, 3*n) } }, 2, tooMuch},
		{"quadratic memory", func(n int) func() {
			return func() {
				for range n / 1024 {
					keep = make([]byte, n)
				}
			}
		}, 0, 1},
		{"quadratic time", func(n int) func() {
			s := strings.Repeat("x", n)
			return func() {
				for i := range n / 16 {
					if strings.Count(s[i:], "y") > 0 {
						keep = nil
					}
				}
			}
		}, 0, 1},
	} {
		if got := (entry{name: c.name, of: c.of, most: c.most}).check(4 << 10); len(got) != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	_ = keep
}
