package engine

import (
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// Tick lets time pass: what is due at the current instant is given up. Afterwards
// the next deadline is later, or there is none.
func (c *Core) Tick(o *lifecycle.Output) {
	if !c.Live() {
		return
	}
	handshake, silent := c.expireOutbound(o)
	switch {
	case handshake && c.phase == protocol.Initializing:
		c.FailHandshake(&lifecycle.Cause{Kind: lifecycle.CauseTimedOut}, o)
		return
	case silent:
		c.fallSilent(o)
	}
	c.keepAlive(o)
	c.expireInbound(o)
	if c.grace <= c.now {
		c.drain(o)
		return
	}
	c.settle(o)
}

// Shutdown ends the session after open work is done, or after grace (lifecycle,
// Shutdown: closing the transport is the only signal).
func (c *Core) Shutdown(grace time.Duration, o *lifecycle.Output) {
	if !c.Live() || c.closed {
		return
	}
	c.move(lifecycle.ShutdownRequested, &lifecycle.Cause{Kind: lifecycle.CauseShutdown}, o)
	if grace <= 0 {
		c.drain(o)
		return
	}
	c.grace = min(c.grace, c.After(grace))
	c.settle(o)
}

// InputClosed says that the peer will send no more: nothing of ours can be
// answered, but what it asked for can still be.
func (c *Core) InputClosed(o *lifecycle.Output) {
	if !c.Live() {
		return
	}
	cause := &lifecycle.Cause{Kind: lifecycle.CauseInputClosed}
	c.inputClosed = true
	c.failAll(cause, o)
	c.move(lifecycle.InputClosed, cause, o)
	c.settle(o)
}

// Disconnected says that the transport is gone.
func (c *Core) Disconnected(err error, o *lifecycle.Output) {
	if !c.Live() {
		return
	}
	cause := &lifecycle.Cause{Kind: lifecycle.CauseLost, Err: Real(err)}
	c.failAll(cause, o)
	c.loseAll(cause, o)
	c.grace = table.Never
	c.move(lifecycle.TransportClosed, cause, o)
}

// Abort ends the session for a failure on this side.
func (c *Core) Abort(err error, o *lifecycle.Output) {
	if !c.Live() || c.closed {
		return
	}
	cause := &lifecycle.Cause{Kind: lifecycle.CauseAborted, Err: Real(err)}
	c.failAll(cause, o)
	c.loseAll(cause, o)
	c.grace = table.Never
	c.move(lifecycle.Aborted, cause, o)
	c.close(cause, o)
}

// FailHandshake ends a session that could not begin.
func (c *Core) FailHandshake(cause *lifecycle.Cause, o *lifecycle.Output) {
	c.failAll(cause, o)
	c.move(lifecycle.HandshakeFailed, cause, o)
	c.close(cause, o)
}

// SendFailed says that one message did not get out: only its request fails.
func (c *Core) SendFailed(req lifecycle.Req, err error, o *lifecycle.Output) {
	c.unanswered(req, &lifecycle.Cause{Kind: lifecycle.CauseNotSent, Err: Real(err)}, o)
}

// ResponseLost says that the answer to one message can not arrive any more: only its
// request fails, and the peer is told that nobody waits for it.
func (c *Core) ResponseLost(req lifecycle.Req, err error, o *lifecycle.Output) {
	c.unanswered(req, &lifecycle.Cause{Kind: lifecycle.CauseResponseLost, Err: Real(err)}, o)
}

// unanswered ends a request of ours that no answer will come to.
func (c *Core) unanswered(req lifecycle.Req, cause *lifecycle.Cause, o *lifecycle.Output) {
	leaf := c.find(req)
	if leaf == nil {
		return
	}
	if leaf.V.Method == protocol.MethodInitialize && c.phase == protocol.Initializing {
		c.FailHandshake(cause, o)
		return
	}
	c.drop(leaf)
	if cause.Kind == lifecycle.CauseResponseLost {
		c.withdraw(leaf, "the answer is lost", o)
	}
	c.fail(leaf, cause, o)
	c.settle(o)
}

// Reset opens a new session on a Core that is disconnected or failed: nothing of
// the old one is left but the counters.
func (c *Core) Reset() error {
	if c.env == nil {
		return c.opError("reset", lifecycle.ErrPhase, "", nil)
	}
	to, ok := lifecycle.Next(c.env.Self, c.phase, lifecycle.ResetRequested)
	if !ok {
		return c.opError("reset", lifecycle.ErrPhase, "", nil)
	}
	c.phase, c.ses, c.cause, c.tokens = to, c.env.Blank, nil, nil
	c.grace, c.closed, c.inputClosed, c.first = table.Never, false, false, c.last+1
	c.gates = nil
	c.stopKeepalive()
	return nil
}

// settle asks for the end once nothing is open any more while shutting down.
func (c *Core) settle(o *lifecycle.Output) {
	if c.phase == protocol.ShuttingDown && c.in.Len() == 0 && c.out.Len() == 0 {
		c.close(c.cause, o)
	}
}

func (c *Core) close(cause *lifecycle.Cause, o *lifecycle.Output) {
	if !c.closed {
		c.closed, c.grace = true, table.Never
		o.Close = cause
	}
}

// drain gives up whatever is open at the end of the grace time.
func (c *Core) drain(o *lifecycle.Output) {
	if !c.env.Policy.QuietShutdown {
		for leaf := range c.out.All() {
			c.withdraw(leaf, "shutting down", o)
		}
	}
	cause := &lifecycle.Cause{Kind: lifecycle.CauseShutdown}
	c.failAll(cause, o)
	c.loseAll(cause, o)
	c.close(c.cause, o)
}

func (c *Core) failAll(cause *lifecycle.Cause, o *lifecycle.Output) {
	for leaf := range c.out.All() {
		c.fail(leaf, cause, o)
	}
	c.out, c.tokens = table.Table[Outbound]{}, nil
}

func (c *Core) loseAll(cause *lifecycle.Cause, o *lifecycle.Output) {
	for _, leaf := range c.inboundByAge() {
		c.lost(leaf, cause, o)
	}
	c.in = table.Table[Inbound]{}
}
