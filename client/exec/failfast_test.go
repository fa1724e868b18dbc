package exec_test

import (
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/exec"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// TestNothingRestartsAfterFailFast: when a batch fails fast, a call in back-off ends there and
// then, and one whose attempt fails within the grace is not tried again. So it is with
// CancelBatch, in both modes.
func TestNothingRestartsAfterFailFast(t *testing.T) {
	opt := exec.BatchOptions{
		Strategy: exec.Parallel, Grace: time.Hour,
		Policy: &exec.Policy{Retry: backoff.Policy{Base: sec, Attempts: 3}},
	}
	list := []exec.Request{{Tool: "in back-off", Hints: local}, {Tool: "runs on", Hints: local}, {Tool: "fails", Hints: local}}
	busy := exec.Outcome{Err: &toolerror.Error{Kind: toolerror.Unavailable, Text: "busy"}}
	for _, mode := range []exec.CancelMode{exec.Graceful, exec.Immediate} {
		for name, stop := range map[string]func(x exec.Executor, b exec.BatchID) (exec.Executor, exec.Output){
			"fail fast": func(x exec.Executor, _ exec.BatchID) (exec.Executor, exec.Output) {
				return x.Finish(start, exec.Attempt{Call: 3, Number: 1}, exec.Outcome{Err: &toolerror.Error{Kind: toolerror.InvalidArguments}})
			},
			"CancelBatch": func(x exec.Executor, b exec.BatchID) (exec.Executor, exec.Output) {
				x, out, err := x.CancelBatch(start, b, "why")
				if err != nil {
					t.Fatal(err)
				}
				return x, out
			},
		} {
			x, err := exec.New(exec.Config{}, start)
			if err != nil {
				t.Fatal(err)
			}
			opt.FailFast, opt.Cancel = name == "fail fast", mode
			x, out, err := x.Start(start, list, opt)
			if err != nil || len(out.Start) != 3 {
				t.Fatal(err, out)
			}
			batch := out.Batch
			x, _ = x.Finish(start, exec.Attempt{Call: 1, Number: 1}, busy)
			x, out = stop(x, batch)
			ended := map[string]toolerror.Kind{}
			for _, r := range out.Done {
				ended[r.Tool] = r.Outcome.Err.Kind
			}
			if ended["in back-off"] != toolerror.Cancelled || len(out.Start) != 0 {
				t.Errorf("%s, mode %v: ended %v, started %v", name, mode, ended, out.Start)
			}
			x, out = x.Finish(start, exec.Attempt{Call: 2, Number: 1}, busy)
			if late := mode == exec.Immediate; out.LateFinish != late || len(out.Start) != 0 {
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
