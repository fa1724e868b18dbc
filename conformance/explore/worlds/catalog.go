package worlds

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/conformance/explore"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// catalogued is a Catalog beside its Manager, among servers with arbitrary, changing lists.
type catalogued struct {
	c      catalog.Catalog
	net    managed
	set    uint8             // the set of servers in the Catalog, with their Filters
	order  string            // their names, in the order of precedence
	has    [2]uint8          // the lists of the servers a and b
	read   [2]shelf          // what was read of them
	names  [len(keys)]string // the server of each plain name
	closed bool              // Close was called
}

// shelf is what a server has sent of its list, in the records of the world.
type shelf struct {
	list  string    // the last list, a letter for each tool
	part  string    // the pages of the current reading
	since bool      // a reading has ended since the server is ready
	paced time.Time // no reading begins within MinInterval of it; zero without a limit
}

// keys are the names of the tools, and each tool has a letter: t, T, which is t with another definition, u,
// and m, whose name is the qualified one of a tool of b.
var keys = [...]string{"t", "u", "mcp.b.t"}

func keyOf(tool byte) string {
	switch tool {
	case 'u':
		return keys[1]
	case 'm':
		return keys[2]
	}
	return keys[0]
}

func toolOf(tool byte) string {
	return fmt.Sprintf(`{"name":%q,"description":"%c","inputSchema":{"type":"object"}}`, keyOf(tool), tool)
}

// The operations of the user of the Catalog, and a server's changes of its list. Those of the links
// follow.
const (
	copTime uint8 = iota
	copSet
	copRefresh
	copInvalidate
	copClose
	copChange
	copLinks
	catalogOps = copLinks + managerOps - mopOpened
)

var catalogNames = append([]string{"time", "set the servers", "refresh", "invalidate", "close", "change"}, managerNames[mopOpened:]...)

func (x *catalogScope) actions(dst []explore.Action, w *catalogued) []explore.Action {
	add := func(op uint8, arg int) {
		if x.on[op] {
			dst = append(dst, explore.Action{Op: op, Arg: uint8(arg)})
		}
	}
	if !w.closed {
		for i := range x.sets {
			if i != int(w.set) {
				add(copSet, i)
			}
		}
		for i := range w.order {
			add(copRefresh, i)
			add(copInvalidate, i)
		}
		add(copClose, 0)
	}
	for s, name := range x.servers {
		if st, _ := w.net.m.Status(name); st.Condition == manager.Ready {
			for v := range x.lists[s] {
				if v != int(w.has[s]) {
					add(copChange, s|v<<1)
				}
			}
		}
	}
	busy := false
	for i := range w.net.links {
		l := &w.net.links[i]
		calm := x.calm && l.name == "b"
		busy = busy || calm && (l.state != linkOpen || len(l.reqs) > 0)
		l.actions(i, func(op uint8, arg int) {
			if !calm || op != mopLost {
				add(copLinks+op-mopOpened, arg)
			}
		})
	}
	if _, ok := x.deadline(w); ok && !busy {
		add(copTime, 0)
	}
	return dst
}

func (x *catalogScope) deadline(w *catalogued) (time.Time, bool) {
	at, ok := w.c.NextDeadline()
	if t, has := w.net.m.NextDeadline(); has && (!ok || t.Before(at)) {
		return t, true
	}
	return at, ok
}

// step does an action.
func (x *catalogScope) step(w catalogued, a explore.Action, r *explore.Report) (catalogued, bool) {
	w.net.links, w.net.ops = slices.Clone(w.net.links), slices.Clone(w.net.ops)
	before, now := w, w.net.now
	var u catalog.Update
	var err error
	switch a.Op {
	case copTime:
		at, _ := x.deadline(&w)
		if at.After(now) {
			w.net.now, now = at, at
		}
		due, ok := w.c.NextDeadline()
		w.c, w.net.m, u = w.c.Tick(w.net.m, now)
		if next, still := w.c.NextDeadline(); ok && !due.After(now) && nothing(u) || still && !next.After(now) {
			r.Fail("Tick does not do what is due, or nothing is")
		}
		w = x.taken(w, &before, u, r)
		m, e := w.net.m.Tick(now)
		return x.handed(w, m, e, r), true
	case copSet:
		w.set = a.Arg
		w.c, w.net.m, u, err = w.c.Set(w.net.m, now, x.sets[a.Arg])
		w.arrange(x.sets[a.Arg])
	case copRefresh, copInvalidate:
		name := w.order[a.Arg : a.Arg+1]
		w.read[slices.Index(x.servers, name)].paced = time.Time{}
		if a.Op == copRefresh {
			w.c, w.net.m, u, err = w.c.Refresh(w.net.m, now, name)
		} else {
			w.c, w.net.m, u, err = w.c.Invalidate(w.net.m, now, name)
		}
	case copClose:
		w.closed = true
		w.c, w.net.m, u = w.c.Close(w.net.m, now)
		w.arrange(nil)
	case copChange:
		s := a.Arg & 1
		w.has[s] = a.Arg >> 1
		l, _ := w.net.m.Link(x.servers[s])
		m, e := w.net.m.Report(now, manager.Report{Kind: manager.Received, Link: l, Message: jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)})
		return x.handed(w, m, e, r), true
	default:
		return x.reported(w, explore.Action{Op: a.Op - copLinks + mopOpened, Arg: a.Arg}, r), true
	}
	if err != nil {
		r.Fail("%s: %v", catalogNames[a.Op], err)
	}
	return x.taken(w, &before, u, r), true
}

