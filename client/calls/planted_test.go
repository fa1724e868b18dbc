package calls

import (
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/protocol"
)

func refresh(w *world) func(catalog.Catalog, manager.Manager) (catalog.Catalog, manager.Manager, catalog.Update, error) {
	return func(t catalog.Catalog, m manager.Manager) (catalog.Catalog, manager.Manager, catalog.Update, error) {
		return t.Refresh(m, w.now)
	}
}

// Whatever asks for a list while it is being read gets the one that is under way, and an
// announcement one more after it (A10).
func TestOneListing(t *testing.T) {
	for name, c := range map[string]struct {
		ask  func(w *world)
		more int // further listings
	}{
		"Refresh":       {func(w *world) { w.onList(refresh(w)) }, 0},
		"Refresh twice": {func(w *world) { w.onList(refresh(w)); w.onList(refresh(w)) }, 0},
		"a call":        {func(w *world) { w.call("mcp.a.x", "") }, 0},
		"a name":        {func(w *world) { w.call("nobody", "") }, 0},
		"announcements": {func(w *world) { w.announce("a", "x"); w.announce("a", "x") }, 1},
		"everything": {func(w *world) {
			w.onList(refresh(w))
			w.announce("a", "x")
			w.call("mcp.a.x", "")
			w.onList(refresh(w))
		}, 1},
	} {
		for _, lazy := range []bool{false, true} {
			a := &fake{tools: []string{"x"}}
			w := start(t, catalog.Config{Sources: names("a"), Lazy: lazy}, a)
			w.sleep(time.Hour)
			a.slow = true
			w.onList(refresh(w))
			begun := a.lists
			c.ask(w)
			if a.lists != begun {
				t.Errorf("%s: %d listings at a time", name, 1+a.lists-begun)
			}
			w.release("a")
			w.sleep(time.Second)
			w.call("mcp.a.x", "") // with Lazy this asks for what was announced
			w.sleep(time.Minute)
			if got := a.lists - begun; got != c.more {
				t.Errorf("%s, lazy %v: %d further listings, want %d", name, lazy, got, c.more)
			}
		}
	}
}

// naming.Hide hides the tools of servers that cannot be called, and of no others (A14, E13).
func TestHidden(t *testing.T) {
	for hide, want := range map[naming.Loss]map[catalog.Health]bool{
		naming.Keep: {catalog.Healthy: true, catalog.Degraded: true, catalog.Unavailable: true},
		naming.Hide: {catalog.Healthy: true, catalog.Degraded: true, catalog.Unavailable: false},
	} {
		all := callerConfig()
		all.Manager.Health = manager.Health{Interval: time.Minute, Misses: 3}
		all.Catalog = catalog.Config{Naming: naming.Policy{Names: naming.Plain, OnLoss: hide}, Sources: names("a")}
		w := newWorld(t, all)
		a := &fake{tools: []string{"x"}}
		w.connect("a", a)
		seen := map[catalog.Health]bool{}
		look := func() {
			st, _ := w.c.t.Status(protocol.ToolList, "a")
			seen[st.Health] = true
			if got := len(w.c.t.List()) == 1; got != want[st.Health] {
				t.Errorf("loss %v: of a server that is %v it is listed: %v", hide, st.Health, got)
			}
		}
		look()
		a.mute = true
		w.sleep(time.Minute + 10*time.Second)
		look()
		a.deaf = true
		w.lose("a")
		look()
		if len(seen) != 3 {
			t.Errorf("only %v were seen", seen)
		}
	}
}

