package toolset

import (
	"errors"
	"fmt"
	"time"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/lifecycle/clock"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// Toolset is the catalogue of the tools of a program and of the servers of a Manager, under one
// set of names. It stands beside the Manager as a client.Mirror beside a State: it takes in every
// Output, and reads the lists that it needs. It is an immutable value: each step returns the
// next, and the one before stays as it was. The zero Toolset is not usable; New makes one.
//
// Looking something up never waits and never asks a server. Seek, which a Caller does for each
// call, says which lists have to be read first and has them read.
type Toolset struct {
	cfg     Config // without Servers and Local
	clock   clock.Clock
	entries table.Table[*entry]
	good    table.Table[struct{}] // servers whose lists are fresh, until they are stale
	open    table.Table[struct{}] // servers whose lists are not, and which can be asked or soon will be
	asleep  table.Table[struct{}] // servers that are not open, and are opened when they are wanted
	ops     table.Table[uint64]   // of listings under way, to the server; 0 for a server that is being opened
	names   index
	local   *listing
	inputs  table.Table[*attempt.Input] // of tools that were called, by uid
	last    uint64                      // rank of the newest server
	uid     uint64                      // of the newest tool
	listed  int                         // tools of all lists
	random  backoff.Random
	looked  bool // the first Output was seen
	closed  bool
}

// Update are what a step asks of its caller: what the Manager asks, without the events of the
// listings of the Toolset, and what became of the tools.
type Update struct {
	manager.Effects
	// Changes say what became of the tools of servers, in the order of cause.
	Changes []Change
	// Settled are servers of which a call that waits may know more now: a listing has ended, or
	// the server will not be there soon.
	Settled []string
}

// New returns a Toolset for the servers and the local tools of cfg. now is the origin of all its
// times and must not be zero. Errors: ErrConfig; ErrServer for a name of a server that is there
// twice; ErrCollision for two local tools of one name and for one that looks like the qualified
// name of a tool of a server; ErrTool and ErrToolName for a local tool (A1, E34). For servers that
// are connected already, Handle has to see an Output, which may be an empty one.
func New(cfg Config, now time.Time) (Toolset, error) {
	checked, err := cfg.check()
	if err != nil {
		return Toolset{}, err
	}
	if now.IsZero() {
		var f lifecycle.Filler
		f.Wrong("now", "the zero time", "want the time of the first step")
		return Toolset{}, f.Err("toolset")
	}
	t := Toolset{cfg: checked, clock: clock.New(now), random: backoff.Random(cfg.Seed)}
	t.cfg.Servers, t.cfg.Local = nil, nil
	for _, s := range cfg.Servers {
		if err := t.enter(s, len(cfg.Servers) == 1); err != nil {
			return Toolset{}, err
		}
	}
	if _, err := t.setLocal(cfg.Local); err != nil {
		return Toolset{}, err
	}
	return t, nil
}

// begin begins a step at now: lists whose time is over are stale from then on.
func (t *Toolset) begin(now time.Time) {
	t.clock.Take(now)
	if t.good.Min() > t.clock.Now() {
		return
	}
	var stale []*table.Leaf[struct{}]
	t.good, stale = t.good.Expire(t.clock.Now())
	for _, leaf := range stale {
		t.open = t.open.Put(leaf.Key, table.Never, struct{}{})
	}
}

// began returns the instant at which a call began, at the latest now.
func (t *Toolset) began(since time.Time) int64 { return min(t.clock.Now(), t.clock.Of(since)) }

// NextDeadline returns when Tick is next due; false if nothing waits. It takes constant time.
func (t Toolset) NextDeadline() (time.Time, bool) {
	due := t.entries.Min()
	return t.clock.At(due), due != table.Never
}

// Closed reports whether Close was called.
func (t Toolset) Closed() bool { return t.closed }

// enter adds a server behind all others; alone says that there are none.
func (t *Toolset) enter(s Server, alone bool) error {
	if err := s.fill(&t.cfg); err != nil {
		return err
	}
	if t.names.get(byServer, s.Name) != nil {
		return fmt.Errorf("%w: %w: duplicate server %q", ErrConfig, ErrServer, s.Name)
	}
	if t.entries.Len() >= t.cfg.Limits.Servers {
		return fmt.Errorf("%w: %w: %d servers, limit %d", ErrConfig, ErrTooMany, t.entries.Len()+1, t.cfg.Limits.Servers)
	}
	for _, l := range t.local.all() {
		if l.looks == s.Name {
			return &CollisionError{ID: l.id, Existing: l.ref(), Incoming: Ref{Server: s.Name}}
		}
	}
	t.last++
	t.set(entry{server: s, rank: t.last, alone: alone})
	t.names = t.names.put(slot{kind: byServer, text: s.Name, n: t.last})
	return nil
}

// setLocal replaces the local tools.
func (t *Toolset) setLocal(tools []protocol.Tool) (Change, error) {
	list := &listing{named: make(map[string]*tool, len(tools))}
	for _, def := range tools {
		if !naming.Valid(def.Name, t.cfg.Limits.Name) {
			return Change{}, errors.Join(ErrConfig, ErrTool, ErrToolName)
		}
		raw := protocol.Raw(def.AppendJSON(nil))
		own, err := protocol.Decode[protocol.Tool](raw) // nothing of the caller's is kept
		if err != nil {
			return Change{}, fmt.Errorf("%w: %w: %w", ErrConfig, ErrTool, err)
		}
		n := t.local.get(own.Name)
		if n == nil || n.raw != raw {
			n = t.tool(0, "", own, raw)
		}
		if other := list.named[def.Name]; other != nil {
			return Change{}, &CollisionError{ID: def.Name, Existing: other.ref(), Incoming: n.ref()}
		}
		if t.reserved(n) {
			server := n.looks
			return Change{}, &CollisionError{ID: def.Name, Existing: Ref{Server: server}, Incoming: n.ref()}
		}
		list.tools = append(list.tools, n)
		list.named[def.Name] = n
	}
	before := t.local
	t.local = list
	c := Change{}
	t.install(&c, before, list)
	return c, nil
}

// reserved reports whether the plain name of a tool is that of a tool of a server: it is or may
// be the qualified name of one.
func (t *Toolset) reserved(n *tool) bool {
	return n.cut || n.looks != "" && t.names.get(byServer, n.looks) != nil
}

// Servers returns the names of the servers in the order of precedence.
func (t Toolset) Servers() []string {
	list := make([]string, 0, t.entries.Len())
	for leaf := range t.entries.All() {
		list = append(list, leaf.V.server.Name)
	}
	return list
}
