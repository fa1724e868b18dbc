package relay

import (
	"time"

	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server"
)

// step is one step of a Relay: its own copy of the value, which its methods change.
type step struct {
	r    Relay
	s    server.State
	now  time.Time
	eff  Effects
	look bool // what is held may have a place to go to now

	until int64  // how long a request waits that has no place to go to yet
	of    string // the server that it waits for, if it is one
	last  bool   // it has waited long enough for servers that are on their way
	came  int64  // when the client made it
}

// take takes the time in: the Manager and the State get the latest seen, too.
func (st *step) take() {
	st.r.clock.Take(st.now)
	st.now = st.r.clock.Time()
}

// downward takes the next State of the session with the client, and does what came of it.
func (st *step) downward(s server.State, out server.Output) {
	st.s = s
	events := out.Events
	out.Events = nil
	keep := st.eff.Output
	keep.Merge(out)
	// These tell of the step of the State that the caller took, not of ours.
	keep.Opened, keep.Req, keep.Fate = st.eff.Opened, st.eff.Req, st.eff.Fate
	st.eff.Output = keep
	if out.Close != nil {
		st.end()
	}
	if len(events) > 0 {
		st.down(events)
	}
}

// upward takes the next Manager, and does what came of it.
func (st *step) upward(m manager.Manager, out manager.Effects) {
	for i := range out.Events {
		st.fit(&out.Events[i])
	}
	st.followed(st.r.c.Handle(m, st.now, out))
}

// followed takes the next Catalog and its Manager, and does what came of them.
func (st *step) followed(c catalog.Catalog, m manager.Manager, out catalog.Update) {
	if m.Step() != st.r.m.Step() {
		st.r.moved = st.r.clock.Now()
	}
	st.r.c, st.r.m = c, m
	if len(st.eff.Actions) == 0 {
		st.eff.Actions = out.Actions
	} else {
		st.eff.Actions = append(st.eff.Actions, out.Actions...)
	}
	for i := range out.Events {
		st.heard(&out.Events[i])
	}
	for _, name := range out.Settled {
		if i := st.r.up.index(name); i >= 0 && st.r.opened != never {
			st.note(i, *st.r.up[i])
		}
	}
}

// settle does what is due, and what has become possible by what the step brought.
func (st *step) settle() {
	r := &st.r
	st.connectPending()
	st.followed(r.c.Tick(r.m, st.now))
	for st.look || r.held.isDue(r.clock.Now()) {
		st.look = false
		st.serve() // each round takes something out, or changes nothing
	}
	st.tell()
}

// answered marks what answers the very message that the client sent, and its fate, as
// server.Handlers do. sent is what the State itself had sent.
func (e *Effects) answered(events []server.Event, sent int) {
	for i := sent; i < len(e.Send); i++ {
		o := &e.Send[i]
		for j := range events {
			if events[j].Kind == lifecycle.RequestReceived && o.Final && o.Call == events[j].Call {
				o.Direct = true
			}
		}
	}
	if e.Fate != lifecycle.FateAccepted || len(events) == 0 {
		return
	}
	waiting := 0
	for j := range events {
		if events[j].Kind == lifecycle.RequestReceived {
			waiting++
		}
	}
	for i := sent; i < len(e.Send); i++ {
		if e.Send[i].Direct {
			waiting--
			if waiting == 0 {
				e.Fate = lifecycle.FateAnswered
			}
		}
	}
}
