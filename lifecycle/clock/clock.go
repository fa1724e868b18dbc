// Package clock counts time for machines that take it as an argument. An instant is a number of
// nanoseconds from an origin: it is compared and stored as one word, and the monotonic reading of a
// time counts.
//
// # Loop
//
// Keep the Clock in a struct field, take the time at the beginning of each step, and convert where
// times come in or go out:
//
//	m.clock.Take(now)
//	m.calls = m.calls.Put(id, m.clock.After(timeout), call)
//	…
//	return m.clock.At(m.calls.Min())
//
// # Contract
//
//   - A zero or earlier time counts as the latest seen. A jump ahead is believed.
//   - Nothing overflows: what lies further away than an instant can say never comes.
//   - Nothing allocates.
//
// # Not promised
//
// The package is there for the other packages of this module. It makes no promise of compatibility
// between versions.
package clock

import (
	"time"

	"github.com/sansmcp/mcp/lifecycle/table"
)

// Clock is the latest time that a machine has seen. The zero Clock stands still until it takes a
// time, which is then its origin. It is a comparable value.
type Clock struct {
	origin time.Time
	now    int64
}

// New returns a Clock whose origin is the given time.
func New(origin time.Time) Clock { return Clock{origin: origin} }

// Take sets the Clock to now. A zero or earlier time counts as the latest seen.
func (c *Clock) Take(now time.Time) {
	switch {
	case now.IsZero():
	case c.origin.IsZero():
		c.origin = now
	default:
		c.now = max(c.now, c.Of(now))
	}
}

// Now returns the instant of the latest time seen.
func (c *Clock) Now() int64 { return c.now }

// Time returns the latest time seen, zero if there was none.
func (c *Clock) Time() time.Time { return c.At(c.now) }

// At returns the time of an instant, zero for table.Never.
func (c *Clock) At(instant int64) time.Time {
	if instant == table.Never {
		return time.Time{}
	}
	return c.origin.Add(time.Duration(instant))
}

// Of returns the instant of a time; the last one before table.Never if t is further away than an
// instant can say.
func (c *Clock) Of(t time.Time) int64 { return min(int64(t.Sub(c.origin)), table.Never-1) }

// After returns the instant that lies d after the latest time seen; see Later.
func (c *Clock) After(d time.Duration) int64 { return Later(c.now, d) }

// Later returns the instant that lies d after another. It is table.Never if d is negative, as
// lifecycle.NoTimeout is, and where no Clock comes so far.
func Later(instant int64, d time.Duration) int64 {
	if d < 0 || instant > 0 && int64(d) > table.Never-1-instant {
		return table.Never
	}
	return instant + int64(d)
}
