package backoff

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// A cooldown of centuries, and times that jump there and back: what is open lets nothing through,
// what is held back has an end, and a snapshot is the same breaker.
func TestBreakerExtremes(t *testing.T) {
	durations := []time.Duration{0, 1, time.Second, math.MaxInt64, math.MaxInt64 - 1, math.MaxInt64 / 2}
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 7))
		some := func() time.Duration { return durations[r.IntN(len(durations))] }
		now := time.Date([]int{1, 1970, 2026, 9999, 200_000}[r.IntN(4)], 1, 1, 0, 0, 0, 0, time.UTC)
		opt := BreakerOptions{Threshold: r.IntN(3), Cooldown: some(), Probes: []int{0, 1, 3, math.MaxInt}[r.IntN(4)]}
		b, err := NewBreaker(opt)
		if err != nil {
			t.Fatal(err)
		}
		for range 40 {
			switch r.IntN(4) {
			case 0:
				now = now.Add(some())
			case 1:
				now = now.Add(-some())
			case 2:
				if at, ok := b.Until(); ok {
					now = at
				}
			}
			switch r.IntN(4) {
			case 0:
				was := b.state(now)
				next, ok := b.Allow(now)
				if _, held := next.Until(); ok && was == open || !ok && !held {
					t.Fatalf("seed %d: %v, allowed %v, held %v", seed, was, ok, held)
				}
				b = next
			case 1:
				b = b.Failed(now)
			case 2:
				b = b.Succeeded(now)
			case 3:
				c, err := RestoreBreaker(opt, string(b.AppendJSON(nil, now)), b.at(now).now)
				if err != nil || c.state(now) != b.state(now) {
					t.Fatalf("seed %d: %v, %v is %v: %s", seed, err, b.state(now), c.state(now), b.AppendJSON(nil, now))
				}
				_, passes := b.Allow(now)
				if _, same := c.Allow(now); passes != same {
					t.Fatalf("seed %d: %v, %v", seed, passes, same)
				}
			}
		}
	}
}
