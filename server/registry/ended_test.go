package registry_test

import (
	"errors"
	"testing"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server/registry"
)

// A call that ends because of something else than its tool says what that was: to the host with
// its name, and to a peer or a model what to do next.
func TestWhyCallsEnd(t *testing.T) {
	session := func(change func(*registry.Registry) (*registry.Registry, registry.Change, error)) func(registry.Hub) registry.HubOutput {
		return func(h registry.Hub) registry.HubOutput {
			r, _, _ := h.Sessions().Get("s")
			r, _, err := change(r)
			if err != nil {
				t.Fatal(err)
			}
			_, out, _ := h.SetSession(t0, "s", r)
			return out
		}
	}
	broken := errors.New("broken")
	const gone = "removed while the request ran; list again"
	for what, c := range map[string]struct {
		act    func(registry.Hub) registry.HubOutput
		is     error // beside ErrRemoved
		text   string
		public string
	}{
		"off": {session(func(r *registry.Registry) (*registry.Registry, registry.Change, error) {
			return r.SetEnabled("a", false)
		}), registry.ErrDisabled,
			`registry: not offered any longer: group "a": the group is disabled`, gone},
		"failed": {session(func(r *registry.Registry) (*registry.Registry, registry.Change, error) { return r.Fail("a", broken) }), broken,
			`registry: not offered any longer: group "a": the group has failed: broken`, gone},
		"removed": {session(func(r *registry.Registry) (*registry.Registry, registry.Change, error) {
			r, c := r.Unregister("a")
			return r, c, nil
		}), registry.ErrRemoved, `registry: not offered any longer: group "a"`, gone},
		"session": {func(h registry.Hub) registry.HubOutput { _, out, _ := h.Drop(t0, "s"); return out }, registry.ErrRemoved,
			`registry: not offered any longer: session "s": the session has ended`, "the session ended while the request ran"},
	} {
		h, _, err := registry.NewHub(registry.HubOptions{}).SetSession(t0, "s", from(t, group(t, "a", "y")))
		if err != nil {
			t.Fatal(err)
		}
		h, _, _ = deliver(t, h, "s", "a", handshake()...)
		if h, _, err = h.Call(t0, "s", "y", "", registry.CallOptions{}); err != nil {
			t.Fatal(err)
		}
		out := c.act(h)
		if len(out.Outcomes) != 1 || len(out.Deliveries) != 1 {
			t.Fatalf("%s: %+v", what, out)
		}
		o := out.Outcomes[0]
		if !errors.Is(o.Err, registry.ErrRemoved) || !errors.Is(o.Err, c.is) || o.Err.Error() != c.text {
			t.Errorf("%s: %v", what, o.Err)
		}
		if got := o.Public(); !got.IsError || got.Content[0].Text != c.public {
			t.Errorf("%s: %+v", what, got)
		}
		if got := out.Deliveries[0].Output.Close; got.Error() != "aborted: "+c.text || !errors.Is(got, c.is) {
			t.Errorf("%s: %v", what, got)
		}
	}
}

// What is there already is no change: no version, nobody to tell, nothing that ends.
func TestSameGroupsAgain(t *testing.T) {
	h := hub(t)
	h, _, _ = deliver(t, h, "s", "a", handshake()...)
	r, version, _ := h.Sessions().Get("s")
	all := h.Sessions().Version()
	next, out, err := h.SetSession(t0, "s", r)
	if err != nil || out.Changed != nil || out.Deliveries != nil || out.All {
		t.Errorf("%+v, %v", out, err)
	}
	if _, v, _ := next.Sessions().Get("s"); v != version || next.Sessions().Version() != all {
		t.Error("the version has risen to", v)
	}
	sessions, err := h.Sessions().Put("s", r)
	if err != nil || sessions.Version() != all {
		t.Error("Put is a change:", err)
	}
	next, out, _ = h.SetSession(t0, "other", r) // another session is
	if len(out.Changed) != 1 || next.Sessions().Version() != all+1 || next.Sessions().Len() != 2 {
		t.Errorf("%+v", out)
	}
	if next, out = h.SetGlobals(t0, h.Globals()); out.All || next.Globals().Version() != h.Globals().Version() {
		t.Errorf("%+v", out)
	}
}

// C30: a group that has failed is offered again when it is registered again, be it the same value or
// another, on or off; SetGroups keeps the failure of the same value alone.
func TestRegisterFailed(t *testing.T) {
	a := group(t, "a", "x")
	failed := from(t, a, group(t, "b", "y"))
	failed, _, _ = failed.Fail("a", errors.New("broken"))
	for what, s := range map[string]*registry.Group{"same": a, "another": group(t, "a", "x")} {
		next, c, err := failed.Register(s)
		if st := next.Status()[0]; err != nil || st.Err != nil || !st.Enabled {
			t.Errorf("%s: %+v, %v", what, st, err)
		}
		if len(c.Enabled) != 1 || c.Enabled[0] != "a" || len(c.Tools.Added) != 1 || (c.Replaced != nil) != (what == "another") {
			t.Errorf("%s: %+v", what, c)
		}
		if _, ok := next.View().Lookup("x"); !ok {
			t.Error(what, "is not offered")
		}
		off, _, _ := failed.SetEnabled("a", false)
		if off, _, _ = off.Register(s); off.Status()[0].Err != nil || off.Status()[0].Enabled {
			t.Errorf("%s: %+v", what, off.Status()[0])
		}
		kept, _, _ := failed.SetGroups(s)
		if (kept.Status()[0].Err != nil) != (what == "same") {
			t.Errorf("%s: %+v", what, kept.Status()[0])
		}
	}
	if st := failed.Status()[0]; st.Err == nil {
		t.Error("an old value has changed")
	}
}

// Times of a CallDeadlines that is offered another View are those of the View, and its own cause says that the
// group is not offered, which is all that a View knows.
func TestCauseOfGoneGroups(t *testing.T) {
	reg, r, s := timed(t)
	r, s, _ = feed(r, s, t0, calls(2, "plain"))
	off, _, _ := reg.SetEnabled("g", false)
	_, _, out, err := r.Offer(s, t0, off.View())
	if err != nil || len(out.Events) != 1 {
		t.Fatal(out.Events, err)
	}
	cause := out.Events[0].Cause
	if cause.Kind != lifecycle.CauseAbandoned || cause.Err.Error() != `registry: not offered any longer: group "g"` {
		t.Errorf("%v", cause)
	}
}
