package engine

import (
	"math"

	"github.com/sansmcp/mcp/lifecycle"
)

// Rates on the clock of the caller. A bucket takes no tick to fill: it is the instant at which it
// would be full, and each event moves that instant on by the time that one event takes. What lies
// in the past is full. So a bucket is eight bytes, is compared and stored as an instant, and a
// clock that stands still lets a burst pass and no more.

// bucket is a token bucket as one number: the instant at which it would be full again
// (the generic cell rate algorithm).
type bucket int64

// pass lets something happen at now if the rate allows it. It returns the next bucket,
// which differs only if it passed.
func (g bucket) pass(r lifecycle.Rate, now int64) (bucket, bool) {
	if r.PerSecond == 0 {
		return g, true
	}
	step, slack := steps(r)
	full := max(int64(g), now)
	if full-now > slack || full > math.MaxInt64-step {
		return g, false
	}
	return bucket(full + step), true
}

// steps returns what one event adds to the bucket of a rate, and how far from now the bucket
// may be for one more to pass.
func steps(r lifecycle.Rate) (step, slack int64) {
	// A nanosecond at the least, or an event would cost nothing.
	step = int64(min(max(1e9/r.PerSecond, 1), math.MaxInt64/4))
	slack = step * int64(max(r.Burst, 1)-1)
	// The product has overflowed: a burst that large is never used up.
	if slack/step != int64(max(r.Burst, 1)-1) {
		slack = math.MaxInt64 / 2
	}
	return step, slack
}

// within returns the bucket as a rate can have left it at the instant zero. A snapshot may say
// more, if it is forged or if the rate was another one: that would stop what the rate allows.
func (g bucket) within(r lifecycle.Rate) bucket {
	if r.PerSecond == 0 {
		return 0
	}
	step, slack := steps(r)
	return min(g, bucket(min(slack, math.MaxInt64-1-step)+step))
}

// gates are the buckets of a session. Zero ones are full.
type gates struct {
	requests, sent, received bucket
	dropped                  uint64 // log messages that were left out
}
