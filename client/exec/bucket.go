package exec

import (
	"math"
	"math/bits"
	"strconv"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
)

// Rate bounds how often something begins: Tokens in each Per in the long run, and up to Burst
// at one instant. The zero Rate bounds nothing.
type Rate struct {
	Tokens int           // how many in each Per
	Per    time.Duration // zero means a second
	Burst  int           // how many at one instant; zero means Tokens
}

// IsZero reports whether r bounds nothing.
func (r Rate) IsZero() bool { return r == Rate{} }

// fill fills in the defaults.
func (r *Rate) fill(f *lifecycle.Filler, field string) {
	if r.IsZero() {
		return
	}
	if r.Tokens < 1 {
		f.Wrong(field+".Tokens", strconv.Itoa(r.Tokens), "want positive, or the zero Rate for no limit")
	}
	f.Time(field+".Per", &r.Per, time.Second, lifecycle.NeverNone)
	f.Count(field+".Burst", &r.Burst, r.Tokens)
	if r.Per > 0 && r.Burst > 0 && int64(r.Burst) > math.MaxInt64/int64(r.Per) {
		f.Wrong(field+".Burst", strconv.Itoa(r.Burst), "want at most "+strconv.FormatInt(math.MaxInt64/int64(r.Per), 10)+" in "+r.Per.String())
	}
}

// TokenBucket lets through what a Rate allows (row E23). It counts in whole numbers, so that
// nothing is rounded; what comes beyond Burst is lost, parts of a token too. It is a comparable
// value; the zero TokenBucket lets everything through.
type TokenBucket struct {
	rate   Rate
	now    time.Time // the latest seen
	credit int64     // what there is, in tokens times Per: a token costs Per, a nanosecond brings Tokens
}

// NewTokenBucket returns a full bucket, or a *lifecycle.ConfigError.
func NewTokenBucket(r Rate, now time.Time) (TokenBucket, error) {
	var f lifecycle.Filler
	if r.fill(&f, "Rate"); f.Err("exec") != nil {
		return TokenBucket{}, f.Err("exec")
	}
	return TokenBucket{rate: r, now: now, credit: r.full()}, nil
}

// full returns the credit of a full bucket.
func (r Rate) full() int64 { return int64(r.Burst) * int64(r.Per) }

// at returns the bucket at now; a zero or earlier time counts as the latest seen.
func (b TokenBucket) at(now time.Time) TokenBucket {
	if b.rate.IsZero() || !now.After(b.now) {
		return b
	}
	hi, lo := bits.Mul64(uint64(now.Sub(b.now)), uint64(b.rate.Tokens))
	b.now = now
	if missing := uint64(b.rate.full() - b.credit); hi > 0 || lo >= missing {
		b.credit = b.rate.full()
	} else {
		b.credit += int64(lo)
	}
	return b
}

// Take takes a token if there is one.
func (b TokenBucket) Take(now time.Time) (TokenBucket, bool) {
	b = b.at(now)
	if b.credit < int64(b.rate.Per) {
		return b, false
	}
	b.credit -= int64(b.rate.Per)
	return b, true
}

// Wait returns how long it takes from now until there is a token; zero if there is one.
func (b TokenBucket) Wait(now time.Time) time.Duration {
	b = b.at(now)
	return b.until(int64(b.rate.Per))
}

// filling returns how long it takes from now until nothing is missing.
func (b TokenBucket) filling(now time.Time) time.Duration { return b.at(now).until(b.rate.full()) }

// until returns how long it takes until there is so much credit, rounded up.
func (b TokenBucket) until(credit int64) time.Duration {
	if b.credit >= credit {
		return 0
	}
	tokens := int64(b.rate.Tokens)
	missing := credit - b.credit
	d := missing / tokens
	if missing%tokens > 0 {
		d++
	}
	return time.Duration(d)
}
