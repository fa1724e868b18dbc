package attempt_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/lifecycle"
)

// TestBucketSchedule is row E23: exact times, with a rate that does not divide a second.
func TestBucketSchedule(t *testing.T) {
	var w strings.Builder
	for _, r := range []attempt.Rate{
		{Tokens: 3}, {Tokens: 3, Per: time.Second, Burst: 1}, {Tokens: 1, Per: 10 * time.Second, Burst: 2}, {Tokens: 7, Per: 3},
	} {
		fmt.Fprintf(&w, "%d tokens in %v, burst %d\n", r.Tokens, r.Per, r.Burst)
		b, err := attempt.NewTokenBucket(r, start)
		if err != nil {
			t.Fatal(err)
		}
		now := start
		for range 12 {
			wait := b.Wait(now)
			if wait > 0 {
				if _, ok := b.Take(now.Add(wait - 1)); ok {
					t.Errorf("%+v: there is a token %v before the time", r, 1)
				}
				now = now.Add(wait)
			}
			var ok bool
			if b, ok = b.Take(now); !ok {
				t.Fatalf("%+v: there is no token after its time", r)
			}
			fmt.Fprintf(&w, "  token at +%v\n", now.Sub(start))
		}
	}
	golden(t, "bucket.txt", w.String())
}

// TestBucketExact is row E23: whatever the sequence of calls is, no token is lost and none is made: after
// each, as many have been taken as a count of all nanoseconds allows.
func TestBucketExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := attempt.Rate{Tokens: rapid.IntRange(1, 1000).Draw(t, "tokens"), Per: time.Duration(rapid.IntRange(1, 5000).Draw(t, "per")), Burst: rapid.IntRange(1, 20).Draw(t, "burst")}
		b, err := attempt.NewTokenBucket(r, start)
		if err != nil {
			t.Fatal(err)
		}
		now, full := start, int64(r.Burst)*int64(r.Per)
		credit := full // in parts of which a token has Per, a nanosecond brings Tokens, one by one
		for range rapid.IntRange(1, 50).Draw(t, "steps") {
			d := rapid.IntRange(-5, 500).Draw(t, "d")
			if now = now.Add(time.Duration(d)); d < 0 {
				// The clock goes back: nothing happens until it has come forth again.
				b, _ = b.Take(now)
				if credit >= int64(r.Per) {
					credit -= int64(r.Per)
				}
				now = now.Add(time.Duration(-d))
				continue
			}
			for range d {
				credit = min(full, credit+int64(r.Tokens))
			}
			want := credit >= int64(r.Per)
			wait := b.Wait(now)
			if (wait == 0) != want || wait > 0 && credit+int64(wait)*int64(r.Tokens) < int64(r.Per) || wait > 0 && credit+int64(wait-1)*int64(r.Tokens) >= int64(r.Per) {
				t.Fatalf("%+v with credit %d: the wait is %v", r, credit, wait)
			}
			var ok bool
			if b, ok = b.Take(now); ok != want {
				t.Fatalf("%+v with credit %d: Take is %v", r, credit, ok)
			}
			if ok {
				credit -= int64(r.Per)
			}
		}
	})
}

func TestBucketRange(t *testing.T) {
	for _, r := range []attempt.Rate{
		{Tokens: -1}, {Burst: 1}, {Tokens: 1, Per: -1}, {Tokens: 1, Burst: -1}, {Per: time.Second}, {Tokens: 1, Per: 24 * time.Hour, Burst: math.MaxInt}, {Tokens: math.MaxInt, Per: 24 * time.Hour},
	} {
		if _, err := attempt.NewTokenBucket(r, start); !errors.Is(err, lifecycle.ErrConfig) {
			t.Errorf("%+v: %v", r, err)
		}
	}
	// The largest rates and the longest times do not overflow.
	b, err := attempt.NewTokenBucket(attempt.Rate{Tokens: math.MaxInt, Per: time.Second, Burst: 1}, start)
	if err != nil {
		t.Fatal(err)
	}
	var ok bool
	if b, ok = b.Take(start); !ok || b.Wait(start) != 1 {
		t.Errorf("%v, then %v", ok, b.Wait(start))
	}
	if _, ok = b.Take(start.Add(math.MaxInt64)); !ok {
		t.Error("after 292 years there is no token")
	}
	slow, err := attempt.NewTokenBucket(attempt.Rate{Tokens: 1, Per: math.MaxInt64, Burst: 1}, start)
	if err != nil {
		t.Fatal(err)
	}
	if slow, ok = slow.Take(start); !ok || slow.Wait(start) != math.MaxInt64 {
		t.Errorf("%v, then %v", ok, slow.Wait(start))
	}
	// The zero bucket, and one of the zero rate, let everything through.
	none, err := attempt.NewTokenBucket(attempt.Rate{}, start)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range []attempt.TokenBucket{{}, none} {
		for range 1000 {
			if b, ok = b.Take(start); !ok || b.Wait(start) != 0 {
				t.Fatal("a bucket without a rate has run out")
			}
		}
	}
}
