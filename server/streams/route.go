package streams

import (
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/server"
)

// Which stream a message is sent on, and when streams end.

// concerns reports whether an Output changes anything here.
func (x Streams) concerns(out server.Output) bool {
	if len(out.Send) > 0 {
		return true
	}
	if x.b != nil {
		for range out.EndedCalls() {
			return true
		}
	}
	return over(out)
}

// over reports whether the session ended in a step.
func over(out server.Output) bool {
	if out.Close != nil {
		return true
	}
	for i := range out.Events {
		ev := &out.Events[i]
		if ev.Kind == lifecycle.PhaseChanged && (ev.To == lifecycle.Disconnected || ev.To == lifecycle.Failed) {
			return true
		}
	}
	return false
}

// absorb handles an Output. Direct messages go to the stream post, unless that is zero.
func (w *work) absorb(out server.Output, post ID) {
	for i := range out.Send {
		o := &out.Send[i]
		if id, ok := w.route(o, post); ok {
			var req uint64
			if o.Message.Kind == jsonrpc.KindRequest {
				req = o.Req.Seq()
			}
			w.add(id, string(jsonrpc.Append(nil, o.Message)), req, isResponse(o))
		} else {
			w.eff.Lost++
		}
	}
	// After the messages: the last messages of a call come with its end.
	for call := range out.EndedCalls() {
		w.ended(call.Seq())
	}
	if over(out) {
		w.endAll()
	}
	out.Send = nil
	w.eff.Output.Merge(out)
}

// isResponse reports whether a message answers a message of the client.
func isResponse(o *server.Outgoing) bool {
	return o.Message.Kind == jsonrpc.KindResult || o.Message.Kind == jsonrpc.KindError
}

// route returns the stream of a message; false if it has none.
func (w *work) route(o *server.Outgoing, post ID) (ID, bool) {
	switch {
	case w.x.single:
		return w.listener(), true
	case o.Direct && post != 0:
		return post, true
	}
	if leaf := w.b.calls.Get(o.Call.Seq()); leaf != nil {
		return leaf.V, true
	}
	return w.listener(), !isResponse(o)
}

// listener returns the GET stream that was connected last, or the backlog.
func (w *work) listener() ID {
	for leaf := range w.b.listen.All() {
		return leaf.V
	}
	return backlog
}

// add puts a message on a stream, or into the backlog.
func (w *work) add(id ID, data string, req uint64, final bool) {
	e := event{data: data, req: req, final: final}
	st, due, ok := w.get(id)
	switch {
	case !ok: // only the backlog may be absent
		st = stream{listener: true, first: firstEvent, last: firstEvent - 1, written: firstEvent - 1}
	case st.dead:
		w.lost(&e)
		return
	}
	st.last++
	keep := int64(0)
	if id == backlog {
		keep = w.b.clock.After(w.opt.Keep)
	}
	st.put(st.last, keep, e)
	st.mixed = st.mixed || !final
	if !st.unheard() { // otherwise messages of its calls do not extend their time
		due = w.due(id, &st)
	}
	w.set(id, &st, due)
	w.newest, w.added = id, true
	w.touch(id)
}

// ended handles the end of a call.
func (w *work) ended(seq uint64) {
	calls, leaf := w.b.calls.Delete(seq)
	if leaf == nil {
		return
	}
	w.b.calls = calls
	id := leaf.V
	st, due, _ := w.get(id)
	if st.calls--; st.calls > 0 {
		w.set(id, &st, due)
		return
	}
	w.end(id, &st)
}

// end ends a stream. Its events stay for a while.
func (w *work) end(id ID, st *stream) {
	st.ended = true
	if st.dead {
		w.discard(id)
		return
	}
	w.set(id, st, w.due(id, st))
	w.touch(id)
}

// endAll ends all streams with the session.
func (w *work) endAll() {
	w.x.over = true
	w.release()
	for leaf := range w.b.streams.All() { // over the table as it is now
		id, st := ID(leaf.Key), leaf.V
		switch {
		case id == backlog:
			w.remove(id, &st)
		case !st.ended:
			st.calls, st.order = 0, 0
			w.end(id, &st)
		}
	}
	w.b.calls = table.Table[ID]{}
}
