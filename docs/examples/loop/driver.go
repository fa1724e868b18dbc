package main

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/server"
)

// driver owns a State. Whatever happens to it is a turn, of whichever goroutine.
//
//sansmcp:code max=60
type driver struct {
	mu    sync.Mutex
	s     server.State
	h     *server.Handlers
	out   chan []byte                        // lines to write: nothing waits for that
	timer *time.Timer                        // for the next deadline
	ends  map[server.Call]context.CancelFunc // of the functions that run
	asked map[server.Req]chan server.Event   // who waits for the client
}

// turn takes the next State and does what its Output asks for.
func (d *driver) turn(f func(s server.State, now time.Time) (server.State, server.Output)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s, out := f(d.s, time.Now())
	d.s = s
	for _, o := range out.Send {
		d.out <- jsonrpc.AppendLine(nil, o.Message)
	}
	for _, ev := range out.Events {
		d.answered(ev)
		if job, ok := d.h.Job(ev); ok {
			ctx, end := context.WithCancel(context.Background())
			d.ends[job.Call] = end
			go d.run(ctx, job)
		}
	}
	for call := range out.EndedCalls() {
		if end := d.ends[call]; end != nil {
			end()
			delete(d.ends, call)
		}
	}
	if t, ok := s.NextDeadline(); ok {
		d.timer.Reset(time.Until(t))
	}
	if out.Close != nil {
		close(d.out)
	}
}

// serve runs the session until its end.
func (d *driver) serve(in io.Reader, out io.Writer) {
	d.timer = time.AfterFunc(time.Hour, func() { d.turn(server.State.Tick) })
	go func() {
		var f jsonrpc.Framer
		for buf, err := make([]byte, 64<<10), error(nil); err == nil; {
			var n int
			n, err = in.Read(buf)
			f.Push(buf[:n])
			next := f.Next
			if err != nil {
				next = f.Close // what is left is the last line
			}
			for m, ok := next(); ok; m, ok = next() {
				d.turn(func(s server.State, now time.Time) (server.State, server.Output) { return s.Receive(now, m) })
			}
		}
		d.turn(server.State.InputClosed)
	}()
	for line := range d.out {
		_, _ = out.Write(line)
	}
}
