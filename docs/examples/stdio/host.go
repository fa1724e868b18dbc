package stdio

import (
	"fmt"
	"io"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server"
)

// Host runs one session. Only the goroutine of Serve touches its State; the other methods
// are for the goroutines of functions, and for those of the application.
type Host struct {
	opt  Options
	to   io.Writer
	s    server.State
	h    *server.Handlers
	out  *Writer
	do   chan func(now time.Time) server.Output
	wait map[server.Req]chan server.Event
	jobs jobs
	lost int           // calls that were open at the end
	ends time.Time     // when the drain ends, once it has begun
	done chan struct{} // closed at the end

	roots   server.Roots
	waiting []chan<- rootsAnswer // for the roots
}

// NewHost returns a Host that writes to out.
func NewHost(out io.Writer, opt Options) *Host {
	opt = opt.filled()
	return &Host{
		opt: opt, to: out, do: make(chan func(time.Time) server.Output),
		wait: map[server.Req]chan server.Event{}, jobs: newJobs(opt), done: make(chan struct{}),
	}
}

// Serve runs the session until its end, once. At the end of input open calls may finish for
// Options.Drain. If it ends otherwise, it closes in, where that can be closed, and out if
// the peer does not read it. It returns why the peer could not be written to, or that
// calls did not finish.
//
//sansmcp:loop max=60
func (d *Host) Serve(s server.State, h *server.Handlers, in io.Reader) error {
	d.s, d.h, d.out = s, h, NewWriter(d.to, d.opt.QueueBytes, d.opt.Stall)
	messages, timer := Read(in, d.done), time.NewTimer(time.Hour)
	defer timer.Stop()
	for end := false; !end; {
		if t, ok := d.s.NextDeadline(); ok {
			timer.Reset(time.Until(t))
		}
		from, do := messages, d.do
		if d.out.Full() {
			from, do = nil, nil // until the peer has read; what is due is done all the same
		}
		var out server.Output
		select {
		case m, ok := <-from:
			if ok {
				d.s, out = d.s.Receive(time.Now(), m)
			} else {
				messages, in = nil, nil
				out = d.drain(time.Now())
			}
		case f := <-do:
			out = f(time.Now())
		case now := <-timer.C:
			d.s, out = d.s.Tick(now)
		case <-d.out.Room():
		case <-d.out.Done():
			end = true
		}
		end = d.step(out) || end
	}
	return d.end(in)
}

// step does what an Output asks for.
func (d *Host) step(out server.Output) (end bool) {
	d.roots, d.s, out = d.roots.Handle(d.s, out)
	for _, o := range out.Send {
		d.out.Send(o.Message)
	}
	d.jobs.ended(out)
	end = out.Close != nil
	for _, ev := range out.Events {
		switch ev.Kind {
		case lifecycle.RequestReceived:
			e := server.UnhandledError(ev)
			if job, ok := d.h.Job(ev); ok {
				if d.jobs.add(job, ev.Body) {
					continue
				}
				e = tooBusy
			}
			var next server.Output
			d.s, next, _ = d.s.Fail(time.Now(), ev.Call, e)
			end = d.step(next) || end
		case lifecycle.RequestLost:
			d.lost++
		case lifecycle.ResponseReceived, lifecycle.RequestFailed:
			if c := d.wait[ev.Req]; c != nil {
				delete(d.wait, ev.Req)
				c <- ev
			}
		case server.RootsRead:
			d.rootsRead(ev)
		}
	}
	d.jobs.start(d.run)
	return end
}

// drain takes in that there is no more input: open calls have some time to finish.
func (d *Host) drain(now time.Time) (out server.Output) {
	d.ends = now.Add(d.opt.Drain)
	d.s, out = d.s.InputClosed(now)
	var more server.Output
	d.s, more = d.s.Shutdown(now, d.opt.Drain)
	out.Merge(more)
	return out
}

// end ends what is left: functions are told, what is queued is written, and whoever waits
// for something gets ErrGone. in is nil if it was read to its end.
func (d *Host) end(in io.Reader) error {
	var out server.Output
	lost := d.lost
	d.s, out = d.s.Disconnected(time.Now(), d.out.Err())
	d.step(out)
	wait := d.opt.Drain
	if !d.ends.IsZero() {
		wait = max(time.Until(d.ends), wait/10)
	}
	err := d.out.Close(wait)
	close(d.done)
	if c, ok := in.(io.Closer); ok {
		_ = c.Close() // so that the goroutine that reads it ends
	}
	if err == nil && lost > 0 {
		err = fmt.Errorf("stdio: %d calls did not finish within %v of the end of input", lost, d.opt.Drain)
	}
	return err
}

// run answers a call on a goroutine of its own.
func (d *Host) run(j *job) {
	a := j.Run(j.ctx, Caller{d, j.Call})
	_ = d.post(func(now time.Time) (out server.Output, err error) {
		d.jobs.returned(j)
		d.s, out, err = d.s.Finish(now, a) // ErrGone: the call has ended meanwhile
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
