package engine

import (
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// session is the phase of a State and what goes with it: the profile of the handshake,
// the keepalive, the end. It knows no single request.
//
// Its invariants, which Check holds it to:
//
//   - prof is Env.Blank until the handshake has negotiated another one.
//   - The cause, which is in rare, is set from the phases that end a session on, and is one that
//     leads there.
//   - due is set while shutting down, until the close action was asked for, and while ready if
//     Config wants pings.
//   - closed never goes back but by Reset.
type session struct {
	prof *Profile

	due   int64 // while ready when the next ping of the keepalive is, while shutting down when open work is given up
	heard int64 // when the last valid message of the peer came

	misses      uint16 // pings in a row that nothing of the peer came after
	pinging     bool   // a ping of the keepalive is on its way
	closed      bool   // Close was asked for
	inputClosed bool   // the peer sends no more, so nothing of ours could be answered
	phase       protocol.Phase
}

// Phase returns the phase.
func (s *session) Phase() protocol.Phase { return s.phase }

// Profile returns what the handshake negotiated, or what holds before it.
func (s *session) Profile() *Profile {
	if s.prof == nil {
		return &Profile{}
	}
	return s.prof
}

// SetLevel notes the level, one of the eight, that the peer wants log messages from.
func (s *session) SetLevel(level protocol.LoggingLevel) { s.prof = s.prof.at(level) }

// of returns the profile of a request: its own, or that of the session.
func (s *session) of(own *Profile) *Profile {
	if own != nil {
		return own
	}
	return s.prof
}

// move makes the transition that the table has for t, if any, and reports it, with what
// the peer said if m is not nil.
func (s *session) move(r *requests, t lifecycle.Trigger, cause *lifecycle.Cause, m *jsonrpc.Message, o *lifecycle.Output) bool {
	// What the table does not list does not happen: callers need not ask for the phase.
	to, ok := lifecycle.Next(r.env.Self, s.phase, t)
	if !ok {
		return false
	}
	ev := lifecycle.Event{Kind: lifecycle.PhaseChanged, From: s.phase, To: to, Cause: cause}
	if m != nil {
		ev.Body, ev.Span, ev.Revision = m.Body, m.Span, s.prof.Revision
	}
	o.Events = append(o.Events, ev)
	s.phase = to
	// Pings go out in Ready alone, and a grace time is set after the move.
	if s.due = table.Never; to == protocol.Ready {
		s.startKeepalive(r)
	}
	if cause != nil {
		// It lives as long as the State, and must not keep a message of the peer alive.
		r.change(func(x *rare) { x.cause = keptCause(cause) })
	}
	return true
}

// close asks for the close action, once (STDIO-010, HTTP-048).
func (s *session) close(cause *lifecycle.Cause, o *lifecycle.Output) {
	if !s.closed {
		s.closed, s.due = true, table.Never
		o.Close = cause
	}
}

// startKeepalive begins to ping once the session is ready.
func (s *session) startKeepalive(r *requests) {
	s.stopKeepalive(r)
	if r.env.Keepalive.Interval > 0 && !s.prof.Revision.Stateless() { // where there is no ping (PING-201)
		s.due = r.After(r.env.Keepalive.Interval)
	}
}

// stopKeepalive forgets what there was of pings.
func (s *session) stopKeepalive(r *requests) {
	s.due, s.heard, s.misses, s.pinging = table.Never, r.now, 0, false
}

// alive notes that a valid message of the peer came: whatever it is, it shows life.
func (s *session) alive(r *requests) { s.heard, s.misses = r.now, 0 }

// pinged notes that the peer answered a ping of the keepalive. One that does not know
// the method is asked no more. Any other error shows life (PING-017).
func (s *session) pinged(m *jsonrpc.Message) {
	if s.phase == protocol.Ready && m.Err != nil && m.Err.Code == jsonrpc.CodeMethodNotFound {
		s.due = table.Never
	}
}

// missed notes that the peer did not answer a ping in time, and reports whether that was
// one too many. Whatever else came in since the ping went out is life too (PING-005, PING-013).
func (s *session) missed(r *requests, leaf *table.Leaf[outbound]) (silent bool) {
	sent := leaf.Deadline - int64(leaf.V.timeout) // or since when progress put it off
	// A peer that sends anything is there, and may be too busy for pings.
	if s.heard > sent || leaf.V.reported {
		return false
	}
	if s.misses < 1<<16-1 {
		s.misses++
	}
	limit := r.env.Keepalive.Misses
	return limit > 0 && int(s.misses) >= limit
}
