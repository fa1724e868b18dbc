package attempt_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// written writes an Output down, so that two can be compared.
func written(o attempt.Output) string {
	var b strings.Builder
	fmt.Fprintf(&b, "call %d batch %d late %v\n", o.Call, o.Batch, o.LateFinish)
	for _, s := range o.Stop {
		fmt.Fprintf(&b, "stop %v %v %q\n", s.Attempt, s.Why, s.Reason)
	}
	for _, s := range o.Start {
		fmt.Fprintf(&b, "start %v %s %s", s.Attempt, s.Request.Tool, s.Request.Arguments)
		if !s.Deadline.IsZero() {
			fmt.Fprintf(&b, " until %v", s.Deadline.Sub(start))
		}
		b.WriteByte('\n')
	}
	result := func(r attempt.Result) {
		fmt.Fprintf(&b, "  %d %s %d/%d %s %s\n", r.Call, r.Tool, r.Batch, r.Index, outcome(r.Outcome), r.Outcome.Value())
	}
	for _, r := range o.Done {
		result(r)
	}
	for _, d := range o.Batches {
		fmt.Fprintf(&b, "batch %d failed %d\n", d.Batch, d.Failed)
		for _, r := range d.Results {
			result(r)
		}
	}
	return b.String()
}

var kinds = []toolerror.Kind{
	toolerror.Timeout, toolerror.ConnectionLost, toolerror.Unavailable, toolerror.RateLimited, toolerror.Handler, toolerror.RemoteTool, toolerror.Execution,
}

func drawSeconds(t *rapid.T, name string, most int) time.Duration {
	return time.Duration(rapid.IntRange(0, 2*most).Draw(t, name)) * time.Second / 2
}

func drawPolicy(t *rapid.T) attempt.Policy {
	p := attempt.Policy{Attempt: drawSeconds(t, "attempt", 3), Total: drawSeconds(t, "total", 8), RetryUnsafe: rapid.Bool().Draw(t, "unsafe")}
	p.Retry = backoff.Policy{
		Base:     rapid.SampledFrom([]time.Duration{0, backoff.Immediate, time.Second / 2}).Draw(t, "base"),
		Attempts: rapid.IntRange(0, 4).Draw(t, "attempts"), Jitter: rapid.SampledFrom([]float64{0, 0, 0.5}).Draw(t, "jitter"),
		Cap: rapid.SampledFrom([]time.Duration{0, 3 * time.Second}).Draw(t, "cap"),
	}
	if rapid.IntRange(0, 4).Draw(t, "kinds") == 0 {
		p.Kinds = attempt.KindsOf(toolerror.Timeout, toolerror.RateLimited)
	}
	return p
}

func drawLane(t *rapid.T, name string) attempt.Lane {
	l := attempt.Lane{Name: name, Running: rapid.IntRange(0, 2).Draw(t, "lane running"), Reject: rapid.IntRange(0, 3).Draw(t, "reject") == 0}
	if rapid.Bool().Draw(t, "metered") {
		l.Rate = attempt.Rate{Tokens: rapid.IntRange(1, 3).Draw(t, "tokens"), Per: drawSeconds(t, "per", 2) + time.Second, Burst: rapid.IntRange(1, 3).Draw(t, "burst")}
	}
	if rapid.IntRange(0, 3).Draw(t, "lane queue") == 0 {
		l.Queue = 2
	}
	return l
}

var needsQuery = attempt.NewInput(`{"type":"object","required":["q"],"properties":{"q":{"type":"string"}}}`)

func drawRequest(t *rapid.T) attempt.Request {
	r := attempt.Request{
		Tool: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "tool"),
		Lane: rapid.SampledFrom([]string{"", "one", "two"}).Draw(t, "lane"),
	}
	r.Hints.Local = rapid.Bool().Draw(t, "local")
	switch rapid.IntRange(0, 9).Draw(t, "shape") {
	case 0:
		r.Fault = toolerror.Unknown(r.Tool, []string{"x"})
	case 1:
		r.Input = needsQuery
	case 2:
		r.Input, r.Arguments = needsQuery, `{"q":"x"}`
	case 3:
		r.Arguments = `[1]`
	case 4, 5:
		p := drawPolicy(t)
		r.Policy = &p
	}
	return r
}

func drawOutcome(t *rapid.T) attempt.Outcome {
	if rapid.Bool().Draw(t, "good") {
		return attempt.Outcome{Result: protocol.TextResult(rapid.SampledFrom([]string{"", "x"}).Draw(t, "text"))}
	}
	e := &toolerror.Error{Kind: rapid.SampledFrom(kinds).Draw(t, "kind")}
	if e.Kind == toolerror.RateLimited || e.Kind == toolerror.Unavailable {
		e.After = drawSeconds(t, "after", 4)
	}
	return attempt.Outcome{Err: e}
}

