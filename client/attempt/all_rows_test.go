package attempt_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/conformance/texts"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// After all that may happen in a row, an Executor has done what it did, and does it next.
func TestAllShortRows(t *testing.T) {
	twice := attempt.Policy{Attempt: 3 * time.Second, Total: 9 * time.Second, Retry: backoff.Policy{Base: time.Second, Cap: 2 * time.Second, Factor: 2, Attempts: 3}}
	safe := attempt.Hints{ReadOnly: true}
	input := attempt.NewInput(`{"type":"object","required":["a"]}`)
	type rows struct {
		x   attempt.Executor
		now time.Time
		ran []attempt.Attempt // those that were started, the latest last
		id  attempt.CallID
		bid attempt.BatchID
		out strings.Builder
	}
	take := func(w *rows, x attempt.Executor, out attempt.Output, err error) {
		if err != nil {
			fmt.Fprint(&w.out, err)
			return
		}
		w.x = x
		w.id, w.bid = max(w.id, out.Call), max(w.bid, out.Batch)
		for _, s := range out.Start {
			w.ran = append(w.ran, s.Attempt)
		}
		w.out.WriteString(written(out))
	}
	latest := func(w *rows) (a attempt.Attempt) {
		if len(w.ran) > 0 {
			a = w.ran[len(w.ran)-1]
		}
		return a
	}
	call := func(r attempt.Request) func(*rows) {
		return func(w *rows) { x, out, err := w.x.Call(w.now, r); take(w, x, out, err) }
	}
	batch := func(o attempt.BatchOptions, list ...attempt.Request) func(*rows) {
		return func(w *rows) { x, out, err := w.x.Start(w.now, list, o); take(w, x, out, err) }
	}
	finish := func(o attempt.Outcome) func(*rows) {
		return func(w *rows) { x, out := w.x.Finish(w.now, latest(w), o); take(w, x, out, nil) }
	}
	wait := func(d time.Duration) func(*rows) {
		return func(w *rows) { w.now = w.now.Add(d); x, out := w.x.Tick(w.now); take(w, x, out, nil) }
	}
	a, b := attempt.Request{Tool: "a", Lane: "one", Hints: safe}, attempt.Request{Tool: "b", Lane: "two", Arguments: `{"b":1}`}
	late := bad(toolerror.RateLimited)
	late.Err.After = 4 * time.Second
	moves := map[string]func(*rows){
		"call a,": call(a), "call b,": call(b), "call wrong,": call(attempt.Request{Tool: "c", Input: input}), "call fault,": call(attempt.Request{Tool: "d", Fault: &toolerror.Error{Kind: toolerror.UnknownTool}}),
		"call short,": call(attempt.Request{Tool: "e", Lane: "one", Policy: &attempt.Policy{Total: time.Second}}),
		"batch,":      batch(attempt.BatchOptions{}, a, b, a), "fast,": batch(attempt.BatchOptions{Strategy: attempt.Parallel, FailFast: true, Grace: 2 * time.Second}, a, b), "pairs,": batch(attempt.BatchOptions{Strategy: 2, FailFast: true, Policy: &attempt.Policy{}}, b, b, a),
		"good,": finish(good()), "lost,": finish(bad(toolerror.ConnectionLost)), "away,": finish(bad(toolerror.Unavailable)), "limited,": finish(late), "failed,": finish(attempt.Outcome{Result: &protocol.CallToolResult{IsError: true}, Err: &toolerror.Error{Kind: toolerror.RemoteTool, Remote: true}}),
		"1s,": wait(time.Second), "3s,": wait(3 * time.Second), "9s,": wait(9 * time.Second),
		"cancel,":       func(w *rows) { x, out, err := w.x.Cancel(w.now, w.id, "why"); take(w, x, out, err) },
		"cancel batch,": func(w *rows) { x, out, err := w.x.CancelBatch(w.now, w.bid, "why"); take(w, x, out, err) },
		"cancel all,":   func(w *rows) { x, out := w.x.CancelAll(w.now, "all"); take(w, x, out, nil) },
		"hold,":         func(w *rows) { w.x = w.x.Hold(w.now, latest(w), true) }, "go on,": func(w *rows) { w.x = w.x.Hold(w.now, latest(w), false) }, "extend,": func(w *rows) { w.x = w.x.Extend(w.now, latest(w)) },
	}
	var words []string
	for word := range moves {
		words = append(words, word)
	}
	slices.Sort(words)
	play := func(cfg attempt.Config) func(string) string {
		return func(s string) string {
			x, err := attempt.New(cfg, start)
			if err != nil {
				t.Fatal(err)
			}
			w := &rows{x: x, now: start}
			for word := range strings.SplitAfterSeq(s, ",") {
				if word != "" {
					moves[word](w)
				}
			}
			due, ok := w.x.NextDeadline()
			if err := w.x.Check(); err != nil {
				t.Fatal(s, err)
			}
			fmt.Fprint(&w.out, w.x.Status(), due.Sub(start), ok)
			return w.out.String()
		}
	}
	texts.Same(t, "11155 of 11155, d2f9f2a1", texts.Every(3, words...), play(attempt.Config{Policy: twice, Running: 2, Queue: 2, Lane: attempt.Lane{Running: 1, Queue: 1}, Seed: 1}))
	texts.Same(t, "11155 of 11155, 913244b5", texts.Every(3, words...), play(attempt.Config{Policy: twice, Lanes: []attempt.Lane{{Name: "one", Rate: attempt.Rate{Tokens: 1, Per: 2 * time.Second, Burst: 1}}, {Name: "two", Running: 1, Queue: 1, Reject: true}}}))
}
