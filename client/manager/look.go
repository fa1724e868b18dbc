package manager

import (
	"iter"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/protocol"
)

// Info is the result of the handshake with a server.
type Info struct {
	Server       protocol.Implementation // serverInfo
	Capabilities protocol.Capability     // what the server declared
	Revision     protocol.Revision       // what was negotiated
}

// ServerInfo returns the result of the handshake with a server. Errors: ErrUnknownServer,
// ErrUnavailable (the handshake is not done).
func (m Manager) ServerInfo(name string) (Info, error) {
	c := m.named(name)
	switch {
	case c == nil:
		return Info{}, unknown(name, "server info")
	case c.condition != Ready && c.condition != Restoring:
		return Info{}, m.unavailable(c, "server info")
	}
	return Info{c.client.Peer(), c.client.PeerCapabilities(), c.client.Revision()}, nil
}

// Client returns the session of a server, for reading its capabilities and open requests; false if
// no server has the name.
func (m Manager) Client(name string) (client.State, bool) {
	c := m.named(name)
	if c == nil {
		return client.State{}, false
	}
	return c.client, true
}

// Options returns the Options of a server. Do not modify what they point to.
func (m Manager) Options(name string) (Options, bool) {
	c := m.named(name)
	if c == nil {
		return Options{}, false
	}
	return c.set.opt, true
}

// Link returns the current or last link of a name.
func (m Manager) Link(name string) (Link, bool) {
	c := m.named(name)
	if c == nil {
		return Link{}, false
	}
	return c.link(), true
}

// Status returns the status of a server; false if no server has the name.
func (m Manager) Status(name string) (Status, bool) {
	c := m.named(name)
	if c == nil {
		return Status{}, false
	}
	return m.status(c), true
}

// Statuses returns the status of every server, in connection order.
func (m Manager) Statuses() iter.Seq[Status] {
	return func(yield func(Status) bool) {
		for leaf := range m.conns.All() {
			if !yield(m.status(leaf.V)) {
				return
			}
		}
	}
}

// Closing returns the status of every link whose transport is being closed, the oldest first: its
// name is free, or has another link.
func (m Manager) Closing() iter.Seq[Status] {
	return func(yield func(Status) bool) {
		for leaf := range m.closing.All() {
			x := leaf.V
			if !yield(Status{Link: Link{x.name, leaf.Key}, Condition: Draining, Since: m.clock.At(x.since)}) {
				return
			}
		}
	}
}

// Pending returns how many operations have not ended.
func (m Manager) Pending() int { return m.ops.Len() }

// Subscriptions returns what a reconnect of a server would restore, in the order in which it
// was first subscribed to.
func (m Manager) Subscriptions(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		c := m.named(name)
		if c == nil {
			return
		}
		for leaf := range c.want.order.All() {
			if !yield(leaf.V) {
				return
			}
		}
	}
}

// Tells reports whether a server that is Ready tells of changes of a list: one with sessions that declared it, one
// without that agreed to it within the subscription that is open (SUBS-009).
func (m Manager) Tells(name string, list *protocol.List) bool {
	c := m.named(name)
	if c == nil || c.condition != Ready {
		return false
	}
	told := c.client.PeerCapabilities()
	if c.stateless() {
		told = c.told
	}
	return list.Change != 0 && told.Has(list.Change)
}

func (m *Manager) status(c *conn) Status {
	s := Status{
		Link: c.link(), Condition: c.condition, Since: m.clock.At(c.since), Err: plain(c.err), Dials: c.failures,
		Misses: c.misses, Latency: c.latency, ReadyCount: c.readyCount, Pending: c.purposes.Len(),
	}
	if c.condition.Live() {
		s.Dials++
		s.Revision = c.client.Revision()
	}
	s.RetryAt = m.retryAt(c)
	return s
}
