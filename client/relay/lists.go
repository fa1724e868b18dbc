package relay

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/uritemplate"
	"github.com/sansmcp/mcp/server"
)

// reading is a listing under way.
type reading struct {
	server uint64
	kind   int
}

// slowest is the longest time between two attempts to read a list.
const slowest = time.Minute

// moved follows the connection of a server.
func (st *step) moved(ev *manager.Event) {
	i, ok := st.r.up.byName[ev.Link.Server]
	now, is := st.r.m.Link(ev.Link.Server)
	if !ok || !is || now != ev.Link || st.r.opened == never {
		return // of an incarnation that is over
	}
	next := *st.r.up.list[i]
	was := next.state
	next.state, next.caps = ev.To, 0
	ready := ev.To == manager.Ready
	if was == manager.Ready || ev.From == manager.Idle {
		next.down = st.r.now
	}
	if c, ok := st.r.m.Client(next.Name); ok && ready {
		next.caps = c.PeerCapabilities()
	}
	for k, of := range protocol.Lists() {
		l := &next.lists[k]
		l.settled, l.due, l.fails, l.again = false, never, 0, false
		switch has := next.caps.Has(of.Cap) && st.r.cfg.Offer.Has(of.Cap); {
		case has:
			l.due = st.r.now
		case ready: // it has nothing of the kind any more
			*l = list{settled: true, read: true, due: never}
		}
	}
	rested := next.rested
	next.awake()
	next.know(st.r.now)
	st.r.up = st.r.up.with(i, &next)
	st.look = true
	if ready || was == manager.Ready || rested != next.rested {
		st.r.merged = [kinds]*merged{}
		st.changed()
	}
	if ready {
		st.tellLevel(next.Name)
		if rested {
			st.resubscribe(&next)
		}
	}
}

// readDue begins the listings that are due.
func (st *step) readDue() {
	for st.r.up.due <= st.r.now {
		for i, u := range st.r.up.list {
			for k := range u.lists {
				if u.lists[k].due <= st.r.now {
					st.begin(i, k)
				}
			}
		}
	}
}

// begin begins to read a list of a server.
func (st *step) begin(i, k int) {
	next := *st.r.up.list[i]
	l := &next.lists[k]
	l.due, l.again, l.begun = never, false, st.r.now
	m, out, err := st.r.m.List(st.now, next.Name, protocol.Lists()[k].Method, manager.Budget{})
	if err != nil {
		st.missed(l, err)
		next.awake()
		next.know(st.r.now)
		st.r.up = st.r.up.with(i, &next)
		st.look = true
		return
	}
	l.op = out.Op.Seq()
	st.r.lists = st.r.lists.Put(l.op, never, reading{next.id, k})
	st.r.up = st.r.up.with(i, &next)
	st.upward(m, out)
}

// missed notes that a list could not be read: what was read before stays, and it is tried again
// after a while. A server that has no such list is not asked again.
func (st *step) missed(l *list, err error) {
	l.settled = true
	l.fails++
	var e *manager.Error
	if errors.As(err, &e) && (e.Class == manager.ClassUnsupported || e.Code == jsonrpc.CodeMethodNotFound) {
		l.items, l.shown, l.owns, l.set, l.read = nil, nil, nil, uritemplate.Set{}, true
		return
	}
	wait := min(max(st.r.cfg.Lists.MinInterval, time.Millisecond), slowest) << min(l.fails, 16)
	l.due = st.r.after(min(wait, slowest))
}

