package registry_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/registry"
)

// naive is a Registry as a list that is searched from the front.
type naive []naiveGroup

type naiveGroup struct {
	s           *registry.Group
	off, failed bool
}

func (g naiveGroup) offered() bool { return !g.off && !g.failed }

func (n naive) find(name string) int {
	return slices.IndexFunc(n, func(g naiveGroup) bool { return g.s.Name() == name })
}

func (n naive) register(s *registry.Group, say registry.Switch) naive {
	n = slices.Clone(n)
	if i := n.find(s.Name()); i >= 0 {
		n[i] = naiveGroup{s, say == registry.Off || say == registry.Keep && n[i].off, false}
		return n
	}
	return append(n, naiveGroup{s, say == registry.Off, false})
}

func (n naive) set(list []*registry.Group, say map[*registry.Group]registry.Switch) naive {
	var next naive
	for _, s := range list {
		g := naiveGroup{s: s, off: say[s] == registry.Off}
		if i := n.find(s.Name()); i >= 0 {
			g.off = g.off || say[s] == registry.Keep && n[i].off
			g.failed = n[i].failed && n[i].s == s
		}
		next = append(next, g)
	}
	return next
}

// tools returns what a session sees: the description of each tool, the first group's.
func (n naive) tools() map[string]string {
	seen := map[string]string{}
	for _, g := range n {
		if g.offered() {
			for _, t := range g.s.Tools() {
				if _, ok := seen[t.Name]; !ok {
					seen[t.Name] = t.Description
				}
			}
		}
	}
	return seen
}

// diff compares two sets of tools name by name.
func diff(old, next map[string]string) (d server.Diff) {
	for _, name := range toolNames {
		before, was := old[name]
		after, is := next[name]
		switch {
		case is && !was:
			d.Added = append(d.Added, name)
		case was && !is:
			d.Removed = append(d.Removed, name)
		case is && before != after:
			d.Changed = append(d.Changed, name)
		}
	}
	return d
}

func (n naive) names(want func(naiveGroup) bool) (list []string) {
	for _, g := range n {
		if want(g) {
			list = append(list, g.s.Name())
		}
	}
	return list
}

// change compares two lists of groups.
func (n naive) change(old naive) (c registry.Change) {
	last := -1
	for _, g := range n {
		i := old.find(g.s.Name())
		if i < 0 {
			c.Added = append(c.Added, g.s.Name())
			continue
		}
		c.Moved = c.Moved || i < last
		last = max(i, last)
		if old[i].s != g.s {
			c.Replaced = append(c.Replaced, g.s.Name())
		}
		if g.offered() && !old[i].offered() {
			c.Enabled = append(c.Enabled, g.s.Name())
		}
		if !g.offered() && old[i].offered() {
			c.Disabled = append(c.Disabled, g.s.Name())
		}
	}
	for _, g := range old {
		if n.find(g.s.Name()) < 0 {
			c.Removed = append(c.Removed, g.s.Name())
		}
	}
	c.Tools = diff(old.tools(), n.tools())
	return c
}

var toolNames = []string{"p", "q", "r", "s"}

// pool are groups of four names, three of each, with tools that overlap.
func pool(t testing.TB) (list []*registry.Group, say map[*registry.Group]registry.Switch) {
	say = map[*registry.Group]registry.Switch{}
	for i, name := range []string{"a", "b", "c", "d"} {
		for v := range 3 {
			d := registry.Definition{Name: name, Version: fmt.Sprint(v), Handlers: new(server.Handlers), Enabled: []registry.Switch{registry.Keep, registry.On, registry.Off}[(i+v)%3]}
			d.Handlers.Offer(protocol.CapTools)
			for j, tool := range toolNames {
				if (i+v+j)%2 == 0 || v == j {
					d.Tools = append(d.Tools, registry.Tool{Tool: protocol.Tool{Name: tool, Description: fmt.Sprint(name, v*(j%2))}, Func: says(name)})
				}
			}
			s := must(t, d)
			list = append(list, s)
			say[s] = d.Enabled
		}
	}
	return list, say
}

// agree checks a Registry against the list.
func agree(t *rapid.T, r *registry.Registry, n naive) {
	check := func(what string, got, want any) {
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%s: got %v, want %v", what, got, want)
		}
	}
	check("names", r.Names(), n.names(func(naiveGroup) bool { return true }))
	check("offered", r.InitNames(), n.names(naiveGroup.offered))
	check("view", r.View().Names(), n.names(naiveGroup.offered))
	for i, st := range r.Status() {
		check("status", []any{st.Name, st.Version, st.Enabled, st.Err != nil, st.Tools}, []any{n[i].s.Name(), n[i].s.Version(), !n[i].off, n[i].failed, len(n[i].s.Tools())})
	}
	sees := n.tools()
	for _, name := range toolNames {
		ref, err := r.Lookup(name)
		want, is := sees[name]
		if (err == nil) != is || ref.Tool.Description != want || is && (!r.View().Has(ref.Group) || r.View().Owner("tools/call", name) != ref.Group) {
			t.Fatalf("%s: %+v, %v, want %q, %v", name, ref, err, want, is)
		}
	}
	listed := 0
	for _, ref := range r.Tools() {
		if ref.ShadowedBy == "" {
			listed++
			check(ref.Tool.Name, ref.Tool.Description, sees[ref.Tool.Name])
		}
	}
	check("listed", listed, len(sees))
}

