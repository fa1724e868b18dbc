package catalog

import (
	"math"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// Found is the result of Seek: an Item, an Err as from Missing, or servers to wait for.
type Found struct {
	Item Item  // the item
	Err  error // why there is none
	// Waits are the servers whose lists must be read first. They are being read, or will be when
	// their server is ready. Call Seek again when Update.Settled has one of them.
	Waits []string
}

// Seek is Lookup for a call that began at since; the zero Time means now. If a list is stale, or not
// known yet, it has the list read. It does not block: Found.Waits lists the servers to wait for.
//
// A local tool is found at once, and an item of a server if its list is fresh. A name is unknown if the
// lists of all servers that may have it, and are ready or soon will be, are fresh. A list that was
// requested at since or later counts as fresh. A call does not wait for a server that is not ready soon
// or that is in back-off: its last list counts. A server with manager.Options.OnDemand is opened if it
// may have the item.
func (c Catalog) Seek(m manager.Manager, now time.Time, kind *protocol.List, name string, since time.Time) (Catalog, manager.Manager, Found, Update) {
	c.clock.Take(now)
	k := kindOf(kind)
	switch {
	case c.closed:
		return c, m, Found{Err: errClosed}, Update{}
	case k < 0:
		return c, m, Found{Err: ErrUnknown}, Update{}
	}
	from := c.clock.Now()
	if !since.IsZero() {
		from = c.beganAt(since)
	}
	s := search{c: c, m: m, kind: k, since: from}
	found := s.seek(name)
	s.m = s.c.run(s.m, &s.u)
	return s.c, s.m, found, s.u
}

// search is one Seek in progress.
type search struct {
	c     Catalog
	m     manager.Manager
	kind  int
	since int64 // when the call began
	u     Update
	waits []string
}

// seek looks up a name, and requests the missing lists.
func (s *search) seek(name string) (found Found) {
	c, n := &s.c, s.c.find(s.kind, name)
	switch {
	case n == nil:
		s.each(name)
	case n.rank != 0:
		if n.id != name {
			s.before(n.rank)
		}
		s.need(c.source(n.rank))
	}
	if found.Waits = s.waits; found.Waits != nil {
		return found
	}
	if n == nil {
		found.Err = c.missing(s.kind, name)
		return found
	}
	found.Item = c.view(n)
	return found
}

// each requests the lists of the servers that may have an item with an unknown name.
func (s *search) each(name string) {
	c := &s.c
	if server, _ := c.parse(s.kind, name); server != nil {
		s.need(c.source(server.n))
		return
	}
	cut := c.long(s.kind, name)
	if c.cfg.Naming.Names == naming.Always && !isURI(s.kind) && !cut {
		return
	}
	s.all(math.MaxUint64, cut, true)
}

// before requests the lists of the servers before rank that might have an item with the same name.
// With Ordered it opens these servers and waits for them.
func (s *search) before(rank uint64) {
	waits := s.waits
	s.all(rank, false, s.c.cfg.Ordered)
	if !s.c.cfg.Ordered {
		s.waits = waits
	}
}

// all requests the stale lists of the servers before rank: of those whose items may have plain names,
// or with cut of all. With demand it opens servers on demand.
func (s *search) all(rank uint64, cut, demand bool) {
	for leaf := range s.c.sources.All() { // iterates over the version at the start
		if leaf.Key >= rank {
			return
		}
		if of := s.c.source(leaf.Key); (demand || of.state.Live()) && (cut || s.c.plain(of, s.kind)) {
			s.need(of)
		}
	}
}

// Settled reports whether a call that began at since need not wait for a list of a server: the list is
// fresh, or cannot be read now.
func (c Catalog) Settled(kind *protocol.List, server string, since time.Time) bool {
	s, k := c.named(server), kindOf(kind)
	if s == nil || k < 0 || c.fresh(s, k, c.beganAt(since)) {
		return true
	}
	l := &s.lists[k]
	return !s.state.Live() || s.state == manager.Ready && l.op.IsZero() && c.clock.Now() < l.retryAfter
}

// need requests the list of a server if it is not fresh, and adds the server to waits. It opens a
// server on demand.
func (s *search) need(of *source) {
	c := &s.c
	if c.fresh(of, s.kind, s.since) {
		if c.expired(s.m, of, s.kind, s.since) {
			s.want(of.rank) // the call continues with the current list
		}
		return
	}
	l := &of.lists[s.kind]
	switch {
	case of.state.Live() && of.state != manager.Ready, !l.op.IsZero():
	case of.state != manager.Ready:
		if !s.open(of) {
			return
		}
	case c.clock.Now() < l.retryAfter:
		return
	}
	s.want(of.rank)
	s.waits = append(s.waits, of.Name)
}

// want requests the list of a server, unless it is being read.
func (s *search) want(rank uint64) {
	if of := s.c.source(rank); of.lists[s.kind].op.IsZero() && !of.lists[s.kind].wanted {
		next := *of
		next.lists[s.kind].wanted = true
		s.c.set(next)
	}
}

// open opens a server on demand; false if it must not be opened now. If opening has failed since
// the call began, that is the answer to the call.
func (s *search) open(of *source) bool {
	if !of.demand || of.state == manager.Failed && s.c.clock.Of(of.since) >= s.since {
		return false
	}
	m, out, err := s.m.Open(s.c.clock.Time(), of.Name)
	if err != nil {
		return false
	}
	s.c.ops = s.c.ops.Put(out.Op.Seq(), table.Never, 0) // its result is a change of the server
	s.m = s.c.take(m, out, &s.u)
	return true
}

// Await opens the server that a call is bound to, if it is opened on demand and not ready. It reports
// whether the call, which began at since, must wait for it.
func (c Catalog) Await(m manager.Manager, now time.Time, kind *protocol.List, server string, since time.Time) (Catalog, manager.Manager, bool, Update) {
	c.clock.Take(now)
	of, k := c.named(server), kindOf(kind)
	if of == nil || k < 0 || !of.demand || of.state == manager.Ready {
		return c, m, false, Update{}
	}
	s := search{c: c, m: m, kind: k, since: c.beganAt(since)}
	if !of.state.Live() && !s.open(of) {
		return c, m, false, Update{}
	}
	next := *s.c.source(of.rank)
	next.lists[k].wanted = true // ends in Settled
	s.c.set(next)
	return s.c, s.m, true, s.u
}

// Missing returns why Lookup finds nothing. For a qualified name of a server whose list is not known it
// is a *manager.Error of ClassUnavailable with the server, its Condition and RetryAt. Otherwise it is
// ErrUnknown, or lifecycle.ErrClosed.
func (c Catalog) Missing(kind *protocol.List, name string) error {
	if c.closed {
		return errClosed
	}
	if k := kindOf(kind); k >= 0 {
		return c.missing(k, name)
	}
	return ErrUnknown
}

func (c *Catalog) missing(kind int, name string) error {
	server, _ := c.parse(kind, name)
	if server == nil {
		return ErrUnknown
	}
	s := c.source(server.n)
	l := &s.lists[kind]
	if l.list != nil {
		return ErrUnknown
	}
	err := &manager.Error{Class: manager.ClassUnavailable, Server: s.Name, Condition: s.state, RetryAt: s.retryAt, Err: manager.ErrUnavailable}
	if s.state == manager.Ready && c.clock.Now() < l.retryAfter && l.retryAfter != table.Never {
		err.RetryAt = c.clock.At(l.retryAfter)
	}
	return err
}
