// Package stdio is the driver of the example servers: it runs a server.State over a
// pair of byte streams, with every tool call on a goroutine of its own. Copy it; what
// it shows is how little a driver has to do.
package stdio

import (
	"context"
	"io"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// Host owns the State of one session. Only the goroutine of Serve touches it; the
// other methods are for the goroutines of handlers.
type Host struct {
	s    server.State
	h    *server.Handlers
	out  io.Writer
	buf  []byte
	do   chan func(now time.Time) server.Output
	wait map[server.Req]chan server.Event
	done chan struct{}

	roots   server.Roots
	waiting []chan<- rootsAnswer // for the roots
}

type rootsAnswer struct {
	list []protocol.Root
	err  error
}

// NewHost returns a Host that writes to out.
func NewHost(out io.Writer) *Host {
	return &Host{
		out: out, do: make(chan func(time.Time) server.Output),
		wait: map[server.Req]chan server.Event{}, done: make(chan struct{}),
	}
}

// Serve runs the session until its end. At the end of input finished work still goes
// out.
//
//sansmcp:loop max=60
func (d *Host) Serve(s server.State, h *server.Handlers, in io.Reader) error {
	defer close(d.done)
	d.s, d.h = s, h
	messages, timer := Read(in), time.NewTimer(time.Hour)
	for {
		if t, ok := d.s.NextDeadline(); ok {
			timer.Reset(time.Until(t))
		}
		var out server.Output
		select {
		case m, ok := <-messages:
			if ok {
				d.s, out = d.s.Receive(time.Now(), m)
			} else {
				messages = nil
				d.s, out = d.s.InputClosed(time.Now())
			}
		case f := <-d.do:
			out = f(time.Now())
		case now := <-timer.C:
			d.s, out = d.s.Tick(now)
		}
		if end, err := d.step(out); end || err != nil {
			return err
		}
	}
}

// step does what an Output asks for.
func (d *Host) step(out server.Output) (end bool, err error) {
	d.roots, d.s, out = d.roots.Handle(d.s, out)
	d.buf = d.buf[:0]
	for _, o := range out.Send {
		d.buf = jsonrpc.AppendLine(d.buf, o.Message)
	}
	if len(d.buf) > 0 {
		if _, err = d.out.Write(d.buf); err != nil {
			return true, err
		}
	}
	end = out.Close != nil
	for _, ev := range out.Events {
		switch ev.Kind {
		case lifecycle.RequestReceived:
			if job, ok := d.h.Job(ev); ok {
				go d.run(job)
				continue
			}
			var next server.Output
			d.s, next, _ = d.s.Fail(time.Now(), ev.Call, server.Refusal(ev))
			if err = d.then(next, &end); err != nil {
				return true, err
			}
		case lifecycle.ResponseReceived, lifecycle.RequestFailed:
			if c := d.wait[ev.Req]; c != nil {
				delete(d.wait, ev.Req)
				c <- ev
			}
		case server.RootsRead:
			list, _ := d.roots.List()
			for _, c := range d.waiting {
				c <- rootsAnswer{list, ev.Failure()}
			}
			d.waiting = nil
		}
	}
	return end, nil
}

func (d *Host) then(next server.Output, end *bool) error {
	more, err := d.step(next)
	*end = *end || more
	return err
}

// run answers a call on its own goroutine.
func (d *Host) run(job server.Job) {
	a := job.Run(context.Background(), Caller{d, job.Call})
	_ = d.post(func(now time.Time) (out server.Output, err error) {
		d.s, out, err = d.s.Finish(now, a) // ErrGone: it was cancelled meanwhile
		return out, err
	})
}

// post runs f on the goroutine of Serve and returns its error.
func (d *Host) post(f func(now time.Time) (server.Output, error)) error {
	failed := make(chan error, 1)
	g := func(now time.Time) server.Output {
		out, err := f(now)
		failed <- err
		return out
	}
	select {
	case d.do <- g:
		return <-failed
	case <-d.done:
		return lifecycle.ErrGone
	}
}

// Caller is the way back of a call.
type Caller struct {
	d    *Host
	call server.Call
}

// Call returns the handle of the call.
func (c Caller) Call() server.Call { return c.call }

// State returns the session as it is at the moment.
func (c Caller) State() (s server.State) {
	_ = c.d.post(func(time.Time) (server.Output, error) {
		s = c.d.s
		return server.Output{}, nil
	})
	return s
}

// Progress reports progress of the call; lifecycle.ErrGone tells that it was cancelled.
func (c Caller) Progress(p protocol.ProgressParams) error {
	return c.d.post(func(now time.Time) (out server.Output, err error) {
		c.d.s, out, err = c.d.s.Progress(now, c.call, p)
		return out, err
	})
}

// Notify sends a notification within the call.
func (c Caller) Notify(n protocol.Params) error { return c.d.Notify(c.call, n) }

// Request sends a request within the call and waits for its end.
func (c Caller) Request(ctx context.Context, p protocol.Params, opt server.RequestOptions) (jsonrpc.Raw, error) {
	opt.Within = c.call
	ev, err := c.d.Request(p, opt)
	return ev.Body, err
}

// Notify sends a notification within a call, or with the zero Call outside of any.
func (d *Host) Notify(call server.Call, n protocol.Params) error {
	return d.post(func(now time.Time) (out server.Output, err error) {
		d.s, out, err = d.s.Notify(now, n, call)
		return out, err
	})
}

// Request sends a request and waits for its end.
func (d *Host) Request(p protocol.Params, opt server.RequestOptions) (server.Event, error) {
	answer := make(chan server.Event, 1)
	err := d.post(func(now time.Time) (out server.Output, err error) {
		d.s, out, err = d.s.Request(now, p, opt)
		if err == nil {
			d.wait[out.Req] = answer
		}
		return out, err
	})
	if err != nil {
		return server.Event{}, err
	}
	select {
	case ev := <-answer:
		return ev, ev.Failure()
	case <-d.done:
		return server.Event{}, lifecycle.ErrGone
	}
}

// Roots returns the roots of the client. It is asked once, and again when it has
// announced a change; not within a call, since several may wait for the answer.
func (d *Host) Roots() ([]protocol.Root, error) {
	answer := make(chan rootsAnswer, 1)
	err := d.post(func(time.Time) (out server.Output, err error) {
		if d.roots, d.s, out, err = d.roots.Want(d.s, server.RequestOptions{}); err != nil {
			return out, err
		}
		if list, fresh := d.roots.List(); fresh {
			answer <- rootsAnswer{list: list}
		} else {
			d.waiting = append(d.waiting, answer)
		}
		return out, nil
	})
	if err != nil {
		return nil, err
	}
	select {
	case a := <-answer:
		return a.list, a.err
	case <-d.done:
		return nil, lifecycle.ErrGone
	}
}

// Replace puts other handlers in the place of those of Serve. The lists that differ are
// announced to the client.
func (d *Host) Replace(h *server.Handlers) error {
	catalog, err := h.Catalog()
	if err != nil {
		return err
	}
	return d.post(func(now time.Time) (out server.Output, err error) {
		if d.s, out, err = d.s.SetCatalog(now, catalog); err == nil {
			d.h = h
		}
		return out, err
	})
}

// Read returns the messages of a stream; the channel is closed at its end.
func Read(in io.Reader) <-chan jsonrpc.Message {
	messages := make(chan jsonrpc.Message)
	go func() {
		defer close(messages)
		var f jsonrpc.Framer
		buf := make([]byte, 64<<10)
		for {
			n, err := in.Read(buf)
			f.Push(buf[:n])
			for m, ok := f.Next(); ok; m, ok = f.Next() {
				messages <- m
			}
			if err != nil {
				if m, ok := f.Close(); ok {
					messages <- m
				}
				return
			}
		}
	}()
	return messages
}
