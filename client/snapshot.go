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
// replaces one snapshot by another: Snapshot says why.
func (s State) Step() uint64 { return s.core.Step() }

// Snapshot returns the session as JSON, for another machine or another day. Times are
// written as what is left of them. The zero State has none: nil. The Config is not in it.
//
// A session has one newest State, and only that one may go on. A store has to see to it: it
// hands out the newest snapshot alone, to one machine at a time, and takes a new one in
// place of the one that it handed out, by comparing Step, or not at all. What came of a
// step is sent after its snapshot was stored. A session that goes on from an older snapshot sends
// wire ids and progress again that the server has seen, and answers requests twice.
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

// Restore returns the State of a snapshot: it does what the original would do, with all
// times counted from now, which stands for the instant of the last transition. It is for
// the newest snapshot of a session alone, as Snapshot says. Handles of the original are not
// valid in it: Inbound and Outbound list the open requests with their new handles, and the
// wire id tells which is which.
//
// cfg has to promise what the original promised, for its capabilities were negotiated, and needs
// its HashKey, by which calls are found. Its other settings hold from now on: keepalive,
// rates, policies. What is open keeps its times, and roots that SetRoots gave stay, if cfg
// has roots. A snapshot that exceeds the limits of cfg is refused, with an error that is
// ErrLimit as well; so is one with a revision that cfg no longer has.
//
// Whatever data holds, the State is one that a session can come to, or there is an error.
// Restore takes time and memory in proportion to data, of at most lifecycle.MaxSnapshot bytes.
// Errors: ErrSnapshot for data that is damaged or does not go with cfg, a *lifecycle.ConfigError for
// cfg.
func Restore(cfg Config, data []byte, now time.Time) (State, error) {
	s, err := New(cfg, now)
	if err != nil {
		return State{}, err
	}
	return s.restore(data, now)
}

// RestoreSession is Restore with the Config of s, which is shared: as NewSession is to New.
// Of s itself nothing is taken. Errors: ErrSnapshot, and ErrParams for the zero State or time.
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
