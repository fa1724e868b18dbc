package attempt_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/conformance/memory"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// crowd returns an Executor with n live calls in a hundred lanes, half of which run, and the
// attempts that do.
func crowd(tb testing.TB, n int) (attempt.Executor, []attempt.Attempt) {
	x, err := attempt.New(attempt.Config{
		Running: max(n/2, 1), Queue: 2*n + 10,
		Policy: attempt.Policy{Attempt: time.Hour, Retry: backoff.Policy{Attempts: 2, Base: time.Minute}},
		Lane:   attempt.Lane{Rate: attempt.Rate{Tokens: 1 << 20}},
	}, start)
	if err != nil {
		tb.Fatal(err)
	}
	var list []attempt.Attempt
	for i := range n {
		next, out, err := x.Call(start, attempt.Request{Tool: "a", Lane: fmt.Sprint(i % 100), Hints: local})
		if err != nil {
			tb.Fatal(err)
		}
		x = next
		for _, s := range out.Start {
			list = append(list, s.Attempt)
		}
	}
	if len(list) != max(n/2, 1) {
		tb.Fatalf("%d attempts run", len(list))
	}
	return x, list
}

// steps are the single steps whose cost is measured. None keeps what it returns, so that each
// is made on the same Executor. most is how many allocations a step may take with ten live calls.
// A retry copies the error that it keeps, and one that was not sent says so.
var steps = []struct {
	name string
	most float64
	do   func(x attempt.Executor, running []attempt.Attempt)
}{
	{"Call", 11, func(x attempt.Executor, _ []attempt.Attempt) { x.Call(start, attempt.Request{Tool: "a", Lane: "7"}) }},
	{"Resolve", 17, func(x attempt.Executor, r []attempt.Attempt) { x.Finish(start, r[len(r)/2], good()) }},
	{"ResolveRetry", 21, func(x attempt.Executor, r []attempt.Attempt) {
		x.Finish(start, r[len(r)/2], bad(toolerror.ConnectionLost))
	}},
	{"ResolveLate", 1, func(x attempt.Executor, _ []attempt.Attempt) {
		x.Finish(start, attempt.Attempt{Call: 1, Number: 9}, good())
	}},
	{"CancelRunning", 19, func(x attempt.Executor, r []attempt.Attempt) { x.Cancel(start, r[len(r)/2].Call, "") }},
	{"CancelQueued", 9, func(x attempt.Executor, r []attempt.Attempt) { x.Cancel(start, r[len(r)-1].Call+1, "") }},
	{"TickNothing", 0, func(x attempt.Executor, _ []attempt.Attempt) { x.Tick(start.Add(time.Second)) }},
	{"NextDeadline", 0, func(x attempt.Executor, _ []attempt.Attempt) { x.NextDeadline() }},
}

// TestStepCost: one step costs the logarithm of the number of live calls (row E30 for calls). Ten
// thousand times as many calls may add the nodes of five levels to each table that it changes.
func TestStepCost(t *testing.T) {
	if race {
		t.Skip("the race detector allocates")
	}
	few, many, most := 10, 1000, 100_000
	sizes := []int{few, many, most}
	costs := map[string][]float64{}
	for _, n := range sizes {
		x, running := crowd(t, n)
		for _, s := range steps {
			costs[s.name] = append(costs[s.name], testing.AllocsPerRun(20, func() { s.do(x, running) }))
		}
	}
	for _, s := range steps {
		c := costs[s.name]
		t.Logf("%-14s allocations with %d, %d, %d live calls: %v", s.name, few, many, most, c)
		if c[0] > s.most || c[2] > c[0]+24 {
			t.Errorf("%s: %v allocations with %v live calls", s.name, c, sizes)
		}
	}
	if c := costs["NextDeadline"]; c[2] != 0 {
		t.Errorf("NextDeadline allocates %v", c)
	}
}

var heap = memory.Live

// TestMemory: memory is linear in the live calls, and nothing is left when they have settled,
// whatever their number was.
func TestMemory(t *testing.T) {
	if race {
		t.Skip("the race detector allocates")
	}
	per := func(n int) (live, after int64) {
		before := heap()
		x, _ := crowd(t, n)
		live = (heap() - before) / int64(n)
		x, _ = x.CancelAll(start, "")
		x, _ = x.Tick(start.Add(time.Hour)) // the buckets are full again
		after = heap() - before
		if got := x.Dump(); strings.Count(got, "\n") > 3 {
			t.Errorf("something is left: %s", got)
		}
		return live, after
	}
	small, _ := per(1000)
	large, after := per(100_000)
	t.Logf("bytes for each live call: %d with 1,000 of them, %d with 100,000; %d are left after", small, large, after)
	if large > small*3/2 || large > 1500 {
		t.Errorf("a live call takes %d bytes with 1,000 of them and %d with 100,000", small, large)
	}
	if after > 64<<10 {
		t.Errorf("%d bytes are left", after)
	}
}

// TestNothingIsPinned: a call keeps its own arguments, not the message that they came in, and
// none once its last attempt has begun.
func TestNothingIsPinned(t *testing.T) {
	if race {
		t.Skip("the race detector allocates")
	}
	var x attempt.Executor
	before := heap()
	for range 20 {
		message := `{"q":"x"}` + string(make([]byte, 1<<20))
		var err error
		x, _, err = x.Call(start, attempt.Request{Tool: message[3:4], Arguments: protocol.Raw(message[:9]), Lane: message[4:5]})
		if err != nil {
			t.Fatal(err)
		}
	}
	if grown := heap() - before; grown > 1<<20 {
		t.Errorf("twenty small calls keep %d bytes", grown)
	}
	before = heap()
	for range 20 {
		var err error
		x, _, err = x.Call(start, attempt.Request{Tool: "big", Arguments: protocol.Raw(`{"q":"` + string(make2(1<<20)) + `"}`)})
		if err != nil {
			t.Fatal(err)
		}
	}
	if grown := heap() - before; grown > 1<<20 {
		t.Errorf("calls whose last attempt runs keep %d bytes", grown)
	}
	runtime.KeepAlive(x)
}

// make2 returns n letters.
func make2(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = 'a'
	}
	return b
}

func BenchmarkStep(b *testing.B) {
	for _, n := range []int{10, 1000, 100_000} {
		x, running := crowd(b, n)
		for _, s := range steps {
			b.Run(fmt.Sprintf("%s/%d", s.name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					s.do(x, running)
				}
			})
		}
	}
}
