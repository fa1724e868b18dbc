package relay

import (
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// run handles the events of a step in order, and everything that they make possible. It is the only
// loop of a Relay: handlers add work by push.
func (st *step) run() {
	r := &st.r
	st.handle()
	st.connectPending()
	if at, some := r.c.NextDeadline(); some && !at.After(st.now) {
		st.followed(r.c.Tick(r.m, st.now))
	}
	st.expireParked()
	st.handle()
	for st.look || len(st.fresh) > 0 || r.calls.Min() <= r.clock.Now() {
		all := st.look
		st.look = false
		st.serve() // each round removes something, or changes nothing
		st.placeHeard(all)
		st.handle()
	}
	st.park()
	st.tell()
	st.handle()
	if st.ends {
		st.forget()
	}
}

// handle handles all work, including the work that results from it.
func (st *step) handle() {
	for w, some := st.pop(); some; w, some = st.pop() {
		for i := range w.client {
			if ev := &w.client[i]; !st.fromClient(ev) {
				st.eff.Events = append(st.eff.Events, *ev)
			}
		}
		if w.ends {
			st.end()
		}
		for i := range w.servers {
			st.fromServer(&w.servers[i])
		}
		for _, name := range w.settled {
			if i := st.r.up.index(name); i >= 0 && st.r.opened != never {
				st.note(i, *st.r.up.at(i))
			}
		}
	}
}

// serve answers or forwards waiting requests, as far as that can be decided.
func (st *step) serve() {
	r := &st.r
	if r.waiting == 0 {
		return
	}
	for leaf := range r.calls.All() {
		w := leaf.V.waits
		if w == nil {
			continue
		}
		r.remove(leaf.Key)
		ev := server.Event{Kind: lifecycle.RequestReceived, Call: st.s.Call(leaf.Key, leaf.V.key), Method: w.method, Body: w.body, Span: w.span, Revision: leaf.V.rev}
		st.until, st.of, st.last, st.came = 0, "", w.by <= r.clock.Now(), w.by-int64(r.cfg.Held.Time)
		switch {
		case w.kind >= 0:
			if !st.awaits(true, w.kind) {
				st.page(&ev, w.kind)
				continue
			}
		case w.method == "":
			st.fail(ev.Call, errOfLost())
			continue
		case st.place(&ev, st.row(ev.Revision, ev.Method)):
			continue
		case st.last || st.until <= r.clock.Now():
			st.fail(ev.Call, unavailable("the server did not start in time; try again later", st.of, 0))
			continue
		}
		r.put(leaf.Key, min(w.by, st.until), leaf.V)
	}
	st.last = false
}

// tell announces the lists that differ from the client's versions, once for any number of changes.
// Lists that the client never requested are not announced.
func (st *step) tell() {
	if st.r.clock.Now() < st.r.news {
		return
	}
	st.r.news = never
	announced := ""
	for k, l := range protocol.Lists() {
		if st.r.told[k] == 0 {
			continue
		}
		now := st.r.merge(k).version
		if now == st.r.told[k] {
			continue
		}
		if l.Changed == announced { // resources and their templates have one announcement
			st.r.told[k] = now
			continue
		}
		if st.tellClient(protocol.RawRequest{Name: l.Changed}, server.Call{}) { // otherwise announced at the next change of a list or phase
			announced, st.r.told[k] = l.Changed, now
		}
	}
}
