package attempt_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// TestSilentLane: a server that never answers takes no place from the others, neither among what
// runs nor among what waits, and its own calls get a clear error.
func TestSilentLane(t *testing.T) {
	cfg := attempt.Config{Running: 4, Queue: 20, Lanes: []attempt.Lane{{Name: "mute", Running: 2, Queue: 5}}, Policy: attempt.Policy{Total: 10 * sec}}
	alone := func(flood bool) (ended []time.Duration) {
		s := newSim(t, cfg, map[string][]run{"mute": {{takes: -1}}, "quick": {{sec, good()}}})
		if flood {
			for i := range 100 {
				id := s.call(attempt.Request{Tool: "mute", Lane: "mute"})
				if (id == 0) != (i >= 7) {
					t.Fatalf("call %d of the mute lane has the id %d", i, id)
				}
			}
		}
		for range 20 {
			if s.call(attempt.Request{Tool: "quick", Lane: "quick", Policy: &attempt.Policy{}}) == 0 && !flood {
				t.Fatal("a call of the quick lane was refused")
			}
			s.until(s.now.Sub(start) + sec/2)
			ended = append(ended, time.Duration(s.x.Status().Begun))
		}
		s.until(0)
		if st := s.x.Status(); st.Running+st.Waiting > 0 {
			t.Errorf("left over: %+v", st)
		}
		return ended
	}
	calm, storm := alone(false), alone(true)
	for i := range calm {
		// The two that run in the mute lane count among those that have begun.
		if i < 15 && storm[i] != calm[i]+2 {
			t.Errorf("after %d calls %d have begun, and %d beside a lane that hangs", i, calm[i], storm[i]-2)
		}
	}
}

// TestLargeBatch: a batch costs in proportion to its calls, whether they run, fail without
// running, or are cancelled; nothing recurses.
func TestLargeBatch(t *testing.T) {
	if race {
		t.Skip("the race detector allocates")
	}
	play := func(n int, fault *toolerror.Error, opt attempt.BatchOptions, cancel bool) float64 {
		x, err := attempt.New(attempt.Config{Queue: n}, start)
		if err != nil {
			t.Fatal(err)
		}
		list := make([]attempt.Request, n)
		for i := range list {
			list[i] = attempt.Request{Tool: "a", Fault: fault}
		}
		return testing.AllocsPerRun(1, func() {
			x, out, err := x.Start(start, list, opt)
			if err != nil {
				t.Fatal(err)
			}
			done := len(out.Done)
			if cancel {
				x, out, err = x.CancelBatch(start, out.Batch, "")
				if err != nil {
					t.Fatal(err)
				}
				done += len(out.Done)
			}
			for len(out.Start) > 0 {
				x, out = x.Finish(start, out.Start[0].Attempt, good())
				done += len(out.Done)
			}
			if st := x.Status(); done != n || len(out.Batches) != 1 || len(out.Batches[0].Results) != n || st.Batches+st.Running+st.Waiting > 0 {
				t.Fatalf("%d of %d calls have settled: %+v", done, n, st)
			}
		}) / float64(n)
	}
	unknown := toolerror.Unknown("a", nil)
	for name, f := range map[string]func(n int) float64{
		"one after the other": func(n int) float64 { return play(n, nil, attempt.BatchOptions{}, false) },
		"faults":              func(n int) float64 { return play(n, unknown, attempt.BatchOptions{}, false) },
		"faults in parallel":  func(n int) float64 { return play(n, unknown, attempt.BatchOptions{Strategy: attempt.Parallel}, false) },
		"fail fast":           func(n int) float64 { return play(n, unknown, attempt.BatchOptions{FailFast: true}, false) },
		"cancelled": func(n int) float64 {
			return play(n, nil, attempt.BatchOptions{Immediate: true, Strategy: attempt.Parallel}, true)
		},
	} {
		few, many := f(100), f(20_000)
		t.Logf("%s: %.0f allocations for each of 100 calls, %.0f for each of 20,000", name, few, many)
		if many > few*2.5 {
			t.Errorf("%s: %.0f allocations for each of 100 calls, %.0f for each of 20,000", name, few, many)
		}
	}
}

// TestManyLanes: lanes that nobody uses any more are forgotten once their buckets are full.
func TestManyLanes(t *testing.T) {
	x, err := attempt.New(attempt.Config{Lane: attempt.Lane{Rate: attempt.Rate{Tokens: 1, Per: sec}}}, start)
	if err != nil {
		t.Fatal(err)
	}
	now := start
	for i := range 5000 {
		var out attempt.Output
		x, out, err = x.Call(now, attempt.Request{Tool: "a", Lane: fmt.Sprint("lane ", i)})
		if err != nil {
			t.Fatal(err)
		}
		x, _ = x.Finish(now, out.Start[0].Attempt, good())
		now = now.Add(10 * time.Millisecond)
		if i%500 == 0 {
			if err := x.Check(); err != nil {
				t.Fatal(err)
			}
		}
	}
	// A hundred of them were used within the last second.
	if n := strings.Count(x.Dump(), "\nlane "); n > 101 {
		t.Errorf("an idle Executor has %d lanes", n)
	}
	if _, ok := x.NextDeadline(); ok {
		t.Error("an idle Executor wants to be woken")
	}
	x, _ = x.Tick(now.Add(time.Second))
	if got := x.Dump(); strings.Contains(got, "\nlane ") {
		t.Errorf("lanes are left: %s", got)
	}
}
