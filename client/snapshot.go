package client

import (
	"errors"
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
)

// Step returns how many transitions led to this State. A store compares it before it replaces a
// snapshot: see Snapshot.
func (s State) Step() uint64 { return s.core.Step() }

// Snapshot returns the session as JSON, for another machine or another day. It has remaining times.
// It is nil for the zero State. It excludes the Config.
//
// Only the newest State of a session may continue. A store must ensure this: it returns only the
// newest snapshot, and replaces a snapshot only if Step is unchanged. Send the Output of a step
// after its snapshot is stored. A session that continues from an older snapshot repeats wire ids
// and progress that the server has seen, and answers requests twice.
func (s State) Snapshot() []byte {
	if s.cfg == nil {
		return nil
	}
	w := s.core.Snapshot()
	if f := s.feat; f != nil {
		w.Raw("roots", string(f.roots))
		w.URIs("subscriptions", f.subs)
		w.Raw("verdict", string(f.verdict))
	}
	return append(w.Dst, '}')
}

// Restore returns the State of a snapshot: it continues as the original would, with all times
// counted from now, which replaces the time of the last transition. Restore only the newest
// snapshot of a session (see Snapshot). Handles of the original are not valid in it: Inbound and
// Outbound list the open requests with their new handles, identified by wire id.
//
// cfg must have the negotiated capabilities and the HashKey of the original. Its other settings
// apply from now on: keepalive, rates, policies. Open requests keep their times, and roots of
// SetRoots stay, if cfg has roots. A snapshot that exceeds the limits of cfg is refused, with an
// error that is also ErrLimit; so is one with a revision that cfg no longer has.
//
// For any data, Restore returns a State that a session can reach, or an error. It takes time and
// memory linear in data, of at most lifecycle.MaxSnapshot bytes. Errors: ErrSnapshot for data that
// is damaged or does not match cfg, a *lifecycle.ConfigError for cfg.
func Restore(cfg Config, data []byte, now time.Time) (State, error) {
	s, err := New(cfg, now)
	if err != nil {
		return State{}, err
	}
	return s.restore(data, now)
}

// RestoreSession is Restore with the Config of s, which is shared. It uses nothing else of s.
// Errors: ErrSnapshot, and ErrParams for the zero State or time.
func (s State) RestoreSession(now time.Time, data []byte) (State, error) {
	t, err := s.NewSession(now)
	if err != nil {
		return State{}, errors.Join(lifecycle.ErrParams, err)
	}
	return t.restore(data, now)
}

// restore reads a snapshot into a new session.
func (s State) restore(data []byte, now time.Time) (State, error) {
	var err error
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

// restoreFeatures reads what the session has changed of its features.
func (s *State) restoreFeatures(fields *engine.Fields) {
	var f features
	if raw := jsonrpc.Raw(fields.Raw("roots")); raw != "" {
		r, err := protocol.Decode[protocol.ListRootsResult](raw)
		if err == nil {
			f.roots, err = encodeRoots(r.Roots) // in memory of its own
		}
		if err != nil {
			fields.Fail("roots that are none")
		}
		if s.cfg.roots == "" {
			f.roots = "" // the Config leaves them to the application, or has none any more
		}
	}
	f.subs = fields.URIs("subscriptions", &s.cfg.env)
	if raw := fields.Raw("verdict"); raw != "" {
		r, err := protocol.Decode[protocol.DiscoverResult](protocol.Raw(raw))
		_, common := s.common(r.SupportedVersions)
		if err != nil || !common || len(raw) > s.cfg.env.Limits.Schema || !s.core.Negotiated().IsZero() && !s.core.Negotiated().Stateless() || s.core.Phase() == protocol.Uninitialized {
			fields.Fail("a verdict that is none")
		}
		f.verdict = Verdict(strings.Clone(raw))
	}
	if f != (features{}) {
		s.feat = &f
	}
}

// MarshalJSON always fails with lifecycle.ErrMarshal: use Snapshot.
func (State) MarshalJSON() ([]byte, error) { return nil, lifecycle.ErrMarshal }
