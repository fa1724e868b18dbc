package attempt

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
	// Attempt is how long one attempt may take, what its server asks the user meanwhile included. Zero
	// and lifecycle.NoTimeout mean without limit; a driver may have a limit of its own for zero, as a
	// toolset.Caller does.
	Attempt time.Duration
	// Total is how long the call may take with all attempts and waits, counted from its start: at
	// once, and in a batch when the Strategy allows it. Zero and lifecycle.NoTimeout mean without
	// limit.
	Total time.Duration
	// Retry says how long to wait between attempts and how many there are in all. Zero Attempts
	// mean one here: no failure is tried again.
	Retry backoff.Policy
	// Kinds are the failures that are tried again if Retryable allows it. Zero means all that
	// Retryable allows.
	Kinds Kinds
	// RetryUnsafe retries calls that may have had effects, without a trusted hint that repeating
	// is safe (row D9).
	RetryUnsafe bool
	// Unchecked skips the check of arguments against Request.Input (row E4).
	Unchecked bool
}

// Check returns a *lifecycle.ConfigError for a setting that is out of range.
func (p Policy) Check() error {
	var f lifecycle.Filler
	p.check(&f, "Policy.")
	return f.Err("attempt")
}

func (p Policy) check(f *lifecycle.Filler, field string) {
	f.Time(field+"Attempt", &p.Attempt, lifecycle.NoTimeout, lifecycle.MayBeNone)
	f.Time(field+"Total", &p.Total, lifecycle.NoTimeout, lifecycle.MayBeNone)
	f.Within(field+"Retry", p.Retry.Check())
	if extra := p.Kinds &^ retryable; extra != 0 {
		f.Wrong(field+"Kinds", fmt.Sprintf("%#x", uint32(p.Kinds)), fmt.Sprintf("want kinds within %#x, since others are never tried again", uint32(retryable)))
	}
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
// repeatable says whether the call did not begin, as far as the failure knows, or may be made twice;
// see Hints. It is false if a second attempt could do harm.
func Retryable(e *toolerror.Error, h Hints) (again, repeatable bool) {
	if e == nil {
		return false, false
	}
	kind := toolerror.KindOf(e.Kind.Code()) // zero counts as Execution
	if !retryable.Has(kind) || kind == toolerror.Execution && !passing(e.Cause) {
		return false, false
	}
	d := deliveryOf(Outcome{Err: e})
	repeatable = d.Repeatable() || h.Repeatable()
	cause := e.Cause
	if f, ok := cause.(*fate); ok { //nolint:errorlint // what is known beside it says nothing of another attempt
		cause = f.cause
	}
	if kind == toolerror.Unavailable && cause != nil && lifecycle.DeliveryOf(cause) == lifecycle.Rejected && !passing(cause) {
		return false, repeatable
	}
	return true, repeatable
}

// passing reports whether an error is a timeout or calls itself temporary, as those of I/O do.
func passing(err error) bool {
	var late interface{ Timeout() bool }
	var soon interface{ Temporary() bool }
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &late) && late.Timeout() || errors.As(err, &soon) && soon.Temporary()
}
