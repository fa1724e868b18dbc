package manager

import (
	"errors"
	"fmt"
	"time"

	"github.com/sansmcp/mcp/lifecycle/table"
)

// disconnect frees the name of a connection and shuts it down. w ends when it is closed.
func (m *Manager) disconnect(c *conn, w waiter, o *step) {
	m.names = m.names.Delete(m.hash(c.name), c.name)
	m.conns, _ = m.conns.Delete(c.number)
	m.shut(c, w, o)
}

// shut shuts down a connection. w ends when it is closed.
func (m *Manager) shut(c *conn, w waiter, o *step) {
	was, link := c.condition, c.link()
	c.until, c.ping = table.Never, table.Never
	m.move(c, Draining, nil, o)
	e := &Error{Class: ClassLost, Server: c.name, Err: errDisconnected}
	if was == Ready || was == Restoring {
		// This cancels its requests, so that the server stops working on them.
		next, out := c.client.Shutdown(m.clock.Time(), 0)
		m.absorb(c, next, out, o)
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

// close requests that the transport of a link be closed.
func (m *Manager) close(link Link, set *settings, w waiter, told bool, o *step) {
	by := m.clock.After(set.Close)
	m.closing = m.closing.Put(link.Epoch, by, &closing{name: link.Server, since: m.clock.Now(), waiter: w, announced: told})
	o.Actions = append(o.Actions, Action{Kind: ActClose, Link: link, By: m.clock.At(by)})
}

// closed ends what waits for a transport to close; e says why it was killed, nil if it was not.
func (m *Manager) closed(epoch uint64, x *closing, e *Error, o *step) {
	link := Link{x.name, epoch}
	if x.announced {
		o.Events = append(o.Events, Event{Kind: ServerChanged, Link: link, From: Draining, To: Closed, Err: plain(e)})
	}
	m.deliver(x.waiter, Checkup{Link: link, Condition: Closed, Err: plain(e)}, o)
}

// kill gives up a transport that has not closed by its deadline.
func (m *Manager) kill(leaf *table.Leaf[*closing], o *step) {
	o.Actions = append(o.Actions, Action{Kind: ActKill, Link: Link{leaf.V.name, leaf.Key}})
	e := &Error{Class: ClassTimeout, Server: leaf.V.name, Method: "close", Err: fmt.Errorf("transport not closed within %v; killed", time.Duration(m.clock.Now()-leaf.V.since))}
	m.closed(leaf.Key, leaf.V, e, o)
}
