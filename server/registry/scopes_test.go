package registry_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/conformance/limits"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/registry"
)

// C33, C34, C35, C37: the zero scopes are ready for use; nil is an error; to drop what is not there
// is none, and no change.
func TestSessions(t *testing.T) {
	var s registry.Sessions
	_, _, err := s.Get("a")
	fails(t, err, registry.ErrUnknownSession, "a")
	if _, err := s.Put("a", nil); !errors.Is(err, registry.ErrNil) {
		t.Error(err)
	}
	_, err = s.Put("", registry.New(0))
	fails(t, err, registry.ErrName, "")
	if next, ok := s.Drop("a"); ok || next.Version() != 0 {
		t.Error("something was dropped")
	}
	r := from(t, group(t, "g", "x"))
	s, _ = s.Put("b", r)
	one := s
	s, _ = s.Put("a", r)
	s, _ = s.Put("b", from(t))
	got, version, err := s.Get("b")
	if err != nil || got.Len() != 0 || version != 3 || s.Version() != 3 || s.Len() != 2 || one.Len() != 1 {
		t.Errorf("%d, %d of %d, %v", version, s.Version(), s.Len(), err)
	}
	same(t, "ids", s.IDs(), []string{"a", "b"})
	if r, _, _ := one.Get("b"); r.Len() != 1 {
		t.Error("an old value has changed")
	}
	s, ok := s.Drop("b")
	if _, _, err := s.Get("b"); !ok || s.Version() != 4 || s.Len() != 1 || err == nil {
		t.Error(s.Version(), s.Len(), err)
	}
}

// C36: an update holds only for the version that its maker has seen, and an error leaves all as it
// was.
func TestUpdate(t *testing.T) {
	var s registry.Sessions
	s, _ = s.Put("a", from(t, group(t, "g", "x")))
	add := func(name string) func(*registry.Registry) (*registry.Registry, registry.Change, error) {
		return func(r *registry.Registry) (*registry.Registry, registry.Change, error) {
			return r.Register(group(t, name, name))
		}
	}
	_, seen, _ := s.Get("a")
	first, c, err := s.Update("a", seen, add("p"))
	if err != nil || c.Added[0] != "p" {
		t.Fatal(err)
	}
	var stale *registry.VersionError
	lost, _, err := first.Update("a", seen, add("q"))
	if !errors.As(err, &stale) || !errors.Is(err, registry.ErrVersion) || stale.Have != seen+1 || stale.Want != seen || lost != first || !strings.Contains(err.Error(), "want 1, have 2") {
		t.Error(err)
	}
	failure := errors.New("no")
	for what, f := range map[string]func(r *registry.Registry) (*registry.Registry, registry.Change, error){
		"error": func(r *registry.Registry) (*registry.Registry, registry.Change, error) {
			return registry.New(0), registry.Change{}, failure
		},
		"nil": func(*registry.Registry) (*registry.Registry, registry.Change, error) {
			return nil, registry.Change{}, nil
		},
		"itself": func(r *registry.Registry) (*registry.Registry, registry.Change, error) {
			return r, registry.Change{}, nil
		},
	} {
		next, c, err := first.Update("a", seen+1, f)
		if next != first || !c.IsZero() || (err == nil) != (what == "itself") || errors.Is(err, failure) != (what == "error") {
			t.Error(what, err)
		}
		g := registry.NewGlobals(from(t))
		if next, _, err := g.Update(0, f); next != g || (err == nil) != (what == "itself") {
			t.Error(what, err)
		}
	}
	_, _, err = s.Update("b", 0, add("p"))
	fails(t, err, registry.ErrUnknownSession, "b")
}

// C38–C42: the global groups have an order; what changes nothing has no version.
func TestGlobals(t *testing.T) {
	var g registry.Globals
	if next, n := g.Clear(); n != 0 || next != g {
		t.Error("something was cleared")
	}
	g, c, err := g.Register(group(t, "b", "x"))
	if err != nil || c.Added[0] != "b" {
		t.Fatal(err)
	}
	g, _, _ = g.Register(group(t, "a", "y"))
	if list := g.List(); len(list) != 2 || list[0].Name() != "b" || list[1].Name() != "a" || g.Version() != 2 {
		t.Error(list)
	}
	if next, _, err := g.Register(nil); !errors.Is(err, registry.ErrNil) || next != g {
		t.Error(err)
	}
	if s, err := g.Get("a"); err != nil || s.Name() != "a" {
		t.Error(err)
	}
	_, err = g.Get("c")
	fails(t, err, registry.ErrUnknownGroup, "c")
	if next, ok := g.Unregister("c"); ok || next != g {
		t.Error("something was removed")
	}
	less, ok := g.Unregister("b")
	if !ok || len(less.List()) != 1 || less.Version() != 3 || len(g.List()) != 2 {
		t.Error(less.List())
	}
	none, n := g.Clear()
	if n != 2 || none.Registry().Len() != 0 || none.Version() != 3 || none.Registry().View().Catalog().Offers() != protocol.CapTools {
		t.Error(n)
	}
}

