package exec

import (
	"fmt"
	"strconv"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
)

// Strategy says how many calls of a batch are under way at once (row D10). A call is under way
// from its turn until it has settled, its waits between attempts included. The zero value is
// Sequential.
type Strategy struct{ width int }

// Sequential begins a call when the one before has settled.
func Sequential() Strategy { return Strategy{} }

// Parallel begins all calls at once.
func Parallel() Strategy { return Strategy{width: -1} }

// Limit has up to n calls under way, and begins the next when one of them has settled. The
// error is a *lifecycle.ConfigError if n is less than one.
func Limit(n int) (Strategy, error) {
	if n < 1 {
		var f lifecycle.Filler
		f.Wrong("Limit", strconv.Itoa(n), "want 1 or more")
		return Strategy{}, f.Err("exec")
	}
	return Strategy{width: n}, nil
}

// String returns the strategy for logs.
func (s Strategy) String() string {
	switch s.width {
	case -1:
		return "parallel"
	case 0, 1:
		return "sequential"
	}
	return fmt.Sprintf("limit %d", s.width)
}

// of returns how many of n calls are under way at once, at least one.
func (s Strategy) of(n int) int {
	if s.width < 0 {
		return max(n, 1)
	}
	return max(min(s.width, n), 1)
}

// CancelMode says what becomes of the attempts that run when a batch is cancelled. What does
// not run settles at once, as cancelled.
type CancelMode uint8

// The modes. The zero value is Graceful.
const (
	Graceful  CancelMode = iota // they may end on their own within BatchOptions.Grace
	Immediate                   // they are stopped
)

// DefaultGrace is the default of BatchOptions.Grace.
const DefaultGrace = 5 * time.Second

// BatchOptions are the settings of a batch (rows D11, E22). The zero value runs one call after
// the other and goes on after failures.
type BatchOptions struct {
	// Strategy says how many calls are under way at once.
	Strategy Strategy
	// FailFast cancels the batch when one of its calls has failed for good or was cancelled.
	FailFast bool
	// Cancel says what becomes of the attempts that run when the batch is cancelled.
	Cancel CancelMode
	// Grace is how long they may go on in Graceful mode. Zero means DefaultGrace,
	// lifecycle.NoTimeout until they end.
	Grace time.Duration
	// Policy is the policy of its calls, instead of that of Config.
	Policy *Policy
}

// filled returns the options with their defaults, or a *lifecycle.ConfigError.
func (o BatchOptions) filled() (BatchOptions, error) {
	var f lifecycle.Filler
	f.Choice("BatchOptions.Cancel", int(o.Cancel), int(Immediate))
	f.Time("BatchOptions.Grace", &o.Grace, DefaultGrace, lifecycle.MayBeNone)
	if o.Policy != nil {
		p := *o.Policy
		p.check(&f, "BatchOptions.Policy.")
		o.Policy = &p
	}
	return o, f.Err("exec")
}
