package worlds

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/conformance/explore"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
)

// has returns the tools of a server in a Catalog, a letter for each.
func has(c catalog.Catalog, server string) string {
	var b strings.Builder
	for _, i := range c.ItemsOf(protocol.ToolList, server, 0) {
		b.WriteString(rawjson.Text(string(i.Raw), "description"))
	}
	return b.String()
}

// offered returns the items of a Catalog: names, and their tools.
func offered(c catalog.Catalog) (list []string) {
	for i := range c.Items(protocol.ToolList, false) {
		list = append(list, i.Name+" "+toolAt(i.Server, rawjson.Text(string(i.Raw), "description")))
	}
	return list
}

// tells checks that the Changes of a step describe its changes of the lists.
func (x *catalogScope) tells(w, before *catalogued, changes []catalog.Change, r *explore.Report) {
	news := false
	for _, server := range x.servers {
		list := strings.Split(has(before.c, server), "")
		for _, ch := range changes {
			if ch.Server != server {
				continue
			}
			news = news || ch.Listed
			for _, id := range ch.Removed {
				list = slices.DeleteFunc(list, func(tool string) bool { return keyOf(tool[0]) == id.Key })
			}
			for _, id := range slices.Concat(ch.Added, ch.Changed) {
				list = slices.DeleteFunc(list, func(tool string) bool { return keyOf(tool[0]) == id.Key })
				list = append(list, x.listed(w, server, id.Key))
			}
		}
		now := strings.Split(has(w.c, server), "")
		slices.Sort(list)
		slices.Sort(now)
		if !slices.Equal(list, now) {
			r.Fail("the Changes make another list")
		}
	}
	if !news && !slices.Equal(offered(before.c), offered(w.c)) {
		r.Fail("what is listed changes, and nobody is told")
	}
}

// check checks a new node.
func (x *catalogScope) check(w *catalogued, r *explore.Report) {
	if err := w.c.Check(); err != nil {
		r.Fail("%v", err)
	}
	for _, server := range x.servers {
		if st, _ := w.c.Status(protocol.ToolList, server); w.reading(server) != st.Reading {
			r.Fail("the reading of a list is %v, and the server knows better", st.Reading)
		}
		if got, want := has(w.c, server), x.shows(w, server); got != want && strings.Contains(w.order, server) || got != "" && !strings.Contains(w.order, server) {
			r.Fail("a list is not the one that was read last")
		}
	}
	for _, name := range []string{keys[0], keys[1], keys[2], "mcp.a.t", "mcp.a.u", "mcp.a.mcp.b.t"} {
		i, ok := w.c.Lookup(protocol.ToolList, name)
		got := toolAt(i.Server, rawjson.Text(string(i.Raw), "description"))
		if ok != (got != "") || got != x.leads(w, name) {
			r.Fail("a name leads elsewhere")
		}
	}
	if got, want := offered(w.c), x.offers(w); !slices.Equal(got, want) {
		r.Fail("what is listed is not what there is")
	}
	x.early(w, r)
	if r.Every(13) {
		x.refuses(w, r)
		x.settles(*w, r)
	}
	if r.Every(3) {
		if end := x.ended(*w, r); end != x.end {
			r.Fail("something is kept after the end")
		}
	}
	if r.Every(7) {
		x.restored(w, r)
	}
}

// reading reports whether a list of the server is still to come.
func (w *catalogued) reading(server string) bool {
	return slices.ContainsFunc(w.net.links, func(l mlink) bool {
		return l.name == server && slices.ContainsFunc(l.reqs, func(q mreq) bool { return q.method == protocol.ToolList.Method })
	})
}

func (x *catalogScope) same(a, b *catalogued) bool { return x.form.Same(a.net.now, a, b.net.now, b) }

// early checks that a Tick before the next deadline does nothing.
func (x *catalogScope) early(w *catalogued, r *explore.Report) {
	if at, ok := w.c.NextDeadline(); ok && !at.After(w.net.now) {
		r.Reach("due at once")
		return
	}
	next := *w
	var u catalog.Update
	if next.c, next.net.m, u = w.c.Tick(w.net.m, w.net.now); !nothing(u) || !x.same(w, &next) {
		r.Fail("an early Tick does something")
	}
}

