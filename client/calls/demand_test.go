package calls

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// asleep is a world with servers of the given tools, all registered and none open.
func asleep(t fataler, cfg catalog.Config, servers ...*fake) *world {
	t.Helper()
	all := callerConfig()
	all.Catalog = plainly(cfg)
	w := newWorld(t, all)
	for i, f := range servers {
		name := cfg.Sources[i].Name
		w.servers[name] = f
		w.do(w.c.Manage(w.now, func(m manager.Manager) (manager.Manager, manager.Effects, error) {
			return m.Connect(w.now, name, manager.Options{OnDemand: true})
		}))
	}
	w.clear()
	return w
}

// opens returns how often each server was opened.
func (w *world) opens() (list []int) {
	for _, s := range w.c.t.Sources() {
		list = append(list, w.servers[s].opens)
	}
	return list
}

// A call opens the servers that may have the tool, waits for them and runs; so does the next one
// after all were disconnected, and one after its server was lost (A1, A8, A11).
func TestOnDemand(t *testing.T) {
	for _, lazy := range []bool{false, true} {
		a, b, c := &fake{tools: []string{"x", "y"}}, &fake{tools: []string{"z"}}, &fake{tools: []string{"z"}}
		w := asleep(t, catalog.Config{Sources: names("a", "b", "c"), Lazy: lazy, TTL: lifecycle.NoTimeout}, a, b, c)
		steps := []struct {
			call  string
			opens []int
		}{
			{"mcp.a.x", []int{1, 0, 0}}, // its name says whose it is
			{"y", []int{1, 0, 0}},       // known
			{"z", []int{1, 1, 1}},       // of a name that nobody is known to have, anybody's
		}
		for _, s := range steps {
			if err := w.ends(w.call(s.call, "")); err != nil {
				t.Fatalf("%s: %v", s.call, err)
			}
			if diff := cmp.Diff(s.opens, w.opens()); diff != "" {
				t.Fatalf("%s: %s", s.call, diff)
			}
		}
		if len(b.calls) != 1 || len(c.calls) != 0 {
			t.Fatalf("z went to %v and %v", b.calls, c.calls)
		}
		w.do(w.c.Manage(w.now, func(m manager.Manager) (manager.Manager, manager.Effects, error) {
			m, out := m.DisconnectAll(w.now)
			return m, out, nil
		}))
		if w.ids() != "" {
			t.Fatalf("after DisconnectAll there is %q", w.ids())
		}
		w.clear()
		if err := w.ends(w.call("mcp.b.z", "")); err != nil || len(b.calls) != 2 {
			t.Fatalf("after DisconnectAll: %v", err)
		}
		w.sleep(time.Hour)
		w.lose("b")
		if err := w.ends(w.call("mcp.b.z", "")); err != nil || len(b.calls) != 3 {
			t.Fatalf("after a loss: %v", err)
		}
		if diff := cmp.Diff([]int{1, 3, 1}, w.opens()); diff != "" {
			t.Fatal(diff)
		}
		for _, ev := range w.out.Events {
			if ev.Kind == manager.OpDone && ev.Method == "open" {
				t.Fatalf("the driver is told of an operation that is not its own: %+v", ev)
			}
		}
	}
}

// A server that cannot be opened fails the call, which says when it may be; until then nothing
// is opened, and from then on the next call opens it.
func TestOnDemandDown(t *testing.T) {
	a := &fake{tools: []string{"x"}, deaf: true}
	w := asleep(t, catalog.Config{Sources: names("a")}, a)
	for _, name := range []string{"mcp.a.x", "mcp.a.x", "mcp.a.y"} {
		err := w.ends(w.call(name, ""))
		var e *toolerror.Error
		if !errors.As(err, &e) || e.Kind != toolerror.Unavailable || e.After != time.Second || a.opens != 1 {
			t.Fatalf("%s: %v after %v, %d opened", name, err, e.After, a.opens)
		}
	}
	if err := w.ends(w.call("x", "")); !errors.Is(err, toolerror.UnknownTool) || a.opens != 1 {
		t.Fatal(err)
	}
	w.sleep(time.Second - 1)
	if w.ends(w.call("mcp.a.x", "")) == nil || a.opens != 1 {
		t.Fatal("too early")
	}
	w.sleep(1)
	a.deaf = false
	if err := w.ends(w.call("mcp.a.x", "")); err != nil || a.opens != 2 {
		t.Fatal(err)
	}
}

// The policy of a call repeats it when the server may be opened again.
func TestOnDemandRetry(t *testing.T) {
	a := &fake{tools: []string{"x"}, deaf: true}
	w := asleep(t, catalog.Config{Sources: names("a")}, a)
	policy := &attempt.Policy{Retry: backoff.Policy{Attempts: 3}}
	id := w.do(w.c.Call(w.now, Request{Name: "mcp.a.x", Policy: policy})).Call
	w.sleep(time.Second)
	if _, done := w.result(id); done || a.opens != 2 {
		t.Fatalf("opened %d times", a.opens)
	}
	a.deaf = false
	w.sleep(time.Minute)
	if err := w.ends(id); err != nil || a.opens != 3 || len(a.calls) != 1 {
		t.Fatalf("%v, opened %d times, called %d times", err, a.opens, len(a.calls))
	}
}

