package toolset

import (
	"math"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/lifecycle/clock"
	"github.com/sansmcp/mcp/lifecycle/table"
)

// entry is what there is of one server. It is copied before it is changed.
type entry struct {
	server  Server // with its defaults
	alone   bool   // it was the only one when it was added
	rank    uint64
	link    manager.Link // the incarnation of the connection
	state   manager.Condition
	retryAt time.Time // of manager.Waiting
	misses  int       // pings in a row without a sign of life
	trusted bool
	demand  bool      // it is opened when it is wanted
	since   time.Time // when it came to its state

	list      *listing // what was read last, nil if there is nothing
	stamp     int64    // when its first page was asked for
	old       bool     // an announcement came since, or the connection is another one
	back      bool     // it was lost, and its list was not read since
	wanted    bool     // it is to be read
	op        manager.Op
	asked     int64       // when the listing under way was begun, and before that the last one
	began     bool        // asked is that of this connection
	pace      int64       // not to be read before, after an announcement
	announced bool        // during the listing under way
	bad       []Rejection // definitions on the pages of the listing under way that are none
	more      int         // further ones
	gate      int64       // not to be read before, after a failure
	fails     int         // in a row
}

// entry returns what there is of a server, nil for none.
func (t *Toolset) entry(rank uint64) *entry {
	leaf := t.entries.Get(rank)
	if leaf == nil {
		return nil
	}
	return leaf.V
}

// named returns what there is of a server by its name, nil for none.
func (t *Toolset) named(server string) *entry {
	s := t.names.get(byServer, server)
	if s == nil {
		return nil
	}
	return t.entry(s.n)
}

// plain reports whether the tools of a server may have plain names.
func (t *Toolset) plain(e *entry) bool {
	return t.cfg.Naming.Names == naming.Plain || t.cfg.Naming.Names == naming.Auto && e.alone
}

// set keeps an entry, and when it is due.
func (t *Toolset) set(e entry) {
	t.entries = t.entries.Put(e.rank, t.due(&e), &e)
	t.good, _ = t.good.Delete(e.rank)
	t.open, _ = t.open.Delete(e.rank)
	t.asleep, _ = t.asleep.Delete(e.rank)
	switch {
	case !e.state.Live() && e.demand:
		t.asleep = t.asleep.Put(e.rank, table.Never, struct{}{})
	case !e.state.Live():
	case t.fresh(&e, math.MaxInt64):
		t.good = t.good.Put(e.rank, t.expiry(&e), struct{}{})
	default:
		t.open = t.open.Put(e.rank, table.Never, struct{}{})
	}
}

// due returns when there is something to do for a server, table.Never if nothing waits for time.
func (t *Toolset) due(e *entry) int64 {
	if e.state != manager.Ready || !e.op.IsZero() || t.closed {
		return table.Never
	}
	if e.wanted {
		return mayBegin(e)
	}
	if !t.cfg.Renew || e.list == nil {
		return table.Never
	}
	if e.old {
		return mayBegin(e)
	}
	return max(mayBegin(e), t.expiry(e), clock.Later(e.asked, max(t.cfg.MinInterval, 0)))
}

// mayBegin returns when a listing may begin.
func mayBegin(e *entry) int64 {
	return max(e.gate, e.pace)
}

// pace holds a listing that only an announcement asks for back.
func (t *Toolset) pace(e *entry) {
	if e.began && t.cfg.MinInterval > 0 {
		e.pace = clock.Later(e.asked, t.cfg.MinInterval)
	}
}

// expiry returns when a list is stale.
func (t *Toolset) expiry(e *entry) int64 {
	if e.server.Always {
		return e.stamp
	}
	return clock.Later(e.stamp, e.server.TTL)
}

// fresh reports whether the list of a server is good for a call that began at since.
func (t *Toolset) fresh(e *entry, since int64) bool {
	return e.list != nil && !e.back && (e.stamp >= since || !e.old && t.clock.Now() < t.expiry(e))
}

// health returns what calls to a server can expect.
func (e *entry) health() Health {
	switch {
	case e.state != manager.Ready || e.back:
		return Unavailable
	case e.misses > 0:
		return Degraded
	}
	return Healthy
}

// Status is what there is to say of the list of a server.
type Status struct {
	Server   string    // its name
	Health   Health    // what calls can expect
	Tools    int       // how many there are
	Asked    time.Time // when the list that is known was asked for; zero: none is
	Stale    bool      // it is to be read again before it is relied on, or there is none
	Reading  bool      // it is being read
	Failures int       // listings that failed since one went well
	RetryAt  time.Time // before when it is not asked for again; zero: it may be, or never is by itself
}

// Status returns that of a server; false if it is not in the catalogue.
func (t Toolset) Status(server string) (Status, bool) {
	e := t.named(server)
	if e == nil {
		return Status{}, false
	}
	s := Status{Server: server, Health: e.health(), Tools: len(e.list.all()), Stale: !t.fresh(e, math.MaxInt64), Reading: !e.op.IsZero(), Failures: e.fails}
	if e.list != nil {
		s.Asked = t.clock.At(e.stamp)
	}
	if t.clock.Now() < e.gate {
		s.RetryAt = t.clock.At(e.gate)
	}
	return s, true
}
