package attempt_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// fates are the ends of an attempt, with what each says of it. The Outcome is nil where the
// Executor ends it.
var fates = []struct {
	name string
	o    func() attempt.Outcome
	want lifecycle.Delivery
}{
	{"not sent", func() attempt.Outcome { return attempt.FromError("t", lifecycle.Unsent(errors.New("x"))) }, lifecycle.NotSent},
	{"refused", func() attempt.Outcome {
		return attempt.FromError("t", &lifecycle.Cause{Kind: lifecycle.CauseRejected, Err: soon{}})
	}, lifecycle.Rejected},
	{"too often", func() attempt.Outcome {
		return attempt.FromEvent("t", answer((&toolerror.Error{Kind: toolerror.RateLimited}).ToolResult()))
	}, lifecycle.Rejected},
	{"lost", func() attempt.Outcome { return attempt.FromError("t", &lifecycle.Cause{Kind: lifecycle.CauseLost}) }, lifecycle.MayHaveRun},
	{"lost behind a relay", func() attempt.Outcome {
		e := &toolerror.Error{Kind: toolerror.ConnectionLost}
		return attempt.FromError("t", e.JSONRPC(toolerror.Options{}))
	}, lifecycle.MayHaveRun},
	{"away, after it ran", func() attempt.Outcome {
		e := &toolerror.Error{Kind: toolerror.Unavailable, MayHaveRun: true}
		return attempt.FromError("t", e.JSONRPC(toolerror.Options{}))
	}, lifecycle.MayHaveRun},
	{"away behind a relay", func() attempt.Outcome {
		e := &toolerror.Error{Kind: toolerror.Unavailable}
		return attempt.FromError("t", e.JSONRPC(toolerror.Options{}))
	}, lifecycle.Rejected},
	{"out of time", nil, lifecycle.MayHaveRun},
	{"out of time, held", nil, lifecycle.NotSent},
}

// ends are the ends of a last attempt beyond those.
var ends = []struct {
	name string
	o    attempt.Outcome
	want lifecycle.Delivery
}{
	{"a result", good(), lifecycle.Answered},
	{"a failure", attempt.Outcome{Result: protocol.ErrorResult("x")}, lifecycle.Answered},
	{"an error", attempt.FromError("t", &jsonrpc.Error{Code: -32602}), lifecycle.Answered},
	{"a crash", attempt.FromError("t", errors.New("x")), lifecycle.MayHaveRun},
	{"a result that is none", attempt.FromEvent("t", lifecycle.Event{Kind: lifecycle.ResponseReceived, Body: "{"}), lifecycle.MayHaveRun},
	{"wrong arguments", attempt.FromError("t", lifecycle.ErrParams), lifecycle.NotSent},
}

type soon struct{}

func (soon) Error() string   { return "soon" }
func (soon) Temporary() bool { return true }

func answer(r *protocol.CallToolResult) lifecycle.Event {
	return lifecycle.Event{Kind: lifecycle.ResponseReceived, Body: protocol.Raw(r.AppendJSON(nil))}
}

// worst is the order of deliveries, written once more.
func worst(list ...lifecycle.Delivery) lifecycle.Delivery {
	for _, d := range []lifecycle.Delivery{lifecycle.MayHaveRun, lifecycle.Answered, lifecycle.Rejected} {
		for _, got := range list {
			if got == d {
				return d
			}
		}
	}
	return lifecycle.NotSent
}

