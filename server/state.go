package server

import (
	"errors"
	"iter"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
)

// State is the server's end of one session: an immutable value. Every transition has a value
// receiver and returns the next State. The zero State is not usable; see New.
type State struct {
	core engine.Core
	cfg  *config
	feat *features // nil: as Config has it
}

// New returns the State of a session that has not begun. now is the origin of all its times and
// must not be zero. Errors: a *lifecycle.ConfigError for a Config that is not valid, or that
// promises more than it answers.
func New(cfg Config, now time.Time) (State, error) {
	if now.IsZero() {
		return State{}, errors.New("server: New: the time is zero: want the current time")
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
		return State{}, errors.New("server: NewSession: want the current time, and a State made by New")
	}
	return State{core: engine.New(&s.cfg.env, now), cfg: s.cfg}, nil
}

// Request sends a request to the client: its method comes from the type of p
// (protocol.CreateMessageParams, protocol.RawRequest, …). Output.Req is its handle.
// Errors: ErrPhase, ErrCapability, ErrRevision, ErrLimit, ErrParams, ErrGone (Within
// is closed).
func (s State) Request(now time.Time, p protocol.Params, opt RequestOptions) (t State, o Output, err error) {
	t = s
	t.core.Clock(now)
	if err = t.core.Send(p, opt, &o); err != nil {
		return s, Output{}, err
	}
	return t, o, nil
}

// Cancel ends an outbound request and tells the client (cancellation page). The request ends with
// RequestFailed. Errors: ErrGone, ErrPhase (initialize cannot be cancelled).
func (s State) Cancel(now time.Time, req Req, reason string) (t State, o Output, err error) {
	t = s
	t.core.Clock(now)
	if err = t.core.Cancel(req, reason, &o); err != nil {
		return s, Output{}, err
	}
	return t, o, nil
}

// Progress reports progress of a call (progress page) and fills in p.ProgressToken. If the client
// did not ask for progress, it sends nothing and succeeds. Errors: ErrGone, ErrProgress (it must
// increase), ErrParams.
func (s State) Progress(now time.Time, call Call, p protocol.ProgressParams) (t State, o Output, err error) {
	t = s
	t.core.Clock(now)
	if err = t.core.Progress(call, p, &o); err != nil {
		return s, Output{}, err
	}
	return t, o, nil
}

// Call returns the handle of a call of this State from its numbers, Call.Seq and Call.Key, for
// handles that were kept outside the process, such as with a Snapshot. Using the handle of a call
// that is not open returns ErrGone.
func (s State) Call(seq, key uint64) Call { return s.core.Call(seq, key) }

// Req returns the handle of a request of this State from its number, Req.Seq.
func (s State) Req(seq uint64) Req { return s.core.Req(seq) }

// MaxSkip is the greatest number for Skip.
const MaxSkip = 1 << 40

// Skip skips by numbers of calls and of outbound requests. Use it for a session that continues from an older
// Snapshot than the newest one, because a store has lost what came after: with a random number up to MaxSkip no
// request id stands for two requests, and an answer to one that was lost is ignored (JRPC-033).
func (s State) Skip(now time.Time, by uint64) State {
	s.core.Clock(now)
	s.core.Skip(by)
	return s
}

// SendFailed reports that the message of req could not be sent or, if lifecycle.DeliveryOf(cause)
// is Rejected, that it was refused before anything was done. Only that request fails.
func (s State) SendFailed(now time.Time, req Req, cause error) (State, Output) {
	var o Output
	s.core.Clock(now)
	s.core.Unanswered(req, lifecycle.CauseNotSent, cause, &o)
	return s, o
}

// ResponseLost reports that the message of req was sent, but that the stream for its answer is lost
// permanently. Only its request fails, and is cancelled at the client.
func (s State) ResponseLost(now time.Time, req Req, cause error) (State, Output) {
	var o Output
	s.core.Clock(now)
	s.core.Unanswered(req, lifecycle.CauseResponseLost, cause, &o)
	return s, o
}

