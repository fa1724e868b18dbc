package attempt

import (
	"strconv"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
)

// Parallel is the BatchOptions.Strategy that starts all calls at once.
const Parallel = -1

// width returns how many of n calls may be active at once, at least one.
func width(strategy, n int) int {
	if strategy == Parallel {
		return max(n, 1)
	}
	return max(min(strategy, n), 1)
}

// BatchOptions are the settings of a batch (rows D11, E22). The zero value runs one call after the
// other and continues after failures.
type BatchOptions struct {
	// Strategy is how many calls are open at once (row D10), or Parallel. A call is open from its start
	// until it has ended, including waits between attempts. With 0 or 1, each call starts when the
	// previous one has ended.
	Strategy int
	// FailFast cancels the batch when one of its calls has failed or was cancelled.
	FailFast bool
	// Immediate stops running attempts at once when the batch is cancelled, ignoring Grace. A call
	// without a running attempt ends at once in any case, as cancelled.
	Immediate bool
	// Grace is how long running attempts may continue when the batch is cancelled. Zero means 5 s,
	// lifecycle.NoTimeout until they end.
	Grace time.Duration
	// Policy, if not nil, replaces the policy of Config.
	Policy *Policy
}

// filled returns the options with their defaults, or a *lifecycle.ConfigError.
func (o BatchOptions) filled() (BatchOptions, error) {
	var f lifecycle.Filler
	if o.Strategy < Parallel {
		f.Wrong("BatchOptions.Strategy", strconv.Itoa(o.Strategy), "want 0 or more, or Parallel")
	}
	f.Time("BatchOptions.Grace", &o.Grace, 5*time.Second, lifecycle.MayBeNone)
	if o.Policy != nil {
		p := *o.Policy
		p.check(&f, "BatchOptions.Policy.")
		o.Policy = &p
	}
	return o, f.Err("attempt")
}
