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

// Step returns how many transitions led to this State. A store compares it before it
// replaces a snapshot; see Snapshot.
func (s State) Step() uint64 { return s.core.Step() }

// Snapshot returns the session as JSON, to be continued by Restore, elsewhere or later. Times are
// stored as remaining durations. The Config is not included. The zero State returns nil.
//
// Only the newest State of a session may continue, and the store must ensure that: it hands out
// only the newest snapshot, to one machine at a time, and replaces it only with one from the
// machine that holds it, by comparing Step. Send the Output of a step after its snapshot is
// stored. A session that continues from an older snapshot repeats wire ids and progress that the
// server has seen, and answers requests twice.
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

// Restore returns the State of a snapshot. It behaves as the original would, with all times
// counted from now in place of the instant of the last transition. Restore only the newest
// snapshot of a session, as Snapshot explains. Handles of the original are not valid:
// Inbound and Outbound list the open requests with their new handles, and the wire id
// identifies each.
//
// cfg must promise what the original promised, because its capabilities were negotiated, and
// needs the original's HashKey, which finds calls. Its other settings apply from now on:
// keepalive, rates, policies. Open requests keep their times, and roots from SetRoots stay if
// cfg has roots. Restore refuses a snapshot that exceeds the limits of cfg, with an error that
// is also ErrLimit, and one with a revision that cfg lacks.
//
// For any data, Restore returns a State that a session can reach, or an error. It needs time and
// memory in proportion to data, which is at most lifecycle.MaxSnapshot bytes. Errors: ErrSnapshot
// for data that is damaged or does not match cfg, a *lifecycle.ConfigError for cfg.
func Restore(cfg Config, data []byte, now time.Time) (State, error) {
	s, err := New(cfg, now)
	if err != nil {
		return State{}, err
	}
	return s.restore(data, now)
}

// RestoreSession is Restore with the Config of s, which is shared, as NewSession is to New. It
// uses nothing else of s. Errors: ErrSnapshot; ErrParams for the zero State or a zero time.
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

// restoreFeatures reads the roots, subscriptions and Verdict of the session.
func (s *State) restoreFeatures(fields *engine.Fields) {
	var f features
	if raw := jsonrpc.Raw(fields.Raw("roots")); raw != "" {
		r, err := protocol.Decode[protocol.ListRootsResult](raw)
		if err == nil {
			f.roots, err = encodeRoots(r.Roots) // a copy
		}
		if err != nil {
			fields.Fail("invalid roots")
		}
		if s.cfg.roots == "" {
			f.roots = "" // the Config leaves roots to the application, or has none
		}
	}
	f.subs = fields.URIs("subscriptions", &s.cfg.env)
	if raw := fields.Raw("verdict"); raw != "" {
		r, err := protocol.Decode[protocol.DiscoverResult](protocol.Raw(raw))
		_, common := s.common(r.SupportedVersions)
		if err != nil || !common || len(raw) > s.cfg.env.Limits.Schema || !s.core.Negotiated().IsZero() && !s.core.Negotiated().Stateless() || s.core.Phase() == protocol.Uninitialized {
			fields.Fail("invalid verdict")
		}
		f.verdict = Verdict(strings.Clone(raw))
	}
	if f != (features{}) {
		s.feat = &f
	}
}

// MarshalJSON always fails with lifecycle.ErrMarshal: use Snapshot.
func (State) MarshalJSON() ([]byte, error) { return nil, lifecycle.ErrMarshal }
