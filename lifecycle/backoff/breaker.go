package backoff

import (
	"time"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
)

// defaultCooldown is the default of BreakerOptions.Cooldown.
const defaultCooldown = time.Minute

// defaultProbes is the default of BreakerOptions.Probes.
const defaultProbes = 1

// BreakerOptions say when a Breaker opens and for how long. The zero value never opens.
type BreakerOptions struct {
	// Threshold is how many failures in a row open the breaker. Zero means that it never
	// opens.
	Threshold int
	// Cooldown is how long it stays open, and how long it waits for the outcome of a probe. Zero
	// means one minute.
	Cooldown time.Duration
	// Probes is how many attempts it allows after that, until the first outcome. Zero means 1.
	Probes int
}

// BreakerState is what a Breaker does with attempts. The zero value is none.
type breakerState uint8

// The states of a Breaker.
const (
	closed   breakerState = iota + 1 // everything passes
	open                             // nothing passes
	halfOpen                         // a few probes pass, and the first outcome decides
)

// String returns the name of the state.
func (s breakerState) String() string {
	return rawjson.NameOf(s, "none", "none", "closed", "open", "half-open")
}

// Breaker is a circuit breaker: it stops attempts after too many failures in a row (row E16). The
// zero value never opens; NewBreaker makes others. It is comparable.
type Breaker struct {
	opt      BreakerOptions
	now      time.Time // the latest seen
	until    time.Time // when it next lets something through; zero while nothing is held back
	failures int       // in a row, while closed
	probes   int       // let through since it was last shut
	tripped  bool      // open or half-open
}

// NewBreaker returns a closed Breaker, or a *lifecycle.ConfigError if an option is negative.
func NewBreaker(opt BreakerOptions) (Breaker, error) {
	var f lifecycle.Filler
	f.Count("Threshold", &opt.Threshold, 0)
	f.Time("Cooldown", &opt.Cooldown, defaultCooldown, lifecycle.NeverNone)
	f.Count("Probes", &opt.Probes, defaultProbes)
	if err := f.Err("backoff"); err != nil {
		return Breaker{}, err
	}
	return Breaker{opt: opt}, nil
}

// Allow reports whether an attempt may begin at now, and returns the Breaker that counts it. Report
// the outcome of an allowed attempt by Succeeded, Failed or Released.
func (b Breaker) Allow(now time.Time) (Breaker, bool) {
	b = b.at(now)
	if !b.tripped {
		return b, true
	}
	if !b.until.IsZero() {
		if b.now.Before(b.until) {
			return b, false
		}
		b.probes, b.until = 0, time.Time{}
	}
	if b.probes++; b.probes >= b.opt.Probes {
		b.until = b.now.Add(b.opt.Cooldown) // if no outcome comes
	}
	return b, true
}

// Succeeded reports a successful attempt. A half-open breaker closes, and a closed one clears its
// failures. An open one stays open: the attempt began before it opened.
func (b Breaker) Succeeded(now time.Time) Breaker {
	b = b.at(now)
	if b.state(now) != open {
		b.failures, b.probes, b.until, b.tripped = 0, 0, time.Time{}, false
	}
	return b
}

// Failed reports a failed attempt. A half-open breaker opens again, and a closed one opens at the
// Threshold. An open one stays open, for the same time.
func (b Breaker) Failed(now time.Time) Breaker {
	b = b.at(now)
	switch b.state(now) {
	case open:
		return b
	case closed:
		if b.opt.Threshold == 0 {
			return b
		}
		if b.failures++; b.failures < b.opt.Threshold {
			return b
		}
	}
	b.failures, b.probes, b.tripped, b.until = 0, 0, true, b.now.Add(b.opt.Cooldown)
	return b
}

// State returns what the breaker does with attempts at now.
func (b Breaker) state(now time.Time) breakerState {
	b = b.at(now)
	switch {
	case !b.tripped:
		return closed
	case b.probes == 0 && !b.until.IsZero() && b.now.Before(b.until):
		return open
	}
	return halfOpen
}

// Until returns when the breaker next allows an attempt. ok is false if it allows one now: it is
// closed, or half-open with probes left.
func (b Breaker) Until() (t time.Time, ok bool) {
	return b.until, b.tripped && !b.until.IsZero()
}

// at takes the time in; a zero or earlier one counts as the latest seen.
func (b Breaker) at(now time.Time) Breaker {
	if now.After(b.now) {
		b.now = now
	}
	return b
}