// TestDelivery: a call is as uncertain as the worst of its attempts, in every order of up to three of
// them and for each end, and Err says the same.
func TestDelivery(t *testing.T) {
	policy := &attempt.Policy{Attempt: time.Second, Total: 20 * time.Second, Retry: backoff.Policy{Base: time.Second, Attempts: 9}, RetryUnsafe: true}
	request := attempt.Request{Tool: "t", Policy: policy}
	check := func(name string, out attempt.Output, want lifecycle.Delivery) {
		t.Helper()
		if len(out.Done) == 0 {
			t.Errorf("%s: it has not ended: %+v", name, out)
			return
		}
		o := out.Done[0].Outcome
		if o.Delivery != want || o.Err != nil && lifecycle.DeliveryOf(o.Err) != want {
			t.Errorf("%s: %v, and its error says %v, want %v: %v", name, o.Delivery, lifecycle.DeliveryOf(o.Err), want, o.Err)
		}
		for _, b := range out.Batches {
			if o := b.Results[out.Done[0].Index].Outcome; o.Delivery != want {
				t.Errorf("%s: %v in its batch, want %v", name, o.Delivery, want)
			}
		}
		if o.Err == nil {
			return
		}
		// Who reads the payload makes no second call of what may have run.
		back := attempt.Outcome{Err: toolerror.FromResult("t", o.Err.ToolResult())}
		if _, repeatable := attempt.Retryable(back.Err, attempt.Hints{}); repeatable && !want.Repeatable() {
			t.Errorf("%s: %s can be repeated", name, o.Err.Payload())
		}
	}
	var walk func(name string, x attempt.Executor, now time.Time, a attempt.Attempt, past []lifecycle.Delivery)
	walk = func(name string, x attempt.Executor, now time.Time, a attempt.Attempt, past []lifecycle.Delivery) {
		after := func(d lifecycle.Delivery) lifecycle.Delivery { return worst(append(past[:len(past):len(past)], d)...) }
		for _, e := range ends {
			_, out := x.Finish(now, a, e.o)
			check(name+", "+e.name, out, after(e.want))
		}
		for _, held := range []bool{false, true} {
			x, d := x.Hold(now, a, held), lifecycle.MayHaveRun
			if held {
				d = lifecycle.NotSent
			}
			_, out, err := x.Cancel(now, a.Call, "")
			if err != nil {
				t.Fatal(err)
			}
			check(fmt.Sprint(name, ", cancelled, held ", held), out, after(d))
			_, out = x.CancelAll(now, "")
			check(fmt.Sprint(name, ", all cancelled, held ", held), out, after(d))
			_, out = x.Tick(now.Add(time.Minute))
			check(fmt.Sprint(name, ", total, held ", held), out, after(d))
		}
		for _, f := range fates {
			name := name + ", " + f.name
			x, out := x, attempt.Output{}
			now := now
			if f.o != nil {
				x, out = x.Finish(now, a, f.o())
			} else {
				x = x.Hold(now, a, f.want == lifecycle.NotSent)
				now = now.Add(time.Second)
				x, out = x.Tick(now)
			}
			if len(out.Done) != 0 {
				t.Fatalf("%s: %+v", name, out.Done)
			}
			// While it waits for the next attempt.
			_, end, err := x.Cancel(now, a.Call, "")
			if err != nil {
				t.Fatal(err)
			}
			check(name+", cancelled", end, after(f.want))
			_, end = x.Tick(now.Add(time.Minute))
			check(name+", total", end, after(f.want))
			if len(past) == 2 {
				continue
			}
			now, _ = x.NextDeadline()
			x, out = x.Tick(now)
			if len(out.Start) != 1 {
				t.Fatalf("%s: %+v", name, out)
			}
			next := append(past[:len(past):len(past)], f.want)
			walk(name, x, now, out.Start[0].Attempt, next)
		}
	}
	for name, begin := range map[string]func(attempt.Executor) (attempt.Executor, attempt.Output, error){
		"alone": func(x attempt.Executor) (attempt.Executor, attempt.Output, error) { return x.Call(start, request) },
		"in a batch": func(x attempt.Executor) (attempt.Executor, attempt.Output, error) {
			return x.Start(start, []attempt.Request{request}, attempt.BatchOptions{})
		},
	} {
		x, err := attempt.New(attempt.Config{}, start)
		if err != nil {
			t.Fatal(err)
		}
		x, out, err := begin(x)
		if err != nil {
			t.Fatal(err)
		}
		walk(name, x, start, out.Start[0].Attempt, nil)
	}
}

