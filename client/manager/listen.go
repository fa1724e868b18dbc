package manager

import (
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// A server without sessions says what changes within a subscription, a request that stays open. The Manager
// keeps one for each such server: to the lists that the server announces, and to the resources that were
// subscribed to. So changes come as events of a session do.

// stateless reports whether the server has no sessions.
func (c *conn) stateless() bool { return c.client.Revision().Stateless() }

// relisten is how long the Manager waits before it opens a subscription again that has ended, and how long one may
// take to be acknowledged, where links are not pinged.
const relisten = 30 * time.Second

// listenBy returns when a subscription is to be looked at again.
func (m *Manager) listenBy(c *conn) int64 {
	if c.set.Interval > 0 {
		return m.clock.After(c.set.Interval)
	}
	return m.clock.After(relisten)
}

// listen opens the subscription, in the place of the one that is open. Where one is on its way already, the next one
// waits for it: a server has two at most.
func (m *Manager) listen(c *conn, o *step) {
	if c.listens != c.acked {
		c.edit().stale = true
		return
	}
	r := c.edit()
	r.stale = false
	caps := c.client.PeerCapabilities()
	p := protocol.ListenParams{Notifications: protocol.FilterOf(caps)}
	if caps.Has(protocol.CapResourcesSubscribe) {
		for leaf := range c.want.order.All() {
			p.Notifications.ResourceSubscriptions = append(p.Notifications.ResourceSubscriptions, leaf.V)
		}
	}
	if n := &p.Notifications; n.Changes() == 0 && len(n.ResourceSubscriptions) == 0 {
		r.listens, r.acked, r.told, c.again = 0, 0, 0, table.Never
		m.unlisten(c, 0, o)
		return
	}
	c.again = m.listenBy(c)
	next, out, err := c.client.Request(m.clock.Time(), p, client.RequestOptions{Timeout: lifecycle.NoTimeout, Maximum: lifecycle.NoTimeout})
	if err != nil {
		return // there are too many requests; it is tried again
	}
	r.listens = out.Req.Seq()
	c.purposes = c.purposes.Put(c.listens, table.Never, purpose{kind: forListen})
	m.absorb(c, next, out, o)
}

// unlisten ends all subscriptions but one.
func (m *Manager) unlisten(c *conn, but uint64, o *step) {
	for leaf := range c.purposes.All() {
		if leaf.V.kind != forListen || leaf.Key == but {
			continue
		}
		if next, out, err := c.client.Cancel(m.clock.Time(), c.client.Req(leaf.Key), ""); err == nil {
			m.absorb(c, next, out, o)
		}
	}
}

// acknowledged takes that a subscription is open. What has changed while none was is not known, so that the
// lists count as changed.
func (m *Manager) acknowledged(c *conn, ev *client.Event, o *step) {
	if ev.Req.Seq() != c.listens {
		return
	}
	r := c.edit()
	p, _ := protocol.Decode[protocol.AcknowledgedParams](ev.Body) // the session has checked it
	told, deaf := p.Notifications.Changes(), c.deaf
	r.acked, r.told, r.deaf, c.again = c.listens, told, false, table.Never
	m.unlisten(c, c.listens, o)
	if c.stale {
		m.listen(c, o)
	}
	for _, l := range protocol.Lists() {
		if deaf && told.Has(l.Change) {
			told &^= l.Change // which two lists may have in common
			is := client.Event{Kind: lifecycle.NotificationReceived, Method: l.Changed, Revision: ev.Revision}
			o.Events = append(o.Events, Event{Kind: SessionEvent, Link: c.link(), Session: is})
		}
	}
}

// listenEnded takes that a subscription has ended. It is opened again after a while: a server that ends each at once
// is not asked without a pause.
func (m *Manager) listenEnded(c *conn, req uint64, o *step) {
	if req != c.listens && req != c.acked {
		return
	}
	r := c.edit()
	r.listens, r.acked, r.told, r.stale, r.deaf, c.again = 0, 0, 0, false, true, m.listenBy(c)
	m.unlisten(c, 0, o)
}

// listenDue opens a subscription that has ended again, or in the place of one that was not acknowledged.
func (m *Manager) listenDue(c *conn, o *step) {
	r := c.edit()
	r.listens, r.acked, r.told, r.deaf = 0, 0, 0, true
	m.unlisten(c, 0, o)
	m.listen(c, o)
}

// subscribe does for a server without sessions what a request does for one with: it changes the
// subscription, and ends at once. false if p is no such request, or if the server has no subscriptions.
func (m *Manager) subscribe(c *conn, p protocol.Params, o *step) bool {
	row := protocol.Revisions()[0].Row(protocol.MethodName(p))
	if row == nil || row.Setting != protocol.SettingSubscribe && row.Setting != protocol.SettingUnsubscribe || !c.client.PeerCapabilities().Has(row.Gate) {
		return false
	}
	uri := c.bounded(row.SubjectOf(p))
	if row.Setting == protocol.SettingSubscribe && uri != "" {
		c.edit().want = c.want.with(m.hash(uri), uri, c.set.keep)
	} else {
		c.edit().want = c.want.without(m.hash(uri), uri)
	}
	m.listen(c, o)
	o.Op = m.begin(op{kind: opRequest, method: row.Method, server: c.name})
	m.finish(o.Op.seq, &Event{Link: c.link(), Session: client.Event{Kind: lifecycle.ResponseReceived, Method: row.Method, Body: jsonrpc.Raw("{}")}}, o)
	return true
}
