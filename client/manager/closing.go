package manager

import (
	"errors"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/lifecycle/table"
)

// closing is an incarnation that is over and whose transport is being closed. Nothing that it
// says counts any more.
type closing struct {
	name      string
	since     int64
	waiter    waiter // who waits for it, if anybody
	announced bool   // the caller closed it: that it is Closed is reported
}

// Disconnect frees a name at once and closes what had it (row B13): its operations end in the
// order in which they began, the transport has Timeouts.Close to close and is killed then. The
// Op ends with that, with a timeout if it was killed; the name can be connected again before. A
// name that there is nothing under is a success.
func (m Manager) Disconnect(now time.Time, name string) (Manager, Effects) {
	var o Effects
	m.clock(now)
	o.Op = m.begin(op{kind: opDisconnect, method: "disconnect", server: name})
	if c := m.named(name); c != nil {
		m.disconnect(c, waiter{op: o.Op.seq}, &o)
	} else {
		m.finish(o.Op.seq, Event{}, &o)
	}
	return m, o
}

// DisconnectAll disconnects everything, in the order of connect (rows A11, A12, B14). The Op
// ends when all are closed: Errors has one place for each server, and Err is the first of them
// that is not nil. Names are free at once, but those of Options.OnDemand stay, Idle: Open opens
// them again.
func (m Manager) DisconnectAll(now time.Time) (Manager, Effects) {
	var o Effects
	m.clock(now)
	o.Op = m.begin(op{kind: opDisconnectAll, method: "disconnect", slots: m.conns.Len()})
	var slot uint64
	for leaf := range m.conns.All() { // a version of its own
		c := *leaf.V
		m.stop(&c, waiter{o.Op.seq, slot}, &o)
		slot++
	}
	if slot == 0 {
		m.finish(o.Op.seq, Event{}, &o)
	}
	return m, o
}

// stop shuts a connection as disconnect does. One of Options.OnDemand keeps its name, and its
// place in the order of connect.
func (m *Manager) stop(c *conn, w waiter, o *Effects) {
	if !c.set.opt.OnDemand {
		m.disconnect(c, w, o)
		return
	}
	if c.condition == Idle {
		m.deliver(w, Checkup{Link: c.link()}, o)
		return
	}
	m.shut(c, w, o)
	c.failures, c.err = 0, nil
	m.becomeIdle(c)
}

// disconnect frees the name of a connection and shuts it. w is told when it is closed.
func (m *Manager) disconnect(c *conn, w waiter, o *Effects) {
	m.names = m.names.without(m.env.key, c.name)
	m.conns, _ = m.conns.Delete(c.number)
	m.shut(c, w, o)
}

// shut ends what a connection is doing. w is told when it is closed.
func (m *Manager) shut(c *conn, w waiter, o *Effects) {
	was, link := c.condition, c.link()
	c.until, c.ping = table.Never, table.Never
	m.move(c, Draining, nil, o)
	e := &Error{Class: ClassLost, Server: c.name, Err: errDisconnected}
	if was == Ready || was == Restoring {
		// The server is told what nobody waits for any more.
		var out client.Output
		c.client, out = c.client.Shutdown(m.time(), 0)
		m.absorb(c, out, o)
	}
	m.flush(c, e, o)
	m.endWaiters(c, e, o)
	if was.Live() {
		m.close(link, c.set, w, true, o)
	} else {
		m.closed(c.epoch, &closing{name: c.name, waiter: w, announced: true}, nil, o)
	}
}

var errDisconnected = errors.New("disconnected")

// close asks for the transport of an incarnation to be closed.
func (m *Manager) close(link Link, set *settings, w waiter, told bool, o *Effects) {
	by := m.after(set.Close)
	m.closing = m.closing.Put(link.Epoch, by, &closing{name: link.Server, since: m.now, waiter: w, announced: told})
	o.Actions = append(o.Actions, Action{Kind: ActClose, Link: link, By: m.at(by)})
}

// closed takes in that a transport is closed, or was given up with an error.
func (m *Manager) closed(epoch uint64, x *closing, e *Error, o *Effects) {
	link := Link{x.name, epoch}
	if x.announced {
		o.Events = append(o.Events, Event{Kind: ServerChanged, Link: link, From: Draining, To: Closed, Err: plain(e)})
	}
	m.deliver(x.waiter, Checkup{Link: link, Condition: Closed, Err: plain(e)}, o)
}

// kill gives up a transport that has not closed in time.
func (m *Manager) kill(leaf *table.Leaf[*closing], o *Effects) {
	o.Actions = append(o.Actions, Action{Kind: ActKill, Link: Link{leaf.V.name, leaf.Key}})
	e := &Error{Class: ClassTimeout, Server: leaf.V.name, Method: "close", Err: errors.New("not closed in time")}
	m.closed(leaf.Key, leaf.V, e, o)
}
