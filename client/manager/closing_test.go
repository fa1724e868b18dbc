package manager_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle"
)

// Rows B13, F8: the name is free in the same step, what is open ends in the order
// in which it began, the transport has until the deadline and is killed then.
func TestDisconnect(t *testing.T) {
	for _, how := range []string{"closes", "fails to close", "hangs"} {
		r := one(t, manager.Options{})
		var ops []manager.Op
		for range 3 {
			ops = append(ops, r.do(r.m.CallTool(r.now, "a", "t", "", manager.RequestOptions{})).Op)
		}
		link := r.link("a")
		out := r.take(r.m.Disconnect(r.now, "a"))
		if _, ok := r.m.Link("a"); ok || r.m.Len() != 0 {
			t.Fatal("the name is not free")
		}
		var order []manager.Op
		for _, ev := range events(out, manager.OpDone) {
			class(t, ev.Err, manager.ClassLost)
			order = append(order, ev.Op)
		}
		if !slices.Equal(order, ops) {
			t.Errorf("%v, want %v", order, ops)
		}
		last := out.Actions[len(out.Actions)-1]
		if last.Kind != manager.ActClose || last.Link != link || !last.By.Equal(t0.Add(5*time.Second)) || len(sent(out, "a")) != 3 {
			t.Errorf("%s", render(out, t0))
		}
		for s := range r.m.Closing() {
			if s.Link != link || s.Condition != manager.Draining || s.Since != t0 {
				t.Errorf("%+v", s)
			}
		}
		r.connect("a", manager.Options{}) // at once, under the same name
		r.sleep(4 * time.Second)
		var ev manager.Event
		switch how {
		case "closes":
			ev = done(t, r.take(r.m.Report(r.now, manager.Report{Kind: manager.Ended, Link: link})), out.Op)
			if ev.Err != nil {
				t.Error(ev.Err)
			}
		case "fails to close":
			ev = done(t, r.take(r.m.Report(r.now, manager.Report{Kind: manager.Ended, Link: link, Err: errors.New("exit status 3")})), out.Op)
			class(t, ev.Err, manager.ClassTransport)
		case "hangs":
			r.sleep(time.Second)
			ev = done(t, r.out, out.Op)
			class(t, ev.Err, manager.ClassTimeout)
			if kinds := actionKinds(r.out); !slices.Equal(kinds, []manager.ActionKind{manager.ActKill}) {
				t.Errorf("%v", kinds)
			}
			late := r.m.LateReports()
			if r.take(r.m.Report(r.now, manager.Report{Kind: manager.Ended, Link: link})); r.m.LateReports() != late+1 {
				t.Error("a report after the kill counts")
			}
		}
		if s, _ := r.m.Status("a"); s.Condition != manager.Ready || r.m.Pending() != 0 {
			t.Errorf("%s: %+v", how, s)
		}
	}
}

// Row B13: a name that there is nothing under is a success; so is one that only waits.
func TestDisconnectNothing(t *testing.T) {
	r := newRig(t, config())
	out := r.take(r.m.Disconnect(r.now, "a"))
	if ev := done(t, out, out.Op); ev.Err != nil || len(out.Actions) != 0 {
		t.Errorf("%+v", ev)
	}
	r.do(r.m.Connect(r.now, "a", manager.Options{Supervise: true}))
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.OpenFailed, Link: r.link("a")}))
	out = r.take(r.m.Disconnect(r.now, "a"))
	if ev := done(t, out, out.Op); ev.Err != nil || len(out.Actions) != 0 {
		t.Errorf("%+v", ev)
	}
	if _, ok := r.m.NextDeadline(); ok {
		t.Error("it would be opened again")
	}
	// What is being opened is given up: the operation of the Connect ends too.
	op := r.do(r.m.Connect(r.now, "a", manager.Options{})).Op
	link := r.link("a")
	out = r.take(r.m.Disconnect(r.now, "a"))
	class(t, done(t, out, op).Err, manager.ClassLost)
	if late := r.take(r.m.Report(r.now, manager.Report{Kind: manager.Opened, Link: link})); !late.IsZero() {
		t.Errorf("%s", render(late, t0))
	}
	if ev := done(t, r.take(r.m.Report(r.now, manager.Report{Kind: manager.OpenFailed, Link: link, Err: errors.New("cancelled")})), out.Op); ev.Err != nil {
		t.Error(ev.Err)
	}
	// A link of another name with that epoch is nobody's.
	r.connect("a", manager.Options{})
	link = r.link("a")
	r.take(r.m.Disconnect(r.now, "a"))
	link.Server = "b"
	if out := r.take(r.m.Report(r.now, manager.Report{Kind: manager.Ended, Link: link})); !out.IsZero() {
		t.Errorf("%s", render(out, t0))
	}
}

// Rows A11, A12, B14: every server is attempted, in the order of connect, and every error is
// told in that order.
func TestDisconnectAll(t *testing.T) {
	r := newRig(t, config())
	out := r.take(r.m.DisconnectAll(r.now))
	if ev := done(t, out, out.Op); ev.Err != nil || len(ev.Errors) != 0 {
		t.Errorf("%+v", ev)
	}
	for _, name := range []string{"z", "y", "x", "w"} {
		r.connect(name, manager.Options{})
	}
	r.do(r.m.Connect(r.now, "v", manager.Options{}))
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.OpenFailed, Link: r.link("v")})) // Failed: nothing to close
	var links []manager.Link
	for s := range r.m.Statuses() {
		links = append(links, s.Link)
	}
	out = r.take(r.m.DisconnectAll(r.now))
	var order []string
	for _, a := range out.Actions {
		if a.Kind == manager.ActClose {
			order = append(order, a.Link.Server)
		}
	}
	if !slices.Equal(order, []string{"z", "y", "x", "w"}) || r.m.Len() != 0 {
		t.Errorf("%v", order)
	}
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.Ended, Link: links[3], Err: errors.New("exit status 1")}))
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.Ended, Link: links[1]}))
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.Ended, Link: links[0]}))
	r.sleep(5 * time.Second)
	ev := done(t, r.out, out.Op)
	if len(ev.Errors) != 5 || ev.Errors[0] != nil || ev.Errors[1] != nil || ev.Errors[4] != nil || !errors.Is(ev.Err, ev.Errors[2]) {
		t.Fatalf("%+v", ev.Errors)
	}
	class(t, ev.Errors[2], manager.ClassTimeout)
	class(t, ev.Errors[3], manager.ClassTransport)
	if _, _, err := r.m.Cancel(r.now, out.Op, ""); !errors.Is(err, lifecycle.ErrGone) {
		t.Error(err)
	}
}
