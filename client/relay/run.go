package relay

import (
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
	"github.com/sansmcp/mcp/server"
)

// run handles what a step has brought, in the order in which it came, and what has become possible by
// that. It is the one loop of a Relay: whatever is below it asks for more by push.
func (st *step) run() {
	r := &st.r
	st.handle()
	st.connectPending()
	st.followed(r.c.Tick(r.m, st.now))
	st.handle()
	for st.look || r.held.isDue(r.clock.Now()) {
		st.look = false
		st.serve() // each round takes something out, or changes nothing
		st.handle()
	}
	st.tell()
	st.handle()
	if st.ends {
		st.forget()
	}
}

// handle handles all that waits, and what comes of it.
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
				st.note(i, *st.r.up[i])
			}
		}
	}
}

// serve answers what is held, or passes it on, as far as that can be decided.
func (st *step) serve() {
	for leaf := range st.r.held.t.All() {
		w := leaf.V
		if st.r.held.t.Get(leaf.Key) == nil {
			continue // what came of another has ended it
		}
		w.ev.Call = st.s.Call(leaf.Key, w.key)
		st.until, st.of, st.last, st.came = 0, "", w.by <= st.r.clock.Now(), w.by-int64(st.r.cfg.Held.Time)
		switch {
		case w.kind >= 0:
			if !st.awaits(true, w.kind) {
				st.release(leaf.Key)
				st.page(&w.ev, w.kind)
				continue
			}
		case w.ev.Method == "": // it was passed on before a Restore, to a server that is gone
			st.release(leaf.Key)
			st.fail(w.ev.Call, fault(&toolerror.Error{Kind: toolerror.ConnectionLost}, "the server is gone; the request may have run", ""))
			continue
		case st.place(&w.ev):
			st.release(leaf.Key)
			continue
		case st.last || st.until <= st.r.clock.Now():
			st.release(leaf.Key)
			st.fail(w.ev.Call, unavailable("the server did not start in time", st.of, 0))
			continue
		}
		if until := min(w.by, st.until); until != leaf.Deadline {
			st.r.held.t = st.r.held.t.Put(leaf.Key, until, w)
		}
	}
	st.last = false
}

// tell announces the lists that differ from what the client was told, once for however many
// changes there were. A client that never asked for a list is told nothing of it.
func (st *step) tell() {
	if st.r.clock.Now() < st.r.news {
		return
	}
	st.r.news = never
	announced := ""
	for k, l := range protocol.Lists() {
		if !st.r.told[k].some {
			continue
		}
		now := st.r.merge(k).of
		if now == st.r.told[k].of {
			continue
		}
		if l.Changed == announced { // resources and their templates have one announcement
			st.r.told[k].of = now
			continue
		}
		s, out, err := st.s.Notify(st.now, protocol.RawRequest{Name: l.Changed}, server.Call{})
		if err != nil {
			continue // not ready; the next change, or the phase, comes back to it
		}
		announced = l.Changed
		st.r.told[k].of = now
		st.downward(s, out)
	}
}
