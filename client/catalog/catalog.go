package catalog

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/lifecycle/clock"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// New returns a Catalog of the servers and the local tools of cfg. now is the origin of all its times
// and must not be zero. If servers are connected already, call Handle, with empty Effects if there are
// none. Errors: lifecycle.ErrConfig; ErrServer for a server that is there twice; ErrItem for a local
// tool; *ConflictError for two local tools with the same name, and for one whose name is the qualified name
// of a tool of a server.
func New(cfg Config, now time.Time) (Catalog, error) {
	checked, err := cfg.check()
	if err != nil {
		return Catalog{}, err
	}
	if now.IsZero() {
		return Catalog{}, &lifecycle.ConfigError{Package: "catalog", Field: "now", Value: "the zero time", Why: "want the time of the first step"}
	}
	c := Catalog{cfg: &checked, clock: clock.New(now), random: backoff.Random(cfg.Seed)}
	checked.Sources, checked.Local = nil, nil
	for k, of := range protocol.Lists() {
		if slices.Contains(checked.Kinds, of) {
			c.reads = append(c.reads, k)
		}
	}
	for _, s := range cfg.Sources {
		if err := c.enter(s, len(cfg.Sources) == 1); err != nil {
			return Catalog{}, err
		}
	}
	if _, err := c.setLocal(cfg.Local); err != nil {
		return Catalog{}, err
	}
	return c, nil
}

// beganAt returns the instant at which a call began, at the latest now.
func (c *Catalog) beganAt(since time.Time) int64 { return min(c.clock.Now(), c.clock.Of(since)) }

// Advance moves the time on to now, and returns the latest time that a step was given. Lists whose TTL
// has passed by then are stale.
func (c Catalog) Advance(now time.Time) (Catalog, time.Time) {
	c.clock.Take(now)
	return c, c.clock.Time()
}

// NextDeadline returns when Tick is next due; false if nothing waits. It takes constant time.
func (c Catalog) NextDeadline() (time.Time, bool) {
	due := c.sources.Min()
	return c.clock.At(due), due != table.Never
}

// Closed reports whether Close was called.
func (c Catalog) Closed() bool { return c.closed }

// enter adds a server behind all others; alone says that there are none.
func (c *Catalog) enter(s Source, alone bool) error {
	if err := s.fill(c.cfg); err != nil {
		return err
	}
	if c.names.get(byServer, s.Name) != nil {
		return duplicate(s.Name)
	}
	if !c.cfg.PassThrough && c.sources.Len() >= c.cfg.Limits.Sources {
		return fmt.Errorf("%w: %w: %d servers, limit %d", lifecycle.ErrConfig, errTooMany, c.sources.Len()+1, c.cfg.Limits.Sources)
	}
	for _, l := range c.local.all() {
		if server, _, ok := c.look(ofTools, l.key); ok && server == s.Name {
			return &ConflictError{Name: l.id, Existing: l.ref(), Incoming: ItemID{Server: s.Name}}
		}
	}
	c.last++
	c.set(source{Source: s, owner: &owner{c.last, s.Name}, alone: alone})
	c.names = c.names.put(slot{tag: byServer, text: s.Name, n: c.last})
	if slices.ContainsFunc(c.reads, isURI) {
		c.names = c.names.put(slot{tag: byScheme, text: naming.Scheme(s.Name), n: c.last})
	}
	return nil
}

// duplicate returns the error for the name of a server that is there already.
func duplicate(name string) error {
	return fmt.Errorf("%w: %w: %q is there already", lifecycle.ErrConfig, ErrServer, name)
}

// setLocal replaces the local tools.
func (c *Catalog) setLocal(defs []protocol.Tool) (Change, error) {
	items, named := make([]*item, 0, len(defs)), make(map[string]*item, len(defs))
	for _, def := range defs {
		if !naming.Valid(def.Name, c.cfg.Limits.Name) {
			return Change{}, errors.Join(lifecycle.ErrConfig, ErrItem, errName)
		}
		raw := protocol.Raw(def.AppendJSON(nil)) // nothing of the caller's is kept
		own, err := protocol.Decode[protocol.Tool](raw)
		if err != nil {
			return Change{}, fmt.Errorf("%w: %w: %w", lifecycle.ErrConfig, ErrItem, err)
		}
		n := c.local.get(own.Name)
		if n == nil || n.raw != raw {
			n = c.item(ofTools, &owner{}, own.Name, raw)
		}
		if other := named[n.key]; other != nil {
			return Change{}, &ConflictError{Name: n.key, Existing: other.ref(), Incoming: n.ref()}
		}
		if c.reserved(n) {
			server, _, _ := c.look(ofTools, n.key)
			return Change{}, &ConflictError{Name: n.key, Existing: ItemID{Server: server}, Incoming: n.ref()}
		}
		items, named[n.key] = append(items, n), n
	}
	before, next := c.local, listOf(ofTools, items, &Filter{})
	c.local = next
	ch := Change{Kind: protocol.ToolList}
	c.install(&ch, before, next)
	return ch, nil
}

// Includes reports whether a server is in the Catalog.
func (c Catalog) Includes(server string) bool { return c.names.get(byServer, server) != nil }

// Sources returns the names of the servers in the order of precedence.
func (c Catalog) Sources() []string {
	list := make([]string, 0, c.sources.Len())
	for leaf := range c.sources.All() {
		list = append(list, leaf.V.Name)
	}
	return list
}
