package attempt_test

import (
	"fmt"
	"time"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// A call is retried after its connection was lost. The caller supplies all times.
func Example() {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	var c struct{ x attempt.Executor }
	var err error
	c.x, err = attempt.New(attempt.Config{Policy: attempt.Policy{
		Attempt: 10 * time.Second,
		Retry:   backoff.Policy{Base: time.Second, Attempts: 3},
	}}, now)
	if err != nil {
		fmt.Println(err)
		return
	}
	var out attempt.Output
	c.x, out, err = c.x.Call(now, attempt.Request{
		Tool: "search", Arguments: `{"q":"go"}`, Hints: attempt.Hints{ReadOnly: true}, Lane: "web",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	first := out.Start[0]
	fmt.Println("start", first.Attempt, first.Request.Tool, first.Request.Arguments)

	now = now.Add(2 * time.Second)
	c.x, _ = c.x.Finish(now, first.Attempt, attempt.Outcome{Err: &toolerror.Error{Kind: toolerror.ConnectionLost}})
	next, _ := c.x.NextDeadline()
	fmt.Println("next attempt in", next.Sub(now))

	now = next
	c.x, out = c.x.Tick(now)
	second := out.Start[0]
	fmt.Println("start", second.Attempt)

	c.x, out = c.x.Finish(now, second.Attempt, attempt.Outcome{Result: protocol.TextResult("found")})
	fmt.Println("done", out.Done[0].Outcome.Value(), "after", out.Done[0].Outcome.Attempts, "attempts")

	// A late outcome of the first attempt is dropped.
	c.x, out = c.x.Finish(now, first.Attempt, attempt.Outcome{Result: protocol.TextResult("late")})
	fmt.Println("late", out.LateFinish, len(out.Done), c.x.Status().Late)
	// Output:
	// start 1#1 search {"q":"go"}
	// next attempt in 1s
	// start 1#2
	// done "found" after 2 attempts
	// late true 0 1
}

// A batch of three calls, two at a time. The results are in the order of the requests.
func ExampleExecutor_Start() {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	var c struct{ x attempt.Executor } // the zero Executor is ready
	var out attempt.Output
	var err error
	c.x, out, err = c.x.Start(now, []attempt.Request{{Tool: "a"}, {Tool: "b"}, {Tool: "c"}}, attempt.BatchOptions{Strategy: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	running := out.Start
	for len(running) > 0 { // the last one ends first
		last := running[len(running)-1]
		running = running[:len(running)-1]
		c.x, out = c.x.Finish(now, last.Attempt, attempt.Outcome{Result: protocol.TextResult(last.Request.Tool + " is done")})
		running = append(running, out.Start...)
	}
	for _, r := range out.Batches[0].Results {
		fmt.Println(r.Tool, r.Outcome.Value())
	}
	// Output:
	// a "a is done"
	// b "b is done"
	// c "c is done"
}
