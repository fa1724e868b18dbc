package server

import (
	"strings"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// SetCatalog replaces the catalog of the session and announces the lists that differ, if their
// list_changed capability is declared, within Config.ChangeDelay: changes in quick succession are
// announced once. Before the session is ready the announcement waits. The capabilities stay as they
// were negotiated: a catalog with a kind of list that was not declared is refused with
// ErrCapability. The other error is ErrPhase (the zero State). After Restore the first SetCatalog
// compares with the catalog at the time of the snapshot.
func (s State) SetCatalog(now time.Time, c *Catalog) (State, Output, error) {
	if c == nil {
		c = &Catalog{}
	}
	if s.cfg == nil {
		return s, Output{}, lifecycle.ErrPhase
	}
	caps := s.cfg.env.Caps
	if lacks := c.caps() &^ caps; lacks != 0 {
		return s, Output{}, &lifecycle.OpError{Op: "set catalog", Err: lifecycle.ErrCapability, Phase: s.core.Phase(), Detail: engine.Lacks(protocol.Server, lacks, true)}
	}
	var o Output
	s.core.Clock(now)
	old, f := s.catalog(), s.feat.copy()
	f.catalog = c
	if s.announces() {
		if f.changed == 0 || f.due == table.Never {
			f.due = s.core.After(s.cfg.delay)
		}
		if f.since != "" {
			f.changed, f.since = (f.before|c.differs(f.since))&caps, ""
		} else {
			f.changed |= old.changes(c) & caps
		}
	}
	s.feat = f
	if s.announceDue() <= s.core.Now() {
		s.announce(&o)
	}
	return s, o, nil
}

// Offer gives the session the catalog of h, as SetCatalog does, without the kinds of lists that the
// session has not declared. If h is nil, or its catalog cannot be made, the session is offered
// nothing. A driver calls it with Companion.Handlers before each message. Errors: ErrPhase (the
// zero State).
func (s State) Offer(now time.Time, h *Handlers) (State, Output, error) {
	var c *Catalog
	if h != nil {
		c, _ = h.Catalog() // nil with an error
	}
	return s.SetCatalog(now, c.only(s.Capabilities()))
}

// announces reports whether list changes are announced, now or once the session is ready: before
// the handshake the client has seen no list, and at the end it gets nothing more.
func (s *State) announces() bool {
	return s.core.Phase() == protocol.Initializing || s.told()
}

// told reports whether a client gets list changes now: the client of a session that is ready, or a
// client that listens without a session.
func (s *State) told() bool { return s.core.Phase() == protocol.Ready || s.listens() }

// announceDue returns when to announce list changes, table.Never if there are none or the session
// is not ready (LIFE-041).
func (s *State) announceDue() int64 {
	if s.feat == nil || s.feat.changed == 0 || !s.told() {
		return table.Never
	}
	return s.feat.due
}

// changes returns the list_changed capabilities of the lists that differ.
func (c *Catalog) changes(d *Catalog) protocol.Capability {
	var set protocol.Capability
	for _, l := range protocol.Lists() {
		if !c.list(l).same(d.list(l)) {
			set |= l.Change
		}
	}
	return set
}

// differs returns the list_changed capabilities of the lists that differ from those of a version.
// The version may be any text, of any length.
func (c *Catalog) differs(version string) protocol.Capability {
	var set protocol.Capability
	have := c.version()
	for _, changed := range [...]protocol.Capability{protocol.CapToolsListChanged, protocol.CapResourcesListChanged, protocol.CapPromptsListChanged} {
		now, moreNow, _ := strings.Cut(have, "-")
		then, moreThen, _ := strings.Cut(version, "-")
		if now != then {
			set |= changed
		}
		have, version = moreNow, moreThen
	}
	if version != "" { // not a version of this package
		return listChanges
	}
	return set
}

// announce sends the list changes that are due (TOOL-020, RES-016, PROMPT-011, SUBS-024, SUBS-026).
func (s *State) announce(o *Output) {
	if s.feat == nil || s.feat.changed == 0 || !s.told() {
		return
	}
	due, f := s.feat.changed, s.feat.copy()
	if s.core.Phase() == protocol.Initializing { // listeners get it now, the session once it is ready
		f.due = table.Never
	} else {
		f.changed, f.since = 0, ""
	}
	s.feat = f
	ready := s.core.Phase() == protocol.Ready
	for _, l := range protocol.Lists() {
		if due.Has(l.Change) {
			due &^= l.Change // two lists can share it
			if ready {
				// Only what was declared is in the set, and the phase is right.
				_ = s.core.Notify(protocol.RawRequest{Name: l.Changed}, Call{}, nil, o)
			}
			_ = s.tellListeners(protocol.RawRequest{Name: l.Changed}, o)
		}
	}
}

// Tick handles the deadlines that have passed: timeouts, the end of a grace period. A call before
// NextDeadline does nothing; afterwards the next deadline is later than now, or there is none.
func (s State) Tick(now time.Time) (State, Output) {
	var o Output
	s.core.Clock(now)
	s.core.Tick(&o)
	if s.announceDue() <= s.core.Now() {
		s.announce(&o)
	}
	return s, o
}

// NextDeadline returns when to call Tick next; false if nothing waits. O(1).
func (s State) NextDeadline() (time.Time, bool) { return s.core.NextDeadline(s.announceDue()) }