// refuses checks that a failing verb changes nothing.
func (x *catalogScope) refuses(w *catalogued, r *explore.Report) {
	c, m, now := w.c, w.net.m, w.net.now
	bad := catalog.Source{Name: "c", Filter: catalog.Filter{Deny: []catalog.Rule{{Name: "["}}}}
	for what, verb := range []func() (catalog.Catalog, manager.Manager, catalog.Update, error){
		func() (catalog.Catalog, manager.Manager, catalog.Update, error) {
			return c.Set(m, now, []catalog.Source{{Name: "c"}, {Name: "c"}})
		},
		func() (catalog.Catalog, manager.Manager, catalog.Update, error) {
			return c.Set(m, now, []catalog.Source{{Name: "c"}, {Name: "d"}, {Name: "e"}})
		},
		func() (catalog.Catalog, manager.Manager, catalog.Update, error) {
			return c.Set(m, now, []catalog.Source{{Name: "a", Filter: catalog.Filter{Deny: []catalog.Rule{{}}}}, bad})
		},
		func() (catalog.Catalog, manager.Manager, catalog.Update, error) { return c.Attach(m, now, bad) },
		func() (catalog.Catalog, manager.Manager, catalog.Update, error) { return c.Detach(m, now, "c") },
		func() (catalog.Catalog, manager.Manager, catalog.Update, error) { return c.Refresh(m, now, "a", "c") },
		func() (catalog.Catalog, manager.Manager, catalog.Update, error) {
			return c.Invalidate(m, now, "a", "c")
		},
	} {
		next := *w
		var u catalog.Update
		var err error
		if next.c, next.net.m, u, err = verb(); err == nil || !nothing(u) || !x.same(w, &next) {
			r.Fail("verb %d: a refused verb does something, or is not refused", what)
		}
	}
}

// settles checks that every list equals its server's, under the Filter, as soon as all servers do what they are
// asked.
func (x *catalogScope) settles(w catalogued, r *explore.Report) {
	calm := *x
	calm.on = [catalogOps]bool{}
	order := append(catalogLinks(mopOpened, mopShake, mopReply, mopClosed), copTime)
	for _, op := range order {
		calm.on[op] = true
	}
	for range 60 {
		acts := calm.actions(nil, &w)
		next := soonest(acts, order)
		if next < 0 || acts[next].Op == copTime && x.renew && x.rests(&w) {
			break
		}
		w, _ = calm.step(w, acts[next], r)
	}
	if !x.rests(&w) {
		r.Fail("a list at rest is not that of its server")
	}
}

// rests reports whether everything in the Catalog is as at the servers.
func (x *catalogScope) rests(w *catalogued) bool {
	for s, server := range x.servers {
		st, ok := w.c.Status(protocol.ToolList, server)
		if ok && (w.read[s].list != x.lists[s][w.has[s]] || st.Stale && !x.on[copInvalidate] || st.Reading || st.Health != catalog.Healthy) {
			return false
		}
	}
	return true
}

// ended closes everything, and returns what remains.
func (x *catalogScope) ended(w catalogued, r *explore.Report) string {
	w.net.links, w.net.ops = slices.Clone(w.net.links), slices.Clone(w.net.ops)
	before := w
	var u catalog.Update
	w.closed = true
	w.c, w.net.m, u = w.c.Close(w.net.m, w.net.now)
	w.arrange(nil)
	w = x.taken(w, &before, u, r)
	m, e := w.net.m.DisconnectAll(w.net.now)
	w.net.ops = append(w.net.ops, mop{seq: e.Op.Seq(), kind: mopDisconnect})
	w = x.handed(w, m, e, r)
	for range 20 {
		if _, ok := x.deadline(&w); !ok {
			break
		}
		w, _ = x.step(w, explore.Action{Op: copTime}, r)
	}
	w.has, w.set = [2]uint8{}, 0
	return string(x.form.Append(w.net.now, &w))
}

// restored checks that a restored snapshot continues like the original.
func (x *catalogScope) restored(w *catalogued, r *explore.Report) {
	if at, ok := x.deadline(w); w.closed || ok && !at.After(w.net.now) {
		return // expired deadlines are handled before a snapshot
	}
	back, cfg := *w, x.cfg
	cfg.Sources = x.sets[w.set]
	var err error
	opt := manager.Options{Endpoint: "x", Supervise: true}
	if back.net.m, err = manager.Restore(x.net, w.net.m.Snapshot(), w.net.now, func(string) (manager.Options, bool) { return opt, true }); err == nil {
		back.c, err = catalog.Restore(cfg, back.net.m, w.c.Snapshot(), w.net.now)
	}
	if err != nil {
		r.Fail("Restore: %v", err)
		return
	}
	if !x.same(w, &back) {
		r.Fail("what a snapshot comes back as is another Catalog: %s", x.form.Difference(w.net.now, w, &back))
		return
	}
	for _, a := range x.actions(nil, w) {
		there, ok := x.step(*w, a, quiet)
		again, ok2 := x.step(back, a, quiet)
		if ok != ok2 || ok && !x.same(&there, &again) {
			r.Fail("what a snapshot comes back as goes on in another way: %s", catalogNames[a.Op])
		}
	}
}

// outline returns a snapshot of a Catalog without the numbers that only count and without start times.
// It is the other form, which does not know the fields.
func outline(snapshot []byte) string {
	var c struct{ Servers []map[string]any }
	if err := json.Unmarshal(snapshot, &c); err != nil {
		panic(err)
	}
	for _, s := range c.Servers { // independent of each other
		delete(s, "rank")
		lists, _ := s["lists"].([]any)
		for _, list := range lists {
			l := list.(map[string]any)
			for _, member := range []string{"asked", "read", "op"} {
				if l[member] != nil {
					l[member] = true
				}
			}
			if fails, ok := l["fails"].(float64); ok {
				l["fails"] = min(fails, 5)
			}
		}
	}
	return string(must(json.Marshal(c)))
}