// C38: a session is offered its own groups, then the global ones whose names it does not have,
// and of one name of a tool its own. One that is switched off hides the global one too.
func TestEffective(t *testing.T) {
	g := registry.NewGlobals(from(t, group(t, "g", "x", "y"), mixed(t, "m")))
	var s registry.Sessions
	own := from(t, mixed(t, "o"), group(t, "a", "y", "z"))
	s, _ = s.Put("1", own)
	s, _ = s.Put("2", from(t, group(t, "g", "w")))
	v := s.Effective("1", g)
	same(t, "names", v.Names(), []string{"o", "a", "g", "m"})
	same(t, "tools", names(v.Tools()), []string{"o.t", "a.y", "a.z", "g.x", "g.y by a", "m.t by o"})
	same(t, "replaced", names(s.Effective("2", g).Tools()), []string{"g.w", "m.t"})
	off, _, _ := from(t, group(t, "g")).SetEnabled("g", false)
	s, _ = s.Put("2", off)
	same(t, "hidden", names(s.Effective("2", g).Tools()), []string{"m.t"})
	if s.Effective("3", g) != g.Registry().View() || s.Effective("3", registry.Globals{}) == nil || s.Effective("1", registry.Globals{}) != own.View() {
		t.Error("a view is made for nothing")
	}
	for _, c := range []struct{ method, name, want string }{
		{"tools/call", "y", "a"}, {"tools/call", "x", "g"}, {"tools/call", "t", "o"}, {"tools/call", "none", ""},
		{"prompts/get", "m-p", "m"}, {"prompts/get", "o-p", "o"}, {"resources/read", "a:m", "m"}, {"resources/read", "a:o", "o"},
		{"resources/read", "m:1", "m"}, {"resources/read", "o:1", "o"}, {"resources/read", "z:1", ""}, {"ping", "", ""},
	} {
		if got := v.Owner(c.method, c.name); got != c.want {
			t.Errorf("%s %s is of %q, want %q", c.method, c.name, got, c.want)
		}
	}
	state := open(t, v)
	for i, c := range []struct{ method, params, want string }{
		{"tools/call", `{"name":"y"}`, `"text":"a.y"`}, {"tools/call", `{"name":"x"}`, `"text":"g.x"`}, {"tools/call", `{"name":"t"}`, `"text":"o.t"`},
		{"prompts/get", `{"name":"m-p"}`, `"description":"m"`}, {"prompts/get", `{"name":"o-p"}`, `"description":"o"`},
		{"resources/read", `{"uri":"a:m"}`, `"text":"m"`}, {"resources/read", `{"uri":"m:1"}`, `"text":"m template"`}, {"resources/read", `{"uri":"o:1"}`, `"text":"o template"`},
		{"completion/complete", `{"ref":{"type":"ref/prompt","name":"m-p"},"argument":{"name":"a","value":""}}`, `"values":["m"]`},
		{"completion/complete", `{"ref":{"type":"ref/resource","uri":"o:{x}"},"argument":{"name":"x","value":""}}`, `"values":["o"]`},
		{"tools/list", `{}`, `[{"name":"t","inputSchema":{"type":"object"}},{"name":"x","description":"of g",`},
		{"tools/call", `{"name":"none"}`, `"error":{"code":-32602`}, {"resources/read", `{"uri":"z:1"}`, `"error":{"code":-32002`},
	} {
		var out server.Output
		if state, out = v.Handlers().Receive(state, t0, request(i+2, c.method, c.params)); !strings.Contains(sent(out), c.want) {
			t.Errorf("%s %s: %s, want %s", c.method, c.params, sent(out), c.want)
		}
	}
}

// C20, C34: what changes several times reaches a session as one list_changed of each list that
// differs at the end, and of no other.
func TestOneAnnouncement(t *testing.T) {
	r := from(t, mixed(t, "m"), group(t, "a", "x"))
	s := open(t, r.View())
	var out server.Output
	for i, on := range []bool{false, true, false} {
		r, _, _ = r.SetEnabled("a", on)
		var err error
		if s, out, err = s.SetCatalog(t0.Add(time.Duration(i)*time.Millisecond), r.View().Catalog()); err != nil || !out.IsZero() {
			t.Fatal(err, sent(out))
		}
	}
	s, out = s.Tick(t0.Add(time.Second))
	if got := sent(out); got != `{"method":"notifications/tools/list_changed"}` {
		t.Error(got)
	}
	again, _, _ := r.Register(group(t, "a", "x")) // which is off
	s, _, _ = s.SetCatalog(t0.Add(2*time.Second), again.View().Catalog())
	if _, out = s.Tick(t0.Add(3 * time.Second)); !out.IsZero() {
		t.Error("announced:", sent(out))
	}
}

