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
		n[i] = naiveGroup{s, say == registry.Off || say == registry.Unchanged && n[i].off, false}
		return n
	}
	return append(n, naiveGroup{s, say == registry.Off, false})
}

func (n naive) set(list []*registry.Group, say map[*registry.Group]registry.Switch) naive {
	var next naive
	for _, s := range list {
		g := naiveGroup{s: s, off: say[s] == registry.Off}
		if i := n.find(s.Name()); i >= 0 {
			g.off = g.off || say[s] == registry.Unchanged && n[i].off
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
			for _, t := range g.s.View().Tools() {
				if _, ok := seen[t.Tool.Name]; !ok {
					seen[t.Tool.Name] = t.Tool.Description
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
			d := registry.Definition{Name: name, Version: fmt.Sprint(v), Handlers: new(server.Handlers), Enabled: []registry.Switch{registry.Unchanged, registry.On, registry.Off}[(i+v)%3]}
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
	check("view", r.View().Names(), n.names(naiveGroup.offered))
	for i, st := range r.Status() {
		check("status", []any{st.Name, st.Version, st.Enabled, st.Err != nil, st.Tools}, []any{n[i].s.Name(), n[i].s.Config(server.Config{}).Info.Version, !n[i].off, n[i].failed, len(n[i].s.View().Tools())})
	}
	sees := n.tools()
	for _, name := range toolNames {
		ref, ok := r.View().Lookup(name)
		want, is := sees[name]
		if ok != is || ref.Tool.Description != want || is && (!r.View().Has(ref.Group) || r.View().Owner("tools/call", name) != ref.Group) {
			t.Fatalf("%s: %+v, %v, want %q, %v", name, ref, ok, want, is)
		}
	}
	listed := 0
	for _, ref := range r.View().Tools() {
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
		var scopes registry.Scopes
		ids := []string{"", "s1", "s2"} // "" are those that all share
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			id := rapid.SampledFrom(ids).Draw(t, "scope")
			old, was := lists[id], lists[id] != nil
			next := old
			pick := rapid.SampledFrom(groups).Draw(t, "group")
			name := pick.Name()
			at := old.find(name)
			var f registry.Edit
			fault := false
			switch op := rapid.IntRange(0, 6).Draw(t, "op"); op {
			case 0:
				next = old.register(pick, say[pick])
				f = add(pick)
			case 1:
				f = remove(name)
				if at >= 0 {
					next = slices.Delete(slices.Clone(old), at, at+1)
				}
			case 2:
				list := rapid.SliceOfNDistinct(rapid.SampledFrom(groups), 0, 4, (*registry.Group).Name).Draw(t, "list")
				next = old.set(list, say)
				f = set(list...)
			case 3:
				on := rapid.Bool().Draw(t, "on")
				f = enable(name, on)
				if fault = at < 0; !fault {
					next = slices.Clone(old)
					next[at].off = !on
				}
			case 4, 5:
				if f = reset(name); op == 4 {
					f = fail(name, nil)
				}
				if fault = at < 0; !fault {
					next = slices.Clone(old)
					next[at].failed = op == 4
				}
			case 6: // a session begins or ends
				if id == "" {
					continue
				}
				if s, ok := scopes.Drop(id); ok != was {
					t.Fatalf("drop: %v", ok)
				} else if ok {
					scopes = s
					delete(lists, id)
				}
				continue
			}
			var c registry.Change
			var err error
			s := scopes
			if id == "" {
				_, version := s.Shared()
				if _, _, stale := s.UpdateShared(version+1, f); stale == nil {
					t.Fatal("a wrong version is taken")
				}
				s, c, err = s.UpdateShared(version, f)
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
				scopes = s
				s, c, err = s.Update(id, version, f)
			}
			if (err != nil) != fault {
				t.Fatalf("%v, want an error: %v", err, fault)
			}
			if want := next.change(old); fmt.Sprintf("%+v", c) != fmt.Sprintf("%+v", want) {
				t.Fatalf("change %+v, want %+v", c, want)
			}
			if !none(c) && s.Version() != scopes.Version()+1 || s == scopes != (s.Version() == scopes.Version()) {
				t.Fatal("a change without a version, or a version without a change")
			}
			scopes = s
			if next == nil {
				next = naive{}
			}
			lists[id] = next
			all(t, scopes, lists)
		}
	})
}

// all checks each scope, and what each session is offered.
func all(t *rapid.T, scopes registry.Scopes, lists map[string]naive) {
	shared, _ := scopes.Shared()
	agree(t, shared, lists[""])
	n := 0
	for _, id := range []string{"s1", "s2", "nobody"} {
		own, known := lists[id]
		r, _, err := scopes.Get(id)
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
		v, sees := scopes.View(id), joined.tools()
		if v != scopes.View(id) {
			t.Fatal("another View of the same groups")
		}
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
	if len(scopes.Sessions()) != n {
		t.Fatal(scopes.Sessions())
	}
}
