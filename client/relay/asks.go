package relay

import (
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// ask passes a request of a server to the client.
func (st *step) ask(u *upstream, ev *manager.Event) {
	row, body := st.row(ev.Session.Method), ev.Session.Body
	switch {
	case row != nil && row.Declares.Has(protocol.CapElicitation):
		body = owned(u.scheme, body)
	case st.r.cfg.Naming.URIs == naming.Always && row != nil && row.Declares.Has(protocol.CapSampling):
		body = jsonrpc.Raw(linked(u.scheme, string(body)))
	}
	opt := server.RequestOptions{Within: st.within(u.id), ReplaceToken: true}
	s, out, err := st.s.Request(st.now, decoded(ev.Session.Method, body), opt)
	if err != nil {
		if m, out, err := st.r.m.Fail(st.now, ev.Call, protocol.InternalError("the client cannot be asked")); err == nil {
			st.upward(m, out)
		}
		return
	}
	req, c := out.Req.Seq(), ev.Call
	st.r.asks = st.r.asks.Put(req, never, ask{c})
	of := st.askedBy(c.Link.Epoch)
	st.r.byAsk = st.r.byAsk.Put(c.Link.Epoch, never, of.Put(c.Call.Seq(), never, req))
	st.downward(s, out)
}

// askedBy returns what one incarnation of a server has asked.
func (st *step) askedBy(epoch uint64) table.Table[uint64] {
	if leaf := st.r.byAsk.Get(epoch); leaf != nil {
		return leaf.V
	}
	return table.Table[uint64]{}
}

// closeAsk forgets a request of a server.
func (st *step) closeAsk(req uint64) (ask, bool) {
	t, leaf := st.r.asks.Delete(req)
	if leaf == nil {
		return ask{}, false
	}
	st.r.asks = t
	c := leaf.V.call
	of, _ := st.askedBy(c.Link.Epoch).Delete(c.Call.Seq())
	if of.Len() == 0 {
		st.r.byAsk, _ = st.r.byAsk.Delete(c.Link.Epoch)
	} else {
		st.r.byAsk = st.r.byAsk.Put(c.Link.Epoch, never, of)
	}
	return leaf.V, true
}

// unask gives up what a server asked: it waits for the answer no more.
func (st *step) unask(ev *manager.Event) {
	leaf := st.askedBy(ev.Call.Link.Epoch).Get(ev.Call.Call.Seq())
	if leaf == nil {
		return
	}
	req := leaf.V
	reason := ""
	if ev.Session.Cause != nil {
		reason = ev.Session.Cause.Reason
	}
	if s, out, err := st.s.Cancel(st.now, st.s.Req(req), reason); err == nil {
		st.downward(s, out)
	}
}

// answeredAsk passes the answer of the client to the server that asked.
func (st *step) answeredAsk(ev *server.Event) bool {
	a, ok := st.closeAsk(ev.Req.Seq())
	if !ok {
		return false
	}
	m, out, err := st.r.m.Finish(st.now, a.call, ev.Answer(a.call.Call))
	if err == nil || len(out.Actions) > 0 { // what does not fit was answered by an error
		st.upward(m, out)
	}
	return true
}

// askProgress passes progress that the client makes with what a server asked.
func (st *step) askProgress(ev *server.Event) bool {
	leaf := st.r.asks.Get(ev.Req.Seq())
	if leaf == nil {
		return false
	}
	p, _ := protocol.Decode[protocol.ProgressParams](ev.Body) // the State has checked it
	if m, out, err := st.r.m.Progress(st.now, leaf.V.call, p); err == nil {
		st.upward(m, out)
	}
	return true
}
