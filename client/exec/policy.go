package exec

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// Policy says how long a call may take and how often it is tried (rows D5, D7, D8). The zero
// value has no timeouts and tries once.
type Policy struct {
	// Attempt is how long one attempt may take. Zero and lifecycle.NoTimeout mean without end.
	Attempt time.Duration
	// Total is how long the call may take with all attempts and waits, counted from when its
	// turn comes: at once, and in a batch when the Strategy lets it. Zero and
	// lifecycle.NoTimeout mean without end.
	Total time.Duration
	// Retry says how long to wait between attempts and how many there are in all. Here zero
	// Attempts mean one: nothing is tried again.
	Retry backoff.Policy
	// Kinds are the failures that are tried again, as far as Retryable allows it. Zero means
	// all that Retryable allows.
	Kinds Kinds
	// Unsafe allows another attempt after one that may have had effects, although nobody who is
	// trusted says that repeating the call does no harm (row D9).
	Unsafe bool
	// Unchecked leaves the check of arguments against Request.Input out (row E4).
	Unchecked bool
}

// Check returns an error that wraps lifecycle.ErrParams for a setting that is out of range.
func (p Policy) Check() error {
	if p.Attempt < 0 && p.Attempt != lifecycle.NoTimeout || p.Total < 0 && p.Total != lifecycle.NoTimeout {
		return fmt.Errorf("%w: a timeout is negative", lifecycle.ErrParams)
	}
	if err := p.Retry.Check(); err != nil {
		return fmt.Errorf("%w: %w", lifecycle.ErrParams, err)
	}
	if p.Kinds&^retryable != 0 {
		return fmt.Errorf("%w: Kinds has a kind that is never tried again", lifecycle.ErrParams)
	}
	return nil
}

// attempts returns how many attempts there are in all.
func (p *Policy) attempts() int { return max(1, p.Retry.Attempts) }

// Kinds is a set of kinds of failures.
type Kinds uint32

// KindsOf returns the set of these kinds.
func KindsOf(kinds ...toolerror.Kind) (set Kinds) {
	for _, k := range kinds {
		set |= 1 << (k & 31)
	}
	return set
}

// Has reports whether k is in the set.
func (s Kinds) Has(k toolerror.Kind) bool { return k < 32 && s>>k&1 == 1 }

// before are the failures of calls that did not begin; after are those of calls that may have
// had effects.
var (
	before    = KindsOf(toolerror.Unavailable, toolerror.RateLimited)
	after     = KindsOf(toolerror.Timeout, toolerror.ConnectionLost, toolerror.Execution)
	retryable = before | after
)

// Retryable reports whether a failure may go away if the call is tried again (row D9):
//
//   - Timeout and ConnectionLost, always;
//   - Unavailable and RateLimited, since the call did not begin, unless the server rejected it for
//     good: its Cause is lifecycle.Rejected and does not call itself temporary;
//   - Execution, if its Cause is a timeout or calls itself temporary;
//   - everything else, and nil, never.
//
// repeatable says whether the call did not begin or may be made twice; see Hints. It is false
// for a failure after which a second attempt could do harm.
func Retryable(e *toolerror.Error, h Hints) (again, repeatable bool) {
	if e == nil {
		return false, false
	}
	kind := toolerror.KindOf(e.Kind.Code()) // zero counts as Execution
	if !retryable.Has(kind) || kind == toolerror.Execution && !passing(e.Cause) {
		return false, false
	}
	if kind == toolerror.Unavailable && lifecycle.DeliveryOf(e.Cause) == lifecycle.Rejected && !passing(e.Cause) {
		return false, true
	}
	return true, before.Has(kind) || h.Repeatable()
}

// passing reports whether an error is a timeout or calls itself temporary, as those of I/O do.
func passing(err error) bool {
	var late interface{ Timeout() bool }
	var soon interface{ Temporary() bool }
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &late) && late.Timeout() || errors.As(err, &soon) && soon.Temporary()
}
