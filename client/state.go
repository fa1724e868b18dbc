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

// State is the client's end of one session: an immutable value. Every transition has a
// value receiver and returns the next State. The zero State is not usable; call New.
type State struct {
	core engine.Core
	cfg  *config
	feat *features // nil: as in Config
}

// New returns the State of a session that has not begun. now is the origin of all its
// times and must not be zero. Errors: a *lifecycle.ConfigError for a Config that is not
// valid or declares what it does not answer.
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

// NewSession returns the State of another session with the same Config. It costs one
// small allocation. It fails for the zero State or a zero time.
func (s State) NewSession(now time.Time) (State, error) {
	if now.IsZero() || s.cfg == nil {
		return State{}, errors.New("client: NewSession: want the current time, and a State made by New")
	}
	return State{core: engine.New(&s.cfg.env, now), cfg: s.cfg}, nil
}

// Tick expires deadlines, such as timeouts and the grace of Shutdown. Before NextDeadline
// it does nothing; afterwards the next deadline is later than now, or there is none.
func (s State) Tick(now time.Time) (State, Output) {
	var o Output
	s.core.Clock(now)
	s.core.Tick(&o)
	return s, o
}

// NextDeadline returns when to call Tick; false if there is no deadline. O(1).
func (s State) NextDeadline() (time.Time, bool) { return s.core.NextDeadline(table.Never) }

// Request sends a request to the server: its method comes from the type of p
// (protocol.CallToolParams, protocol.RawRequest, …). Output.Req is its handle.
// Errors: ErrPhase, ErrCapability, ErrRevision, ErrLimit, ErrParams, ErrGone (Within
// is closed).
func (s State) Request(now time.Time, p protocol.Params, opt RequestOptions) (t State, o Output, err error) {
	t = s
	t.core.Clock(now)
	if name := protocol.MethodName(p); name == protocol.MethodInitialize {
		return s, o, &lifecycle.OpError{Op: "request", Err: lifecycle.ErrParams, Method: name, Phase: s.Phase()}
	}
	if err = t.core.Send(p, opt, &o); err != nil {
		return s, Output{}, err
	}
	return t, o, nil
}

// Cancel ends a request of this side and tells the server (cancellation page). The
// request ends with RequestFailed. Errors: ErrGone, ErrPhase (initialize cannot be
// cancelled).
func (s State) Cancel(now time.Time, req Req, reason string) (t State, o Output, err error) {
	t = s
	t.core.Clock(now)
	if err = t.core.Cancel(req, reason, &o); err != nil {
		return s, Output{}, err
	}
	return t, o, nil
}

// Progress reports progress of a call (progress page). It fills in p.ProgressToken. If
// the server did not ask for progress, it sends nothing and succeeds. Errors: ErrGone,
// ErrProgress (it must increase), ErrParams.
func (s State) Progress(now time.Time, call Call, p protocol.ProgressParams) (t State, o Output, err error) {
	t = s
	t.core.Clock(now)
	if err = t.core.Progress(call, p, &o); err != nil {
		return s, Output{}, err
	}
	return t, o, nil
}

// Call returns the handle of a call of this State from its numbers, Call.Seq and
// Call.Key, stored outside the process, such as with a Snapshot. If the call is not open,
// methods that use the handle return ErrGone.
func (s State) Call(seq, key uint64) Call { return s.core.Call(seq, key) }

// Req returns the handle of a request of this State from its number, Req.Seq.
func (s State) Req(seq uint64) Req { return s.core.Req(seq) }

// SendFailed reports that the message of req could not be sent, or, if lifecycle.DeliveryOf(cause)
// is Rejected, that it was refused before anything was done. Only that request fails.
func (s State) SendFailed(now time.Time, req Req, cause error) (State, Output) {
	var o Output
	s.core.Clock(now)
	s.core.Unanswered(req, lifecycle.CauseNotSent, cause, &o)
	return s, o
}

// ResponseLost reports that the message of req was sent, but the stream of its answer is
// lost permanently. Only that request fails; the client cancels it at the server.
func (s State) ResponseLost(now time.Time, req Req, cause error) (State, Output) {
	var o Output
	s.core.Clock(now)
	s.core.Unanswered(req, lifecycle.CauseResponseLost, cause, &o)
	return s, o
}

