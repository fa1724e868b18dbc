package registry_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/registry"
)

// timed returns a view with tools of several times, and a session that is offered it.
func timed(t testing.TB) (*registry.Registry, registry.CallDeadlines, server.State) {
	d := registry.Definition{Name: "g", Timeout: 1500 * time.Millisecond, Timeouts: map[string]time.Duration{"quick": 20 * time.Millisecond}}
	for _, c := range []struct {
		name string
		time time.Duration
	}{{"plain", 0}, {"quick", 0}, {"ever", lifecycle.NoTimeout}} {
		d.Tools = append(d.Tools, registry.Tool{Tool: protocol.Tool{Name: c.name}, Func: says(c.name), Timeout: c.time})
	}
	r := from(t, must(t, d), group(t, "h", "usual"), mixed(t, "m"))
	return r, registry.NewCallDeadlines(r.View()), open(t, r.View(), "x/y")
}

// feed hands a message to the State, and what came out to the CallDeadlines.
func feed(r registry.CallDeadlines, s server.State, now time.Time, m jsonrpc.Message) (registry.CallDeadlines, server.State, server.Output) {
	s, out := s.Receive(now, m)
	return r.Step(s, now, out)
}

// A zero or earlier time counts as the latest seen, for a step and for an offer.
func TestEarlierTimes(t *testing.T) {
	reg, r, s := timed(t)
	r, s, _ = feed(r, s, t0.Add(time.Minute), calls(2, "ever"))
	for _, now := range []time.Time{{}, t0, t0.Add(time.Minute)} {
		after, _, _ := feed(r, s, now, calls(3, "quick"))
		if due, ok := after.NextDeadline(); !ok || !due.Equal(t0.Add(time.Minute+20*time.Millisecond)) {
			t.Error(now, due, ok)
		}
		after, _, _, err := r.Offer(s, now, reg.View())
		if after, _, _ = feed(after, s, now, calls(3, "quick")); err != nil || !after.Open()[1].Started.Equal(t0.Add(time.Minute)) {
			t.Error(now, after.Open(), err)
		}
	}
}