// A change of a definition is told and shown wherever it is, and if the definition is as long as
// before; one of its text alone is not (A23, E6).
func TestChangedDefinition(t *testing.T) {
	const was = `{"name":"x","title":"t1","description":"d1","inputSchema":{"type":"object","properties":{"a":{"type":"string"}}},"outputSchema":{"type":"object","properties":{"o":{"type":"string"}}},"annotations":{"readOnlyHint":true},"more":"m1"}`
	for _, c := range []struct {
		from, to string
		changed  bool
	}{
		{`"t1"`, `"t2"`, true}, {`"d1"`, `"d2"`, true}, {`{"a":`, `{"b":`, true}, {`{"o":`, `{"p":`, true}, {"readOnlyHint", "idemponHint2", true},
		{`"m1"`, `"m2"`, true}, {`"a":{"type":"string"}`, `"a":{"type":"number"}`, true}, {`"a":{"type":"string"}`, `"a":{"type":"integer"}`, true},
		{`"title":"t1","description":"d1"`, `"description":"d1","title":"t1"`, false},
		{`{"o":`, `{ "o": `, false},
	} {
		w := start(t, catalog.Config{Sources: names("a")}, &fake{tools: []string{was}})
		now := strings.Replace(was, c.from, c.to, 1)
		if now == was {
			t.Fatal(c.from)
		}
		w.announce("a", now)
		w.sleep(time.Minute)
		changed := len(w.out.Changes) == 1 && len(w.out.Changes[0].Changed) == 1
		if changed != c.changed {
			t.Errorf("%s to %s: %s", c.from, c.to, w.changes())
		}
		b, err := w.c.t.Lookup("x")
		if want := string(protocol.Raw(now)); err != nil || c.changed && string(b.Raw) != want {
			t.Errorf("%s to %s: it is %s", c.from, c.to, b.Raw)
		}
	}
}

// Hints are believed while the connection that they came over is trusted, and no longer (A25).
func TestTrustEnds(t *testing.T) {
	a := &fake{tools: []string{`{"name":"x","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`}}
	w := start(t, catalog.Config{Sources: names("a")}, a)
	for _, trust := range []bool{true, false, true, false} {
		w.do(w.c.Manage(w.now, func(m manager.Manager) (manager.Manager, manager.Effects, error) {
			return m.Connect(w.now, "a", manager.Options{TrustAnnotations: trust, Replace: true})
		}))
		b, err := w.c.t.Lookup("x")
		if err != nil {
			t.Fatal(err)
		}
		if b.Trusted != trust {
			t.Errorf("with TrustAnnotations %v the hints are trusted: %v", trust, b.Trusted)
		}
	}
}

// A plain name that looks like a qualified one of a server never leads to another server, whatever
// comes first and whoever comes and goes (E9).
func TestLookAlikes(t *testing.T) {
	good, bad := &fake{tools: []string{"x"}}, &fake{tools: []string{"mcp.good.x", "mcp.good.y", "x"}}
	for _, order := range []string{"good bad", "bad good"} {
		for _, policy := range []naming.Conflict{naming.Qualified, naming.Hidden} {
			w := start(t, catalog.Config{Sources: names(strings.Fields(order)...), Naming: naming.Policy{Names: naming.Plain, OnConflict: policy}}, map[string][]*fake{
				"good bad": {good, bad}, "bad good": {bad, good},
			}[order]...)
			look := func(when string, wants map[string]string) {
				t.Helper()
				for name, want := range wants {
					got := "none"
					if b, err := w.c.t.Lookup(name); err == nil {
						got = b.Server
					}
					if got != want {
						t.Errorf("%s, %v, %s: %q leads to %s, want %s", order, policy, when, name, got, want)
					}
				}
				for _, b := range w.c.t.List() {
					if b.Server == "bad" && strings.HasPrefix(b.Name, "mcp.good.") {
						t.Errorf("%s, %v, %s: %q of bad is listed", order, policy, when, b.Name)
					}
				}
			}
			look("at first", map[string]string{"mcp.good.x": "good", "mcp.good.y": "none", "mcp.bad.x": "bad"})
			good.deaf = true
			w.lose("good")
			look("with good lost", map[string]string{"mcp.good.x": "good", "mcp.good.y": "none"})
			good.deaf = false
			w.sleep(time.Hour)
			look("with good back", map[string]string{"mcp.good.x": "good", "mcp.good.y": "none"})
		}
	}
}
