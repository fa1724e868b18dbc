package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// New returns a Host of the new session s, answered by h and sent to out. Serve runs it.
func New(s server.State, h *server.Handlers, out Sink, opt Options) *Host {
	d := &Host{
		out: out, drain: cmp.Or(max(opt.Drain, 0), DefaultDrain), log: cmp.Or(opt.Log, silent), ask: opt.Companion, do: make(chan func(time.Time) server.Output),
		halt: make(chan struct{}), done: make(chan struct{}), s: s, h: h,
	}
	w := opt.Work
	if w == nil {
		w = NewWork(WorkOptions{NoShares: true})
		d.work = w
	}
	w.Init(&d.calls, d, opt.Owner)
	return d
}

// Serve runs the session until its end: in has its messages, and is closed when the client will send no more. A second
// call returns ErrServed. At the end of input, after Shutdown, and when ctx ends, open calls may finish for
// Options.Drain. Functions get the values of ctx. Serve closes the Sink, and returns why it could not write to it, that
// calls did not finish, or the lifecycle.Cause of another end, such as a client that does not answer pings. It may
// return before it has received all of in; Done tells the sender.
//
//sansmcp:loop max=60
func (d *Host) Serve(ctx context.Context, in <-chan jsonrpc.Message) (err error) {
	if d.served.Swap(true) {
		return ErrServed
	}
	d.ctx = ctx
	defer d.abandon(&err)
	if d.work != nil {
		defer d.work.Close()
	}
	d.accompany()
	timer := time.NewTimer(time.Hour)
	halt, end := d.halt, ctx.Done()
	for over := false; !over; {
		if t, ok := d.due(); ok {
			timer.Reset(time.Until(t))
		}
		from, do := in, d.do
		if d.out.Full() {
			from, do = nil, nil // until the client has read; deadlines are handled all the same
		}
		var out server.Output
		select {
		case m, ok := <-from:
			if ok {
				out = d.receive(m)
			} else {
				in = nil
				d.s, out = d.s.InputClosed(time.Now())
				out.Merge(d.shutdown(time.Now()))
			}
		case f := <-do:
			out = f(time.Now())
		case now := <-timer.C:
			out = d.tick(now)
		case <-halt:
			halt = nil
			out = d.shutdown(time.Now())
		case <-end:
			end = nil
			out = d.shutdown(time.Now())
		case <-d.out.Room():
		case <-d.out.Done():
			over = true
		}
		over = d.step(out) || over
	}
	return d.end()
}

// abandon ends the session if Serve does not return: a Companion has panicked, or has ended the
// goroutine. If panics are reported, Serve returns all the same.
func (d *Host) abandon(err *error) {
	select {
	case <-d.done:
		return
	default:
	}
	if report := d.calls.w.opt.Recover; report != nil {
		if v := recover(); v != nil {
			report(v, debug.Stack())
			*err = errPanic
		}
	}
	d.calls.Close(lifecycle.ErrGone)
	_ = d.out.Close(0)
	close(d.done)
}

// errPanic is why Serve returned: its Companion, or the function of a turn, panicked, as
// WorkOptions.Recover has reported.
var errPanic = errors.New("host: a function of the application panicked")

// tick handles deadlines. Calls that are open when the drain ends are answered, because they get no
// more time.
func (d *Host) tick(now time.Time) (out server.Output) {
	if !d.ends.IsZero() && !now.Before(d.ends) {
		for _, call := range openCalls(d.s) {
			d.calls.stop(call, &lifecycle.Cause{Kind: lifecycle.CauseShutdown})
			var next server.Output
			d.s, next, _ = d.s.Fail(now, call, stopped)
			out.Merge(next)
			d.lost++
		}
	}
	var next server.Output
	d.s, next = d.s.Tick(now)
	out.Merge(next)
	return out
}

// ErrStopped means that calls did not finish while the session was drained, and were answered with
// an error.
var ErrStopped = errors.New("host: calls were stopped")

// stopped answers a call that did not finish while the session was drained.
var stopped = protocol.InternalError("the server is shutting down: the call was stopped; it may have had effects")

func openCalls(s server.State) (list []server.Call) {
	for info := range s.Inbound() {
		list = append(list, info.Call)
	}
	return list
}

// due returns when tick must be called.
func (d *Host) due() (time.Time, bool) {
	t, ok := d.s.NextDeadline()
	if !d.wake.IsZero() && (!ok || d.wake.Before(t)) {
		return d.wake, true
	}
	return t, ok
}

var silent = slog.New(slog.DiscardHandler)

