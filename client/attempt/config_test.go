package attempt_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// badPolicies are out of range (rows D7, D8 and F9 "Zero timeout": what is negative is refused, and
// no timeout is spelled lifecycle.NoTimeout).
var badPolicies = []attempt.Policy{
	{Attempt: -2}, {Total: -2}, {Retry: backoff.Policy{Factor: 0.5}}, {Retry: backoff.Policy{Attempts: -1}}, {Retry: backoff.Policy{Base: -2}},
	{Kinds: attempt.KindsOf(toolerror.Handler)}, {Kinds: attempt.KindsOf(toolerror.Cancelled, toolerror.Timeout)},
}

// TestConfigIsChecked is rows D7, D8, D10 and F9: what is out of range is refused when it is made.
func TestConfigIsChecked(t *testing.T) {
	bad := []attempt.Config{
		{Running: -1}, {Queue: -1}, {Lane: attempt.Lane{Running: -1}}, {Lane: attempt.Lane{Queue: -1}}, {Lane: attempt.Lane{Rate: attempt.Rate{Tokens: -1}}},
		{Lanes: []attempt.Lane{{Name: "a"}, {Name: "b"}, {Name: "a"}}}, {Lanes: []attempt.Lane{{Name: "a", Running: -1}}},
	}
	for _, p := range badPolicies {
		bad = append(bad, attempt.Config{Policy: p})
	}
	for _, cfg := range bad {
		if x, err := attempt.New(cfg, start); !errors.Is(err, lifecycle.ErrConfig) || x.Status() != (attempt.Status{}) {
			t.Errorf("%+v: %v", cfg, err)
		}
	}
	if _, err := attempt.New(attempt.Config{Policy: attempt.Policy{Attempt: lifecycle.NoTimeout, Total: lifecycle.NoTimeout}}, start); err != nil {
		t.Error(err)
	}
}

// TestMisuse: an error of a verb changes nothing, and says what is wrong.
func TestMisuse(t *testing.T) {
	x, err := attempt.New(attempt.Config{}, start)
	if err != nil {
		t.Fatal(err)
	}
	x, _, err = x.Call(start, attempt.Request{Tool: "a"})
	if err != nil {
		t.Fatal(err)
	}
	before := x.Dump()
	var verbs []func() (attempt.Executor, attempt.Output, error)
	for _, p := range badPolicies {
		verbs = append(verbs, func() (attempt.Executor, attempt.Output, error) {
			return x.Call(start, attempt.Request{Tool: "a", Policy: &p})
		}, func() (attempt.Executor, attempt.Output, error) {
			return x.Start(start, []attempt.Request{{Tool: "a"}, {Tool: "b", Policy: &p}}, attempt.BatchOptions{})
		}, func() (attempt.Executor, attempt.Output, error) {
			return x.Start(start, nil, attempt.BatchOptions{Policy: &p})
		})
	}
	for _, opt := range []attempt.BatchOptions{{Grace: -2}, {Strategy: -2}, {Strategy: math.MinInt}} {
		verbs = append(verbs, func() (attempt.Executor, attempt.Output, error) { return x.Start(start, nil, opt) })
	}
	for i, do := range verbs {
		next, out, err := do()
		if !errors.Is(err, lifecycle.ErrConfig) || next.Dump() != before || written(out) != written(attempt.Output{}) {
			t.Errorf("%d: %v, %s", i, err, written(out))
		}
	}
	for i, do := range []func() (attempt.Executor, attempt.Output, error){
		func() (attempt.Executor, attempt.Output, error) { return x.Cancel(start, 0, "") },
		func() (attempt.Executor, attempt.Output, error) { return x.Cancel(start, 2, "") },
		func() (attempt.Executor, attempt.Output, error) { return x.CancelBatch(start, 0, "") },
		func() (attempt.Executor, attempt.Output, error) { return x.CancelBatch(start, math.MaxUint64, "") },
	} {
		if next, _, err := do(); !errors.Is(err, lifecycle.ErrGone) || next.Dump() != before {
			t.Errorf("%d: %v", i, err)
		}
	}
	for _, a := range []attempt.Attempt{{}, {Call: 1}, {Call: 1, Number: 2}, {Call: 1, Number: -1}, {Call: math.MaxUint64, Number: 1}} {
		next, out := x.Finish(start, a, good())
		if !out.LateFinish || len(out.Done) > 0 || next.Status().Late != 1 {
			t.Errorf("%v: %+v", a, out)
		}
	}
}

