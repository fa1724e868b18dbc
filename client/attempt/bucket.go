package attempt

import (
	"math"
	"math/bits"
	"strconv"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
)

// Rate limits how often attempts begin (row E23): Tokens in each Per in the long run, and up to
// Burst at one instant. The zero Rate limits nothing.
type Rate struct {
	Tokens int           // how many in each Per
	Per    time.Duration // zero means a second
	Burst  int           // how many at one instant; zero means Tokens
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

// bucket is what a Rate allows at an instant. It counts in whole numbers, so that nothing is
// rounded. What comes beyond Burst is lost, parts of a token too.
type bucket struct {
	at     int64 // the latest instant seen
	credit int64 // in tokens times Per: a token costs Per, a nanosecond brings Tokens
}

// refilled returns the bucket at an instant; an earlier one counts as the latest seen.
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

// take takes a token that is there.
func (b bucket) take(r *Rate, now int64) bucket {
	b = b.refilled(r, now)
	b.credit -= int64(r.Per)
	return b
}

// wait returns how long it takes from now until there is so much credit, rounded up.
func (b bucket) wait(r *Rate, now, credit int64) time.Duration {
	missing, tokens := credit-b.refilled(r, now).credit, int64(r.Tokens)
	if missing <= 0 {
		return 0
	}
	return time.Duration((missing-1)/tokens + 1)
}
