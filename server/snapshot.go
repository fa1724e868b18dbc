package server

import (
	"strings"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// Step returns how many transitions led to this State. A store compares it before it replaces a
// snapshot: see Snapshot.
func (s State) Step() uint64 { return s.core.Step() }

// Snapshot returns the session as JSON, for another machine or another day. It has remaining times.
// It is nil for the zero State. It excludes the Config and the catalog, but has the version of the
// catalog.
//
// Only the newest State of a session may continue. A store must ensure this: it returns only the
// newest snapshot, and replaces a snapshot only if Step is unchanged. Send the Output of a step
// after its snapshot is stored. A session that continues from an older snapshot repeats wire ids
// and progress that the client has seen, and answers requests twice.
func (s State) Snapshot() []byte {
	if s.cfg == nil {
		return nil
	}
	w := s.core.Snapshot()
	w.Text("catalog", s.catalog().version())
	w.Text("level", string(s.core.Profile().Level()))
	if f := s.feat; f != nil {
		w.URIs("subscriptions", f.subs)
		if f.changed != 0 && s.announces() {
			w.Text("changed", f.changed.String())
			w.Instant("announce", max(f.due, s.core.Now()))
		}
	}
	return append(w.Dst, '}')
}

// Restore returns the State of a snapshot: it continues as the original would, with all times
// counted from now, which replaces the time of the last transition. Restore only the newest
// snapshot of a session (see Snapshot). Handles of the original are not valid in it: Inbound and
// Outbound list the open requests with their new handles, identified by wire id.
//
// cfg must have the negotiated capabilities and the HashKey of the original. Its other settings
// apply from now on: keepalive, rates, delays, policies. Open requests keep their times. A snapshot
// that exceeds the limits of cfg is refused, with an error that is also ErrLimit; so is one with a
// revision that cfg no longer has. If the catalog differs, changed lists are announced.
//
// For any data, Restore returns a State that a session can reach, or an error. It takes time and
// memory linear in data, of at most lifecycle.MaxSnapshot bytes. Errors: ErrSnapshot for data that
// is damaged or does not match cfg, a *lifecycle.ConfigError for cfg.
func Restore(cfg Config, data []byte, now time.Time) (State, error) {
	s, err := New(cfg, now)
	if err != nil {
		return State{}, err
	}
	fields := engine.ReadFields(data)
	if s.core, err = engine.Restore(&s.cfg.env, fields, now); err != nil {
		return State{}, err
	}
	s.restoreFeatures(fields)
	if err := fields.Checked(s.Check); err != nil {
		return State{}, err
	}
	return s, nil
}

// maxVersion is how long the version of a catalog is at most, in bytes.
const maxVersion = 3*16 + 2

// restoreFeatures reads what the session has changed of its features.
func (s *State) restoreFeatures(fields *engine.Fields) {
	f, env := &features{due: table.Never}, &s.cfg.env
	if level := protocol.LoggingLevel(fields.Text("level")); level != "" {
		if !level.Valid() || s.core.Negotiated().IsZero() {
			fields.Fail("an unknown level, or one of nobody")
		} else {
			s.core.SetLevel(level)
		}
	}
	f.subs = fields.URIs("subscriptions", env)
	changed, known := protocol.ParseCapability(fields.Text("changed"))
	if !known || changed&^listChanges != 0 {
		fields.Fail("an unknown change")
	}
	due := fields.Instant("announce")
	if s.announces() {
		version := fields.Text("catalog")
		more := s.catalog().differs(version)
		if more != 0 && len(version) <= maxVersion {
			f.since, f.before = strings.Clone(version), changed
		}
		f.changed = (changed | more) & env.Caps
		switch {
		case f.changed == 0:
		case more == 0 && due == table.Never && s.core.Phase() == protocol.Initializing: // who listens has been told
		default:
			f.due = min(due, s.core.After(s.cfg.delay))
		}
	}
	if *f != (features{due: table.Never}) {
		s.feat = f
	}
}

// MarshalJSON always fails with lifecycle.ErrMarshal: use Snapshot.
func (State) MarshalJSON() ([]byte, error) { return nil, lifecycle.ErrMarshal }
