package calls

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// naive is what the catalog should be, told from the Changes alone: lists of names, looked
// through from the first to the last.
type naive struct {
	cfg    catalog.Config
	local  []string
	order  []string
	lists  map[string][]string // of each server, in any order
	health map[string]catalog.Health
	owner  map[string]string // of plain names, the server
	alone  map[string]bool   // of servers, that there was no other when they were attached
}

func (n *naive) take(c catalog.Change) error {
	list := &n.local
	if c.Server != "" {
		own := n.lists[c.Server]
		list = &own
		defer func() { n.lists[c.Server] = own }()
		n.health[c.Server] = c.Health
	}
	for _, r := range c.Removed {
		at := slices.Index(*list, r.Key)
		if at < 0 || r.Server != c.Server {
			return fmt.Errorf("%v is removed, and was not there", r)
		}
		*list = slices.Delete(slices.Clone(*list), at, at+1)
		if c.Server != "" && n.owner[r.Key] == c.Server {
			delete(n.owner, r.Key)
			n.claim(r.Key, c.Server)
		}
	}
	for _, r := range c.Changed {
		if !slices.Contains(*list, r.Key) {
			return fmt.Errorf("%v is changed, and was not there", r)
		}
	}
	for _, r := range c.Added {
		if slices.Contains(*list, r.Key) {
			return fmt.Errorf("%v is added, and was there", r)
		}
		*list = append(*list, r.Key)
		if c.Server != "" && n.plain(c.Server) && n.owner[r.Key] == "" && !n.reserved(r.Key) {
			n.owner[r.Key] = c.Server
		}
	}
	return nil
}

// claim gives a plain name that nobody has to the first server that lists it, but for one.
func (n *naive) claim(name, without string) {
	for _, server := range n.order {
		if server != without && n.owner[name] == "" && n.plain(server) && !n.reserved(name) && slices.Contains(n.lists[server], name) {
			n.owner[name] = server
		}
	}
}

// withdrawn reports whether a name was the plain one of a tool before a server came whose it would be.
func (n *naive) withdrawn(name string) bool { return n.owner[name] != "" && n.reserved(name) }

// plain reports whether the tools of a server may have plain names.
func (n *naive) plain(server string) bool {
	return n.cfg.Naming.Names == naming.Plain || n.cfg.Naming.Names == naming.Auto && n.alone[server]
}

// reserved reports whether a plain name is that of a server of the catalog.
func (n *naive) reserved(name string) bool {
	for _, server := range n.order {
		if strings.HasPrefix(name, "mcp."+server+".") {
			return true
		}
	}
	return false
}

// resolve returns what a name leads to.
func (n *naive) resolve(name string) (catalog.ItemID, bool) {
	if slices.Contains(n.local, name) {
		return catalog.ItemID{Server: "", Key: name}, true
	}
	if n.withdrawn(name) {
		return catalog.ItemID{}, false
	}
	for _, server := range n.order {
		for _, tool := range n.lists[server] {
			if name == "mcp."+server+"."+tool {
				return catalog.ItemID{Server: server, Key: tool}, true
			}
		}
	}
	if n.reserved(name) {
		return catalog.ItemID{}, false
	}
	if server := n.owner[name]; server != "" && !n.cfg.Ordered {
		return catalog.ItemID{Server: server, Key: name}, true
	}
	for _, server := range n.order {
		if n.plain(server) && slices.Contains(n.lists[server], name) {
			return catalog.ItemID{Server: server, Key: name}, true
		}
	}
	return catalog.ItemID{}, false
}

// names returns what List should give, sorted.
func (n *naive) names() []string {
	list := slices.Clone(n.local)
	for _, server := range n.order {
		for _, tool := range n.lists[server] {
			id := "mcp." + server + "." + tool
			name := tool
			if first, ok := n.resolve(tool); !n.plain(server) || n.reserved(tool) {
				name = id
			} else if !ok || first != (catalog.ItemID{Server: server, Key: tool}) {
				if n.cfg.Naming.OnConflict == naming.Hidden {
					continue
				}
				name = id
			}
			if name == id && n.withdrawn(id) {
				continue
			}
			if n.cfg.Naming.OnLoss == naming.Keep || n.health[server] != catalog.Unavailable {
				list = append(list, name)
			}
		}
	}
	slices.Sort(list)
	return list
}

