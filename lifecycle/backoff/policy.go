package backoff

import (
	"cmp"
	"math"
	"strconv"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
)

// The default durations of a Policy.
const (
	defaultBase = time.Second
	defaultCap  = 30 * time.Second
)

// defaultFactor is the default of Policy.Factor.
const defaultFactor = 2.0

// Immediate as a Base means no delay. Zero means the default.
const Immediate time.Duration = -1

// Policy says how long to wait between attempts (rows D8, E15). The zero value waits 1 s, 2 s, 4 s
// and so on up to 30 s, without jitter or limit.
type Policy struct {
	// Base is the delay after the first attempt. Zero means 1 s; Immediate means none.
	Base time.Duration
	// Cap is the longest delay. Zero means 30 s, or Base if that is longer.
	Cap time.Duration
	// Factor is the ratio of each delay to the previous one, at least 1. Zero means 2.
	Factor float64
	// Attempts is the number of attempts, including the first. Zero means no limit.
	Attempts int
	// Jitter is the share of a delay that is random, from 0 (none) to 1.
	Jitter float64
}

// Check returns the first setting that is out of range as a *lifecycle.ConfigError, or nil.
func (p Policy) Check() error {
	_, err := p.filled()
	return err
}

// Filled returns p with its defaults, and with what Check refuses brought into range. Immediate
// becomes zero: fill a Policy once.
func (p Policy) Filled() Policy {
	p, _ = p.filled()
	return p
}

func (p Policy) filled() (Policy, error) {
	var f lifecycle.Filler
	if p.Base = cmp.Or(p.Base, defaultBase); p.Base < 0 {
		if p.Base != Immediate {
			f.Wrong("Base", p.Base.String(), "want positive, 0 for "+defaultBase.String()+", or Immediate")
		}
		p.Base = 0
	}
	f.Time("Cap", &p.Cap, max(defaultCap, p.Base), lifecycle.NeverNone)
	if p.Cap < p.Base {
		f.Wrong("Cap", p.Cap.String(), "want at least Base, "+p.Base.String())
	}
	if p.Factor = cmp.Or(p.Factor, defaultFactor); !(p.Factor >= 1 && p.Factor <= math.MaxFloat64) {
		f.Wrong("Factor", number(p.Factor), "want at least 1, or 0 for "+number(defaultFactor))
		if !(p.Factor > 1) {
			p.Factor = 1
		}
	}
	f.Count("Attempts", &p.Attempts, 0)
	if !(p.Jitter >= 0 && p.Jitter <= 1) {
		f.Wrong("Jitter", number(p.Jitter), "want 0 to 1")
		if p.Jitter = min(p.Jitter, 1); !(p.Jitter > 0) {
			p.Jitter = 0
		}
	}
	return p, f.Err("backoff")
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// Delay returns how long to wait after the given attempt, counted from 1, until the next one:
// Base · Factor^(attempt-1), rounded down to nanoseconds, at most Cap, less up to the part
// Jitter of it. random is uniform; without Jitter it has no effect.
//
// The result is never negative and never above Cap, whatever p and attempt are. Products are
// rounded one by one to float64, so that all machines agree on every nanosecond.
func (p Policy) Delay(attempt int, random uint64) time.Duration {
	p = p.Filled()
	d := p.Base
	if attempt > 1 && d > 0 {
		d = floor(float64(float64(d) * power(p.Factor, attempt-1)))
	}
	d = min(d, p.Cap)
	if p.Jitter > 0 {
		u := float64(random>>11) / (1 << 53) // in [0,1), without rounding
		d = min(floor(float64(float64(d)*(1-float64(p.Jitter*u)))), d)
	}
	return d
}

// Exhausted reports whether there is no further attempt after the given one, counted from 1.
func (p Policy) Exhausted(attempt int) bool { return p.Attempts > 0 && attempt >= p.Attempts }

// floor rounds nanoseconds down; what a Duration cannot hold is the longest.
func floor(ns float64) time.Duration {
	if ns >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(ns)
}

// power returns x to the n-th, for n > 0, by squaring. The conversions keep a compiler from
// fusing operations, which would round differently on some machines.
func power(x float64, n int) float64 {
	y := 1.0
	for ; ; x = float64(x * x) {
		if n&1 == 1 {
			y = float64(y * x)
		}
		if n >>= 1; n == 0 {
			return y
		}
	}
}
