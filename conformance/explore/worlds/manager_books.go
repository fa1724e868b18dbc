package worlds

import (
	"errors"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/conformance/explore"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

// taken books what came of a step, an operation of a kind if that is not 0.
func (x *managerScope) taken(w managed, before manager.Manager, e manager.Effects, err error, op, kind uint8, r *explore.Report) (managed, bool) {
	if err != nil {
		if w.m != before || !e.IsZero() {
			r.Fail("a refused %s has an effect", managerNames[op])
		}
		if op == mopCancel || op == mopAnswer {
			r.Fail("%s is refused: %v", managerNames[op], err)
		}
		r.Reach("refused " + managerNames[op])
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

// sent is a message of the client that the server gets.
func (l *mlink) sent(m *jsonrpc.Message, r *explore.Report) {
	w := newWire(m)
	switch {
	case m.Kind == jsonrpc.KindRequest:
		l.reqs = append(slices.Clone(l.reqs), mreq{w.own, m.Method, strings.Contains(string(m.Body), `"cursor"`)})
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
