package worlds

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/conformance/explore"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// reported does an act of a transport or of the server behind it.
func (x *managerScope) reported(w managed, a explore.Action, r *explore.Report) (managed, bool) {
	news := a.Op == mopNeedless && !w.links[int(a.Arg)&(1<<mopMost-1)].plain
	rep := w.report(a, func(epoch uint64, req mreq) string {
		switch {
		case req.method == "tools/call":
			return `{"content":[]}`
		case req.method == "tools/list" && a.Op == mopMore:
			return `{"tools":[{"name":"t","inputSchema":{"type":"object"}}],"nextCursor":"n"}`
		case req.method == "tools/list":
			return `{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}`
		}
		return `{}`
	})
	if rep.Req != (lifecycle.Req{}) {
		c, _ := w.m.Client(rep.Link.Server)
		rep.Req = c.Req(rep.Req.Seq())
	}
	var e manager.Effects
	w.m, e = w.m.Report(w.now, rep)
	w, ok := x.taken(w, e, nil, a.Op, 0, r)
	if l := w.link(rep.Link.Epoch); news && (l == nil || l.state != linkOpen) {
		r.Fail("a server that needs no handshake is given up")
	}
	return w, ok
}

// report changes a link as its transport or its server does, which answers by serve, and returns
// the driver's report of it. A request in it has only its number.
func (w *managed) report(a explore.Action, serve func(epoch uint64, req mreq) string) manager.Report {
	i, k := int(a.Arg)&(1<<mopMost-1), int(a.Arg)>>mopMost
	l := &w.links[i]
	rep := manager.Report{Link: l.link(), Kind: manager.Received}
	message := func(format string, args ...any) {
		rep.Message = jsonrpc.DecodeString(fmt.Sprintf(`{"jsonrpc":"2.0",`+format+`}`, args...))
	}
	var req mreq
	if a.Op >= mopShake && a.Op <= mopResponseLost || a.Op == mopFound || a.Op == mopInput || a.Op == mopNeedless {
		req = l.reqs[k]
		l.reqs = slices.Delete(slices.Clone(l.reqs), k, k+1)
	}
	result := func(body string) { message(`"id":%d,"result":%s`, req.id, body) }
	switch a.Op {
	case mopOpened:
		rep.Kind, l.state = manager.Opened, linkOpen
	case mopOpenFailed:
		rep.Kind, rep.Err = manager.OpenFailed, errors.New("no")
		w.over(l.epoch)
	case mopLost, mopClosed:
		rep.Kind = manager.Ended
		if a.Op == mopLost {
			rep.Err = errors.New("gone")
		}
		w.over(l.epoch)
	case mopShake:
		result(fmt.Sprintf(hello, protocol.Revisions()[0].String()))
	case mopOldVersion:
		result(fmt.Sprintf(hello, "1999-01-01"))
	case mopRefuse, mopError:
		message(`"id":%d,"error":{"code":-32603,"message":"no"}`, req.id)
	case mopNeedless:
		l.plain = true
		message(`"id":%d,"error":{"code":-32020,"message":"no"}`, req.id)
	case mopReply, mopMore:
		result(serve(l.epoch, req))
	case mopSendFailed, mopResponseLost:
		rep.Kind, rep.Req, rep.Err = manager.SendFailed, lifecycle.MakeReq(nil, req.id), errors.New("no")
		if a.Op == mopResponseLost {
			rep.Kind = manager.ResponseLost
		}
	case mopPause, mopResume:
		l.reqs = slices.Clone(l.reqs)
		l.reqs[k].person++
		rep.Kind, rep.Req, rep.Resumed = manager.Paused, lifecycle.MakeReq(nil, l.reqs[k].id), a.Op == mopResume
	case mopAsk:
		l.asked++
		l.asks = append(slices.Clone(l.asks), mask{l.asked})
		message(`"id":%d,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}`, l.asked)
	case mopFound:
		result(dualFound)
	case mopInput:
		result(input(req.round + 1))
	case mopAck:
		l.reqs = slices.Clone(l.reqs)
		l.reqs[k].acked = true
		message(`"method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/subscriptionId":%d}}`, l.reqs[k].id)
	case mopUnask:
		id := l.asks[k].id
		l.asks = slices.Delete(slices.Clone(l.asks), k, k+1)
		message(`"method":"notifications/cancelled","params":{"requestId":%d}`, id)
	}
	return rep
}

