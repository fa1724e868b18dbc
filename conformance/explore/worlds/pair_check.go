package worlds

import (
	"github.com/sansmcp/mcp/conformance/explore"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// check checks a new node.
func (x *pairScope) check(n *pair, r *explore.Report) {
	for i, m := range n.end {
		b := &n.books[i]
		if err := m.Check(); err != nil {
			r.Fail("%s: %v", sides[i], err)
		}
		open := len(b.calls) + len(b.reqs)
		if m.Phase() == lifecycle.ShuttingDown && open == 0 && !b.closed {
			r.Fail("%s: shuts down with nothing open and asked for no close", sides[i])
		}
		if !b.live(m) {
			if open > 0 {
				r.Fail("%s: something is open after the end", sides[i])
			}
		}
		x.early(n, i, r)
		if !m.Phase().Live() {
			x.anew(n, i, r)
		}
	}
	x.together(n, r)
	if r.Every(x.every) {
		x.refused(n, r)
		x.restored(n, r)
		x.heals(*n, r)
	}
}

// together compares what the ends know of each other.
func (x *pairScope) together(n *pair, r *explore.Report) {
	c, s := n.end[0].Phase(), n.end[1].Phase()
	if c == lifecycle.Ready && s == lifecycle.Ready && n.end[0].Revision() != n.end[1].Revision() {
		r.Fail("both are ready with different revisions")
	}
	if n.lossy || n.up.closed || n.down.closed {
		return
	}
	if c == lifecycle.Ready && s == lifecycle.Initializing && len(n.up.list) == 0 {
		r.Fail("the server misses notifications/initialized")
	}
	for i := range 2 {
		for _, q := range n.books[i].reqs {
			if !n.known(i, q.seq) {
				r.Fail("%s: a request is open that nobody knows", sides[i])
			}
		}
		for _, c := range n.books[i].calls {
			if !n.wanted(1-i, c.id) {
				r.Fail("%s: a call is open that nobody waits for", sides[i])
			}
		}
	}
}

// known reports whether the peer has a request, will get it or has answered it.
func (n *pair) known(i int, id uint64) bool {
	for _, c := range n.books[1-i].calls {
		if c.id == id {
			return true
		}
	}
	for _, w := range n.link(i).list {
		if w.own == id && w.kind == jsonrpc.KindRequest {
			return true
		}
	}
	for _, w := range n.link(1 - i).list {
		if w.peer == id && w.kind != jsonrpc.KindNotification {
			return true
		}
	}
	return false
}

// wanted reports whether end i waits for a request, or has cancelled it.
func (n *pair) wanted(i int, id uint64) bool {
	if n.books[i].req(id) != nil {
		return true
	}
	for _, w := range n.link(i).list {
		if w.own == id && w.method == "notifications/cancelled" {
			return true
		}
	}
	return false
}

// early checks that a Tick before the next deadline does nothing. If the clock of a State is behind, its form has an
// instant until which time stood still as a future one; the Tick updates only the time.
func (x *pairScope) early(n *pair, i int, r *explore.Report) {
	if t, ok := n.end[i].NextDeadline(); ok && !t.After(n.now) {
		return
	}
	next := *n
	m, out := n.end[i].Tick(n.now)
	next.end[i] = m
	if !out.IsZero() || !x.same(n, &next) && x.form.Difference(n.now, n, &next) != "engine.requests.still" {
		r.Fail("%s: an early Tick does something", sides[i])
	}
}

// same reports whether two nodes continue in the same way.
func (x *pairScope) same(a, b *pair) bool { return x.form.Same(a.now, a, b.now, b) }

// refused checks that a failing verb changes nothing.
func (x *pairScope) refused(n *pair, r *explore.Report) {
	for i, m := range n.end {
		list := []verbs.Verb{
			{Op: verbs.OpCancel, Req: m.Req(n.books[i].last + 1)},
			{Op: verbs.OpFail, Call: m.Call(1<<40, 1), Err: refusal},
			{Op: verbs.OpRequest, Params: protocol.PingParams{}, Options: lifecycle.RequestOptions{Timeout: -2}},
			{Op: verbs.OpNotify, Params: protocol.CancelledParams{}},
		}
		if m.Phase().Live() {
			list = append(list, verbs.Verb{Op: verbs.OpReset})
		}
		for _, v := range list {
			if next, out, err := m.Do(n.now, v); err == nil || next != m || !out.IsZero() {
				r.Fail("%s: a refused verb does something, or is not refused: %v", sides[i], v.Op)
			}
		}
	}
}

// anew checks that a new session has nothing of the old one.
func (x *pairScope) anew(n *pair, i int, r *explore.Report) {
	m, _, err := n.end[i].Do(n.now, verbs.Verb{Op: verbs.OpReset})
	if err != nil {
		r.Fail("%s: cannot begin anew: %v", sides[i], err)
		return
	}
	next, root := pair{now: n.now, catalog: n.catalog}, pair{now: origin, catalog: n.catalog}
	next.end[i], root.end[i] = m, x.root.end[i]
	if i == 1 && n.catalog != 0 { // which stays
		root.end[1], _, _ = root.end[1].Do(origin, verbs.Verb{Op: verbs.OpOffer, Catalog: x.catalogs[1]})
	}
	if !x.same(&next, &root) {
		r.Fail("%s: a reset leaves something of the old session", sides[i])
	}
}

// restored checks that restored snapshots continue like the originals.
func (x *pairScope) restored(n *pair, r *explore.Report) {
	back := *n
	for i := range 2 {
		cfg := x.config[i]
		if i == 1 {
			cfg.Server.Catalog = x.catalogs[n.catalog]
		}
		m, err := cfg.Restore(n.end[i].Snapshot(), n.at[i])
		if err != nil {
			r.Fail("%s: %v", sides[i], err)
			return
		}
		back.end[i] = m
	}
	if !x.same(n, &back) {
		r.Fail("what a snapshot comes back as is another State: %s", x.form.Difference(n.now, n, &back))
	}
	for _, a := range x.actions(nil, n) {
		there, ok := x.step(*n, a, quiet)
		again, ok2 := x.step(back, a, quiet)
		if ok != ok2 || ok && !x.same(&there, &again) {
			r.Fail("what a snapshot comes back as goes on in another way: %s", pairNames[a.Op])
		}
	}
}

// heals checks that everything ends if no further fault occurs.
func (x *pairScope) heals(n pair, r *explore.Report) {
	all := *x
	for _, op := range []uint8{opDeliver, opAnswer, opRespond, opLose, opInputEnds, opGone, opTick, opTime} {
		all.on[op] = true
	}
	for range 200 {
		done := true
		acts := all.actions(nil, &n)
	next:
		for _, op := range []uint8{opDeliver, opAnswer, opRespond, opLose, opInputEnds, opGone} {
			for _, a := range acts {
				if a.Op != op {
					continue
				}
				if after, ok := all.step(n, a, r); ok {
					n, done = after, false
					break next
				}
			}
		}
		switch open := len(n.books[0].reqs) + len(n.books[1].reqs); {
		case !done:
		case open == 0:
			return
		default: // whoever waits for what was lost has a timeout
			n, _ = all.step(n, explore.Action{Op: opTime}, r)
		}
	}
	r.Fail("something stays open however long one waits")
}
