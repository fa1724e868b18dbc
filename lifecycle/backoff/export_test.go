package backoff

import "time"

type BreakerState = breakerState

const (
	Closed   = closed
	Open     = open
	HalfOpen = halfOpen
)

func (b Breaker) State(now time.Time) BreakerState { return b.state(now) }
