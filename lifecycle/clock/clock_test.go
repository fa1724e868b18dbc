package clock_test

import (
	"math"
	"testing"
	"time"

	"github.com/sansmcp/mcp/lifecycle/clock"
	"github.com/sansmcp/mcp/lifecycle/table"
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// A zero or earlier time counts as the latest seen, and a jump ahead is believed.
func TestTake(t *testing.T) {
	for name, c := range map[string]clock.Clock{"with an origin": clock.New(start), "zero": {}} {
		first := c
		if first.Take(time.Time{}); first != c || first.Time().IsZero() != (name == "zero") {
			t.Errorf("%s: the zero time makes %+v of %+v", name, first, c)
		}
		for _, step := range []struct {
			now  time.Time
			want time.Duration
		}{
			{start, 0}, {start.Add(5), 5}, {start.Add(3), 5}, {time.Time{}, 5}, {start.Add(-time.Hour), 5}, {start.Add(time.Hour), time.Hour},
			{start.AddDate(1000, 0, 0), math.MaxInt64 - 1}, {start, math.MaxInt64 - 1},
		} {
			if c.Take(step.now); c.Now() != int64(step.want) {
				t.Errorf("%s: after %v it is %d, want %d", name, step.now, c.Now(), step.want)
			}
			if got := c.Time(); !got.Equal(start.Add(step.want)) {
				t.Errorf("%s: after %v it is %v", name, step.now, got)
			}
		}
	}
}

// Instants and times are the same, within what an instant can say.
func TestInstants(t *testing.T) {
	c := clock.New(start)
	c.Take(start.Add(time.Second))
	if got := c.At(table.Never); !got.IsZero() {
		t.Errorf("never is %v", got)
	}
	for _, d := range []time.Duration{0, 1, -1, time.Hour, -time.Hour, math.MaxInt64 - 1} {
		if got := c.Of(c.At(int64(d))); got != int64(d) {
			t.Errorf("%d comes back as %d", d, got)
		}
	}
	if got := c.Of(start.AddDate(1000, 0, 0)); got != math.MaxInt64-1 {
		t.Errorf("a far time is %d", got)
	}
	var zero clock.Clock
	if got := zero.Time(); !got.IsZero() {
		t.Errorf("the zero Clock is at %v", got)
	}
}

// Nothing overflows, and a negative duration is none.
func TestLater(t *testing.T) {
	for _, tt := range []struct {
		at   int64
		d    time.Duration
		want int64
	}{
		{0, 0, 0}, {5, 3, 8}, {-5, 3, -2}, {5, -1, table.Never}, {5, math.MinInt64, table.Never}, {5, math.MaxInt64, table.Never},
		{-5, math.MaxInt64, math.MaxInt64 - 5}, {0, math.MaxInt64 - 1, math.MaxInt64 - 1}, {1, math.MaxInt64 - 2, math.MaxInt64 - 1},
		{1, math.MaxInt64 - 1, table.Never}, {math.MaxInt64 - 1, 0, math.MaxInt64 - 1}, {math.MaxInt64 - 1, 1, table.Never},
	} {
		if got := clock.Later(tt.at, tt.d); got != tt.want {
			t.Errorf("%d after %d is %d, want %d", tt.d, tt.at, got, tt.want)
		}
	}
	c := clock.New(start)
	c.Take(start.Add(5))
	if got := c.After(3); got != 8 {
		t.Errorf("3 after 5 is %d", got)
	}
}