// nothing reports whether an Update is empty.
func nothing(u catalog.Update) bool { return u.IsZero() && len(u.Changes)+len(u.Settled) == 0 }

// arrange records the present servers: a new one comes last, and a removed one counts as never read.
func (w *catalogued) arrange(list []catalog.Source) {
	gone := func(name rune) bool {
		return !slices.ContainsFunc(list, func(s catalog.Source) bool { return s.Name == string(name) })
	}
	for s, name := range "ab" {
		if gone(name) {
			w.read[s] = shelf{}
		}
	}
	w.order = strings.Map(func(name rune) rune {
		if gone(name) {
			return -1
		}
		return name
	}, w.order)
	for _, s := range list {
		if !strings.Contains(w.order, s.Name) {
			w.order += s.Name
		}
	}
}

// reported does an act of a transport or of the server behind it.
func (x *catalogScope) reported(w catalogued, a explore.Action, r *explore.Report) catalogued {
	page := ""
	rep := w.net.report(a, func(epoch uint64, q mreq) string {
		page = x.lists[0][w.has[0]]
		if w.net.link(epoch).name == "b" {
			page = x.lists[1][w.has[1]]
		}
		first, next := min(1, len(page)), ""
		switch {
		case q.page:
			page = page[first:]
		case a.Op == mopMore:
			page, next = page[:first], `,"nextCursor":"n"`
		}
		var list []string
		for i := range page {
			list = append(list, toolOf(page[i]))
		}
		return `{"tools":[` + strings.Join(list, ",") + "]" + next + "}"
	})
	s := slices.Index(x.servers, rep.Link.Server)
	switch sh := &w.read[s]; a.Op {
	case mopMore:
		sh.part += page
	case mopReply:
		sh.list, sh.part, sh.since = sh.part+page, "", true
	case mopError:
		sh.since = false // until it is announced
	}
	m, e := w.net.m.Report(w.net.now, rep)
	w = x.handed(w, m, e, r)
	if a.Op == mopError && !w.read[s].since {
		r.Fail("a list cannot be read, and nobody is told")
	}
	return w
}

// handed passes Effects of the Manager to the Catalog.
func (x *catalogScope) handed(w catalogued, m manager.Manager, e manager.Effects, r *explore.Report) catalogued {
	before := w
	var u catalog.Update
	w.c, w.net.m, u = w.c.Handle(m, w.net.now, e)
	return x.taken(w, &before, u, r)
}

// taken records the effects of a step.
func (x *catalogScope) taken(w catalogued, before *catalogued, u catalog.Update, r *explore.Report) catalogued {
	for i := range u.Actions {
		a := &u.Actions[i]
		w.net.act(a, r)
		if a.Kind == manager.ActSend && a.Out.Message.Method == protocol.ToolList.Method {
			x.asked(&w, w.net.link(a.Link.Epoch), r)
		}
	}
	for i := range u.Events {
		ev := &u.Events[i]
		r.Reach(ev.Kind.String())
		if k := slices.IndexFunc(w.net.ops, func(o mop) bool { return o.seq == ev.Op.Seq() }); ev.Kind == manager.OpDone && k >= 0 {
			w.net.ops = slices.Delete(w.net.ops, k, k+1)
		} else if ev.Kind == manager.OpDone {
			r.Fail("an operation of the Catalog is told: %s", ev.Method)
		}
		if ev.Kind == manager.SessionEvent && ev.Session.Kind == lifecycle.NotificationReceived && strings.Contains(w.order, ev.Link.Server) {
			r.Fail("a change of a list is told that the Catalog reads")
		}
	}
	for i := range u.Changes {
		x.changed(&w, &u.Changes[i], r)
	}
	for s, name := range x.servers {
		if st, _ := w.net.m.Status(name); st.Condition != manager.Ready {
			w.read[s] = shelf{list: w.read[s].list}
		}
	}
	x.own(&w)
	x.tells(&w, before, u.Changes, r)
	return w
}

// changed records a Change.
func (x *catalogScope) changed(w *catalogued, ch *catalog.Change, r *explore.Report) {
	if ch.Err != nil {
		sh := &w.read[slices.Index(x.servers, ch.Server)]
		sh.part, sh.since, sh.paced = "", true, w.net.now
		if x.cfg.Stale == catalog.Omit {
			sh.list = ""
		}
		r.Reach("a list fails")
	}
	if ch.Health != ch.Before {
		r.Reach(ch.Before.String() + " > " + ch.Health.String())
	}
	for _, what := range []struct {
		name string
		n    int
	}{{"added", len(ch.Added)}, {"removed", len(ch.Removed)}, {"changed", len(ch.Changed)}, {"a name is taken", len(ch.Dropped)}} {
		if what.n > 0 {
			r.Reach(what.name)
		}
	}
}

// asked records a request for a list, or for a further page of it.
func (x *catalogScope) asked(w *catalogued, l *mlink, r *explore.Report) {
	n, sh := 0, &w.read[slices.Index(x.servers, l.name)]
	for _, q := range l.reqs {
		if q.method == protocol.ToolList.Method {
			n++
		}
	}
	switch {
	case n > 1:
		r.Fail("a list is read twice at once")
	case l.reqs[len(l.reqs)-1].page:
	default:
		if !sh.paced.IsZero() && !x.quick && w.net.now.Sub(sh.paced) < unit {
			r.Fail("a list is read again too soon")
		}
		sh.part, sh.paced = "", w.net.now
	}
}