// C26: each tool has its time, 30 s if nothing else is said; then the call ends, the client is told
// after how long, and the driver why. What comes later is lifecycle.ErrGone.
func TestTimeouts(t *testing.T) {
	_, r, s := timed(t)
	var called []server.Call
	var out server.Output
	for i, name := range []string{"ever", "usual", "plain", "quick"} {
		r, s, out = feed(r, s, t0, calls(i+2, name))
		called = append(called, out.Opened)
	}
	if due, ok := r.NextDeadline(); !ok || !due.Equal(t0.Add(20*time.Millisecond)) || len(r.Open()) != 4 {
		t.Error(due, ok, r.Open())
	}
	if run := r.Open()[1]; run.Deadline.Sub(run.Started) != 30*time.Second || run.Group != "h" || run.Name != "usual" || run.Method != "tools/call" || run.Call != called[1] {
		t.Errorf("%+v", run)
	}
	if run := r.Open()[0]; !run.Deadline.IsZero() {
		t.Errorf("%+v", run)
	}
	if _, next, out := r.Step(s, t0.Add(19*time.Millisecond), server.Output{}); !out.IsZero() || next.Step() != s.Step() {
		t.Error("too early:", sent(out))
	}
	r, s, out = r.Step(s, t0.Add(20*time.Millisecond), server.Output{})
	if got := sent(out); got != `{"id":5,"result":{"content":[{"type":"text","text":"the tool timed out after 20ms; it may have had effects"}],"isError":true}}` {
		t.Error(got)
	}
	if ev := out.Events[0]; ev.Kind != lifecycle.RequestExpired || ev.Call != called[3] || !errors.Is(ev.Cause, registry.ErrTimeout) || !errors.Is(ev.Cause, &lifecycle.Cause{Kind: lifecycle.CauseTimedOut}) {
		t.Errorf("%+v", ev)
	}
	fails(t, out.Events[0].Cause.Err, registry.ErrTimeout, "quick")
	_, out, err := s.Finish(t0.Add(21*time.Millisecond), server.Answer{Call: called[3], Result: protocol.TextResult("late")})
	if !errors.Is(err, lifecycle.ErrGone) || !out.IsZero() {
		t.Error(err, sent(out))
	}
	next, out, err := s.Finish(t0.Add(time.Second), server.Answer{Call: called[2], Result: protocol.TextResult("in time")})
	if r, s, out = r.Step(next, t0.Add(time.Second), out); err != nil || !strings.Contains(sent(out), "in time") || len(r.Open()) != 2 {
		t.Error(err, sent(out), r.Open())
	}
	r, s, out = r.Step(s, t0.Add(time.Hour), server.Output{})
	if got := sent(out); !strings.Contains(got, `after 30s`) || strings.Contains(got, "ever") {
		t.Error(got)
	}
	if _, ok := r.NextDeadline(); ok || len(r.Open()) != 1 {
		t.Error(r.Open())
	}
	// The time does not go back, and the zero time is none.
	r, s, _ = feed(r, s, time.Time{}, calls(9, "quick"))
	if due, _ := r.NextDeadline(); !due.Equal(t0.Add(time.Hour + 20*time.Millisecond)) {
		t.Error(due)
	}
	// A call that the client cancels is nobody's any more.
	r, s, _ = feed(r, s, t0.Add(time.Hour), jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}`))
	if len(r.Open()) != 1 {
		t.Error(r.Open())
	}
	// Neither is a request of no group.
	if r, _, _ = feed(r, s, t0.Add(time.Hour), request(10, "x/y", `{}`)); len(r.Open()) != 1 {
		t.Error(r.Open())
	}
}

// Times that a number cannot hold are the earliest or the latest there is.
func TestFarTimes(t *testing.T) {
	_, r, s := timed(t)
	r, s, _ = feed(r, s, time.Date(1, 1, 1, 1, 0, 0, 0, time.UTC), calls(2, "usual"))
	if due, ok := r.NextDeadline(); !ok || due.Year() != 1 || due.Second() != 30 {
		t.Error(due)
	}
	if r, _, _ = feed(r, s, time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), calls(3, "quick")); len(r.Open()) != 1 || !r.Open()[0].Deadline.IsZero() {
		t.Errorf("%+v", r.Open())
	}
}

// C29, C30, C32: the calls of a group that is switched off or removed end with a cause, those of
// the others go on, and one list_changed goes out.
func TestDeadlinesOfGoneGroups(t *testing.T) {
	reg, r, s := timed(t)
	r, s, _ = feed(r, s, t0, calls(2, "plain"))
	r, s, _ = feed(r, s, t0, calls(3, "usual"))
	r, s, _ = feed(r, s, t0, request(4, "prompts/get", `{"name":"m-p"}`))
	r, s, _ = feed(r, s, t0, request(5, "resources/read", `{"uri":"m:1"}`))
	r, s, _ = feed(r, s, t0, calls(6, "t"))
	if len(r.Open()) != 5 {
		t.Fatalf("%+v", r.Open())
	}
	reg, _ = reg.Unregister("m")
	reg, _, _ = reg.SetEnabled("g", false)
	reg, _, _ = reg.Register(group(t, "h", "other"))
	r, s, out, err := r.Offer(s, t0.Add(time.Second), reg.View())
	if err != nil {
		t.Fatal(err)
	}
	const gone = `,"result":{"content":[{"type":"text","text":"removed while the request ran; list again"}],"isError":true}}`
	const refused = `,"error":{"code":-32603,"message":"removed while the request ran; list again"}}`
	if got, want := sent(out), `{"id":2`+gone+"\n"+`{"id":4`+refused+"\n"+`{"id":5`+refused+"\n"+`{"id":6`+gone; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, ev := range out.Events {
		var e *registry.NameError
		if ev.Kind != lifecycle.RequestExpired || !errors.Is(ev.Cause, registry.ErrRemoved) || !errors.As(ev.Cause, &e) || e.Name != "g" && e.Name != "m" {
			t.Errorf("%+v", ev)
		}
	}
	if len(out.Events) != 4 || len(r.Open()) != 1 || r.Open()[0].Group != "h" {
		t.Errorf("%+v", r.Open())
	}
	_, out = s.Tick(t0.Add(2 * time.Second))
	if got := sent(out); !strings.Contains(got, "tools/list_changed") || strings.Count(got, "tools") != 1 {
		t.Error(got)
	}
	// A view of a kind that was not declared is offered without it.
	few := from(t, group(t, "h", "x"))
	small := open(t, few.View())
	if _, small, out, err = registry.NewCallDeadlines(few.View()).Offer(small, t0, reg.View()); err != nil || len(out.Send) != 0 || small.Check() != nil {
		t.Error(sent(out), small.Check(), err)
	}
}

// A CallDeadlines that was not told of everything does no harm; the zero one knows nobody.
func TestUsedRuns(t *testing.T) {
	_, r, s := timed(t)
	r, s, out := feed(r, s, t0, calls(2, "quick"))
	s, _, _ = s.Respond(t0, out.Opened, protocol.TextResult("x")) // which r did not see
	r, s, out = r.Step(s, t0.Add(time.Hour), server.Output{})
	if !out.IsZero() || len(r.Open()) != 0 {
		t.Error(sent(out))
	}
	var zero registry.CallDeadlines
	if zero, s, out = feed(zero, s, t0, calls(3, "quick")); len(zero.Open()) != 0 || len(out.Send) != 0 {
		t.Error(zero.Open(), sent(out))
	}
	if _, _, out, err := zero.Offer(s, t0, nil); err != nil || len(out.Send) != 0 { // nil offers nothing
		t.Error(sent(out), err)
	}
	// A session that is over is offered nothing, and its calls stay as they were.
	reg, r, s := timed(t)
	r, _, _ = feed(r, s, t0, calls(2, "quick"))
	off, _ := reg.Unregister("g")
	if next, _, out, err := r.Offer(server.State{}, t0, off.View()); !errors.Is(err, lifecycle.ErrPhase) || !out.IsZero() || len(next.Open()) != 1 {
		t.Error(err, sent(out), next.Open())
	}
}

// C26: a State that was restored, as each turn of a server whose sessions are shared begins with,
// has its calls ended in time, and by group.
func TestRestoredTimeouts(t *testing.T) {
	reg, r, s := timed(t)
	var out server.Output
	r, s, _ = feed(r, s, t0, calls(2, "quick"))
	r, s, _ = feed(r, s, t0, calls(3, "ever"))
	restored := func(now time.Time) server.State {
		s, err := server.Restore(reg.View().Config(server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}, Serve: []string{"x/y"}}), s.Snapshot(), now)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s = restored(t0)
	r, s, out = r.Step(s, t0.Add(20*time.Millisecond), server.Output{})
	if got := sent(out); !strings.Contains(got, `{"id":2,`) || !strings.Contains(got, "after 20ms") || len(r.Open()) != 1 {
		t.Error(got)
	}
	s = restored(t0.Add(time.Second))
	reg, _ = reg.Unregister("g")
	r, s, out, err := r.Offer(s, t0.Add(time.Second), reg.View())
	if got := sent(out); err != nil || !strings.Contains(got, `{"id":3,`) || len(r.Open()) != 0 {
		t.Error(err, got)
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
}

// A view of two levels has the groups of both.
func TestHasOfBothLevels(t *testing.T) {
	v := scopes(t).View("s")
	for name, want := range map[string]bool{"a": true, "m": true, "g": true, "none": false} {
		if v.Has(name) != want {
			t.Errorf("Has(%q) is %v", name, !want)
		}
	}
}

// A call that ended where this CallDeadlines was not told of it is not answered twice when its group goes.
func TestRemovalAfterAnAnswerElsewhere(t *testing.T) {
	reg, r, s := timed(t)
	r, s, out := feed(r, s, t0, calls(2, "plain"))
	s, _, err := s.Respond(t0, out.Opened, protocol.TextResult("x")) // which r did not see
	if err != nil {
		t.Fatal(err)
	}
	reg, _ = reg.Unregister("g")
	r, _, out, err = r.Offer(s, t0, reg.View())
	if err != nil || len(out.Send) != 0 || len(out.Events) != 0 || len(r.Open()) != 0 {
		t.Error(err, sent(out), out.Events, r.Open())
	}
}
