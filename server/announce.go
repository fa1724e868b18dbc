package server

import (
	"strconv"
	"strings"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// SetCatalog replaces the catalog of the session and announces the lists that
// differ, where that is declared, within Config.ChangeDelay: changes that follow each
// other are announced once. Before the session is ready the announcement waits for that.
// The capabilities stay as they were negotiated: a catalog with a kind of list that was
// not declared is refused with ErrCapability. Other errors: ErrPhase (the zero State).
func (s State) SetCatalog(now time.Time, c *Catalog) (State, Output, error) {
	if c == nil {
		c = &Catalog{}
	}
	if s.cfg == nil {
		return s, Output{}, lifecycle.ErrPhase
	}
	caps := s.cfg.env.Caps
	if c.tools.declared && !caps.Has(protocol.CapTools) || c.prompts.declared && !caps.Has(protocol.CapPrompts) ||
		(c.resources.declared || c.templates.declared) && !caps.Has(protocol.CapResources) {
		return s, Output{}, &lifecycle.Misuse{Err: lifecycle.ErrCapability, Phase: s.core.Phase()}
	}
	var o Output
	s.core.Clock(now)
	old, f := s.catalog(), s.feat.copy()
	f.catalog = c
	if s.core.Phase().Live() && s.core.Phase() != protocol.Uninitialized {
		if f.changed == 0 {
			f.due = s.core.After(s.cfg.delay)
		}
		f.changed |= old.changes(c) & caps
	}
	s.feat = f
	if s.announceDue() <= s.core.Now() {
		s.announce(&o)
	}
	return s, o, nil
}

// announceDue returns when list changes are to be announced, table.Never if there are
// none or the session is not ready.
func (s *State) announceDue() int64 {
	if s.feat == nil || s.feat.changed == 0 || s.core.Phase() != protocol.Ready {
		return table.Never
	}
	return s.feat.due
}

// changes returns the list_changed capabilities of the lists that differ.
func (c *Catalog) changes(d *Catalog) protocol.Capability {
	var set protocol.Capability
	if c.tools.text != d.tools.text {
		set |= protocol.CapToolsListChanged
	}
	if c.resources.text != d.resources.text || c.templates.text != d.templates.text {
		set |= protocol.CapResourcesListChanged
	}
	if c.prompts.text != d.prompts.text {
		set |= protocol.CapPromptsListChanged
	}
	return set
}

// version tells catalogs apart: a hash of each kind of list.
func (c *Catalog) version() string {
	if c.hash != "" { // read once: a Snapshot is taken often
		return c.hash
	}
	v := ""
	for i, text := range [...]string{c.tools.text, c.resources.text + "\n" + c.templates.text, c.prompts.text} {
		if i > 0 {
			v += "-"
		}
		v += strconv.FormatUint(engine.Hash([2]uint64{}, uint64(i), text), 16)
	}
	return v
}

// differs returns the list_changed capabilities of the lists that are not those of a
// version.
func (c *Catalog) differs(version string) protocol.Capability {
	var set protocol.Capability
	have := strings.Split(c.version(), "-")
	for i, then := range strings.Split(version, "-") {
		if i >= len(have) || have[i] != then {
			set |= [...]protocol.Capability{protocol.CapToolsListChanged, protocol.CapResourcesListChanged, protocol.CapPromptsListChanged}[min(i, 2)]
		}
	}
	return set
}

// announce sends the list changes that are due.
func (s *State) announce(o *Output) {
	if s.feat == nil || s.feat.changed == 0 || s.core.Phase() != protocol.Ready {
		return
	}
	f := s.feat.copy()
	due := f.changed
	f.changed = 0
	s.feat = f
	for _, n := range [...]struct {
		cap protocol.Capability
		p   protocol.Params
	}{
		{protocol.CapToolsListChanged, protocol.ToolListChangedParams{}},
		{protocol.CapResourcesListChanged, protocol.ResourceListChangedParams{}},
		{protocol.CapPromptsListChanged, protocol.PromptListChangedParams{}},
	} {
		if due.Has(n.cap) {
			// Only what was declared is in the set, and the phase is right.
			_ = s.core.Notify(n.p, Call{}, o)
		}
	}
}
