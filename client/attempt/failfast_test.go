package attempt_test

import (
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// TestNothingRestartsAfterFailFast: when a batch fails fast, a call in back-off ends there and
// then, and one whose attempt fails within the grace is not tried again. So it is with
// CancelBatch, in both modes.
func TestNothingRestartsAfterFailFast(t *testing.T) {
	opt := attempt.BatchOptions{
		Strategy: attempt.Parallel, Grace: time.Hour,
		Policy: &attempt.Policy{Retry: backoff.Policy{Base: sec, Attempts: 3}},
	}
	list := []attempt.Request{{Tool: "in back-off", Hints: local}, {Tool: "runs on", Hints: local}, {Tool: "fails", Hints: local}}
	busy := attempt.Outcome{Err: &toolerror.Error{Kind: toolerror.Unavailable, Text: "busy"}}
	for _, mode := range []bool{false, true} {
		for name, stop := range map[string]func(x attempt.Executor, b attempt.BatchID) (attempt.Executor, attempt.Output){
			"fail fast": func(x attempt.Executor, _ attempt.BatchID) (attempt.Executor, attempt.Output) {
				return x.Finish(start, attempt.Attempt{Call: 3, Number: 1}, attempt.Outcome{Err: &toolerror.Error{Kind: toolerror.InvalidArguments}})
			},
			"CancelBatch": func(x attempt.Executor, b attempt.BatchID) (attempt.Executor, attempt.Output) {
				x, out, err := x.CancelBatch(start, b, "why")
				if err != nil {
					t.Fatal(err)
				}
				return x, out
			},
		} {
			x, err := attempt.New(attempt.Config{}, start)
			if err != nil {
				t.Fatal(err)
			}
			opt.FailFast, opt.Immediate = name == "fail fast", mode
			x, out, err := x.Start(start, list, opt)
			if err != nil || len(out.Start) != 3 {
				t.Fatal(err, out)
			}
			batch := out.Batch
			x, _ = x.Finish(start, attempt.Attempt{Call: 1, Number: 1}, busy)
			x, out = stop(x, batch)
			ended := map[string]toolerror.Kind{}
			for _, r := range out.Done {
				ended[r.Tool] = r.Outcome.Err.Kind
			}
			if ended["in back-off"] != toolerror.Cancelled || len(out.Start) != 0 {
				t.Errorf("%s, mode %v: ended %v, started %v", name, mode, ended, out.Start)
			}
			x, out = x.Finish(start, attempt.Attempt{Call: 2, Number: 1}, busy)
			if late := mode; out.LateFinish != late || len(out.Start) != 0 {
				t.Errorf("%s, mode %v: %+v", name, mode, out)
			}
			for range 10 {
				due, ok := x.NextDeadline()
				if !ok {
					break
				}
				if x, out = x.Tick(due); len(out.Start) != 0 {
					t.Errorf("%s, mode %v: %v was started again", name, mode, out.Start)
				}
			}
			if st := x.Status(); st.Running+st.Waiting+st.Batches != 0 || st.Begun != 3 {
				t.Errorf("%s, mode %v: %+v", name, mode, st)
			}
		}
	}
}
