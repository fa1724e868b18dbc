package worlds

import (
	"errors"
	"slices"

	"github.com/sansmcp/mcp/client/exchange"
	"github.com/sansmcp/mcp/conformance/explore"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/streams"
)

// Several processes serve one session, as in docs/cluster.md: each turn begins with the stored record, at the process that
// gets the request, and is stored before its effects. A process that dies leaves its connections and its
// functions, which another one ends. The store may lose a turn that it has acknowledged.

// webProcess is how many bits of the argument of wopArrive are the exchange; the rest is the process.
const webProcess = 5

// nobody is the owner of what a dead process had.
const nobody = 0xff

// wrun is a running function of a call, at a process.
type wrun struct {
	call  uint64
	owner uint8
}

// stored is what a store had before the last turn.
type stored struct {
	is bool
	s  server.State
	x  streams.Streams
}

// run returns the process that runs the function of a call.
func (w *web) run(call uint64) uint8 {
	if i := slices.IndexFunc(w.runs, func(f wrun) bool { return f.call == call }); i >= 0 {
		return w.runs[i].owner
	}
	return nobody
}

// orphaned reports whether a dead process has left anything.
func (w *web) orphaned() bool {
	return slices.ContainsFunc(w.socks, func(so sock) bool { return so.owner == nobody }) ||
		slices.ContainsFunc(w.runs, func(f wrun) bool { return f.owner == nobody })
}

func (x *webScope) processActions(w *web, add func(budget int, op uint8, arg int)) {
	if x.processes == 0 {
		return
	}
	for p := range x.processes {
		add(nKill, wopKill, p)
	}
	if w.live && w.orphaned() {
		add(-1, wopTake, 0)
	}
	if w.live && w.before.is {
		add(nLose, wopLose, 0)
	}
}

// started records the functions that a turn starts at a process.
func (x *webScope) started(w *web, out server.Output, process uint8) {
	for i := range out.Events {
		if ev := &out.Events[i]; x.processes > 0 && ev.Kind == lifecycle.RequestReceived {
			w.runs = append(w.runs, wrun{ev.Call.Seq(), process})
		}
	}
}

// kill ends a process and drops all that it has.
func (x *webScope) kill(w *web, process uint8, r *explore.Report) {
	var broken []uint64
	for i := range w.socks {
		if so := &w.socks[i]; so.owner == process {
			if so.owner = nobody; so.alive {
				broken = append(broken, so.conn)
			}
		}
	}
	for i := range w.runs {
		if w.runs[i].owner == process {
			w.runs[i].owner = nobody
		}
	}
	x.breakThese(w, broken, r)
}

// breakThese breaks connections.
func (x *webScope) breakThese(w *web, conns []uint64, r *explore.Report) {
	for _, conn := range conns {
		if i := slices.IndexFunc(w.talks, func(k talk) bool { return k.conn == conn }); i >= 0 {
			w.excuses(i)
			x.closed(w, i, r)
		}
	}
}

// takeOver ends what dead processes had: calls are answered by an error, and connections detached.
func (x *webScope) takeOver(w *web, r *explore.Report) {
	for _, f := range slices.Clone(w.runs) {
		for c := range w.s.Inbound() {
			if f.owner == nobody && c.Call.Seq() == f.call {
				s, out, err := w.s.Fail(w.now, c.Call, protocol.InternalError("process lost"))
				if err != nil {
					r.Fail("a call of a process that died cannot be failed: %v", err)
					break
				}
				r.Reach("a call of a process that died ends")
				x.server(w, s, out, r)
				break
			}
		}
	}
	for i := 0; i < len(w.socks); i++ {
		if so := w.socks[i]; so.owner == nobody {
			w.socks = slices.Delete(w.socks, i, i+1)
			i--
			var e streams.Effects
			w.x, w.s, e = w.x.Detach(w.s, w.now, so.c)
			x.effects(w, e, r)
		}
	}
}

// step does an action, at processes with a store.
func (x *webScope) step(n web, a explore.Action, r *explore.Report) (web, bool) {
	next, ok := x.do(n, a, r)
	if ok {
		x.store(&next, n.s, n.x, r)
	}
	return next, ok
}

// store ends a step: the session becomes what the store has of it. s and y are from before the step.
func (x *webScope) store(w *web, s server.State, y streams.Streams, r *explore.Report) {
	if x.processes == 0 || !w.live {
		w.before = stored{}
		return
	}
	if w.s.Step() != s.Step() {
		w.before = stored{s.Phase() == lifecycle.Ready, s, y}
	}
	if w.n[nLose] == x.most[nLose] || !w.before.is {
		w.before = stored{}
	}
	var err, err2 error
	if w.s, err = server.Restore(x.server0, w.s.Snapshot(), w.now); err == nil {
		w.x, err2 = streams.Restore(x.streams, w.x.Snapshot(), w.s, w.now)
	}
	if err != nil || err2 != nil {
		r.Fail("what is stored does not come back: %v", errors.Join(err, err2))
	}
	var open []uint64
	for c := range w.s.Inbound() {
		open = append(open, c.Call.Seq())
	}
	w.runs = slices.DeleteFunc(w.runs, func(f wrun) bool { return !slices.Contains(open, f.call) })
}

// loseTurn undoes a turn that already had effects: the store fails over to a replica without it. Processes close their
// connections, and end calls whose function has ended.
func (x *webScope) loseTurn(w *web, r *explore.Report) {
	r.Reach("a turn is lost")
	w.excuse = true
	w.lost++
	const skipped = 7
	w.s, w.x, w.socks = w.before.s.Skip(w.now, skipped), w.before.x.Skip(skipped), nil
	for c := range w.s.Inbound() {
		if !slices.ContainsFunc(w.runs, func(f wrun) bool { return f.call == c.Call.Seq() }) {
			w.runs = append(w.runs, wrun{c.Call.Seq(), nobody})
		}
	}
	var e streams.Effects
	w.x, w.s, e = w.x.DetachAll(w.s, w.now)
	x.effects(w, e, r)
	waits := func(k talk) bool { return k.at == pending }
	for i := slices.IndexFunc(w.talks, waits); i >= 0; i = slices.IndexFunc(w.talks, waits) {
		w.talks[i].at, w.talks[i].head = headed, exchange.Head{Status: 503}
		x.head(w, i, r)
	}
	x.breakAll(w, r)
}
