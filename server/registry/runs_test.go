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

// C26: each tool has its time, 30 s if nothing else is said; then the call ends, the client is told
// after how long, and the driver why. What comes later is dropped and counted.
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
	if run := r.Open()[1]; run.Deadline.Sub(run.Started) != registry.DefaultTimeout || run.Group != "h" || run.Name != "usual" || run.Method != "tools/call" || run.Call != called[1] {
		t.Errorf("%+v", run)
	}
	if run := r.Open()[0]; !run.Deadline.IsZero() {
		t.Errorf("%+v", run)
	}
	if _, next, out := r.Step(s, t0.Add(19*time.Millisecond), server.Output{}); !out.IsZero() || next.Step() != s.Step() {
		t.Error("too early:", sent(out))
	}
	r, s, out = r.Step(s, t0.Add(20*time.Millisecond), server.Output{})
	if got := sent(out); got != `{"id":5,"result":{"content":[{"type":"text","text":"the tool has not answered within 20ms"}],"isError":true}}` {
		t.Error(got)
	}
	if ev := out.Events[0]; ev.Kind != lifecycle.RequestExpired || ev.Call != called[3] || !errors.Is(ev.Cause, registry.ErrTimeout) || !errors.Is(ev.Cause, &lifecycle.Cause{Kind: lifecycle.CauseTimedOut}) {
		t.Errorf("%+v", ev)
	}
	r, s, out, err := r.Finish(s, t0.Add(21*time.Millisecond), server.Answer{Call: called[3], Result: protocol.TextResult("late")})
	if err != nil || !out.IsZero() || r.Late() != 1 || r.Ended() != 1 {
		t.Error(err, sent(out), r.Late())
	}
	r, s, out, err = r.Finish(s, t0.Add(time.Second), server.Answer{Call: called[2], Result: protocol.TextResult("in time")})
	if err != nil || !strings.Contains(sent(out), "in time") || len(r.Open()) != 2 || r.Late() != 1 {
		t.Error(err, sent(out), r.Open())
	}
	r, s, out = r.Step(s, t0.Add(time.Hour), server.Output{})
	if got := sent(out); !strings.Contains(got, `within 30s`) || strings.Contains(got, "ever") {
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
func TestRunsOfGoneGroups(t *testing.T) {
	reg, r, s := timed(t)
	r, s, _ = feed(r, s, t0, calls(2, "plain"))
	r, s, _ = feed(r, s, t0, calls(3, "usual"))
	r, s, _ = feed(r, s, t0, request(4, "prompts/get", `{"name":"m-p"}`))
	r, s, _ = feed(r, s, t0, request(5, "resources/read", `{"uri":"m:1"}`))
	r, s, _ = feed(r, s, t0, calls(6, "t"))
	if len(r.Open()) != 5 {
		t.Fatalf("%+v", r.Open())
	}
	if _, _, _, err := r.Offer(s, t0, nil); !errors.Is(err, registry.ErrNil) {
		t.Error(err)
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
	if len(out.Events) != 4 || len(r.Open()) != 1 || r.Open()[0].Group != "h" || r.Ended() != 4 || r.View() != reg.View() {
		t.Errorf("%+v", r.Open())
	}
	_, out = s.Tick(t0.Add(2 * time.Second))
	if got := sent(out); !strings.Contains(got, "tools/list_changed") || strings.Count(got, "tools") != 1 {
		t.Error(got)
	}
	// A view of a kind that was not declared is refused, and nothing has changed.
	few := registry.NewCallDeadlines(registry.New(protocol.CapTools).View())
	small := open(t, few.View())
	if next, _, _, err := few.Offer(small, t0, reg.View()); !errors.Is(err, lifecycle.ErrCapability) || next.View() == reg.View() {
		t.Error(err)
	}
}

// A CallDeadlines that was not told of everything does no harm; the zero one knows nobody.
func TestUsedRuns(t *testing.T) {
	_, r, s := timed(t)
	r, s, out := feed(r, s, t0, calls(2, "quick"))
	s, _, _ = s.Respond(t0, out.Opened, protocol.TextResult("x")) // which r did not see
	r, s, out = r.Step(s, t0.Add(time.Hour), server.Output{})
	if !out.IsZero() || r.Ended() != 0 || len(r.Open()) != 0 {
		t.Error(sent(out))
	}
	var zero registry.CallDeadlines
	if zero, _, _ = feed(zero, s, t0, calls(3, "quick")); len(zero.Open()) != 0 || zero.View().Names() != nil {
		t.Error(zero.Open())
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
	if got := sent(out); !strings.Contains(got, `{"id":2,`) || !strings.Contains(got, "within 20ms") || r.Ended() != 1 {
		t.Error(got)
	}
	s = restored(t0.Add(time.Second))
	reg, _ = reg.Unregister("g")
	r, s, out, err := r.Offer(s, t0.Add(time.Second), reg.View())
	if got := sent(out); err != nil || !strings.Contains(got, `{"id":3,`) || len(r.Open()) != 0 || r.Ended() != 2 {
		t.Error(err, got)
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
}

// A session ends what was called by name when it is dropped, however far off its time is, and what
// another session calls goes on.
func TestDropEndsCallsByName(t *testing.T) {
	h := hub(t)
	h, one, err := h.Call(t0, "s", "y", "", registry.CallOptions{})
	if err != nil {
		t.Fatal(err)
	}
	h, other, err := h.Call(t0, "u", "x", "", registry.CallOptions{})
	if err != nil {
		t.Fatal(err)
	}
	h, out, was := h.Drop(t0, "s")
	if !was || len(out.Outcomes) != 1 || out.Outcomes[0].Invocation.ID != one.ID || out.Outcomes[0].Err == nil {
		t.Errorf("%v %+v", was, out)
	}
	// The other session gets groups of its own, which changes nothing of a call of a global one.
	h, out, err = h.SetSession(t0, "v", from(t, group(t, "v", "z")))
	if err != nil || len(out.Outcomes) != 0 {
		t.Errorf("%v %+v", err, out)
	}
	if _, out, was = h.Drop(t0, "u"); !was || len(out.Outcomes) != 1 || out.Outcomes[0].Invocation.ID != other.ID {
		t.Errorf("%v %+v", was, out)
	}
}

// Times by name that a number cannot hold are the earliest or the latest there is, and the zero time
// is none.
func TestFarTimesByName(t *testing.T) {
	v := from(t, group(t, "g", "x")).View()
	opt := registry.CallOptions{Timeout: time.Second}
	for _, tt := range []struct {
		now, due time.Time
	}{
		{time.Time{}, time.Date(1970, 1, 1, 0, 0, 1, 0, time.UTC)},
		{time.Date(1969, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(1970, 1, 1, 0, 0, 1, 0, time.UTC)},
		{t0, t0.Add(time.Second)},
		{time.Date(2262, 1, 1, 0, 0, 0, 0, time.UTC), time.Time{}},
	} {
		var n registry.Invocations
		n, i, err := n.Start(tt.now, v, "x", "", opt)
		if err != nil || !i.Deadline.Equal(tt.due) {
			t.Errorf("at %v the deadline is %v, %v, want %v", tt.now, i.Deadline, err, tt.due)
		}
		if due, ok := n.NextDeadline(); ok == tt.due.IsZero() || !due.Equal(tt.due) {
			t.Errorf("at %v the next deadline is %v, %v", tt.now, due, ok)
		}
	}
}

// Cancel ends what it is told to, and nothing else.
func TestCancelPicks(t *testing.T) {
	v := from(t, group(t, "g", "x"), group(t, "h", "y")).View()
	var n registry.Invocations
	n, _, _ = n.Start(t0, v, "x", "", registry.CallOptions{})
	n, stays, _ := n.Start(t0, v, "y", "", registry.CallOptions{})
	n, list := n.Cancel(func(i registry.Invocation) bool { return i.Tool.Group == "g" })
	if len(list) != 1 || !errors.Is(list[0].Err, registry.ErrRemoved) || len(n.Open()) != 1 || n.Open()[0].ID != stays.ID {
		t.Errorf("%+v, %+v", list, n.Open())
	}
}

// A view of two levels has the groups of both.
func TestHasOfBothLevels(t *testing.T) {
	h := hub(t)
	v := h.Effective("s")
	for name, want := range map[string]bool{"a": true, "m": true, "g": true, "none": false} {
		if v.Has(name) != want {
			t.Errorf("Has(%q) is %v", name, !want)
		}
	}
}

// A call that ended where this CallDeadlines was not told of it is not answered twice when its group goes.
func TestOfferAfterAnAnswerElsewhere(t *testing.T) {
	reg, r, s := timed(t)
	r, s, out := feed(r, s, t0, calls(2, "plain"))
	s, _, err := s.Respond(t0, out.Opened, protocol.TextResult("x")) // which r did not see
	if err != nil {
		t.Fatal(err)
	}
	reg, _ = reg.Unregister("g")
	r, _, out, err = r.Offer(s, t0, reg.View())
	if err != nil || sent(out) != "" || r.Ended() != 0 || len(r.Open()) != 0 {
		t.Error(err, sent(out), r.Ended(), r.Open())
	}
}
