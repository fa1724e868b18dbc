package attempt

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// Durations of centuries, and times that jump there and back, overflow nothing: the invariants hold,
// and Tick leaves nothing due.
func TestExtremeTimes(t *testing.T) {
	durations := []time.Duration{0, 1, -1, time.Second, math.MaxInt64, math.MaxInt64 - 1, math.MaxInt64 / 2}
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 7))
		odd := func() time.Duration { return durations[r.IntN(len(durations))] }
		some := func() time.Duration { return max(odd(), 0) }
		now := time.Date([]int{1000, 1970, 2026, 9999, 200_000}[r.IntN(5)], 1, 1, 0, 0, 0, 0, time.UTC)
		cfg := Config{
			Policy: Policy{Attempt: odd(), Total: odd(), RetryUnsafe: true, Retry: backoff.Policy{
				Base: odd(), Cap: some(), Attempts: []int{0, 1, 3, math.MaxInt}[r.IntN(4)], Jitter: r.Float64(),
				Factor: []float64{0, 1, 2, math.MaxFloat64}[r.IntN(4)],
			}},
			Running: r.IntN(3),
			Lane: Lane{
				Running: r.IntN(2), Reject: r.IntN(2) == 0,
				Rate: Rate{Tokens: []int{0, 1, math.MaxInt}[r.IntN(3)], Per: some(), Burst: r.IntN(2)},
			},
		}
		x, err := New(cfg, now)
		if err != nil {
			continue
		}
		var begun []Attempt
		for range 30 {
			switch r.IntN(5) {
			case 0:
				now = now.Add(some())
			case 1:
				now = now.Add(-some())
			case 2:
				if at, ok := x.NextDeadline(); ok {
					now = at
				}
			}
			var out Output
			next := x
			switch r.IntN(4) {
			case 0:
				next, out, _ = x.Call(now, Request{Lane: []string{"a", "b"}[r.IntN(2)]})
			case 1:
				next, out, _ = x.Start(now, make([]Request, 3), BatchOptions{Strategy: Parallel, FailFast: r.IntN(2) == 0, Grace: some()})
			case 2:
				if len(begun) > 0 {
					e := &toolerror.Error{Kind: toolerror.Kind(r.IntN(15)), After: odd()}
					next, out = x.Finish(now, begun[r.IntN(len(begun))], Outcome{Err: e})
				}
			case 3:
				next, out = x.Tick(now)
				if at, ok := next.NextDeadline(); ok && !at.After(now) {
					t.Fatalf("seed %d: after Tick it is due at %v, and it is %v", seed, at, now)
				}
			}
			x = next
			for _, s := range out.Start {
				begun = append(begun, s.Attempt)
			}
			if err := x.Check(); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
	}
}
