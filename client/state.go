package client

import (
	"errors"
	"iter"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// State is the client's end of one session: an immutable value. Every transition has a value
// receiver and returns the next State. The zero State is not usable; see New.
type State struct {
	core engine.Core
	cfg  *config
	feat *features // nil: as Config has it
}

// New returns the State of a session that has not begun. now is the origin of all its times and
// must not be zero. Errors: a *lifecycle.ConfigError for an invalid Config, or one that declares
// what it cannot answer.
func New(cfg Config, now time.Time) (State, error) {
	if now.IsZero() {
		return State{}, errors.New("client: New: the time is zero: want the current time")
	}
	c, err := cfg.build()
	if err != nil {
		return State{}, err
	}
	return State{core: engine.New(&c.env, now), cfg: c}, nil
}

// NewSession returns the State of a further session of the same Config. It costs one
// small allocation.
func (s State) NewSession(now time.Time) (State, error) {
	if now.IsZero() || s.cfg == nil {
		return State{}, errors.New("client: NewSession: want the current time, and a State made by New")
	}
	return State{core: engine.New(&s.cfg.env, now), cfg: s.cfg}, nil
}

// Tick handles all deadlines up to now. Before NextDeadline it does nothing; afterwards the next
// deadline is later than now, or there is none.
func (s State) Tick(now time.Time) (State, Output) {
	var o Output
	s.core.Clock(now)
	s.core.Tick(&o)
	return s, o
}

// NextDeadline returns when Tick is next due; false if it is not. It takes constant time.
func (s State) NextDeadline() (time.Time, bool) { return s.core.NextDeadline(table.Never) }

// Request sends a request to the server: its method comes from the type of p
// (protocol.CallToolParams, protocol.RawRequest, …). Output.Req is its handle.
// Errors: ErrPhase, ErrCapability, ErrRevision, ErrLimit, ErrParams, ErrGone (Within
// is closed).
func (s State) Request(now time.Time, p protocol.Params, opt RequestOptions) (State, Output, error) {
	var o Output
	t := s
	t.core.Clock(now)
	if name := protocol.MethodName(p); name == protocol.MethodInitialize {
		return s, o, &lifecycle.OpError{Op: "request", Err: lifecycle.ErrParams, Method: name, Phase: s.Phase()}
	}
	if err := t.core.Send(p, opt, &o); err != nil {
		return s, Output{}, err
	}
	return t, o, nil
}

// Cancel ends an outbound request and notifies the server (cancellation page). The request ends
// with RequestFailed. Errors: ErrGone, ErrPhase (initialize cannot be cancelled).
func (s State) Cancel(now time.Time, req Req, reason string) (State, Output, error) {
	var o Output
	t := s
	t.core.Clock(now)
	if err := t.core.Cancel(req, reason, &o); err != nil {
		return s, Output{}, err
	}
	return t, o, nil
}

// Progress reports progress of a call (progress page). p.ProgressToken is filled
// in. If the server asked for none, it sends nothing and succeeds. Errors:
// ErrGone, ErrProgress (it has to increase), ErrParams.
func (s State) Progress(now time.Time, call Call, p protocol.ProgressParams) (State, Output, error) {
	var o Output
	t := s
	t.core.Clock(now)
	if err := t.core.Progress(call, p, &o); err != nil {
		return s, Output{}, err
	}
	return t, o, nil
}

// Call returns the handle of a call of this State by its numbers, Call.Seq and Call.Key, for
// handles kept outside the process, such as with a Snapshot. Using a call that is not open is
// ErrGone.
func (s State) Call(seq, key uint64) Call { return s.core.Call(seq, key) }

// Req returns the handle of a request of this State by its number, Req.Seq.
func (s State) Req(seq uint64) Req { return s.core.Req(seq) }

// SendFailed reports that the message of req could not be sent, or was refused without effect if
// lifecycle.DeliveryOf(cause) is Rejected. Only that request fails.
func (s State) SendFailed(now time.Time, req Req, cause error) (State, Output) {
	var o Output
	s.core.Clock(now)
	s.core.Unanswered(req, lifecycle.CauseNotSent, cause, &o)
	return s, o
}

// ResponseLost reports that the message of req was sent, but that the stream for its answer is lost
// permanently. Only that request fails, and is cancelled at the server.
func (s State) ResponseLost(now time.Time, req Req, cause error) (State, Output) {
	var o Output
	s.core.Clock(now)
	s.core.Unanswered(req, lifecycle.CauseResponseLost, cause, &o)
	return s, o
}

// Pause reports that the message of req waits at this side for a person to log in. If paused is true, the request has
// at least Timeouts.Human from now on, as while a server asks its user (TIME-021). If it is false, the request has
// its own timeout from now on. Timeouts.Maximum, or RequestOptions.Maximum, bounds both. Pause does not affect a
// request whose deadline has passed.
func (s State) Pause(now time.Time, req Req, paused bool) (State, Output) {
	s.core.Clock(now)
	s.core.Pause(req, paused)
	return s, Output{}
}

// Abandon says that the server can no longer take an answer to call. The call ends with RequestLost
// and nothing is sent.
func (s State) Abandon(now time.Time, call Call) (State, Output) {
	var o Output
	s.core.Clock(now)
	s.core.Abandon(call, &o)
	return s, o
}

// InputClosed reports that the server will send no more: open outbound requests fail and new ones
// are refused. Open calls can still be answered; when none is open, Output.Close is set.
func (s State) InputClosed(now time.Time) (State, Output) {
	var o Output
	s.core.Clock(now)
	s.core.InputClosed(&o)
	return s, o
}

// Disconnected reports that the transport has ended. Every open request ends, in both directions;
// cause may be nil.
func (s State) Disconnected(now time.Time, cause error) (State, Output) {
	var o Output
	s.core.Clock(now)
	s.core.Disconnected(cause, &o)
	return s, o
}

// Shutdown ends the session: open requests can finish within grace, then Output.Close is set. If
// grace is zero or negative they end at once.
func (s State) Shutdown(now time.Time, grace time.Duration) (State, Output) {
	var o Output
	s.core.Clock(now)
	s.core.Shutdown(grace, &o)
	return s, o
}

// Abort ends the session for a failure on this side: phase error, Close.
func (s State) Abort(now time.Time, cause error) (State, Output) {
	var o Output
	s.core.Clock(now)
	s.core.Abort(cause, &o)
	return s, o
}

// Reset opens a new session on a State that is disconnected or failed. It keeps nothing of the old
// one, except that handles are never reused. Errors: ErrPhase.
func (s State) Reset(now time.Time) (State, error) {
	t := s
	t.core.Clock(now)
	if err := t.core.Reset(); err != nil {
		return s, err
	}
	t.feat = t.feat.reset()
	return t, nil
}

// Phase returns the phase of the session.
func (s State) Phase() Phase { return s.core.Phase() }

// Status returns a summary of the session.
func (s State) Status() Status { return s.core.Status() }

// Revision returns the negotiated revision, zero before the handshake (HTTP-050, HTTP-051).
func (s State) Revision() protocol.Revision { return s.core.Negotiated() }

// Peer returns the serverInfo of the handshake, its texts cut to Limits.Text bytes each.
func (s State) Peer() protocol.Implementation { return s.core.Profile().Peer() }

// PeerCapabilities returns what the server declared.
func (s State) PeerCapabilities() protocol.Capability { return s.core.Profile().Caps }

// Capabilities returns what this client declares.
func (s State) Capabilities() protocol.Capability {
	if s.cfg == nil {
		return 0
	}
	return s.cfg.env.Caps
}

// Inbound returns the inbound requests that await the application, oldest first.
func (s State) Inbound() iter.Seq[CallInfo] { return s.core.Inbound() }

// Outbound returns the outbound requests that await the server, oldest first.
func (s State) Outbound() iter.Seq[ReqInfo] { return s.core.Outbound() }

// Check returns an error if an invariant of the State is violated. No action of a caller or a peer
// can cause one; tests call it after every step.
func (s State) Check() error {
	if s.cfg == nil {
		return errors.New("client: the zero State")
	}
	if err := s.core.Check(); err != nil {
		return err
	}
	return s.feat.check(s.cfg, !s.core.Negotiated().IsZero())
}

// Verdict is what a client knows of a server: whether it needs a handshake, and otherwise its
// description. Keep it with the command or the url of the server, so that the next connection needs
// no probe. The zero Verdict means unknown.
type Verdict string

// NeedsHandshake is the Verdict of a server with only sessions.
const NeedsHandshake Verdict = "handshake"

// features is what a session has changed of its features. It is never changed, only
// replaced; nil stands for what Config says.
type features struct {
	roots   jsonrpc.Raw // replaces the roots of Config; "": it does not
	subs    engine.URIs // subscribed uris
	verdict Verdict     // what a server without sessions said of itself; of one that is asked for a session, too late
}

func (f *features) copy() *features {
	if f == nil {
		return &features{}
	}
	c := *f
	return &c
}

// found returns f with what a server has said of itself.
func (f *features) found(v Verdict) *features {
	if f == nil && v == "" || f != nil && f.verdict == v {
		return f
	}
	c := f.copy()
	c.verdict = v
	return c
}

// reset returns what outlives the session: the roots, which are this side's (HTTP-047).
func (f *features) reset() *features {
	if f == nil || f.roots == "" {
		return nil
	}
	return &features{roots: f.roots}
}

// check returns an error if an invariant does not hold: there are subscriptions only where
// something was negotiated.
func (f *features) check(cfg *config, negotiated bool) error {
	if f == nil {
		return nil
	}
	if !negotiated && f.subs.Len() > 0 {
		return errors.New("client: subscriptions with a server that nothing was negotiated with")
	}
	return f.subs.Check(&cfg.env)
}
