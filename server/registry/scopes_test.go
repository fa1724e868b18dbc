package registry_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/conformance/memory"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/registry"
)

// C33, C34, C35, C37: the zero Scopes is ready for use; nil is an error; to drop what is absent
// is none, and no change.
func TestScopes(t *testing.T) {
	var s registry.Scopes
	_, _, err := s.Get("a")
	fails(t, err, registry.ErrUnknownSession, "a")
	if _, err := s.Put("a", nil); !errors.Is(err, registry.ErrNil) {
		t.Error(err)
	}
	_, err = s.Put("", registry.New(0))
	fails(t, err, registry.ErrName, "")
	if next, ok := s.Drop("a"); ok || next.Version() != 0 || len(s.View("a").Names()) != 0 {
		t.Error("something was dropped")
	}
	r := from(t, group(t, "g", "x"))
	s, _ = s.Put("b", r)
	one := s
	s, _ = s.Put("a", r)
	s, _ = s.Put("b", from(t))
	got, version, err := s.Get("b")
	if err != nil || got.Len() != 0 || version != 3 || s.Version() != 3 || len(one.Sessions()) != 1 {
		t.Errorf("%d, %d, %v", version, s.Version(), err)
	}
	same(t, "sessions", s.Sessions(), []string{"a", "b"})
	if r, _, _ := one.Get("b"); r.Len() != 1 {
		t.Error("an old value has changed")
	}
	s, ok := s.Drop("b")
	if _, _, err := s.Get("b"); !ok || s.Version() != 4 || len(s.Sessions()) != 1 || err == nil {
		t.Error(s.Version(), s.Sessions(), err)
	}
}

// C36: an update holds only for the version that its maker has seen, and an error leaves all as it
// was.
func TestUpdate(t *testing.T) {
	s, _ := registry.Scopes{}.Put("a", from(t, group(t, "g", "x")))
	_, seen, _ := s.Get("a")
	first, c, err := s.Update("a", seen, add(group(t, "p", "p")))
	if err != nil || c.Added[0] != "p" {
		t.Fatal(err)
	}
	lost, _, err := first.Update("a", seen, add(group(t, "q", "q")))
	if !errors.Is(err, registry.ErrVersion) || seen != 1 || lost != first || !strings.Contains(err.Error(), "want 1, have 2") {
		t.Error(err)
	}
	failure := errors.New("no")
	for what, f := range map[string]registry.Edit{
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
		if next != first || !none(c) || (err == nil) != (what == "itself") || errors.Is(err, failure) != (what == "error") {
			t.Error(what, err)
		}
		g := registry.NewScopes(from(t))
		if next, _, err := g.UpdateShared(0, f); next != g || (err == nil) != (what == "itself") {
			t.Error(what, err)
		}
	}
	_, _, err = s.Update("b", 0, add(group(t, "p", "p")))
	fails(t, err, registry.ErrUnknownSession, "b")
}

// C38–C42: the shared groups have an order, and what changes nothing has no version.
func TestShared(t *testing.T) {
	edit := func(s registry.Scopes, f registry.Edit) (registry.Scopes, registry.Change, error) {
		_, version := s.Shared()
		return s.UpdateShared(version, f)
	}
	s, c, err := edit(registry.Scopes{}, add(group(t, "b", "x")))
	if err != nil || c.Added[0] != "b" {
		t.Fatal(err)
	}
	s, _, _ = edit(s, add(group(t, "a", "y")))
	r, version := s.Shared()
	if list := r.Groups(); len(list) != 2 || list[0].Name() != "b" || list[1].Name() != "a" || version != 2 || s.Version() != 2 {
		t.Error(list, version)
	}
	if next, _, err := edit(s, add(nil)); !errors.Is(err, registry.ErrNil) || next != s {
		t.Error(err)
	}
	if g, err := r.Group("a"); err != nil || g.Name() != "a" {
		t.Error(err)
	}
	_, err = r.Group("c")
	fails(t, err, registry.ErrUnknownGroup, "c")
	if next, c, err := edit(s, remove("c")); err != nil || !none(c) || next != s {
		t.Error("something was removed")
	}
	less, c, _ := edit(s, remove("b"))
	if r, version := less.Shared(); len(c.Removed) != 1 || r.Len() != 1 || version != 3 {
		t.Errorf("%+v", c)
	}
	empty, c, _ := edit(s, set())
	if r, version := empty.Shared(); len(c.Removed) != 2 || r.Len() != 0 || version != 3 || r.View().Catalog().Offers() != protocol.CapTools {
		t.Errorf("%+v", c)
	}
	if next, c, _ := edit(empty, set()); next != empty || !none(c) {
		t.Error("something was cleared")
	}
	if _, _, err := s.UpdateShared(1, set()); !errors.Is(err, registry.ErrVersion) {
		t.Error(err)
	}
}

