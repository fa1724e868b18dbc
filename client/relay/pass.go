package relay

import (
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/clock"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// pass passes a request on to its server; false if the server is starting. One that is away, or
// takes no more, costs the client an error at once.
func (st *step) pass(ev *server.Event, p passage) bool {
	u := st.r.up.get(p.to)
	switch {
	case u == nil:
		st.fail(ev.Call, unavailable("the server is gone; the request did not run", "", 0))
		return true
	case u.starting():
		st.until, st.of = clock.Later(u.down, st.r.cfg.Held.Time), u.Name
		return false
	case p.sub != nil && p.setting == protocol.SettingUnsubscribe && u.state != manager.Ready:
		st.r.unsubscribed(p.sub.uri) // nothing comes of it, whatever the server thinks
		st.finish(server.Answer{Call: ev.Call, Result: jsonrpc.Raw("{}")})
		return true
	case p.sub != nil && p.setting == protocol.SettingSubscribe && !st.r.room(p.sub.uri):
		st.fail(ev.Call, protocol.InternalError("too many subscriptions"))
		return true
	}
	params := decoded(ev.Method, p.body)
	if p.body == ev.Body {
		params.Span = ev.Span
	}
	m, out, err := st.r.m.Request(st.now, u.Name, params, manager.RequestOptions{
		Timeout: st.timeout(p.retry), ReplaceToken: true, ResetOnProgress: p.progress && st.r.cfg.CallTimeout != lifecycle.NoTimeout,
	})
	if err != nil {
		st.fail(ev.Call, st.refused(u, err))
		return true
	}
	op := out.Op.Seq()
	st.r.calls = st.r.calls.Put(op, never, call{
		seq: ev.Call.Seq(), key: ev.Call.Key(), server: u.id, progress: p.progress, sub: p.sub,
		begins: p.setting == protocol.SettingSubscribe, retry: p.retry,
	})
	st.r.byCall = st.r.byCall.Put(ev.Call.Seq(), never, op)
	st.count(u.id, op, 1)
	st.upward(m, out)
	return true
}

// timeout returns how long a request may take: one that is asked of several servers in turn does not
// wait behind one that has stopped.
func (st *step) timeout(asked *retry) time.Duration {
	most := st.r.cfg.CallTimeout
	if asked == nil {
		return most
	}
	turn := st.r.cfg.Lists.Hold
	if asked.again {
		turn = st.r.cfg.Held.Time
	}
	if most == lifecycle.NoTimeout {
		return turn
	}
	return min(most, turn)
}

// decoded returns params that a message had, or that were made of those of one.
func decoded(method string, body jsonrpc.Raw) protocol.RawRequest {
	return protocol.RawRequest{Name: method, Body: body, Decoded: true}
}

// count keeps which calls a server has.
func (st *step) count(id, op uint64, by int) {
	var l load
	if leaf := st.r.loads.Get(id); leaf != nil {
		l = leaf.V
	}
	l.n += by
	l.ops ^= op
	if l.n == 0 {
		st.r.loads, _ = st.r.loads.Delete(id)
		return
	}
	st.r.loads = st.r.loads.Put(id, never, l)
}

// closeCall forgets a call that was passed on.
func (st *step) closeCall(op uint64) (call, bool) {
	t, leaf := st.r.calls.Delete(op)
	if leaf == nil {
		return call{}, false
	}
	st.r.calls = t
	st.r.byCall, _ = st.r.byCall.Delete(leaf.V.seq)
	st.count(leaf.V.server, op, -1)
	return leaf.V, true
}

// within returns the call that a server is working on, if it is exactly one.
func (st *step) within(id uint64) server.Call {
	leaf := st.r.loads.Get(id)
	if leaf == nil || leaf.V.n != 1 {
		return server.Call{}
	}
	c := st.r.calls.Get(leaf.V.ops).V
	return st.s.Call(c.seq, c.key)
}
