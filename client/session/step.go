package session

import (
	"context"
	"errors"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/internal/waits"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// step stores the next State and does what the Output says, with the lock held.
func (c *Client) step(s client.State, out client.Output) {
	c.s = s
	for _, o := range out.Send {
		c.send(o)
	}
	for _, ev := range out.Events {
		c.event(ev)
	}
	for call := range out.EndedCalls() {
		c.callEnded(call, lifecycle.ErrGone) // answered; other events give the causes of the rest
	}
	if out.Close != nil && !c.opening {
		c.finish(failure(out.Close))
	}
	// A timer set to an earlier time stays: answered requests then cost no timer, and tick may come too early.
	if t, ok := c.s.NextDeadline(); ok && (c.due.IsZero() || t.Before(c.due)) {
		c.due = t
		c.timer.Reset(time.Until(t))
	}
}

// send sends a message, or queues it behind others, with the lock held.
func (c *Client) send(o client.Outgoing) {
	if rev := c.s.Revision(); c.direct == nil || c.out.closed || c.out.Bytes > 0 || !c.direct.TrySend(o, rev) {
		c.out.push(o, rev)
	}
}

// failure returns the error of an end; nil for an intended one.
func failure(cause *lifecycle.Cause) error {
	if cause.Kind == lifecycle.CauseShutdown {
		return nil
	}
	return cause
}

// event handles one event.
func (c *Client) event(ev client.Event) {
	if c.opt.Visit != nil {
		var ready []client.Req
		if c.retries, ready = c.retries.Take(ev); len(ready) > 0 {
			c.mu.Wake()
		}
	}
	switch ev.Kind {
	case lifecycle.ResponseReceived, lifecycle.RequestFailed:
		if w := c.waiting[ev.Req]; w != nil {
			delete(c.waiting, ev.Req)
			w.End(ev)
			if ev.Kind == lifecycle.ResponseReceived {
				c.attempts = 0 // the session is useful
			}
			return
		}
	case lifecycle.ProgressReceived:
		if w := c.waiting[ev.Req]; w != nil && w.Progress(0, ev.Body) {
			return
		}
	case lifecycle.RequestReceived:
		c.serve(ev)
		return
	case lifecycle.RequestCancelled, lifecycle.RequestExpired, lifecycle.RequestLost:
		c.callEnded(ev.Call, ev.Cause)
	case lifecycle.PhaseChanged:
		c.phase(ev)
	case lifecycle.NotificationReceived:
		c.announced(ev.Method)
	}
	if c.opt.Event != nil {
		c.events.add(ev)
	}
}

// phase handles a change of phase.
func (c *Client) phase(ev client.Event) {
	if ev.To == lifecycle.Ready {
		c.ready = time.Now()
		for _, l := range c.lists {
			l.fresh, l.schemas = false, nil // the new server may be a different one
		}
	}
	switch {
	case ev.To == lifecycle.Ready && c.opening:
		c.opening = false
	case ev.To == lifecycle.Failed && c.opening:
		c.openLater(ev.Cause)
	}
	c.mu.Wake()
}

// announced records that the server has changed a list.
func (c *Client) announced(method string) {
	for name, l := range c.lists {
		if protocol.ListOf(name).Changed == method { // TOOL-023
			l.fresh = false
		}
	}
}

func (c *Client) tick() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.due = time.Time{}
	if c.mu.Closed() != nil {
		return // finishing ends what still waits
	}
	c.step(c.s.Tick(time.Now()))
}

// do changes the State by f, under the lock, once the queue has room and no new session
// is being opened. It calls f at most once.
func (c *Client) do(ctx context.Context, f func(now time.Time) (client.State, client.Output, error)) error {
	err := c.mu.Until(ctx, func() bool { return !c.opening && !c.out.Full() })
	defer c.mu.Unlock()
	if err != nil {
		return err
	}
	s, out, err := f(time.Now())
	c.step(s, out)
	return err
}

// serve starts the answer to a call, with the lock held.
func (c *Client) serve(ev client.Event) {
	if c.opt.Serve == nil || !c.load.Admit(len(ev.Body), c.opt.MaxServing, c.opt.MaxServingBytes) {
		e := waits.Nobody
		if c.opt.Serve != nil {
			e = waits.TooBusy
		}
		s, out, _ := c.s.Fail(time.Now(), ev.Call, e)
		c.step(s, out)
		return
	}
	ctx, end := context.WithCancelCause(c.ctx)
	c.serving[ev.Call] = end
	ev = waits.Kept(ev)
	c.apps.Go(func() {
		waits.Answer(ev.Call, func() (protocol.Result, error) { return c.opt.Serve(ctx, c, ev) }, func(a client.Answer, why error) { c.answered(ctx, ev, a, why) })
	})
}

// answered sends the answer to a call. why is an error that the server does not see; nil if
// there is none.
func (c *Client) answered(ctx context.Context, ev client.Event, a client.Answer, why error) {
	c.mu.Lock()
	c.load.Leave(len(ev.Body))
	c.mu.Unlock()
	err := c.do(ctx, func(now time.Time) (client.State, client.Output, error) { return c.s.Finish(now, a) })
	c.mu.Lock()
	defer c.mu.Unlock()
	c.callEnded(ev.Call, lifecycle.ErrGone) // Output.EndedCalls omits an answered question
	if errors.Is(err, lifecycle.ErrParams) || errors.Is(err, lifecycle.ErrRevision) {
		why = err
	} else if err != nil {
		return // the call has ended already
	}
	if why != nil {
		c.event(waits.Misfit(ev, why))
	}
}

// callEnded ends the context of a call's function, with the lock held.
func (c *Client) callEnded(call client.Call, cause error) {
	if end := c.serving[call]; end != nil {
		delete(c.serving, call)
		end(cause)
	}
}

// Pauses between attempts to open a new session: none before the first, then doubled each
// time.
const (
	firstPause = 500 * time.Millisecond
	maxPause   = 30 * time.Second
)

// openLater opens a new session, after a pause if an attempt has failed.
func (c *Client) openLater(cause error) {
	if c.attempts >= c.opt.Reopen {
		c.opening = false // Output.Close ends the Client
		return
	}
	pause := time.Duration(0)
	if c.attempts > 0 {
		pause = min(firstPause<<min(c.attempts-1, 16), maxPause)
	}
	c.attempts++
	time.AfterFunc(pause, c.openAgain)
}

func (c *Client) openAgain() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mu.Closed() != nil {
		return
	}
	now := time.Now()
	s, err := c.s.Reset(now)
	if err != nil {
		return // a session is open
	}
	s, out, _ := s.Connect(now, "") // which a new session does not refuse
	c.step(s, out)
}

// finish begins the end, with the lock held: from now on nothing is queued.
func (c *Client) finish(cause error) {
	if c.mu.Closed() != nil {
		return
	}
	if c.err == nil {
		c.err = cause
	}
	c.mu.Close(c.gone())
	c.out.close()
	go c.finishing()
}

// finishing closes the Transport once the queue is sent, and ends everything that runs.
func (c *Client) finishing() {
	select {
	case <-c.out.done:
	case <-c.ctx.Done():
	}
	err := c.t.Close(c.hurry)
	c.end()
	c.loop.Wait()
	c.mu.Lock()
	c.step(c.s.Disconnected(time.Now(), c.err))
	c.timer.Stop()
	c.events.closed = true
	waits.Signal(c.events.wake)
	if c.err == nil && !errors.Is(err, context.Canceled) {
		c.err = err
		c.mu.Close(c.gone())
	}
	c.mu.Unlock()
	c.rush()
	close(c.done)
}