// TestNothingIsShared: what the caller does to its values later changes nothing.
func TestNothingIsShared(t *testing.T) {
	lanes := []attempt.Lane{{Name: "b", Running: 1}, {Name: "a", Running: 1}}
	p := attempt.Policy{Attempt: sec, Retry: backoff.Policy{Attempts: 2, Base: sec}}
	x, err := attempt.New(attempt.Config{Lanes: lanes}, start)
	if err != nil {
		t.Fatal(err)
	}
	if lanes[0].Name != "b" {
		t.Error("New has sorted the lanes of the caller")
	}
	lanes[1].Running = 0
	list := []attempt.Request{{Tool: "a", Lane: "a", Hints: local}, {Tool: "b", Lane: "a", Hints: local}}
	x, out, err := x.Start(start, list, attempt.BatchOptions{Strategy: attempt.Parallel, Policy: &p})
	if err != nil || len(out.Start) != 1 {
		t.Fatalf("%+v, %v", out, err)
	}
	own := attempt.Policy{Total: sec}
	x, _, err = x.Call(start, attempt.Request{Tool: "c", Lane: "a", Policy: &own})
	if err != nil {
		t.Fatal(err)
	}
	p, own, list[1].Tool = attempt.Policy{}, attempt.Policy{}, "changed"
	outcome := bad(toolerror.ConnectionLost)
	x, out = x.Finish(start, out.Start[0].Attempt, outcome)
	if len(out.Start) != 1 || out.Start[0].Request.Tool != "b" || !out.Start[0].Deadline.Equal(start.Add(sec)) {
		t.Errorf("%+v", out.Start)
	}
	outcome.Err.Kind = toolerror.Handler
	x, out = x.Tick(start.Add(sec))
	if len(out.Done) != 1 || out.Done[0].Tool != "c" {
		t.Errorf("%s", written(out))
	}
	first := x.Dump()
	// Nor does what it does to an Output.
	for i := range out.Done {
		out.Done[i].Outcome.Err.Kind = 0
	}
	if clear(out.Start); x.Dump() != first {
		t.Error("an Output shares something with the Executor")
	}
}

