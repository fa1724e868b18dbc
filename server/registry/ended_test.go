package registry_test

import (
	"errors"
	"testing"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server/registry"
)

// What is there already is no change: no version, nothing that ends.
func TestSameGroupsAgain(t *testing.T) {
	all := scopes(t)
	r, version, _ := all.Get("s")
	v := all.View("s")
	next, err := all.Put("s", r)
	if err != nil || next != all || next.View("s") != v {
		t.Error("Put is a change:", err)
	}
	if _, v, _ := next.Get("s"); v != version {
		t.Error("the version has risen to", v)
	}
	next, _ = all.Put("other", r) // another session is
	if next.Version() != all.Version()+1 || len(next.Sessions()) != 2 {
		t.Error(next.Version(), next.Sessions())
	}
	shared, at := all.Shared()
	next, c, err := all.UpdateShared(at, func(r *registry.Registry) (*registry.Registry, registry.Change, error) {
		return shared, registry.Change{Added: []string{"x"}}, nil
	})
	if err != nil || next != all || !none(c) {
		t.Error(c, err)
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

// What ends a call because its group is no longer offered says so, which is all that a View knows.
func TestCauseOfGoneGroups(t *testing.T) {
	reg, r, s := timed(t)
	r, s, _ = feed(r, s, t0, calls(2, "plain"))
	reg, _, _ = reg.SetEnabled("g", false)
	_, _, out, err := r.Offer(s, t0, reg.View())
	if err != nil || len(out.Events) != 1 {
		t.Fatal(out.Events, err)
	}
	cause := out.Events[0].Cause
	if cause.Kind != lifecycle.CauseAbandoned || cause.Err.Error() != `registry: no longer offered: group "g"` {
		t.Errorf("%v", cause)
	}
}