// Abandon reports that the client will not accept an answer to call. The call ends with RequestLost
// and nothing is sent. A lost connection does not mean that: the client may come back for its
// answer, and cancels a call when it wants to (transports, Streamable HTTP).
func (s State) Abandon(now time.Time, call Call) (State, Output) {
	var o Output
	s.core.Clock(now)
	s.core.Abandon(call, &o)
	return s, o
}

// InputClosed reports that the client will send nothing more: outbound requests fail and no new one
// can be made. Open calls may still be answered; once none is open, Output.Close is set.
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

// Shutdown ends the session: open requests may finish within grace, then Output.Close is set. A
// grace of zero or less ends them at once.
func (s State) Shutdown(now time.Time, grace time.Duration) (State, Output) {
	var o Output
	s.core.Clock(now)
	s.core.Shutdown(grace, &o)
	return s, o
}

// Abort ends the session because of a failure on this side: the phase is Failed, and Output.Close
// is set.
func (s State) Abort(now time.Time, cause error) (State, Output) {
	var o Output
	s.core.Clock(now)
	s.core.Abort(cause, &o)
	return s, o
}

// Reset begins a new session on a State that is disconnected or failed. Of the old session only
// the catalog stays, and handles are never reused. Errors: ErrPhase.
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

// Revision returns the negotiated revision, zero before the handshake.
func (s State) Revision() protocol.Revision { return s.core.Negotiated() }

// Peer returns the clientInfo of the handshake, its texts cut to Limits.Text bytes each.
func (s State) Peer() protocol.Implementation { return s.core.Profile().Peer() }

// PeerCapabilities returns what the client declared.
func (s State) PeerCapabilities() protocol.Capability { return s.core.Profile().Caps }

// Capabilities returns what this server declares.
func (s State) Capabilities() protocol.Capability {
	if s.cfg == nil {
		return 0
	}
	return s.cfg.env.Caps
}

// Inbound returns the inbound requests that await the application, oldest first.
func (s State) Inbound() iter.Seq[CallInfo] { return s.core.Inbound() }

// Outbound returns the outbound requests that await the client, oldest first.
func (s State) Outbound() iter.Seq[ReqInfo] { return s.core.Outbound() }

// Check returns an error if an invariant of the State is violated. No action of a caller or a peer
// can cause one; tests call it after every step.
func (s State) Check() error {
	if s.cfg == nil {
		return errors.New("server: the zero State")
	}
	if err := s.core.Check(); err != nil {
		return err
	}
	return s.feat.check(s.cfg, !s.core.Negotiated().IsZero())
}

// features are what a session has changed of its features. A value is never changed, only replaced;
// nil means as in Config.
type features struct {
	catalog *Catalog            // replaces that of Config
	subs    engine.URIs         // subscribed uris
	changed protocol.Capability // list changes to announce
	due     int64               // when, once the session is ready
	// since is the version of the catalog in a snapshot, if Restore had another catalog; before are
	// the changes that were pending then. The next SetCatalog compares with it.
	since  string
	before protocol.Capability
}

func (f *features) copy() *features {
	if f == nil {
		return &features{}
	}
	c := *f
	return &c
}

// reset returns what outlives the session: the catalog, which belongs to the server (RES-026).
func (f *features) reset() *features {
	if f == nil || f.catalog == nil {
		return nil
	}
	return &features{catalog: f.catalog}
}

// check returns an error if an invariant does not hold: there are no subscriptions before a
// handshake.
func (f *features) check(cfg *config, negotiated bool) error {
	if f == nil {
		return nil
	}
	if !negotiated && f.subs.Len() > 0 {
		return errors.New("server: subscriptions before a handshake")
	}
	return f.subs.Check(&cfg.env)
}

func (s *State) catalog() *Catalog {
	if s.feat != nil && s.feat.catalog != nil {
		return s.feat.catalog
	}
	return s.cfg.catalog
}
