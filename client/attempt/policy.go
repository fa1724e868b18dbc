package attempt

import (
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
	// calls.Caller does, whose time stands still meanwhile.
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

// valid returns a *lifecycle.ConfigError for a setting that is out of range.
func (p Policy) valid() error {
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

// has reports whether k is in the set.
func (s Kinds) has(k toolerror.Kind) bool { return k < 32 && s>>k&1 == 1 }

// before are the failures of calls that did not begin; after are those of calls that may have
// had effects.
var (
	before    = KindsOf(toolerror.Unavailable, toolerror.RateLimited)
	after     = KindsOf(toolerror.Timeout, toolerror.ConnectionLost, toolerror.Execution)
	retryable = before | after
)