// TestZeroAndExtremes is section G for calls: the zero Executor works, times may be zero, go back or be far away, and
// names and arguments may be anything.
func TestZeroAndExtremes(t *testing.T) {
	var x attempt.Executor
	check := func() {
		t.Helper()
		if err := x.Check(); err != nil {
			t.Fatal(err)
		}
	}
	check()
	if _, ok := x.NextDeadline(); ok || x.Status() != (attempt.Status{}) {
		t.Error("the zero Executor waits for something")
	}
	x, _ = x.Tick(time.Time{})
	x, _ = x.CancelAll(time.Time{}, "")
	x, _ = x.Finish(time.Time{}, attempt.Attempt{}, attempt.Outcome{})
	check()
	// Without any time the clock stands still.
	x, out, err := x.Call(time.Time{}, attempt.Request{Policy: &attempt.Policy{Attempt: sec}})
	if err != nil || len(out.Start) != 1 {
		t.Fatalf("%+v, %v", out, err)
	}
	x, out = x.Finish(time.Time{}, out.Start[0].Attempt, attempt.Outcome{})
	if len(out.Done) != 1 || out.Done[0].Outcome.Err.Kind != toolerror.Execution {
		t.Errorf("an outcome that says nothing: %s", written(out))
	}
	check()
	// The longest timeouts are none, and the farthest time ends all others.
	x, _, err = x.Call(start, attempt.Request{Policy: &attempt.Policy{Attempt: math.MaxInt64, Total: math.MaxInt64}})
	if err != nil {
		t.Fatal(err)
	}
	x, _, err = x.Call(start.Add(-time.Hour), attempt.Request{Policy: &attempt.Policy{Attempt: sec}})
	if err != nil {
		t.Fatal(err)
	}
	if due, ok := x.NextDeadline(); !ok || !due.Equal(start.Add(sec)) {
		t.Errorf("the next deadline is %v %v", due, ok)
	}
	x, out = x.Tick(time.Unix(1<<60, 0))
	if len(out.Done) != 1 {
		t.Errorf("%s", written(out))
	}
	check()
	x, out, err = x.Call(start, attempt.Request{Policy: &attempt.Policy{Attempt: sec, Total: 2 * sec}})
	if err != nil || !out.Start[0].Deadline.IsZero() {
		t.Errorf("at the end of time: %+v, %v", out, err)
	}
	check()
	if _, ok := x.NextDeadline(); ok {
		t.Error("something is due beyond the end of time")
	}
	// A reason is cut, and as UTF-8.
	x, out, err = x.Cancel(start, out.Call, string(make([]rune, 5000)))
	if err != nil || len(out.Done[0].Outcome.Err.Text) != 1024 {
		t.Errorf("%d bytes of a reason", len(out.Done[0].Outcome.Err.Text))
	}
	check()
	// As many attempts as there can be, and a failure whose kind there is not.
	x, out, err = x.Call(start, attempt.Request{Hints: local, Policy: &attempt.Policy{Retry: backoff.Policy{Attempts: math.MaxInt, Base: backoff.Immediate}}})
	if err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		x, out = x.Finish(start, out.Start[0].Attempt, bad(toolerror.Timeout))
	}
	a := out.Start[0].Attempt
	x, out = x.Finish(start, a, bad(200))
	if r := out.Done[0].Outcome; r.Attempts != 1001 || r.Err.Attempts != 1001 || r.Err.Kind != toolerror.Execution {
		t.Errorf("%s", written(out))
	}
	check()
}

// TestLocalAndRemote is rows A20 and E32: calls of local and of remote tools take one path, under
// every policy. What differs is only what may be repeated.
func TestLocalAndRemote(t *testing.T) {
	policies := map[string]attempt.Policy{
		"none": {}, "attempt": {Attempt: 2 * sec}, "total": {Total: 3 * sec}, "retry": thrice, "all": {Attempt: 2 * sec, Total: 9 * sec, Retry: thrice.Retry},
		"unsafe": {Attempt: 2 * sec, Retry: thrice.Retry, RetryUnsafe: true},
	}
	for name, p := range policies {
		for _, strategy := range []int{0, attempt.Parallel, 2} {
			for _, failFast := range []bool{false, true} {
				play := func(h attempt.Hints) string {
					s := newSim(t, attempt.Config{Policy: p}, map[string][]run{
						"a": {{sec, good()}}, "wrong": {{sec, bad(toolerror.RemoteTool)}}, "gone": {{0, bad(toolerror.Unavailable)}, {0, good()}}, "slow": {{5 * sec, good()}},
					})
					var list []attempt.Request
					for _, tool := range []string{"a", "gone", "slow", "wrong", "a"} {
						list = append(list, attempt.Request{Tool: tool, Hints: h})
					}
					x, out, err := s.x.Start(start, list, attempt.BatchOptions{Strategy: strategy, FailFast: failFast})
					if err != nil {
						t.Fatal(err)
					}
					s.take(x, out)
					s.until(0)
					if st := s.x.Status(); st.Running+st.Waiting+st.Batches > 0 || st.Ended != 5 {
						t.Errorf("%s: left over: %+v", name, st)
					}
					return s.log.String()
				}
				// A tool of a trusted server that says that it changes nothing is like a local one.
				if here, there := play(local), play(attempt.Hints{ReadOnly: true}); here != there {
					t.Errorf("%s, %v: local\n%s\nremote\n%s", name, strategy, here, there)
				}
				play(attempt.Hints{})
			}
		}
	}
}