// C38: a session is offered its own groups, then the global ones whose names it does not have,
// and of one name of a tool its own. One that is switched off hides the global one too.
func TestViews(t *testing.T) {
	s := registry.NewScopes(from(t, group(t, "g", "x", "y"), mixed(t, "m")))
	own := from(t, mixed(t, "o"), group(t, "a", "y", "z"))
	s, _ = s.Put("1", own)
	s, _ = s.Put("2", from(t, group(t, "g", "w")))
	v := s.View("1")
	same(t, "names", v.Names(), []string{"o", "a", "g", "m"})
	same(t, "tools", names(v.Tools()), []string{"o.t", "a.y", "a.z", "g.x", "g.y by a", "m.t by o"})
	same(t, "replaced", names(s.View("2").Tools()), []string{"g.w", "m.t"})
	off, _, _ := from(t, group(t, "g")).SetEnabled("g", false)
	next, _ := s.Put("2", off)
	same(t, "hidden", names(next.View("2").Tools()), []string{"m.t"})
	shared, _ := s.Shared()
	alone, _ := registry.Scopes{}.Put("1", own)
	if s.View("3") != shared.View() || (registry.Scopes{}).View("3") == nil || alone.View("1") != own.View() || next.View("1") != v {
		t.Error("a view is made for nothing")
	}
	wider, _, _ := s.UpdateShared(0, add(group(t, "g", "x", "new")))
	same(t, "with another shared group", names(wider.View("1").Tools()), []string{"o.t", "a.y", "a.z", "g.x", "g.new", "m.t by o"})
	same(t, "and its own of the name", names(wider.View("2").Tools()), []string{"g.w", "m.t"})
	same(t, "before", names(s.View("1").Tools()), []string{"o.t", "a.y", "a.z", "g.x", "g.y by a", "m.t by o"})
	for _, c := range []struct{ method, name, want string }{
		{"tools/call", "y", "a"}, {"tools/call", "x", "g"}, {"tools/call", "t", "o"}, {"tools/call", "none", ""},
		{"prompts/get", "m-p", "m"}, {"prompts/get", "o-p", "o"}, {"resources/read", "a:m", "m"}, {"resources/read", "a:o", "o"},
		{"resources/read", "m:1", "m"}, {"resources/read", "o:1", "o"}, {"resources/read", "z:1", ""}, {"ping", "", ""},
	} {
		if got := v.Owner(c.method, c.name); got != c.want {
			t.Errorf("%s %s is of %q, want %q", c.method, c.name, got, c.want)
		}
	}
	dark, _, _ := s.UpdateShared(0, enable("m", false))
	same(t, "off and beside a shadowed one", names(dark.View("2").Tools()), []string{"g.w"})
	for what, kinds := range map[string]registry.Scopes{"own": registry.NewScopes(from(t, group(t, "g", "x"))), "shared": registry.NewScopes(registry.New(protocol.CapPrompts))} {
		mine := registry.New(protocol.CapPrompts)
		if what == "shared" {
			mine = from(t, group(t, "a", "y"))
		}
		kinds, _ = kinds.Put("s", mine)
		if got := kinds.View("s").Catalog().Offers(); got != protocol.CapTools|protocol.CapPrompts {
			t.Errorf("kinds of the %s groups: %v", what, got)
		}
	}
	for uri, want := range map[string]string{"a:o": "o", "o:1": "o", "m:1": ""} {
		if got := own.View().Owner("resources/read", uri); got != want {
			t.Errorf("%s is of %q alone, want %q", uri, got, want)
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

// crowd are shared groups of n tools.
func crowd(t testing.TB, n int, change string) *registry.Registry {
	d := registry.Definition{Name: "crowd"}
	for i := range n {
		tool := protocol.Tool{Name: fmt.Sprintf("tool-%05d", i), Description: strings.Repeat("d", 100) + change, InputSchema: `{"type":"object","properties":{"a":{"type":"string"}}}`}
		change = ""
		d.Tools = append(d.Tools, registry.Tool{Tool: tool, Func: says("x")})
	}
	return from(t, must(t, d))
}

// over is the view of a session with a tool of its own and n shared ones.
func over(t testing.TB, n int) *registry.View {
	s, err := registry.NewScopes(crowd(t, n, "")).Put("s", from(t, group(t, "own", "mine")))
	if err != nil {
		t.Fatal(err)
	}
	return s.View("s")
}

// C38: 10,000 sessions, each with a tool of its own, hold 10,000 shared tools once, and when one
// of these changes it costs a session no more than if there were ten.
func TestSharedOnce(t *testing.T) {
	const sessions = 10_000
	n := 10_000
	if testing.Short() {
		n = 1000
	}
	own := group(t, "own", "mine")
	type held struct {
		s      registry.Scopes
		states []server.State
	}
	cost := func(tools int) (heap, change int64) {
		g, next := crowd(t, tools, ""), crowd(t, tools, "!")
		x := &held{}
		x.s, _ = registry.NewScopes(g).Put("first", from(t, own))
		state := open(t, x.s.View("first"))
		heap = memory.Retained(func() any {
			for i := range sessions {
				id := fmt.Sprint(i)
				x.s, _ = x.s.Put(id, from(t, own))
				s, _, err := state.SetCatalog(t0, x.s.View(id).Catalog())
				if err != nil {
					t.Fatal(err)
				}
				x.states = append(x.states, s)
			}
			return x
		}) / sessions
		begun := time.Now()
		all, _, err := x.s.UpdateShared(0, func(*registry.Registry) (*registry.Registry, registry.Change, error) {
			return next, registry.Change{}, nil
		})
		for i := range sessions {
			if err == nil {
				x.states[i], _, err = x.states[i].SetCatalog(t0, all.View(fmt.Sprint(i)).Catalog())
			}
			if err != nil {
				t.Fatal(err)
			}
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
		v := over(b, n)
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
		v := over(b, n)
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
		v := over(t, n)
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
