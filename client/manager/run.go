package manager

import (
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// run handles the events of the session of c in this step, and what follows from them, in order.
// Each verb calls it before it stores c.
func (m *Manager) run(c *conn, o *step) {
	for {
		p, some := o.pop()
		for i := range p.events {
			m.event(c, p.link, &p.events[i], o)
		}
		switch {
		case p.cause != nil && p.link == c.link() && c.condition.Live():
			m.linkLost(c, causeError(c.name, p.cause), false, o)
		case some:
		case m.silent(c):
			m.linkLost(c, causeError(c.name, errSilent), false, o)
		default:
			return
		}
	}
}

// advance applies a step of the session of c, handles what follows from it, and stores c.
func (m *Manager) advance(c *conn, next client.State, out client.Output, o *step) {
	m.absorb(c, next, out, o)
	m.run(c, o)
	m.store(c)
}

// event handles one event of the session of link.
func (m *Manager) event(c *conn, link Link, ev *client.Event, o *step) {
	var op Op
	switch ev.Kind {
	case lifecycle.PhaseChanged:
		if ev.To == lifecycle.Ready && c.condition == Handshaking && link == c.link() {
			m.handshakeDone(c, o)
		}
		return
	case lifecycle.ResponseReceived, lifecycle.RequestFailed:
		var leaf *table.Leaf[purpose]
		if link != c.link() {
			return // a handshake that another way replaced has no purpose
		}
		if c.purposes, leaf = c.purposes.Delete(ev.Req.Seq()); leaf != nil {
			m.requestEnded(c, leaf.V, ev, o)
		}
		return // a request without a purpose is initialize
	case lifecycle.NotificationReceived:
		if ev.Method == protocol.MethodAcknowledged {
			m.acknowledged(c, ev, o)
			return
		}
	case lifecycle.ProgressReceived, lifecycle.RequestReceived: // a question belongs to a request
		if leaf := c.purposes.Get(ev.Req.Seq()); leaf != nil && leaf.V.kind == forOp {
			op = Op{leaf.V.op}
		}
	}
	e := Event{Kind: SessionEvent, Link: link, Op: op, Session: *ev}
	if !ev.Call.IsZero() {
		e.Call = Call{link, ev.Call}
	}
	o.Events = append(o.Events, e)
}

// requestEnded handles the end of a request, by its purpose.
func (m *Manager) requestEnded(c *conn, j purpose, ev *client.Event, o *step) {
	switch j.kind {
	case forOp:
		m.answered(c, j, ev, o)
	case forCheckup:
		m.checkupEnded(c, j, ev, o)
	case forPing:
		m.pingEnded(c, j, ev, o)
	case forResume:
		m.resumeEnded(c, j, ev, o)
	case forListen:
		m.listenEnded(c, ev.Req.Seq(), o)
	}
}

// answered handles the end of a request that belongs to an operation.
func (m *Manager) answered(c *conn, j purpose, ev *client.Event, o *step) {
	leaf := m.ops.Get(j.op)
	if leaf == nil {
		return
	}
	p := &leaf.V
	if p.kind == opList {
		m.page(c, j.op, p, ev, o)
		return
	}
	e := requestError(c.name, p.method, p.uri, ev)
	done := Event{Link: c.link(), Session: *ev, Err: plain(e)}
	if e == nil {
		if p.method == ping {
			done.Latency = time.Duration(m.clock.Now() - p.sent)
			c.edit().latency = done.Latency
		}
		switch j.setting {
		case protocol.SettingSubscribe:
			c.edit().want = c.want.with(m.hash(j.subject), j.subject, c.set.keep)
		case protocol.SettingUnsubscribe:
			c.edit().want = c.want.without(m.hash(j.subject), j.subject)
		case protocol.SettingLevel:
			c.edit().level = j.subject
		}
	}
	m.finish(j.op, &done, o)
}
