package attempt

import (
	"math"
	"math/bits"
	"strconv"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
)

// Rate limits how often attempts begin (row E23): Tokens in each Per on average, and up to Burst at
// once. The zero Rate limits nothing.
type Rate struct {
	Tokens int           // in each Per
	Per    time.Duration // zero means one second
	Burst  int           // at once; zero means Tokens
}

// fill fills in the defaults.
func (r *Rate) fill(f *lifecycle.Filler, field string) {
	if *r == (Rate{}) {
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

// full returns the credit of a full bucket.
func (r *Rate) full() int64 { return int64(r.Burst) * int64(r.Per) }

// bucket is what a Rate allows at an instant. It counts in whole numbers, so nothing is rounded.
// Credit beyond Burst is lost.
type bucket struct {
	at     int64 // the latest instant seen
	credit int64 // in tokens times Per: a token costs Per, a nanosecond brings Tokens
}

// refilled returns the bucket at now; an earlier time counts as the latest seen.
func (b bucket) refilled(r *Rate, now int64) bucket {
	if now <= b.at {
		return b
	}
	hi, lo := bits.Mul64(uint64(now-b.at), uint64(r.Tokens))
	b.at = now
	if missing := uint64(r.full() - b.credit); hi > 0 || lo >= missing {
		b.credit = r.full()
	} else {
		b.credit += int64(lo)
	}
	return b
}

// take takes a token, which must exist.
func (b bucket) take(r *Rate, now int64) bucket {
	b = b.refilled(r, now)
	b.credit -= int64(r.Per)
	return b
}

// wait returns the time from now until the bucket has that credit, rounded up.
func (b bucket) wait(r *Rate, now, credit int64) time.Duration {
	missing, tokens := credit-b.refilled(r, now).credit, int64(r.Tokens)
	if missing <= 0 {
		return 0
	}
	return time.Duration((missing-1)/tokens + 1)
}
