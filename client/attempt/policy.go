package attempt

import (
	"fmt"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// Policy limits the time and the attempts of a call (rows D5, D7, D8). The zero value has no
// timeouts and one attempt.
type Policy struct {
	// Attempt is how long one attempt may take, including questions of the server to the user. Zero
	// and lifecycle.NoTimeout mean without limit, but a driver may apply its own limit for zero, as a
	// calls.Caller does; its timeout does not run during such questions.
	Attempt time.Duration
	// Total is how long the call may take with all attempts and waits, counted from its start: at
	// once, or in a batch when the Strategy starts it. Zero and lifecycle.NoTimeout mean without
	// limit.
	Total time.Duration
	// Retry says how long to wait between attempts and how many there are in total. Here zero
	// Attempts mean one: failures are not retried.
	Retry backoff.Policy
	// Kinds are the failures to retry if Retryable allows it. Zero means all that Retryable allows.
	Kinds Kinds
	// RetryUnsafe retries calls that may have had effects, without a trusted hint that repeating
	// is safe (row D9).
	RetryUnsafe bool
	// Unchecked skips the check of arguments against Request.Input (row E4).
	Unchecked bool
}

// valid returns a *lifecycle.ConfigError for an invalid setting.
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
		f.Wrong(field+"Kinds", fmt.Sprintf("%#x", uint32(p.Kinds)), fmt.Sprintf("want kinds within %#x, because others are never retried", uint32(retryable)))
	}
}

// attempts returns the largest number of attempts.
func (p *Policy) attempts() int { return max(1, p.Retry.Attempts) }

// Kinds is a set of kinds of failures.
type Kinds uint32

// KindsOf returns a set of kinds.
func KindsOf(kinds ...toolerror.Kind) (set Kinds) {
	for _, k := range kinds {
		set |= 1 << (k & 31)
	}
	return set
}

// has reports whether k is in the set.
func (s Kinds) has(k toolerror.Kind) bool { return k < 32 && s>>k&1 == 1 }

// before are the failures of calls that did not begin; after are those of calls that may have had
// effects.
var (
	before    = KindsOf(toolerror.Unavailable, toolerror.RateLimited)
	after     = KindsOf(toolerror.Timeout, toolerror.ConnectionLost, toolerror.Execution)
	retryable = before | after
)