// A call that is bound before its server is lost opens that again when its turn comes.
func TestOnDemandBound(t *testing.T) {
	for _, lazy := range []bool{false, true} {
		a := &fake{tools: []string{"x"}}
		all := callerConfig()
		all.Catalog = catalog.Config{Sources: names("a"), Lazy: lazy, Naming: kept}
		all.Attempts.Lane = attempt.Lane{Running: 1}
		w := newWorld(t, all)
		w.servers["a"] = a
		w.do(w.c.Manage(w.now, func(m manager.Manager) (manager.Manager, manager.Effects, error) {
			return m.Connect(w.now, "a", manager.Options{OnDemand: true})
		}))
		first := w.call("mcp.a.x", "")
		if err := w.ends(first); err != nil {
			t.Fatal(err)
		}
		a.mute = true
		running, queued := w.call("mcp.a.x", ""), w.call("mcp.a.x", "")
		a.mute = false
		w.lose("a")
		if err := w.ends(running); !errors.Is(err, toolerror.ConnectionLost) {
			t.Fatal(err)
		}
		if err := w.ends(queued); err != nil || a.opens != 2 {
			t.Fatalf("%v, opened %d times", err, a.opens)
		}
	}
}

// A call that is bound before its server is lost ends if that cannot be opened again: it is tried once.
func TestOnDemandBoundDown(t *testing.T) {
	a := &fake{tools: []string{"x"}}
	all := callerConfig()
	all.Catalog = catalog.Config{Sources: names("a"), Naming: kept}
	all.Attempts.Lane = attempt.Lane{Running: 1}
	w := newWorld(t, all)
	w.servers["a"] = a
	w.do(w.c.Manage(w.now, func(m manager.Manager) (manager.Manager, manager.Effects, error) {
		return m.Connect(w.now, "a", manager.Options{OnDemand: true})
	}))
	if err := w.ends(w.call("mcp.a.x", "")); err != nil {
		t.Fatal(err)
	}
	a.mute = true
	running, queued := w.call("mcp.a.x", ""), w.call("mcp.a.x", "")
	a.deaf = true
	w.lose("a")
	if err := w.ends(running); !errors.Is(err, toolerror.ConnectionLost) {
		t.Fatal(err)
	}
	if err := w.ends(queued); !errors.Is(err, toolerror.Unavailable) || a.opens != 2 {
		t.Fatalf("%v, opened %d times", err, a.opens)
	}
}

// A call whose tool is known opens no server that only might have one of the name, but with
// Ordered; a local tool opens none (A4, A6).
func TestOnDemandOrder(t *testing.T) {
	for _, ordered := range []bool{false, true} {
		a, b := &fake{tools: []string{"x"}}, &fake{tools: []string{"x"}}
		w := asleep(t, catalog.Config{Sources: names("a", "b"), Ordered: ordered}, a, b)
		if err := w.ends(w.call("mcp.b.x", "")); err != nil {
			t.Fatal(err)
		}
		if err := w.ends(w.call("x", "")); err != nil {
			t.Fatal(err)
		}
		want := []int{0, 2}
		if ordered {
			want = []int{1, 1}
		}
		if got := []int{len(a.calls), len(b.calls)}; !cmp.Equal(got, want) {
			t.Errorf("ordered %v: calls went to %v, want %v", ordered, got, want)
		}
	}
}

// Refresh opens them too; Invalidate, List and Resolve do not (A9, A10).
func TestOnDemandRefresh(t *testing.T) {
	a, b := &fake{tools: []string{"x"}}, &fake{tools: []string{"y"}}
	w := asleep(t, catalog.Config{Sources: names("a", "b")}, a, b)
	w.onList(func(t catalog.Catalog, m manager.Manager) (catalog.Catalog, manager.Manager, catalog.Update, error) {
		return t.Invalidate(m, w.now)
	})
	w.c.t.List()
	w.c.t.Lookup("x")
	if diff := cmp.Diff([]int{0, 0}, w.opens()); diff != "" {
		t.Fatal(diff)
	}
	w.onList(func(t catalog.Catalog, m manager.Manager) (catalog.Catalog, manager.Manager, catalog.Update, error) {
		return t.Refresh(m, w.now, "b")
	})
	w.onList(func(t catalog.Catalog, m manager.Manager) (catalog.Catalog, manager.Manager, catalog.Update, error) {
		return t.Refresh(m, w.now)
	})
	if diff := cmp.Diff([]int{1, 1}, w.opens()); diff != "" {
		t.Fatal(diff)
	}
	if got := strings.Fields(w.ids()); !cmp.Equal(got, []string{"x", "y"}) {
		t.Fatal(got)
	}
}

// A call opens a server once: that it could not be opened answers the call, with no back-off too.
func TestOnDemandOnce(t *testing.T) {
	all := callerConfig()
	all.Catalog = catalog.Config{Sources: names("a")}
	all.Manager.Backoff = backoff.Policy{Base: backoff.Immediate}
	w := newWorld(t, all)
	a := &fake{deaf: true}
	w.servers["a"] = a
	w.do(w.c.Manage(w.now, func(m manager.Manager) (manager.Manager, manager.Effects, error) {
		return m.Connect(w.now, "a", manager.Options{OnDemand: true})
	}))
	for want := 1; want < 4; want++ {
		w.sleep(time.Second)
		if err := w.ends(w.call("mcp.a.x", "")); !errors.Is(err, toolerror.Unavailable) || a.opens != want {
			t.Fatalf("%v, opened %d times, want %d", err, a.opens, want)
		}
	}
}