// TestNotBegun: a call of which no attempt began was not sent, whatever ended it.
func TestNotBegun(t *testing.T) {
	full := attempt.Config{Running: 1, Policy: attempt.Policy{Total: time.Second}}
	reject := attempt.Config{Lane: attempt.Lane{Rate: attempt.Rate{Tokens: 1, Per: time.Hour}, Reject: true}}
	for name, c := range map[string]struct {
		cfg  attempt.Config
		r    attempt.Request
		then func(x attempt.Executor, id attempt.CallID) (attempt.Executor, attempt.Output, error)
	}{
		"total": {full, attempt.Request{Tool: "t"}, func(x attempt.Executor, _ attempt.CallID) (attempt.Executor, attempt.Output, error) {
			x, out := x.Tick(start.Add(time.Second))
			return x, out, nil
		}},
		"cancelled": {full, attempt.Request{Tool: "t"}, func(x attempt.Executor, id attempt.CallID) (attempt.Executor, attempt.Output, error) {
			return x.Cancel(start, id, "")
		}},
		"arguments":      {full, attempt.Request{Tool: "t", Arguments: "7"}, nil},
		"a fault":        {full, attempt.Request{Tool: "t", Fault: toolerror.Unknown("t", nil)}, nil},
		"the lane":       {reject, attempt.Request{Tool: "t"}, nil},
		"lost, as fault": {full, attempt.Request{Tool: "t", Fault: &toolerror.Error{Kind: toolerror.ConnectionLost}}, nil},
	} {
		x, err := attempt.New(c.cfg, start)
		if err != nil {
			t.Fatal(err)
		}
		x, _, err = x.Call(start, attempt.Request{Tool: "other"})
		if err != nil {
			t.Fatal(err)
		}
		x, out, err := x.Call(start, c.r)
		if c.then != nil && err == nil {
			_, out, err = c.then(x, out.Call)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range out.Done {
			if r.Tool != "t" {
				continue
			}
			if o := r.Outcome; o.Delivery != lifecycle.NotSent || lifecycle.DeliveryOf(o.Err) != lifecycle.NotSent || o.Attempts != 0 {
				t.Errorf("%s: %v, %v, %d attempts: %v", name, o.Delivery, lifecycle.DeliveryOf(o.Err), o.Attempts, o.Err)
			}
		}
		if len(out.Done) == 0 {
			t.Errorf("%s: it has not ended", name)
		}
	}
}

// TestFailFastDelivery: the calls that a batch ends because another one has failed were not sent, or
// may have run, each by what became of its own attempts.
func TestFailFastDelivery(t *testing.T) {
	for _, mode := range []bool{false, true} {
		x, err := attempt.New(attempt.Config{}, start)
		if err != nil {
			t.Fatal(err)
		}
		list := []attempt.Request{{Tool: "fails"}, {Tool: "runs"}, {Tool: "waits"}}
		x, out, err := x.Start(start, list, attempt.BatchOptions{Strategy: 2, FailFast: true, Immediate: mode, Grace: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		x, out = x.Finish(start, out.Start[0].Attempt, bad(toolerror.UnknownTool))
		if len(out.Batches) == 0 {
			_, out = x.Tick(start.Add(time.Second))
		}
		for i, want := range []lifecycle.Delivery{lifecycle.NotSent, lifecycle.MayHaveRun, lifecycle.NotSent} {
			if o := out.Batches[0].Results[i].Outcome; o.Delivery != want || lifecycle.DeliveryOf(o.Err) != want {
				t.Errorf("mode %v, %s: %v, want %v", mode, list[i].Tool, o.Delivery, want)
			}
		}
	}
}

// Extend restarts the time of an attempt that runs, and does nothing for any other.
func TestExtend(t *testing.T) {
	x, err := attempt.New(attempt.Config{Policy: attempt.Policy{Attempt: time.Minute}}, start)
	if err != nil {
		t.Fatal(err)
	}
	x, out, err := x.Call(start, attempt.Request{Tool: "a"})
	if err != nil {
		t.Fatal(err)
	}
	a := out.Start[0].Attempt
	other := a
	other.Number++
	for _, c := range []struct {
		after time.Duration
		a     attempt.Attempt
		want  time.Duration
	}{{30 * time.Second, a, 90 * time.Second}, {30 * time.Second, other, time.Minute}, {30 * time.Second, attempt.Attempt{}, time.Minute}, {time.Minute, a, time.Minute}} {
		if at, ok := x.Extend(start.Add(c.after), c.a).NextDeadline(); !ok || !at.Equal(start.Add(c.want)) {
			t.Errorf("%v after %v: due after %v, want %v", c.a, c.after, at.Sub(start), c.want)
		}
	}
}
