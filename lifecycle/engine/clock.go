package engine

import (
	"math"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
)

// clock is the time of a State and the owner of its handles. Instants are nanoseconds
// from the origin; table.Never stands for none.
//
// These are the instants at which something becomes due, and where each lies:
//
//	a request of ours is given up       the deadline of its entry (requests.out), which
//	                                    progress, questions and Pause may put off, up to maxDeadline
//	an answer of ours is overdue        the deadline of its entry (requests.in)
//	open work is given up in shutdown   session.due
//	the next ping goes out              session.due
//	list changes are announced          the role's own (NextDeadline takes it)
//
// The buckets of rates (bucket) are instants too, and so is requests.still; nothing becomes due by them.
type clock struct {
	birth *birth // never changed; behind a pointer to keep a State small
	now   int64  // the latest time seen
	step  uint64 // how many transitions there have been
}

// birth is what a clock is born with.
type birth struct {
	owner lifecycle.Owner // of the handles
	at    time.Time       // the origin
}

// Clock begins a transition: it takes the time in and counts. A zero or earlier time
// counts as the latest seen. A jump ahead is believed, however far (package lifecycle,
// Contract): after Tick(now) the next deadline has to be later than now, or a driver would
// call Tick for ever, so a reading cannot be ignored or cut (TIME-013).
func (c *clock) Clock(now time.Time) {
	c.step++
	if now.IsZero() || c.birth == nil {
		return
	}
	// A time beyond what an instant can hold is the last one before never.
	if d := min(int64(now.Sub(c.birth.at)), table.Never-1); d > c.now {
		c.now = d
	}
}

// After returns the instant d from now, table.Never where there is none.
func (c *clock) After(d time.Duration) int64 {
	if d < 0 || int64(d) > math.MaxInt64-1-c.now {
		return table.Never
	}
	return c.now + int64(d)
}

// At returns the time of an instant, as Now and After give them; zero for table.Never.
func (c *clock) At(t int64) time.Time {
	if t == table.Never {
		return time.Time{}
	}
	return c.birth.at.Add(time.Duration(t))
}

// Now returns the latest time seen, in nanoseconds from the origin.
func (c *clock) Now() int64 { return c.now }

// Step returns how many transitions there have been.
func (c *clock) Step() uint64 { return c.step }

// Owner returns what the handles of this State point at.
func (c *clock) Owner() *lifecycle.Owner {
	if c.birth == nil {
		return nil
	}
	return &c.birth.owner
}

// Call returns the handle with the given numbers. Whether it is open shows when it is
// used.
func (c *clock) Call(seq, key uint64) lifecycle.Call { return lifecycle.MakeCall(c.Owner(), seq, key) }

// Req returns the handle with the given number.
func (c *clock) Req(seq uint64) lifecycle.Req { return lifecycle.MakeReq(c.Owner(), seq) }