// step does what an Output asks for.
func (d *Host) step(out server.Output) (over bool) {
	d.roots, d.s, out = d.roots.Handle(d.s, out)
	if d.c != nil {
		d.s, out, d.wake = d.c.Step(d.s, time.Now(), out)
		d.c.Commit()
	}
	for _, o := range out.Send {
		d.out.Send(o.Message)
	}
	d.calls.Handle(out)
	if over = out.Close != nil; over {
		d.why = cmp.Or(d.why, out.Close)
	}
	for _, ev := range out.Events {
		switch ev.Kind {
		case lifecycle.RequestReceived:
			if e := d.calls.Start(d.ctx, d.functions(), ev); e != nil {
				var next server.Output
				d.s, next, _ = d.s.Fail(time.Now(), ev.Call, *e)
				over = d.step(next) || over
			}
		case lifecycle.RequestLost:
			d.lost++
		case lifecycle.LocalViolation:
			if ev.Cause != nil {
				d.log.Warn("host: "+Misfit(ev), "err", ev.Cause.Err)
			}
		case server.RootsRead:
			d.rootsRead(ev)
		}
	}
	return over
}

// shutdown begins the end: open calls have Options.Drain to finish.
func (d *Host) shutdown(now time.Time) (out server.Output) {
	if d.ends.IsZero() {
		d.ends = now.Add(d.drain)
	}
	d.s, out = d.s.Shutdown(now, max(d.ends.Sub(now), 0))
	return out
}

// end ends the session: contexts of functions end, queued messages are written, and callers that
// wait get lifecycle.ErrGone.
func (d *Host) end() error {
	var out server.Output
	lost := d.lost
	d.s, out = d.s.Disconnected(time.Now(), d.out.Err())
	d.step(out)
	d.calls.Close(lifecycle.ErrGone)
	wait := d.drain
	if !d.ends.IsZero() {
		wait = max(time.Until(d.ends), wait/10)
	}
	err := d.out.Close(wait)
	close(d.done)
	switch {
	case lost > 0:
		return fmt.Errorf("host: %d calls still running %v after the end of input: %w", lost, d.drain, ErrStopped)
	case err != nil:
		return err
	case d.why != nil && d.why.Kind != lifecycle.CauseInputClosed && d.why.Kind != lifecycle.CauseShutdown:
		return d.why
	}
	return nil
}

// Shutdown begins the end of the session: open calls may finish for Options.Drain, then Serve
// returns. It does not wait.
func (d *Host) Shutdown() { d.once.Do(func() { close(d.halt) }) }

// Done is closed when Serve is about to return.
func (d *Host) Done() <-chan struct{} { return d.done }

// Turn implements Turner.
func (d *Host) Turn(f func(server.State, time.Time) (server.State, server.Output, error)) error {
	failed := make(chan error, 1)
	g := func(now time.Time) (out server.Output) {
		var err error
		d.s, out, err = f(d.s, now)
		failed <- err
		return out
	}
	select {
	case d.do <- g:
	case <-d.done:
		return lifecycle.ErrGone
	}
	select {
	case err := <-failed:
		return err
	case <-d.done:
	}
	select { // this may have been the last turn
	case err := <-failed:
		return err
	default: // f has panicked
		return lifecycle.ErrGone
	}
}

// State returns the current session; after its end, its last State.
func (d *Host) State() server.State {
	s, err := look(d)
	if err != nil {
		s = d.s // no goroutine changes it any more
	}
	return s
}

// Replace replaces the handlers of New. The lists that differ are announced to the client, unless the Companion has
// Handlers of its own. Errors: those of Handlers.Catalog and State.SetCatalog, lifecycle.ErrConfig for nil, and without
// a Companion that of Answered.
func (d *Host) Replace(h *server.Handlers) error {
	if h == nil {
		return noHandlers
	}
	catalog, err := h.Catalog()
	if err == nil && d.ask == nil {
		err = Answered("host", nil, h)
	}
	if err != nil {
		return err
	}
	return d.Turn(func(s server.State, now time.Time) (server.State, server.Output, error) {
		if d.own != nil {
			d.h = h
			return s, server.Output{}, nil
		}
		s, out, err := s.SetCatalog(now, catalog)
		if err == nil {
			d.h = h
		}
		return s, out, err
	})
}

// Notify sends a notification within a call, or with the zero Call outside of any, as Calls.Notify does. Errors:
// those of State.Notify.
func (d *Host) Notify(call server.Call, n protocol.Params) error { return d.calls.Notify(call, n) }

// Request sends a request to the client and waits for its result, as Calls.Request does.
func (d *Host) Request(ctx context.Context, p protocol.Params, opt server.RequestOptions) (jsonrpc.Raw, error) {
	return d.calls.Request(ctx, p, opt)
}

// functions returns the Handlers that answer calls.
func (d *Host) functions() *server.Handlers {
	if d.c != nil {
		if h := d.c.Handlers(); h != nil {
			return h
		}
	}
	return d.h
}

// StepNow makes the Companion take a step, because something for it has arrived from elsewhere.
// Errors: lifecycle.ErrGone after the end.
func (d *Host) StepNow() error {
	_, err := look(d)
	return err
}

// rootsRead passes the roots to the callers that wait for them.
func (d *Host) rootsRead(ev server.Event) {
	list, _ := d.roots.List()
	for _, c := range d.waiting {
		c <- rootsAnswer{list, ev.Failure()}
	}
	d.waiting = nil
}
