package coverage_test

import (
	"slices"
	"testing"
	"time"

	"github.com/sansmcp/mcp/conformance/audit/coverage"
)

func row(id, test string, cases ...string) coverage.Result {
	r := coverage.Result{Row: coverage.Row{ID: id, Test: test}}
	for _, name := range cases {
		r.Cases = append(r.Cases, coverage.Case{Name: name})
	}
	return r
}

var some = []coverage.Result{
	row("A-001", "send it", "a"), row("A-002", "send it", "a", "b"), row("A-003", "transport only"), row("A-004", "see A-001", "a"), row("A-005", "send it"),
	row("A-006", "send it", "c"),
}

func ids(list []coverage.Result) (out []string) {
	for _, r := range list {
		out = append(out, r.ID)
	}
	slices.Sort(out)
	return out
}

// Single returns only rows with one case of their own.
func TestSingle(t *testing.T) {
	if got := ids(coverage.Single(some)); !slices.Equal(got, []string{"A-001", "A-006"}) {
		t.Error(got)
	}
}

// A sample has only rows with a case, depends on the seed, and is the same in each call.
func TestSample(t *testing.T) {
	if got := ids(coverage.Sample(some, 9, 1)); !slices.Equal(got, []string{"A-001", "A-002", "A-006"}) {
		t.Error(got)
	}
	first := map[string]bool{}
	for seed := range uint64(20) {
		a, b := coverage.Sample(some, 1, seed), coverage.Sample(some, 1, seed)
		if first[a[0].ID] = true; a[0].ID != b[0].ID {
			t.Errorf("seed %d: %s and %s", seed, a[0].ID, b[0].ID)
		}
	}
	if len(first) != 3 {
		t.Errorf("20 seeds drew only %v", first)
	}
}

// The seed changes with the ISO week, which belongs to the year of its Thursday.
func TestWeek(t *testing.T) {
	for day, want := range map[string]uint64{"2025-12-28": 202552, "2025-12-29": 202601, "2026-01-04": 202601, "2026-01-05": 202602, "2027-01-03": 202653} {
		at, err := time.Parse(time.DateOnly, day)
		if err != nil {
			t.Fatal(err)
		}
		if got := coverage.Week(at); got != want {
			t.Errorf("%s: %d, want %d", day, got, want)
		}
	}
}
