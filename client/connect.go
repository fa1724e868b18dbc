package client

import (
	"slices"
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Verdict is what a client has found out about a server: whether it needs a handshake, and what it
// said of itself if not. It is text, to be kept for the process or the url of the server, so that
// the next connection needs no probe; the zero Verdict is none.
type Verdict string

// NeedsHandshake is the Verdict of a server that has sessions only.
const NeedsHandshake Verdict = "handshake"

// Connect opens the connection to a server of either era. It asks the server what it is
// (server/discover), and sends initialize where that is not answered as a server without sessions
// answers it: by another error, by a result that is none, or by silence for Timeouts.Probe. The end is PhaseChanged to ready or to
// error, as with Initialize. With a Verdict of an earlier connection nothing is asked: a server
// without sessions is ready at once, and Output.Req is zero. A Config whose revisions all have a
// handshake makes it Initialize. Errors: ErrPhase, ErrParams for a text that is no Verdict.
func (s State) Connect(now time.Time, prior Verdict) (State, Output, error) {
	if s.cfg == nil {
		return s, Output{}, lifecycle.ErrPhase
	}
	dual := len(s.cfg.env.Revisions) > 0
	if len(s.cfg.env.Stateless) == 0 || prior == NeedsHandshake && dual {
		return s.Initialize(now)
	}
	var o Output
	t := s
	t.core.Clock(now)
	if prior != "" && prior != NeedsHandshake {
		return t.known(prior)
	}
	if err := t.core.Probe(t.cfg.env.Stateless[0], &o); err != nil {
		return s, Output{}, err
	}
	t.core.Begin(nil, nil, &o)
	return t, o, nil
}

// known opens the connection to a server that has said what it is before.
func (s State) known(prior Verdict) (State, Output, error) {
	var o Output
	r, err := protocol.Decode[protocol.DiscoverResult](protocol.Raw(prior))
	if err != nil || s.core.Phase() != protocol.Uninitialized {
		kind := lifecycle.ErrParams
		if err == nil {
			kind = lifecycle.ErrPhase
		}
		return s, o, &lifecycle.OpError{Op: "connect", Err: kind, Method: protocol.MethodDiscover, Phase: s.Phase(), Detail: err}
	}
	s.core.Begin(nil, nil, &o)
	m := jsonrpc.Message{Kind: jsonrpc.KindResult, Body: jsonrpc.Raw(prior)}
	s.establish(&r, &m, &o)
	return s, o, nil
}

// discovered deals with the answer to the probe (discovery page).
func (s *State) discovered(asked protocol.Revision, m *jsonrpc.Message, o *Output) {
	var r protocol.DiscoverResult
	var bad error
	if m.Kind == jsonrpc.KindResult {
		bad = r.DecodeJSON(m.Body, m.Span)
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
	case m.Kind == jsonrpc.KindResult && bad == nil: // ERA-010
		s.establish(&r, m, o)
	case m.Err != nil && m.Err.Code == protocol.CodeUnsupportedVersion: // ERA-011
		rev, ok := s.common(supported(m.Err))
		if !ok || rev == asked || s.core.Probe(rev, o) != nil { // VERS-204, VERS-205
			s.core.FailHandshake(&Cause{Kind: lifecycle.CauseUnsupportedRevision, RPC: m.Err}, o)
		}
	case m.Err != nil && (m.Err.Code == protocol.CodeHeaderMismatch || m.Err.Code == protocol.CodeMissingCapability):
		s.core.FailHandshake(&Cause{Kind: lifecycle.CauseRefused, RPC: m.Err}, o)
	case !s.core.FallBack(o): // ERA-012, ERA-018, DISC-010
		s.core.FailHandshake(&Cause{Kind: lifecycle.CauseUnsupportedRevision, RPC: m.Err, Reason: "the server needs a handshake"}, o)
	}
}

// establish makes the connection ready by what the server says of itself.
func (s *State) establish(r *protocol.DiscoverResult, m *jsonrpc.Message, o *Output) {
	rev, ok := s.common(r.SupportedVersions)
	caps := r.Capabilities.Set()
	switch lacks := s.cfg.require &^ caps; {
	case !ok: // DISC-011
		s.core.FailHandshake(&Cause{Kind: lifecycle.CauseUnsupportedRevision}, o)
		return
	case lacks != 0:
		s.core.FailHandshake(&Cause{Kind: lifecycle.CauseMissingCapability, Reason: lacks.String()}, o)
		return
	}
	s.core.Establish(s.cfg.env.Negotiated(rev, caps, r.Meta.ServerInfo()), m, o)
	f := s.feat.copy()
	if len(m.Body) <= s.cfg.env.Limits.Schema {
		f.verdict = Verdict(strings.Clone(string(m.Body)))
	}
	s.feat = f
}

// common returns the newest stateless revision of both sides. Names of others are none of those that a
// request may name (ERA-014, DISC-009).
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
	list, ok := rawjson.Elements(raw)
	for ok {
		val, more := list.Next()
		if !more {
			break
		}
		if name, isText := rawjson.Unquote(val); isText {
			names = append(names, name)
		}
	}
	return names
}

// Verdict returns what is known of the server, to be given to Connect when it is connected to again;
// "" if nothing is known, or if what it said of itself is longer than Limits.Schema.
func (s State) Verdict() Verdict {
	switch {
	case s.cfg == nil || s.core.Negotiated().IsZero():
		return ""
	case s.core.Negotiated().Handshake():
		return NeedsHandshake
	case s.feat == nil:
		return ""
	}
	return s.feat.verdict
}

// answerRoots answers the questions for roots of a step, from what the client has (MRTR-029).
func (s *State) answerRoots(o *Output) {
	row := s.core.Negotiated().Row(protocol.MethodRootsList)
	if s.cfg.serve.Has(row) {
		return
	}
	var calls []Call
	o.Events = slices.DeleteFunc(o.Events, func(ev Event) bool {
		is := ev.Kind == lifecycle.RequestReceived && ev.Method == protocol.MethodRootsList && !ev.Req.IsZero()
		if is {
			calls = append(calls, ev.Call)
		}
		return is
	})
	for _, call := range calls {
		s.core.Respond(call, protocol.Encoded{Body: s.rootList()}, o)
	}
}