// Pause reports with paused true that the message of req waits on this side for a person, such as to log in.
// The request then has Timeouts.Human from now on, if it had less, as while a server asks its user
// (TIME-021). With paused false it continues, with its own timeout from now on. Timeouts.Maximum, or
// RequestOptions.Maximum, bounds both. Pause does nothing to a request whose deadline has passed.
func (s State) Pause(now time.Time, req Req, paused bool) (State, Output) {
	s.core.Clock(now)
	s.core.Pause(req, paused)
	return s, Output{}
}

// Abandon reports that the server no longer accepts an answer to call. The call is closed
// with RequestLost and nothing is sent.
func (s State) Abandon(now time.Time, call Call) (State, Output) {
	var o Output
	s.core.Clock(now)
	s.core.Abandon(call, &o)
	return s, o
}

// InputClosed reports that the server will send nothing more: open requests of this side
// fail and no new one can be made. Open calls can still be answered; once none is open,
// Output.Close is set.
func (s State) InputClosed(now time.Time) (State, Output) {
	var o Output
	s.core.Clock(now)
	s.core.InputClosed(&o)
	return s, o
}

// Disconnected reports that the transport has ended. Every open request ends, in both
// directions; cause may be nil.
func (s State) Disconnected(now time.Time, cause error) (State, Output) {
	var o Output
	s.core.Clock(now)
	s.core.Disconnected(cause, &o)
	return s, o
}

// Shutdown ends the session: open requests may finish within grace, then Output.Close is set. If
// grace is zero or less they end at once.
func (s State) Shutdown(now time.Time, grace time.Duration) (State, Output) {
	var o Output
	s.core.Clock(now)
	s.core.Shutdown(grace, &o)
	return s, o
}

// Abort ends the session after a failure on this side: the phase becomes error, and
// Output.Close is set.
func (s State) Abort(now time.Time, cause error) (State, Output) {
	var o Output
	s.core.Clock(now)
	s.core.Abort(cause, &o)
	return s, o
}

// Reset opens a new session on a State that is disconnected or failed. It keeps only the
// roots from SetRoots, and never reuses a handle. Errors: ErrPhase.
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

// Peer returns the serverInfo of the handshake, each text cut to Limits.Text bytes.
func (s State) Peer() protocol.Implementation { return s.core.Profile().Peer() }

// PeerCapabilities returns the capabilities that the server declared.
func (s State) PeerCapabilities() protocol.Capability { return s.core.Profile().Caps }

// Capabilities returns the capabilities that this client declares.
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

// Check returns an error if an invariant of the State does not hold. No action of a
// caller or a peer can make it fail; tests call it after every step.
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
// description of itself. Store the text for the process or url of the server, so that the next
// connection needs no probe. The zero Verdict knows nothing.
type Verdict string

// NeedsHandshake is the Verdict of a server that only has sessions.
const NeedsHandshake Verdict = "handshake"

// features holds what a session changed of its features. It is never changed, only
// replaced; nil means what Config says.
type features struct {
	roots   jsonrpc.Raw // replaces the roots of Config; "" if they are unchanged
	subs    engine.URIs // subscribed uris
	verdict Verdict     // description of a server without sessions, or its late answer to a probe while initialize is open
}

func (f *features) copy() *features {
	if f == nil {
		return &features{}
	}
	c := *f
	return &c
}

// found returns f with the server's Verdict.
func (f *features) found(v Verdict) *features {
	if f == nil && v == "" || f != nil && f.verdict == v {
		return f
	}
	c := f.copy()
	c.verdict = v
	return c
}

// reset returns what outlives the session: the roots, which belong to this side
// (HTTP-047).
func (f *features) reset() *features {
	if f == nil || f.roots == "" {
		return nil
	}
	return &features{roots: f.roots}
}

// check returns an error if an invariant does not hold: subscriptions exist only after
// negotiation.
func (f *features) check(cfg *config, negotiated bool) error {
	if f == nil {
		return nil
	}
	if !negotiated && f.subs.Len() > 0 {
		return errors.New("client: subscriptions before the handshake")
	}
	return f.subs.Check(&cfg.env)
}
