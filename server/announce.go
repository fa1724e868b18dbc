package server

import (
	"strings"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// SetCatalog replaces the catalog of the session and announces changed lists, if declared, within
// Config.ChangeDelay, so that successive changes are announced once, and not before the session is
// ready. A catalog with a kind of list that was not declared is refused with ErrCapability. Other
// errors: ErrPhase (the zero State). After Restore the first SetCatalog is compared with the
// catalog of the snapshot.
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

// Offer gives the session the catalog of h, as SetCatalog does, without the kinds of lists that it
// has not declared. Nil Handlers, and those with an invalid catalog, offer nothing. A driver calls
// it with Companion.Handlers before each message. Errors: ErrPhase (the zero State).
func (s State) Offer(now time.Time, h *Handlers) (State, Output, error) {
	var c *Catalog
	if h != nil {
		c, _ = h.Catalog() // nil beside an error
	}
	return s.SetCatalog(now, c.only(s.Capabilities()))
}

// announces reports whether list changes are announced, now or once the session is ready:
// the client has seen no list before the handshake, and is told nothing more at the end.
func (s *State) announces() bool {
	return s.core.Phase() == protocol.Initializing || s.told()
}

// told reports whether somebody is told of list changes now: the client of the session, once that is
// ready, or one that listens without a session.
func (s *State) told() bool { return s.core.Phase() == protocol.Ready || s.listens() }

// announceDue returns when list changes are to be announced, table.Never if there are
// none or the session is not ready (LIFE-041).
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

// differs returns the list_changed capabilities of the lists that are not those of a
// version. The version may be any text, of any length.
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
	if version != "" { // no version of ours
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
	if s.core.Phase() == protocol.Initializing { // who listens is told now, and the session once it is ready
		f.due = table.Never
	} else {
		f.changed, f.since = 0, ""
	}
	s.feat = f
	ready := s.core.Phase() == protocol.Ready
	for _, l := range protocol.Lists() {
		if due.Has(l.Change) {
			due &^= l.Change // which two lists may have in common
			if ready {
				// Only what was declared is in the set, and the phase is right.
				_ = s.core.Notify(protocol.RawRequest{Name: l.Changed}, Call{}, nil, o)
			}
			_ = s.tellListeners(protocol.RawRequest{Name: l.Changed}, o)
		}
	}
}

// Tick handles all deadlines up to now. Before NextDeadline it does nothing; afterwards the next
// deadline is later than now, or there is none.
func (s State) Tick(now time.Time) (State, Output) {
	var o Output
	s.core.Clock(now)
	s.core.Tick(&o)
	if s.announceDue() <= s.core.Now() {
		s.announce(&o)
	}
	return s, o
}

// NextDeadline returns when Tick is next due; false if it is not. It takes constant time.
func (s State) NextDeadline() (time.Time, bool) { return s.core.NextDeadline(s.announceDue()) }
