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
// subscribed to. So changes come as events of a session do. A newer one takes its place, no sooner than it is open:
// a server takes few, however many resources are subscribed to at once.

// listenAgain is how long it takes until a subscription that has ended is opened again, where nothing is pinged;
// else it is the time between pings.
const listenAgain = 30 * time.Second

// stateless reports whether the server has no sessions.
func (c *conn) stateless() bool { return c.client.Revision().Stateless() }

// listen opens the subscription, in the place of the one that is open.
func (m *Manager) listen(c *conn, o *step) {
	c.again = table.Never
	caps := c.client.PeerCapabilities()
	p := protocol.ListenParams{Notifications: protocol.SubscriptionFilter{
		ToolsListChanged:     caps.Has(protocol.CapToolsListChanged),
		PromptsListChanged:   caps.Has(protocol.CapPromptsListChanged),
		ResourcesListChanged: caps.Has(protocol.CapResourcesListChanged),
	}}
	if caps.Has(protocol.CapResourcesSubscribe) {
		for leaf := range c.want.order.All() {
			p.Notifications.ResourceSubscriptions = append(p.Notifications.ResourceSubscriptions, leaf.V)
		}
	}
	n := &p.Notifications
	if !n.ToolsListChanged && !n.PromptsListChanged && !n.ResourcesListChanged && len(n.ResourceSubscriptions) == 0 {
		m.unlisten(c, 0, o)
		return
	}
	if c.stale = c.listens != 0 && !c.acked; c.stale {
		return
	}
	next, out, err := c.client.Request(m.clock.Time(), p, client.RequestOptions{Timeout: lifecycle.NoTimeout, Maximum: lifecycle.NoTimeout})
	if err != nil {
		c.stale = true // there are too many requests
		m.listenLater(c)
		return
	}
	c.listens, c.acked = out.Req.Seq(), false
	c.purposes = c.purposes.Put(c.listens, table.Never, purpose{kind: forListen})
	m.absorb(c, next, out, o)
}

// listenLater has the subscription opened again after a while.
func (m *Manager) listenLater(c *conn) {
	after := c.set.Interval
	if after < 0 {
		after = listenAgain
	}
	c.again = m.clock.After(after)
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
func (m *Manager) acknowledged(c *conn, ev client.Event, o *step) {
	if ev.Req.Seq() != c.listens {
		return
	}
	c.acked = true
	m.unlisten(c, c.listens, o)
	if c.stale {
		m.listen(c, o)
	}
	if !c.deaf {
		return
	}
	c.deaf = false
	p, _ := protocol.Decode[protocol.AcknowledgedParams](ev.Body) // the session has checked it
	for _, l := range []struct {
		on   bool
		list *protocol.List
	}{
		{p.Notifications.ToolsListChanged, protocol.ToolList},
		{p.Notifications.PromptsListChanged, protocol.PromptList},
		{p.Notifications.ResourcesListChanged, protocol.ResourceList},
	} {
		if l.on {
			told := client.Event{Kind: lifecycle.NotificationReceived, Method: l.list.Changed, Revision: ev.Revision}
			o.Events = append(o.Events, Event{Kind: SessionEvent, Link: c.link(), Session: told})
		}
	}
}

// listenEnded takes that a subscription has ended: the newest is opened again, however busy the server is.
func (m *Manager) listenEnded(c *conn, req uint64) {
	if req == c.listens {
		c.listens, c.acked, c.deaf = 0, false, true
		m.listenLater(c)
	}
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
		c.want = c.want.with(m.hash(uri), uri, c.set.keep)
	} else {
		c.want = c.want.without(m.hash(uri), uri)
	}
	m.listen(c, o)
	o.Op = m.begin(op{kind: opRequest, method: row.Method, server: c.name})
	m.finish(o.Op.seq, Event{Link: c.link(), Session: client.Event{Kind: lifecycle.ResponseReceived, Method: row.Method, Body: jsonrpc.Raw("{}")}}, o)
	return true
}
