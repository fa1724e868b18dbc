package attempt

import (
	"strconv"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
)

// Strategy is how many calls of a batch are under way at once (row D10): Sequential, Parallel or a
// number. A call is under way from its start until it has ended, waits between attempts included.
type Strategy int

// The strategies that are not a limit.
const (
	Sequential Strategy = 0  // each call starts when the one before has ended, as with 1
	Parallel   Strategy = -1 // all calls start at once
)

// width returns how many of n calls are under way at once, at least one.
func (s Strategy) width(n int) int {
	if s == Parallel {
		return max(n, 1)
	}
	return max(min(int(s), n), 1)
}

// CancelMode says what happens to running attempts when their batch is cancelled. A call without
// one ends at once, as cancelled.
type CancelMode uint8

// The modes. The zero value is Graceful.
const (
	Graceful  CancelMode = iota // they may end on their own within BatchOptions.Grace
	Immediate                   // they are stopped
)

// BatchOptions are the settings of a batch (rows D11, E22). The zero value runs one call after
// the other and goes on after failures.
type BatchOptions struct {
	// Strategy is how many calls are under way at once.
	Strategy Strategy
	// FailFast cancels the batch when one of its calls has failed for good or was cancelled.
	FailFast bool
	// Cancel says what happens to running attempts when the batch is cancelled.
	Cancel CancelMode
	// Grace is how long they may go on in Graceful mode. Zero means 5 s,
	// lifecycle.NoTimeout until they end.
	Grace time.Duration
	// Policy, if set, is used instead of the policy of Config.
	Policy *Policy
}

// filled returns the options with their defaults, or a *lifecycle.ConfigError.
func (o BatchOptions) filled() (BatchOptions, error) {
	var f lifecycle.Filler
	if o.Strategy < Parallel {
		f.Wrong("BatchOptions.Strategy", strconv.Itoa(int(o.Strategy)), "want positive, Sequential or Parallel")
	}
	f.Choice("BatchOptions.Cancel", int(o.Cancel), int(Immediate))
	f.Time("BatchOptions.Grace", &o.Grace, 5*time.Second, lifecycle.MayBeNone)
	if o.Policy != nil {
		p := *o.Policy
		p.check(&f, "BatchOptions.Policy.")
		o.Policy = &p
	}
	return o, f.Err("attempt")
}
