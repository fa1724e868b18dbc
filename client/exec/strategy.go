package exec

import (
	"fmt"
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
// error wraps lifecycle.ErrParams if n is less than one.
func Limit(n int) (Strategy, error) {
	if n < 1 {
		return Strategy{}, fmt.Errorf("%w: a limit of less than one call", lifecycle.ErrParams)
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

// filled returns the options with their defaults, or an error that wraps lifecycle.ErrParams.
func (o BatchOptions) filled() (BatchOptions, error) {
	if o.Cancel > Immediate || o.Grace < 0 && o.Grace != lifecycle.NoTimeout {
		return o, fmt.Errorf("%w: an option of the batch is out of range", lifecycle.ErrParams)
	}
	if o.Grace == 0 {
		o.Grace = DefaultGrace
	}
	if o.Policy != nil {
		if err := o.Policy.Check(); err != nil {
			return o, err
		}
		p := *o.Policy
		o.Policy = &p
	}
	return o, nil
}