var pool = []string{"x", "y", "z", "mcp.b.x", "mcp.a.y", "mcp.a.mcp.b.x"}

// A catalog under random events is what a naive one is that knows its Changes; every call
// settles once; nothing is due that is past; a step of one server waits for no other. In the
// end, with all servers well, the lists are those of the servers, and nothing is left (E31).
func TestModel(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		servers := []string{"a", "b", "c"}
		cfg := callerConfig()
		cfg.Catalog = catalog.Config{
			Naming: naming.Policy{
				Names:      rapid.SampledFrom([]naming.Qualify{naming.Plain, naming.Plain, naming.Auto, naming.Always}).Draw(r, "names"),
				OnConflict: rapid.SampledFrom([]naming.Conflict{naming.Qualified, naming.Hidden}).Draw(r, "conflict"),
				OnLoss:     rapid.SampledFrom([]naming.Loss{naming.Hide, naming.Keep}).Draw(r, "loss"),
			},
			Lazy: rapid.Bool().Draw(r, "lazy"), Renew: rapid.Bool().Draw(r, "renew"), Ordered: rapid.Bool().Draw(r, "ordered"),
			Stale: rapid.SampledFrom([]catalog.Stale{catalog.Keep, catalog.Omit}).Draw(r, "error"),
			TTL:   rapid.SampledFrom([]time.Duration{0, time.Minute, lifecycle.NoTimeout}).Draw(r, "ttl"), Total: 20 * time.Second,
		}
		cfg.Attempts.Policy.Total = time.Minute
		w := newWorld(r, cfg)
		n := &naive{cfg: cfg.Catalog, lists: map[string][]string{}, health: map[string]catalog.Health{}, owner: map[string]string{}, alone: map[string]bool{}}
		for _, name := range servers {
			w.servers[name] = &fake{tools: []string{"x", "y"}}
		}
		open, made := map[attempt.CallID]bool{}, 0
		shown := ""
		see := func() {
			listed := false
			for _, c := range w.out.Changes {
				if err := n.take(c); err != nil {
					r.Fatal(err)
				}
				listed = listed || c.Listed
			}
			for _, name := range pool { // that were those of a server that is gone
				n.claim(name, "")
			}
			for _, d := range w.out.Done {
				if !open[d.Call] {
					r.Fatalf("call %d ends, and was not open", d.Call)
				}
				delete(open, d.Call)
			}
			got := w.c.t.names()
			slices.Sort(got)
			if len(slices.Compact(slices.Clone(got))) != len(got) {
				r.Fatalf("a name is there twice: %v", got)
			}
			if diff := cmp.Diff(n.names(), got, cmp.Transformer("", func(l []string) string { return strings.Join(l, " ") })); diff != "" {
				r.Fatalf("names (-want +got):\n%s", diff)
			}
			for _, name := range pool {
				ref, ok := n.resolve(name)
				if b, err := w.c.t.Lookup(name); ok != (err == nil) || b.Ref() != ref {
					r.Fatalf("%q is %v, %v, want %v", name, b.Ref(), err, ref)
				}
			}
			if now := strings.Join(got, " "); now != shown && !listed {
				r.Fatalf("List is %q, was %q, and that was not told", now, shown)
			} else {
				shown = now
			}
			w.clear()
		}
		attached := func(name string) bool { return slices.Contains(n.order, name) }
		server := func() string { return rapid.SampledFrom(servers).Draw(r, "server") }
		some := func() []string {
			return rapid.SliceOfNDistinct(rapid.SampledFrom(pool), 0, 4, rapid.ID[string]).Draw(r, "tools")
		}
		r.Repeat(map[string]func(*rapid.T){
			"": func(*rapid.T) { see() },
			"attach": func(*rapid.T) {
				name := server()
				if _, _, _, err := verbs(w, name)["attach"](w.c.t.Catalog, w.c.m); err != nil {
					return
				}
				n.alone[name] = len(n.order) == 0
				n.order = append(n.order, name)
				n.health[name] = catalog.Unavailable
				w.onList(verbs(w, name)["attach"])
			},
			"detach": func(*rapid.T) {
				if name := server(); attached(name) {
					w.onList(verbs(w, name)["detach"])
					n.order = slices.DeleteFunc(n.order, func(s string) bool { return s == name })
				}
			},
			"connect": func(*rapid.T) {
				name := server()
				f := w.servers[name]
				f.deaf = rapid.IntRange(0, 3).Draw(r, "deaf") == 0
				w.do(w.c.Manage(w.now, func(m manager.Manager) (manager.Manager, manager.Effects, error) {
					return m.Connect(w.now, name, manager.Options{Supervise: true, Replace: true})
				}))
			},
			"disconnect": func(*rapid.T) {
				name := server()
				w.do(w.c.Manage(w.now, func(m manager.Manager) (manager.Manager, manager.Effects, error) {
					m, out := m.Disconnect(w.now, name)
					return m, out, nil
				}))
			},
			"lose": func(*rapid.T) {
				if name := server(); w.servers[name].up {
					w.servers[name].held = nil
					w.lose(name)
				}
			},
			"moods": func(*rapid.T) {
				f := w.servers[server()]
				f.mute, f.slow, f.fail = false, rapid.Bool().Draw(r, "slow"), rapid.Bool().Draw(r, "fail")
				f.tools = some()
			},
			"mute": func(*rapid.T) { w.servers[server()].mute = true },
			"release": func(*rapid.T) {
				if name := server(); w.servers[name].up {
					w.release(name)
				}
			},
			"announce": func(*rapid.T) {
				if name := server(); w.servers[name].up {
					w.announce(name, some()...)
				}
			},
			"local": func(*rapid.T) {
				var tools []protocol.Tool
				for _, name := range some() {
					tool := localTool(name)
					tool.Description = rapid.SampledFrom([]string{"", "d"}).Draw(r, "description")
					tools = append(tools, tool)
				}
				if c, out, err := w.c.SetLocal(w.now, tools); err == nil {
					w.take(c, out)
				}
			},
			"call": func(*rapid.T) {
				open[w.do(w.c.Call(w.now, Request{Name: rapid.SampledFrom(append(pool, "mcp.c.z")).Draw(r, "name")})).Call] = true
				made++
				for _, i := range w.out.LocalStart {
					w.take(w.c.Finish(w.now, i.Attempt, attempt.Outcome{Result: protocol.TextResult("ok")}))
				}
			},
			"cancel": func(*rapid.T) {
				for _, id := range slices.Sorted(maps.Keys(open)) {
					if rapid.Bool().Draw(r, "this") {
						w.do(w.c.Cancel(w.now, id, ""))
					}
				}
			},
			"refresh": func(*rapid.T) {
				if name := server(); attached(name) {
					w.onList(verbs(w, name)[rapid.SampledFrom([]string{"refresh", "invalidate"}).Draw(r, "verb")])
				}
			},
			"sleep": func(*rapid.T) {
				w.sleep(rapid.SampledFrom([]time.Duration{0, 1, time.Second, 30 * time.Second, 20 * time.Minute}).Draw(r, "d"))
				for _, i := range w.out.LocalStart {
					w.take(w.c.Finish(w.now, i.Attempt, attempt.Outcome{Result: protocol.TextResult("ok")}))
				}
			},
		})
		see()
		for name, f := range w.servers {
			*f = fake{tools: []string{name, "x"}, link: f.link, up: f.up}
		}
		w.sleep(2 * time.Hour)
		w.onList(func(t catalog.Catalog, m manager.Manager) (catalog.Catalog, manager.Manager, catalog.Update, error) {
			return t.Refresh(m, w.now)
		})
		see()
		if len(open) != 0 {
			r.Errorf("%d of %d calls have not ended", len(open), made)
		}
		for _, name := range n.order {
			st, _ := w.c.m.Status(name)
			if got := n.lists[name]; st.Condition == manager.Ready && !(slices.Contains(got, name) && slices.Contains(got, "x") && len(got) == 2) {
				r.Errorf("%s has %v", name, got)
			}
		}
		w.take(w.c.Close(w.now))
		w.sleep(time.Minute)
		c := w.c
		if left := c.calls.Len() + c.ops.Len() + c.waits.Len(); left != 0 || c.t.Len() != 0 {
			r.Errorf("%d things are left", left)
		}
	})
}