// over removes a transport.
func (w *managed) over(epoch uint64) {
	for i := range w.links {
		if w.links[i].epoch == epoch {
			w.dead = w.links[i].link()
			w.links = slices.Delete(w.links, i, i+1)
			return
		}
	}
}

// taken records the effects of a step, and an operation of the kind unless that is 0.
func (x *managerScope) taken(w managed, e manager.Effects, err error, op, kind uint8, r *explore.Report) (managed, bool) {
	if err != nil {
		r.Fail("%s is refused: %v", managerNames[op], err)
		return w, false
	}
	if (kind != 0) == e.Op.IsZero() {
		r.Fail("%s: the operation is %v", managerNames[op], e.Op)
	}
	if kind != 0 {
		if e.Op.Seq() <= w.last[0] {
			r.Fail("an operation has an old number")
		}
		w.last[0] = e.Op.Seq()
		w.ops = append(w.ops, mop{e.Op.Seq(), kind, w.now})
	}
	for i := range e.Actions {
		w.act(&e.Actions[i], r)
	}
	for i := range e.Events {
		ev := &e.Events[i]
		what := ev.Kind.String()
		switch ev.Kind {
		case manager.OpDone:
			k := slices.IndexFunc(w.ops, func(o mop) bool { return o.seq == ev.Op.Seq() })
			if k < 0 {
				r.Fail("an operation ends that is not open: %s", ev.Method)
				continue
			}
			if o := w.ops[k]; w.now.Sub(o.from) > x.longest(o.kind) {
				r.Fail("an operation takes too long: %s", managerNames[o.kind])
			}
			w.ops = slices.Delete(w.ops, k, k+1)
			what += " " + ev.Method
			var failed *manager.Error
			if errors.As(ev.Err, &failed) {
				what += ": " + failed.Class.String()
			}
		case manager.ServerChanged:
			what += " " + ev.From.String() + " > " + ev.To.String()
		case manager.SessionEvent:
			what += " " + ev.Session.Kind.String()
			if ev.Session.Kind == lifecycle.Violation && !strings.HasPrefix(ev.Session.Rule, "VERS") {
				what += " " + ev.Session.Rule
			}
		}
		r.Reach(what)
	}
	if len(w.ops) != w.m.Pending() {
		r.Fail("the books have %d operations, the Manager %d", len(w.ops), w.m.Pending())
	}
	return w, true
}

// act does an action of the Manager.
func (w *managed) act(a *manager.Action, r *explore.Report) {
	l := w.link(a.Link.Epoch)
	r.Reach("to " + a.Kind.String())
	switch a.Kind {
	case manager.ActOpen:
		if l != nil || a.Link.Epoch <= w.last[1] {
			r.Fail("a link is opened twice")
		}
		w.last[1] = a.Link.Epoch
		w.links = append(w.links, mlink{epoch: a.Link.Epoch, name: a.Link.Server})
	case manager.ActSend:
		if l == nil || l.state != linkOpen || l.link() != a.Link {
			r.Fail("a message for a link that is not open")
			return
		}
		l.sent(&a.Out.Message, r)
	case manager.ActClose:
		if l == nil || l.state >= linkClosing || l.link() != a.Link {
			r.Fail("a link is closed that is not open")
			return
		}
		if !a.By.After(w.now) {
			r.Fail("a link is to be closed in no time")
		}
		l.state, l.reqs, l.asks = linkClosing, nil, nil
	case manager.ActKill:
		if l == nil || l.state < linkClosing {
			r.Fail("a link is killed that is not closing")
			return
		}
		w.over(l.epoch)
	}
}

// sent handles a message of the client at the server.
func (l *mlink) sent(m *jsonrpc.Message, r *explore.Report) {
	w := newWire(m)
	switch {
	case m.Kind == jsonrpc.KindRequest:
		l.reqs = append(slices.Clone(l.reqs), mreq{id: w.own, method: m.Method, page: strings.Contains(string(m.Body), `"cursor"`), round: answersOf(m, r)})
	case m.Method == "notifications/cancelled":
		l.reqs = slices.DeleteFunc(slices.Clone(l.reqs), func(q mreq) bool { return q.id == w.own })
	case m.Kind != jsonrpc.KindNotification:
		k := slices.IndexFunc(l.asks, func(q mask) bool { return q.id == w.peer })
		if k < 0 {
			r.Fail("an answer to what nobody asked")
			return
		}
		l.asks = slices.Delete(slices.Clone(l.asks), k, k+1)
	}
}