// crowd are globals of n tools.
func crowd(t testing.TB, n int, change string) registry.Globals {
	d := registry.Definition{Name: "crowd"}
	for i := range n {
		tool := protocol.Tool{Name: fmt.Sprintf("tool-%05d", i), Description: strings.Repeat("d", 100) + change, InputSchema: `{"type":"object","properties":{"a":{"type":"string"}}}`}
		change = ""
		d.Tools = append(d.Tools, registry.Tool{Tool: tool, Func: says("x")})
	}
	return registry.NewGlobals(from(t, must(t, d)))
}

// C38: 10,000 sessions, each with a tool of its own, hold 10,000 global tools once, and when one
// of these changes it costs a session no more than if there were ten.
func TestShared(t *testing.T) {
	const sessions = 10_000
	n := 10_000
	if testing.Short() {
		n = 1000
	}
	own := group(t, "own", "mine")
	type held struct {
		s      registry.Sessions
		views  []*registry.View
		states []server.State
	}
	cost := func(tools int) (heap, change int64) {
		g, next := crowd(t, tools, ""), crowd(t, tools, "!")
		state := open(t, registry.Effective(from(t, own), g.Registry()))
		x := &held{}
		heap = limits.Retained(func() any {
			for i := range sessions {
				id := fmt.Sprint(i)
				x.s, _ = x.s.Put(id, from(t, own))
				v := x.s.Effective(id, g)
				s, _, err := state.SetCatalog(t0, v.Catalog())
				if err != nil {
					t.Fatal(err)
				}
				x.views, x.states = append(x.views, v), append(x.states, s)
			}
			return x
		}) / sessions
		begun := time.Now()
		for i := range sessions {
			v := x.s.Effective(fmt.Sprint(i), next)
			s, _, err := x.states[i].SetCatalog(t0, v.Catalog())
			if err != nil {
				t.Fatal(err)
			}
			x.states[i] = s
		}
		change = int64(time.Since(begun)) / sessions
		for _, s := range []server.State{x.states[0], x.states[sessions-1]} {
			if _, out := s.Tick(t0.Add(time.Second)); sent(out) != `{"method":"notifications/tools/list_changed"}` {
				t.Error(sent(out))
			}
		}
		return heap, change
	}
	fewHeap, few := cost(10)
	manyHeap, many := cost(n)
	t.Logf("a session holds %d bytes over 10 tools, %d over %d; a change takes %d ns and %d ns", fewHeap, manyHeap, n, few, many)
	if manyHeap > fewHeap+fewHeap/4+512 {
		t.Errorf("a session holds %d bytes over %d tools, %d over 10", manyHeap, n, fewHeap)
	}
	if many > 10*few+10_000 {
		t.Errorf("a change takes %d ns over %d tools, %d ns over 10", many, n, few)
	}
}

// Lookup of a tool does not depend on how many there are.
func BenchmarkLookup(b *testing.B) {
	for _, n := range []int{10, 10_000} {
		v := registry.Effective(from(b, group(b, "own", "mine")), crowd(b, n, "").Registry())
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if _, ok := v.Lookup("tool-00007"); !ok {
					b.Fatal("not there")
				}
			}
		})
	}
}

// A call of a tool costs the same over 10 tools as over 10,000.
func BenchmarkCall(b *testing.B) {
	for _, n := range []int{10, 10_000} {
		v := registry.Effective(from(b, group(b, "own", "mine")), crowd(b, n, "").Registry())
		s, m := open(b, v), calls(7, "tool-00007")
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if _, out := v.Handlers().Receive(s, t0, m); out.Fate != lifecycle.FateAnswered {
					b.Fatal(out.Fate)
				}
			}
		})
	}
}

// Lookup takes no memory, and no longer over 10,000 tools than over ten.
func TestLookupIsConstant(t *testing.T) {
	took := func(n int) time.Duration {
		v := registry.Effective(from(t, group(t, "own", "mine")), crowd(t, n, "").Registry())
		if allocs := testing.AllocsPerRun(100, func() { v.Lookup("tool-00007") }); allocs != 0 {
			t.Errorf("%v allocations over %d tools", allocs, n)
		}
		best := time.Hour
		for range 10 {
			begun := time.Now()
			for range 2000 {
				v.Lookup("tool-00007")
			}
			best = min(best, time.Since(begun))
		}
		return best
	}
	if few, many := took(10), took(10_000); many > 10*few+time.Millisecond {
		t.Errorf("%v over 10,000 tools, %v over 10", many, few)
	}
}
