package relay

import (
	"strings"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// ask passes a request of a server to the client.
func (st *step) ask(u *upstream, ev *manager.Event) {
	row, body := st.r.revision(st.s).Row(ev.Session.Method), ev.Session.Body
	switch {
	case row != nil && row.Declares.Has(protocol.CapElicitation):
		body = owned(u.scheme, identified(body, ev.Call.Call.Seq()))
	case st.r.cfg.Naming.URIs == naming.Always && row != nil && row.Declares.Has(protocol.CapSampling):
		body = jsonrpc.Raw(linked(u.scheme, string(body)))
	}
	if op, ok := st.asker(u, ev.Op); ok {
		st.question(op, question{call: ev.Call, key: keyOf(ev), method: strings.Clone(ev.Session.Method), body: jsonrpc.Raw(strings.Clone(string(body)))})
		return
	}
	opt := server.RequestOptions{Within: st.within(u.id), ReplaceToken: true}
	s, out, err := st.s.Request(st.now, decoded(ev.Session.Method, body), opt)
	if err != nil {
		st.refuseAsk(ev.Call, protocol.InternalError("the client takes no more requests; try again later"))
		return
	}
	st.r.asks = st.r.asks.Put(out.Req.Seq(), never, ev.Call)
	st.downward(s, out)
}

// askEnded cancels what a server asked, because it no longer waits for the answer. The walk is short: Limits
// bound what servers have open.
func (st *step) askEnded(ev *manager.Event) {
	for leaf := range st.r.asks.All() {
		if leaf.V != ev.Call {
			continue
		}
		reason := ""
		if ev.Session.Cause != nil {
			reason = ev.Session.Cause.Reason
		}
		st.tryDown(st.s.Cancel(st.now, st.s.Req(leaf.Key), reason))
		return
	}
	st.questionEnded(ev.Call)
}

// askAnswered passes the answer of the client to the server that asked.
func (st *step) askAnswered(ev *server.Event) bool {
	t, leaf := st.r.asks.Delete(ev.Req.Seq())
	if leaf == nil {
		return false
	}
	st.r.asks = t
	st.tryUp(st.r.m.Finish(st.now, leaf.V, ev.Answer(leaf.V.Call)))
	return true
}

// askProgress passes progress that the client makes with what a server asked.
func (st *step) askProgress(ev *server.Event) bool {
	leaf := st.r.asks.Get(ev.Req.Seq())
	if leaf == nil {
		return false
	}
	p, _ := protocol.Decode[protocol.ProgressParams](ev.Body) // the State has checked it
	st.tryUp(st.r.m.Progress(st.now, leaf.V, p))
	return true
}