// C17–C42: whatever is done to a Registry, and to the scopes around it, it is what a list that is
// searched from the front would be; versions rise with every change and with nothing else.
func TestAgainstNaive(t *testing.T) {
	groups, say := pool(t)
	rapid.Check(t, func(t *rapid.T) {
		lists := map[string]naive{}
		var sessions registry.Sessions
		var globals registry.Globals
		ids := []string{"", "s1", "s2"} // "" are the globals
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			id := rapid.SampledFrom(ids).Draw(t, "scope")
			old, was := lists[id], lists[id] != nil
			next := old
			pick := rapid.SampledFrom(groups).Draw(t, "group")
			name := pick.Name()
			at := old.find(name)
			var f func(*registry.Registry) (*registry.Registry, registry.Change, error)
			fault := false
			switch op := rapid.IntRange(0, 6).Draw(t, "op"); op {
			case 0:
				next = old.register(pick, say[pick])
				f = func(r *registry.Registry) (*registry.Registry, registry.Change, error) { return r.Register(pick) }
			case 1:
				f = func(r *registry.Registry) (*registry.Registry, registry.Change, error) {
					r, c := r.Unregister(name)
					return r, c, nil
				}
				if at >= 0 {
					next = slices.Delete(slices.Clone(old), at, at+1)
				}
			case 2:
				list := rapid.SliceOfNDistinct(rapid.SampledFrom(groups), 0, 4, (*registry.Group).Name).Draw(t, "list")
				next = old.set(list, say)
				f = func(r *registry.Registry) (*registry.Registry, registry.Change, error) { return r.SetGroups(list...) }
			case 3:
				on := rapid.Bool().Draw(t, "on")
				f = func(r *registry.Registry) (*registry.Registry, registry.Change, error) { return r.SetEnabled(name, on) }
				if fault = at < 0; !fault {
					next = slices.Clone(old)
					next[at].off = !on
				}
			case 4, 5:
				f = func(r *registry.Registry) (*registry.Registry, registry.Change, error) { return r.Reset(name) }
				if op == 4 {
					f = func(r *registry.Registry) (*registry.Registry, registry.Change, error) { return r.Fail(name, nil) }
				}
				if fault = at < 0; !fault {
					next = slices.Clone(old)
					next[at].failed = op == 4
				}
			case 6: // a session begins or ends
				if id == "" {
					continue
				}
				if s, ok := sessions.Drop(id); ok != was {
					t.Fatalf("drop: %v", ok)
				} else if ok {
					sessions = s
					delete(lists, id)
				}
				continue
			}
			var c registry.Change
			var err error
			g, s := globals, sessions
			if id == "" {
				_, _, stale := globals.Update(globals.Version()+1, f)
				g, c, err = globals.Update(globals.Version(), f)
				if stale == nil {
					t.Fatal("a wrong version is taken")
				}
			} else {
				if !was {
					if s, err = s.Put(id, registry.New(0)); err != nil {
						t.Fatal(err)
					}
					lists[id], old = naive{}, naive{}
					if next == nil {
						next = naive{}
					}
				}
				_, version, _ := s.Get(id)
				sessions = s
				s, c, err = s.Update(id, version, f)
			}
			if (err != nil) != fault {
				t.Fatalf("%v, want an error: %v", err, fault)
			}
			if want := next.change(old); fmt.Sprintf("%+v", c) != fmt.Sprintf("%+v", want) {
				t.Fatalf("change %+v, want %+v", c, want)
			}
			if !c.IsZero() && g.Version() == globals.Version() && s.Version() == sessions.Version() {
				t.Fatal("a change without a version")
			}
			if g.Version() < globals.Version() || s.Version() < sessions.Version() {
				t.Fatal("a version falls")
			}
			globals, sessions = g, s
			if next == nil {
				next = naive{}
			}
			lists[id] = next
			all(t, sessions, globals, lists)
		}
	})
}

// all checks each scope, and what each session is offered.
func all(t *rapid.T, sessions registry.Sessions, globals registry.Globals, lists map[string]naive) {
	agree(t, globals.Registry(), lists[""])
	n := 0
	for _, id := range []string{"s1", "s2", "nobody"} {
		own, known := lists[id]
		r, _, err := sessions.Get(id)
		if (err == nil) != known {
			t.Fatal(err)
		}
		if known {
			n++
			agree(t, r, own)
		}
		joined := slices.Clone(own)
		for _, g := range lists[""] {
			if own.find(g.s.Name()) < 0 {
				joined = append(joined, g)
			}
		}
		v, sees := sessions.Effective(id, globals), joined.tools()
		if got, want := fmt.Sprint(v.Names()), fmt.Sprint(joined.names(naiveGroup.offered)); got != want {
			t.Fatalf("%s is offered %s, want %s", id, got, want)
		}
		fresh, err := v.Handlers().Catalog()
		if err != nil || fresh != v.Catalog() {
			t.Fatal("a catalog is made again", err)
		}
		items := server.Items{}
		for _, name := range toolNames {
			ref, ok := v.Lookup(name)
			if want, is := sees[name]; ok != is || ref.Tool.Description != want {
				t.Fatalf("%s: %s is %+v, want %q", id, name, ref, want)
			}
			if ok {
				items.Tools = append(items.Tools, ref.Tool)
			}
		}
		flat, err := server.NewCatalog(items)
		if err != nil || !v.Catalog().Diff(flat, protocol.ToolList).IsZero() {
			t.Fatal("the list is another one", err)
		}
	}
	if sessions.Len() != n || len(sessions.IDs()) != n {
		t.Fatal(sessions.IDs())
	}
}
