package client

import (
	"errors"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
)

// handshake deals with the answer to initialize (lifecycle, Initialization and
// Version Negotiation).
func (s *State) handshake(m *jsonrpc.Message, o *Output) {
	var r protocol.InitializeResult
	var invalid *Cause
	switch {
	case m.Kind == jsonrpc.KindInvalid:
		invalid = &Cause{Kind: lifecycle.CauseInvalidResponse, Reason: m.Fault.String(), RPC: m.Err}
	case m.Kind == jsonrpc.KindResult:
		if err := r.DecodeJSON(m.Body, m.Span); err != nil {
			engine.Violation("LIFE-017", m, o)
			rest, _, ok := s.cfg.env.Rows.Row(protocol.MethodInitialize).DropInvalidItems(m.Body)
			if !ok || r.DecodeJSON(rest, jsonrpc.Span{}) != nil {
				invalid = &Cause{Kind: lifecycle.CauseInvalidResponse, Err: err}
				break
			}
			m.Body, m.Span = rest, jsonrpc.Span{} // an odd member costs that member, and not the session
		}
	}
	s.core.TakeInitialize(m, invalid, o)
	if s.core.Phase() != protocol.Initializing {
		return // too late: the session is shutting down
	}
	if cause := s.refuse(m, &r, invalid); cause != nil {
		if s.discoveredLate(o) {
			return
		}
		if rev, ok := s.needless(m); !ok || s.core.Probe(rev, s.cfg.env.Timeouts.Initialize, o) != nil {
			s.core.FailHandshake(cause, o)
		}
		return
	}
	s.feat = s.feat.found("") // it has sessions as well
	rev, _ := protocol.Negotiate(r.ProtocolVersion, s.cfg.env.Revisions)
	s.core.Establish(s.cfg.env.Negotiated(rev, r.Capabilities.Set(), r.ServerInfo, ""), m, o)
	// LIFE-006, LIFE-007: before anything else; LIFE-008: and here alone.
	s.core.SendInitialized(o)
}

// needless returns the revision by which a server is asked what it is that refuses initialize and says that it needs
// none, by the revisions that it names or by a code that only servers without sessions have: it took longer to start than
// a probe may take, or it had sessions before. A server that says so and has sessions all the same is not asked for ever.
func (s *State) needless(m *jsonrpc.Message) (rev protocol.Revision, ok bool) {
	const latest = 3 // initialize may be the request after a probe in each of two revisions
	if m.Err == nil || s.core.Ordinal(m.ID) > latest {
		return rev, false
	}
	names := supported(m.Err)
	if names == nil && modern(m.Err.Code) && len(s.cfg.env.Stateless) > 0 {
		return s.cfg.env.Stateless[0], true
	}
	return s.common(names)
}

// modern reports whether an error code is one that only servers without sessions send (ERA-011).
func modern(code int64) bool {
	return code == protocol.CodeHeaderMismatch || code == protocol.CodeMissingCapability || code == protocol.CodeUnsupportedVersion
}

// late looks at a message that answers nothing which is open: the answer to a probe that was given up, and after which
// initialize went out, is kept. The server may have sessions too, and then it has one now; if it refuses it, it need not
// be asked again (ERA-013).
func (s *State) late(m *jsonrpc.Message) {
	if s.core.Phase() != protocol.Initializing || m.Kind != jsonrpc.KindResult || len(m.Body) > s.cfg.env.Limits.Schema || s.core.Ordinal(m.ID) == 0 {
		return
	}
	var r protocol.DiscoverResult
	if r.DecodeJSON(m.Body, m.Span) != nil || unfinished(m.Body) != nil {
		return
	}
	if _, ok := s.common(r.SupportedVersions); ok {
		s.feat = s.feat.found(s.kept(m))
	}
}

// kept returns what a server says of itself, in memory of its own; "" if it is longer than Limits.Schema.
func (s *State) kept(m *jsonrpc.Message) Verdict {
	if len(m.Body) > s.cfg.env.Limits.Schema {
		return ""
	}
	return Verdict(strings.Clone(string(m.Body)))
}

// discoveredLate makes the connection ready by an answer to the probe that came late, and reports whether there is one.
func (s *State) discoveredLate(o *Output) bool {
	if s.feat == nil || s.feat.verdict == "" {
		return false
	}
	m := jsonrpc.Message{Kind: jsonrpc.KindResult, Body: jsonrpc.Raw(s.feat.verdict)}
	var r protocol.DiscoverResult
	_ = r.DecodeJSON(m.Body, jsonrpc.Span{}) // as late has done
	s.establish(&r, &m, s.feat.verdict, o)
	return true
}