// checkModel drives an Executor and the naive one with the same random steps.
func checkModel(t *rapid.T) {
	cfg := attempt.Config{
		Policy: drawPolicy(t), Running: rapid.IntRange(0, 3).Draw(t, "running"), Queue: rapid.SampledFrom([]int{3, 8, 100}).Draw(t, "queue"),
		Lane: drawLane(t, ""), Lanes: []attempt.Lane{drawLane(t, "one")}, Seed: 7,
	}
	x, err := attempt.New(cfg, start)
	if err != nil {
		t.Fatal(err)
	}
	m := &naive{cfg: cfg, now: start, lanes: map[string]*naiveLane{}, random: 7}
	now := start
	type kept struct {
		x    attempt.Executor
		text string
	}
	var old []kept
	settled, began := map[attempt.CallID]int{}, map[attempt.Attempt]bool{}
	live := map[attempt.Attempt]bool{}
	var known []attempt.Attempt // all that were ever begun

	// step makes one step of both and compares.
	step := func(name string, do func(x attempt.Executor) (attempt.Executor, attempt.Output, error), naively func(m *naive) bool) {
		before := x.Dump()
		old = append(old, kept{x, before})
		next, out, err := do(x)
		copied := m.clone()
		ok := naively(copied)
		if (err == nil) != ok {
			t.Fatalf("%s: error %v; the naive one says %v", name, err, ok)
		}
		if err != nil {
			if next.Dump() != before || written(out) != written(attempt.Output{}) {
				t.Fatalf("%s: something changed beside the error %v", name, err)
			}
			m.begin(m.now)
			return
		}
		m = copied
		if got, want := written(out), written(m.out); got != want {
			t.Fatalf("%s at +%v: got\n%s\nwant\n%s", name, now.Sub(start), got, want)
		}
		x = next
		if err := x.Check(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		due, ok := x.NextDeadline()
		if want := m.next(); ok == want.IsZero() || ok && !due.Equal(want) {
			t.Fatalf("%s: next deadline %v %v, want %v", name, due, ok, want)
		}
		// What holds whatever the naive one says.
		for _, s := range out.Stop {
			if !live[s.Attempt] {
				t.Fatalf("%v was stopped and does not run", s.Attempt)
			}
			delete(live, s.Attempt)
		}
		for _, s := range out.Start {
			if began[s.Attempt] || settled[s.Attempt.Call] > 0 {
				t.Fatalf("%v begins twice, or after its call has settled", s.Attempt)
			}
			began[s.Attempt], live[s.Attempt] = true, true
			known = append(known, s.Attempt)
		}
		for _, r := range out.Done {
			if settled[r.Call]++; settled[r.Call] > 1 {
				t.Fatalf("call %d settles twice", r.Call)
			}
		}
		for _, b := range out.Batches {
			for i, r := range b.Results {
				if r.Index != i || r.Batch != b.Batch || settled[r.Call] != 1 {
					t.Fatalf("result %d of batch %d is %+v", i, b.Batch, r)
				}
			}
		}
		if cfg.Running > 0 && len(live) > cfg.Running {
			t.Fatalf("%d attempts run, %d may", len(live), cfg.Running)
		}
		if st := x.Status(); st.Running != len(live) || st.Late != m.late || int(st.Ended) != len(settled) || int(st.Begun) != len(began) {
			t.Fatalf("status %+v with %d attempts, %d settled, %d begun", st, len(live), len(settled), len(began))
		}
	}
	tick := func() {
		step("tick", func(x attempt.Executor) (attempt.Executor, attempt.Output, error) {
			x, out := x.Tick(now)
			return x, out, nil
		}, func(m *naive) bool { m.tick(now); return true })
		if d, ok := x.NextDeadline(); ok && !d.After(now) {
			t.Fatalf("after Tick(+%v) something is due at +%v", now.Sub(start), d.Sub(start))
		}
	}
	resolve := func(a attempt.Attempt, o attempt.Outcome) {
		step(fmt.Sprintf("resolve %v", a), func(x attempt.Executor) (attempt.Executor, attempt.Output, error) {
			x, out := x.Finish(now, a, o)
			return x, out, nil
		}, func(m *naive) bool { m.resolve(now, a, o); return true })
		delete(live, a)
	}
	resolveLive := func(t *rapid.T) {
		if len(known) == 0 {
			return
		}
		a := rapid.SampledFrom(known).Draw(t, "attempt")
		delete(live, a)
		resolve(a, drawOutcome(t))
	}
	t.Repeat(map[string]func(*rapid.T){
		"call": func(t *rapid.T) {
			r := drawRequest(t)
			step("call", func(x attempt.Executor) (attempt.Executor, attempt.Output, error) { return x.Call(now, r) },
				func(m *naive) bool { return m.call(now, r) })
		},
		"batch": func(t *rapid.T) {
			var list []attempt.Request
			for range rapid.IntRange(0, 6).Draw(t, "requests") {
				list = append(list, drawRequest(t))
			}
			opt := attempt.BatchOptions{
				FailFast: rapid.Bool().Draw(t, "fail fast"), Immediate: rapid.SampledFrom([]bool{false, true}).Draw(t, "mode"),
				Grace: rapid.SampledFrom([]time.Duration{0, lifecycle.NoTimeout, time.Second}).Draw(t, "grace"),
			}
			width := 1
			switch rapid.IntRange(0, 2).Draw(t, "strategy") {
			case 1:
				opt.Strategy, width = attempt.Parallel, len(list)
			case 2:
				width = rapid.IntRange(1, 4).Draw(t, "limit")
				opt.Strategy = (width)
			}
			if rapid.Bool().Draw(t, "own policy") {
				p := drawPolicy(t)
				opt.Policy = &p
			}
			step("batch", func(x attempt.Executor) (attempt.Executor, attempt.Output, error) { return x.Start(now, list, opt) },
				func(m *naive) bool { return m.start(now, list, opt, width) })
		},
		"resolve":  resolveLive,
		"resolve2": resolveLive,
		"resolve3": func(t *rapid.T) {
			if len(m.calls) == 0 {
				return
			}
			c := rapid.SampledFrom(m.calls).Draw(t, "call")
			a := attempt.Attempt{Call: c.id, Number: c.attempt}
			delete(live, a)
			resolve(a, drawOutcome(t))
		},
		"cancel": func(t *rapid.T) {
			id := attempt.CallID(rapid.IntRange(0, int(m.ids)+1).Draw(t, "call"))
			step("cancel", func(x attempt.Executor) (attempt.Executor, attempt.Output, error) {
				// A stopped attempt counts as live until then.
				return x.Cancel(now, id, "why")
			}, func(m *naive) bool { return m.cancel(now, id, "why") })
		},
		"cancel batch": func(t *rapid.T) {
			id := attempt.BatchID(rapid.IntRange(0, int(m.bids)+1).Draw(t, "batch"))
			step("cancel batch", func(x attempt.Executor) (attempt.Executor, attempt.Output, error) {
				return x.CancelBatch(now, id, "why")
			},
				func(m *naive) bool { return m.cancelBatch(now, id, "why") })
		},
		"cancel all": func(t *rapid.T) {
			if rapid.IntRange(0, 5).Draw(t, "really") > 0 {
				return
			}
			step("cancel all", func(x attempt.Executor) (attempt.Executor, attempt.Output, error) {
				x, out := x.CancelAll(now, "end")
				return x, out, nil
			}, func(m *naive) bool { m.cancelAll(now, "end"); return true })
			if st := x.Status(); st.Running+st.Waiting+st.Batches > 0 {
				t.Fatalf("left over: %+v", st)
			}
		},
		"sleep": func(t *rapid.T) { now = now.Add(drawSeconds(t, "sleep", 3)) },
		"tick":  func(*rapid.T) { tick() },
		"wake": func(*rapid.T) {
			if d, ok := x.NextDeadline(); ok && d.After(now) {
				now = d
			}
			tick()
		},
		"back": func(t *rapid.T) {
			now = now.Add(-drawSeconds(t, "back", 1))
			tick()
			now = m.now
		},
	})
	// Everything ends if nobody answers any more.
	step("cancel all", func(x attempt.Executor) (attempt.Executor, attempt.Output, error) {
		x, out := x.CancelAll(now, "end")
		return x, out, nil
	}, func(m *naive) bool { m.cancelAll(now, "end"); return true })
	if len(settled) != int(m.ids) {
		t.Fatalf("%d of %d calls have settled", len(settled), m.ids)
	}
	for _, k := range old {
		if k.x.Dump() != k.text {
			t.Fatalf("an older Executor has changed: was\n%s\nis\n%s", k.text, k.x.Dump())
		}
	}
}

// TestModel is rows D11, E20, E22, E23, E32 at random: each call settles once, no more run than
// may, results are in the order of requests, no deadline is missed, and old values stay as they
// were.
func TestModel(t *testing.T) { rapid.Check(t, checkModel) }
