package engine

import (
	"slices"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// How a session begins and ends. Each way to an end does four things, as far as they apply: what
// is ours fails, what is theirs is lost, the phase moves, the driver is asked to close. After the
// close action nothing is sent (Listening).
//
// A session that ends with grace keeps both tables until they are empty or the grace time is
// over; whatever takes the last entry out calls settle, which asks for the end.

// Begin notes what a server answered to initialize, or that a client sent it. For
// a client prof is nil: nothing is negotiated yet.
func (c *Core) Begin(prof *Profile, m *jsonrpc.Message, o *lifecycle.Output) {
	if prof != nil {
		c.prof = prof
	}
	c.move(&c.requests, lifecycle.HandshakeBegun, nil, m, o)
}

// Establish ends the handshake. For a server prof is nil: it was negotiated before.
func (c *Core) Establish(prof *Profile, m *jsonrpc.Message, o *lifecycle.Output) {
	if prof != nil {
		c.prof = prof
	}
	c.move(&c.requests, lifecycle.HandshakeDone, nil, m, o)
}

// SendInitialized sends notifications/initialized.
func (c *Core) SendInitialized(o *lifecycle.Output) {
	note(protocol.MethodInitialized, "", lifecycle.Call{}, lifecycle.Req{}, o)
}

// FailHandshake ends a session that could not begin. Nothing is sent any more (LIFE-035).
func (c *Core) FailHandshake(cause *lifecycle.Cause, o *lifecycle.Output) {
	c.failAll(cause, o)
	c.move(&c.requests, lifecycle.HandshakeFailed, cause, nil, o)
	c.close(cause, o)
}

// Tick lets time pass: what is due at the current instant is given up. Afterwards
// the next deadline is later, or there is none (TIME-013).
func (c *Core) Tick(o *lifecycle.Output) {
	if !c.live() {
		return
	}
	// What the peer owes comes first: an initialize or a ping that nobody answered ends the
	// session, and then nothing else is due.
	handshake, probe, silent := c.expireOutbound(o)
	switch {
	case probe && c.phase == protocol.Initializing && c.FallBack(o): // ERA-013
	case (handshake || probe) && c.phase == protocol.Initializing:
		c.FailHandshake(&lifecycle.Cause{Kind: lifecycle.CauseTimedOut}, o)
		return
	case silent:
		c.fallSilent(o)
	}
	c.keepAlive(o)
	c.expireInbound(o)
	// A ping that was due no longer is: what is left is the end of a grace time.
	if c.due <= c.now {
		c.drain(o)
		return
	}
	c.settle(o)
}

// expireOutbound gives up what the peer did not answer in time, and puts off what the time stood
// still for. It reports whether
// initialize was among it, or the probe, and whether that was one ping too many. What is due first comes first,
// whoever asked (TIME-012, TIME-014).
func (c *Core) expireOutbound(o *lifecycle.Output) (handshake, probe, silent bool) {
	var due []*table.Leaf[outbound]
	// Expire takes out in the order of deadlines, and of numbers where these are equal.
	if c.out, due = c.out.Expire(c.now); len(due) == 0 {
		return false, false, false
	}
	// TIME-021. Before any fails, and takes what was made within its questions with it.
	due = slices.DeleteFunc(due, func(leaf *table.Leaf[outbound]) bool {
		next := c.putOff(leaf)
		if next > c.now {
			c.out = c.out.Put(leaf.Key, next, leaf.V)
		}
		return next > c.now
	})
	cause := &lifecycle.Cause{Kind: lifecycle.CauseTimedOut}
	for _, leaf := range due {
		c.pinging = c.pinging && !leaf.V.keepalive
		c.release(leaf)
		// TIME-003; PING-014: of a ping of the keepalive too.
		c.fail(leaf, cause, o)
		// TIME-002
		c.withdraw(leaf, "timed out", o)
		switch {
		case isInitialize(leaf.V.row):
			handshake = true
		case leaf.V.probes():
			probe = true
		case isPing(leaf.V.row):
			silent = c.missed(&c.requests, leaf) || silent
		}
	}
	return handshake, probe, silent
}

// keepAlive sends the ping that is due, unless one is on its way already (PING-011).
func (c *Core) keepAlive(o *lifecycle.Output) {
	if c.phase != protocol.Ready || c.due > c.now {
		return
	}
	// The next one is due an interval from now, however late this one is: a clock that jumped
	// sends one ping.
	c.due = c.After(c.env.Keepalive.Interval)
	// With a full table this ping is left out: an answer to any of the requests in it shows life as
	// well.
	if c.pinging || c.out.Len() >= c.env.Limits.Outbound {
		return
	}
	_, err := c.send(nil, protocol.PingParams{}, lifecycle.RequestOptions{}, true, o)
	c.pinging = err == nil
}

// fallSilent ends a session whose peer does not answer pings any more (PING-006, PING-012).
func (c *Core) fallSilent(o *lifecycle.Output) {
	cause := &lifecycle.Cause{Kind: lifecycle.CausePeerSilent, Reason: "ping timed out"}
	if c.move(&c.requests, lifecycle.PeerSilent, cause, nil, o) {
		c.drain(o)
	}
}

// Shutdown ends the session after open work is done, or after grace (lifecycle,
// Shutdown: closing the transport is the only signal; LIFE-021, LIFE-042).
func (c *Core) Shutdown(grace time.Duration, o *lifecycle.Output) {
	if !c.live() || c.closed {
		return
	}
	cause := &lifecycle.Cause{Kind: lifecycle.CauseShutdown}
	c.move(&c.requests, lifecycle.ShutdownRequested, cause, nil, o)
	c.endHeld(cause, o)
	if grace <= 0 {
		c.drain(o)
		return
	}
	// A second Shutdown can shorten the grace time and not prolong it.
	c.due = min(c.due, c.After(grace))
	c.settle(o)
}

// InputClosed says that the peer will send no more: nothing of ours can be
// answered, but what it asked for can still be. A server whose client closed its input still has
// its answers to write.
func (c *Core) InputClosed(o *lifecycle.Output) {
	if !c.live() {
		return
	}
	cause := &lifecycle.Cause{Kind: lifecycle.CauseInputClosed}
	c.inputClosed = true
	c.failAll(cause, o)
	c.move(&c.requests, lifecycle.InputClosed, cause, nil, o)
	c.endHeld(cause, o)
	c.settle(o)
}

// Disconnected says that the transport is gone (LIFE-022, STDIO-013, HTTP-045).
func (c *Core) Disconnected(err error, o *lifecycle.Output) {
	if !c.live() {
		return
	}
	cause := &lifecycle.Cause{Kind: lifecycle.CauseLost, Err: Real(err)}
	c.failAll(cause, o)
	c.loseAll(cause, o)
	c.due = table.Never
	c.move(&c.requests, lifecycle.TransportClosed, cause, nil, o)
}

// Abort ends the session for a failure on this side.
func (c *Core) Abort(err error, o *lifecycle.Output) {
	if !c.live() || c.closed {
		return
	}
	cause := &lifecycle.Cause{Kind: lifecycle.CauseAborted, Err: Real(err)}
	c.failAll(cause, o)
	c.loseAll(cause, o)
	c.due = table.Never
	c.move(&c.requests, lifecycle.Aborted, cause, nil, o)
	c.close(cause, o)
}

// Unanswered says that no answer will come to one message, and ends its request: CauseNotSent that it did not get out, or
// was refused before anything was done, if err is lifecycle.Rejected; CauseResponseLost that the answer cannot arrive any
// more, and the peer is told that nobody waits for it. If the request is initialize, the session has no beginning.
func (c *Core) Unanswered(req lifecycle.Req, kind lifecycle.CauseKind, err error, o *lifecycle.Output) {
	leaf := c.find(req)
	if leaf == nil {
		return
	}
	if kind == lifecycle.CauseNotSent && lifecycle.DeliveryOf(err) == lifecycle.Rejected {
		kind = lifecycle.CauseRejected
	}
	cause := &lifecycle.Cause{Kind: kind, Err: Real(err)}
	if isInitialize(leaf.V.row) && c.phase == protocol.Initializing {
		c.FailHandshake(cause, o)
		return
	}
	if leaf.V.probes() && c.phase == protocol.Initializing {
		c.drop(leaf)
		c.fail(leaf, cause, o)
		// Refused before anything was done with it: by an old server, over HTTP (ERA-020, HTTP-215).
		if cause.Kind != lifecycle.CauseRejected || !c.FallBack(o) {
			c.FailHandshake(cause, o)
		}
		return
	}
	c.drop(leaf)
	// A message that did not get out needs no withdrawal.
	if cause.Kind == lifecycle.CauseResponseLost {
		c.withdraw(leaf, "the answer is lost", o)
	}
	c.fail(leaf, cause, o)
	c.settle(o)
}

// drain gives up whatever is open at the end of the grace time (LIFE-042).
func (c *Core) drain(o *lifecycle.Output) {
	// Before failAll, which empties the table.
	if !c.env.Policy.QuietShutdown {
		c.withdrawAll("shutting down", o)
	}
	cause := &lifecycle.Cause{Kind: lifecycle.CauseShutdown}
	c.failAll(cause, o)
	c.loseAll(cause, o)
	c.close(c.cause(), o)
}

// Reset opens a new session on a Core that is disconnected or failed: nothing of
// the old one is left but the counters (LIFE-034, LIFE-036, HTTP-047).
func (c *Core) Reset() error {
	const op = "reset"
	if c.env == nil {
		return c.opError(op, lifecycle.ErrPhase, "", nil)
	}
	to, ok := lifecycle.Next(c.env.Self, c.phase, lifecycle.ResetRequested)
	if !ok {
		return c.opError(op, lifecycle.ErrPhase, "", nil)
	}
	c.session = session{prof: c.env.Blank, phase: to, due: table.Never}
	c.stopKeepalive(&c.requests)
	// The counters go on: handles and ids are never used again, so that an answer of the old
	// session cannot be taken for one of the new.
	c.rare, c.still = nil, moving
	c.change(func(x *rare) { x.first = c.last + 1 })
	return nil
}