// refuse returns why the answer to initialize does not open a session.
func (s *State) refuse(m *jsonrpc.Message, r *protocol.InitializeResult, invalid *Cause) *Cause {
	if invalid != nil {
		return invalid
	}
	// VERS-012
	if m.Err != nil {
		return &Cause{Kind: lifecycle.CauseRefused, RPC: m.Err}
	}
	// VERS-006, VERS-007; VERS-008: any of them will do.
	if _, ok := protocol.Negotiate(r.ProtocolVersion, s.cfg.env.Revisions); !ok {
		return &Cause{Kind: lifecycle.CauseUnsupportedRevision, Reason: r.ProtocolVersion}
	}
	// LIFE-030
	if lacks := s.cfg.require &^ r.Capabilities.Set(); lacks != 0 {
		return &Cause{Kind: lifecycle.CauseMissingCapability, Reason: lacks.String()}
	}
	return nil
}

// discovered deals with the answer to the probe (discovery page).
func (s *State) discovered(asked protocol.Revision, m *jsonrpc.Message, o *Output) {
	var r protocol.DiscoverResult
	var bad error
	if m.Kind == jsonrpc.KindResult {
		if bad = r.DecodeJSON(m.Body, m.Span); bad == nil {
			bad = unfinished(m.Body)
		}
	}
	var invalid *Cause
	if m.Kind == jsonrpc.KindInvalid || bad != nil {
		invalid = &Cause{Kind: lifecycle.CauseInvalidResponse, Err: bad}
	}
	s.core.TakeInitialize(m, invalid, o)
	if s.core.Phase() != protocol.Initializing {
		return // too late: the connection is shutting down
	}
	switch {
	case m.Kind == jsonrpc.KindResult && bad == nil: // ERA-010, DISC-008
		s.establish(&r, m, s.kept(m), o)
	case m.Err != nil && m.Err.Code == protocol.CodeUnsupportedVersion: // ERA-011
		names := supported(m.Err)
		rev, ok := s.common(names)
		if !ok && s.handshakes(names) && s.core.FallBack(o) {
			return
		}
		if !ok || rev == asked || s.core.Probe(rev, s.cfg.env.Timeouts.Probe, o) != nil { // VERS-204, VERS-205
			s.core.FailHandshake(&Cause{Kind: lifecycle.CauseUnsupportedRevision, RPC: m.Err}, o)
		}
	case m.Err != nil && modern(m.Err.Code):
		s.core.FailHandshake(&Cause{Kind: lifecycle.CauseRefused, RPC: m.Err}, o)
	case !s.core.FallBack(o): // ERA-012, ERA-018, DISC-010
		s.core.FailHandshake(&Cause{Kind: lifecycle.CauseUnsupportedRevision, RPC: m.Err, Reason: "the server needs a handshake"}, o)
	}
}

var errUnfinished = errors.New("a resultType other than complete, which server/discover does not have")

// unfinished returns an error for the result of a method that does not ask, if it is of another type
// (RSLT-006).
func unfinished(result jsonrpc.Raw) error {
	raw, given := rawjson.Get(string(result), "resultType")
	if kind, _ := rawjson.Unquote(raw); given && raw != "null" && kind != protocol.ResultComplete {
		return errUnfinished
	}
	return nil
}

// establish makes the connection ready by what the server says of itself, which is kept if it is not too long. That is
// most of what an idle State holds, so the server's name in the Profile shares its memory.
func (s *State) establish(r *protocol.DiscoverResult, m *jsonrpc.Message, kept Verdict, o *Output) {
	rev, ok := s.common(r.SupportedVersions)
	caps := r.Capabilities.Set()
	switch lacks := s.cfg.require &^ caps; {
	case !ok && s.handshakes(r.SupportedVersions) && s.core.FallBack(o): // ERA-014
		return
	case !ok: // DISC-011
		s.core.FailHandshake(&Cause{Kind: lifecycle.CauseUnsupportedRevision}, o)
		return
	case lacks != 0:
		s.core.FailHandshake(&Cause{Kind: lifecycle.CauseMissingCapability, Reason: lacks.String()}, o)
		return
	}
	if len(kept) > s.cfg.env.Limits.Schema {
		kept = ""
	}
	s.core.Establish(s.cfg.env.Negotiated(rev, caps, r.Meta.ServerInfo(), string(kept)), m, o)
	s.feat = s.feat.found(kept)
}

// handshakes reports whether a revision with a handshake that this side speaks is among names. Some servers
// that have sessions alone answer server/discover like that.
func (s *State) handshakes(names []string) bool {
	return slices.ContainsFunc(s.cfg.env.Revisions, func(rev protocol.Revision) bool { return slices.Contains(names, rev.String()) })
}

// common returns the newest stateless revision of both sides. Names of others are none of those that a
// request may name (ERA-014, DISC-009, REQM-015).
func (s *State) common(names []string) (protocol.Revision, bool) {
	for _, rev := range s.cfg.env.Stateless {
		if slices.Contains(names, rev.String()) {
			return rev, true
		}
	}
	return protocol.Revision{}, false
}

// supported returns the names of revisions in the data of an error.
func supported(e *jsonrpc.Error) (names []string) {
	raw, _ := rawjson.Get(string(e.Data), "supported")
	list, _ := rawjson.Elements(raw)
	for val := range list.All {
		if name, ok := rawjson.Unquote(val); ok {
			names = append(names, name)
		}
	}
	return names
}
