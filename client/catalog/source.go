package catalog

import (
	"math"
	"slices"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle/clock"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// place is the key of a server's list in tables, in server order.
func place(rank uint64, kind int) uint64 { return rank*kinds + uint64(kind) }

// source returns the source with a rank; nil if none.
func (c *Catalog) source(rank uint64) *source {
	leaf := c.sources.Get(rank)
	if leaf == nil {
		return nil
	}
	return leaf.V
}

// named returns the source with a name; nil if none.
func (c *Catalog) named(server string) *source {
	s := c.names.get(byServer, server)
	if s == nil {
		return nil
	}
	return c.source(s.n)
}

// set stores a source with its deadline.
func (c *Catalog) set(s source) {
	c.sources = c.sources.Put(s.rank, c.due(&s), &s)
	c.nth = max(c.nth, s.nth)
}

// due returns the deadline of a server; table.Never if it has none.
func (c *Catalog) due(s *source) int64 {
	due := int64(table.Never)
	for _, k := range c.reads {
		due = min(due, c.listDue(s, k))
	}
	return due
}

// listDue returns when a list must be read; table.Never if no deadline requires it.
func (c *Catalog) listDue(s *source, kind int) int64 {
	l := &s.lists[kind]
	if s.state != manager.Ready || !l.op.IsZero() || c.closed {
		return table.Never
	}
	if l.wanted {
		return l.mayBegin()
	}
	if !c.cfg.Renew || l.list == nil {
		return table.Never
	}
	if l.old {
		return l.mayBegin()
	}
	return max(l.mayBegin(), s.expiry(kind), clock.Later(l.asked, max(c.cfg.MinInterval, 0)))
}

// mayBegin returns when a reading may begin.
func (l *reading) mayBegin() int64 { return max(l.retryAfter, l.readAfter) }

// pace delays a reading that only an announcement requires.
func (c *Catalog) pace(l *reading) {
	if l.began && c.cfg.MinInterval > 0 {
		l.readAfter = clock.Later(l.asked, c.cfg.MinInterval)
	}
}

// expiry returns when a list becomes stale.
func (s *source) expiry(kind int) int64 {
	if s.Always {
		return s.lists[kind].stamp
	}
	return clock.Later(s.lists[kind].stamp, s.TTL)
}

// fresh reports whether a list of a server is fresh for a call that began at since.
func (c *Catalog) fresh(s *source, kind int, since int64) bool {
	l := &s.lists[kind]
	return l.list != nil && !l.lostSince && (l.stamp >= since || !l.old && c.clock.Now() < s.expiry(kind))
}

// health returns what calls to a server can expect.
func (s *source) health(kind int) Health {
	switch {
	case s.state != manager.Ready || s.lists[kind].lostSince:
		return Unavailable
	case s.misses > 0:
		return Degraded
	}
	return Healthy
}

// Status is the status of a list of a server.
type Status struct {
	Server   string    // its name
	Health   Health    // its health for calls
	Items    int       // the number of items
	Asked    time.Time // when the list was requested; zero if it is not known
	Version  uint64    // of the list; equal while every byte is
	Stale    bool      // it is stale, or not known
	Reading  bool      // it is being read
	Failures int       // failed readings since the last success
	RetryAt  time.Time // the end of the back-off after a failure; zero if there is none, or it never ends
}

// Status returns the Status of a list of a server; false if it is not in the Catalog.
func (c Catalog) Status(kind *protocol.List, server string) (Status, bool) {
	s, k := c.named(server), kindOf(kind)
	if s == nil || !slices.Contains(c.reads, k) {
		return Status{}, false
	}
	l := &s.lists[k]
	st := Status{Server: server, Health: s.health(k), Items: len(l.list.all()), Stale: !c.fresh(s, k, math.MaxInt64), Reading: !l.op.IsZero(), Failures: l.fails}
	if l.list != nil {
		st.Asked, st.Version = c.clock.At(l.stamp), l.list.version
	}
	if c.clock.Now() < l.retryAfter {
		st.RetryAt = c.clock.At(l.retryAfter)
	}
	return st, true
}

// newest returns the number of the last server whose templates became known; 0 if none.
func (c *Catalog) newest() (n uint64) {
	for leaf := range c.sources.All() {
		n = max(n, leaf.V.nth)
	}
	return n
}