// read takes the end of a listing; false if the operation is none.
func (st *step) read(op uint64, ev *manager.Event) bool {
	t, leaf := st.r.lists.Delete(op)
	if leaf == nil {
		return false
	}
	st.r.lists = t
	i, ok := st.r.up.byID[leaf.V.server]
	if !ok {
		return true
	}
	next := *st.r.up.list[i]
	k := leaf.V.kind
	l := &next.lists[k]
	if l.op != op {
		return true
	}
	l.op = 0
	same := false
	switch {
	case next.state != manager.Ready: // it ended with the session, and is read in the next one
	case ev.Err != nil:
		st.missed(l, ev.Err)
	default:
		items := itemsOf(k, st.fit(k, ev))
		same = l.settled && l.read && slices.Equal(l.items, items)
		l.fails, l.settled, l.read = 0, true, true
		if !same {
			next.take(k, items)
		}
		if k == templates && next.nth == 0 {
			next.nth = st.r.up.nth()
		}
	}
	if l.again && next.state == manager.Ready {
		l.due = max(st.r.now, later(l.begun, st.r.cfg.Lists.MinInterval))
	}
	next.awake()
	next.know(st.r.now)
	st.r.up = st.r.up.with(i, &next)
	st.look = true
	if !same { // a server that announces what is no change costs the others no new list
		st.r.merged[k] = nil
		st.changed()
	}
	return true
}

// itemsOf returns the items of a listing with their names. One without a name cannot be called,
// and of two of one name the first counts.
func itemsOf(k int, raws []jsonrpc.Raw) []item {
	key := protocol.Lists()[k].Key
	items := make([]item, 0, len(raws))
	seen := make(map[string]bool, len(raws))
	for _, raw := range raws {
		val, _ := rawjson.Get(string(raw), key)
		name, ok := rawjson.Unquote(val)
		if !ok || seen[name] {
			continue
		}
		seen[name] = true
		items = append(items, item{name, raw})
	}
	return slices.Clip(items)
}

// What is matched of the templates of servers, so that those of one do not make the reads of the
// others slow: templates of other sizes, and uris that are longer, are asked of the servers in turn.
const (
	longestURI      = 1024
	longestTemplate = 256 // bytes
	mostVariables   = 8
)

// setOf returns the templates that can be understood, and are matched.
func setOf(items []item) uritemplate.Set {
	list := make([]uritemplate.Template, 0, len(items))
	for _, it := range items {
		if len(it.key) > longestTemplate {
			continue
		}
		if t, err := uritemplate.Parse(strings.Clone(it.key)); err == nil && len(t.Vars()) <= mostVariables {
			list = append(list, t)
		}
	}
	return uritemplate.NewSet(list...)
}

// listChanged takes in that a list of a server is another one now: it is read again, and what
// the client is told depends on what that brings.
func (st *step) listChanged(u *upstream, method string) {
	i := st.r.up.byID[u.id]
	for k, of := range protocol.Lists() {
		if of.Changed != method || !st.r.cfg.Offer.Has(of.Cap) || !u.caps.Has(of.Cap) {
			continue
		}
		next := *st.r.up.list[i]
		l := &next.lists[k]
		if l.op != 0 {
			l.again = true
		} else {
			l.due = min(l.due, max(st.r.now, later(l.begun, st.r.cfg.Lists.MinInterval)))
		}
		st.r.up = st.r.up.with(i, &next)
	}
}

// changed takes in that what the client was told may be wrong now.
func (st *step) changed() {
	if st.r.news == never {
		st.r.news = st.r.after(st.r.cfg.Lists.Announce)
	}
}

// tell announces the lists that differ from what the client was told, once for however many
// changes there were. A client that never asked for a list is told nothing of it.
func (st *step) tell() {
	if st.r.now < st.r.news {
		return
	}
	st.r.news = never
	announced := ""
	for k, l := range protocol.Lists() {
		if !st.r.told[k].some {
			continue
		}
		version := st.r.merge(k).version
		if version == st.r.told[k].version {
			continue
		}
		if l.Changed == announced { // resources and their templates have one announcement
			st.r.told[k].version = version
			continue
		}
		s, out, err := st.s.Notify(st.now, protocol.RawRequest{Name: l.Changed}, server.Call{})
		if err != nil {
			continue // not ready; the next change, or the phase, comes back to it
		}
		announced = l.Changed
		st.r.told[k].version = version
		st.downward(s, out)
	}
}
