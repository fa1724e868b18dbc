package transcript

import (
	"context"
	"iter"
	"time"

	"github.com/sansmcp/mcp/conformance/transcript/fixture"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// application runs the fixture beside a machine in memory. Each call is a coroutine that
// runs until it waits for the client, so a script always leads to the same lines.
type application struct {
	m       *subject
	h       *server.Handlers
	route   func(lifecycle.Output) lifecycle.Output // between a verb and its Output; nil for nothing
	now     time.Time
	out     lifecycle.Output // of the step so far
	current *task
	waiting map[uint64]*task // by the number of the Req: a restored State has handles of its own
}

// task is a call that the fixture answers.
type task struct {
	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool
	event server.Event  // the end of the request that it waited for
	done  bool          // its Job has run
	over  server.Answer // the outcome of the Job
}

func newApplication(m *subject) *application {
	a := &application{m: m, waiting: map[uint64]*task{}}
	a.h = fixture.Handlers()
	return a
}

// handle does what a driver does with an Output, and returns the combined Output.
func (a *application) handle(now time.Time, out lifecycle.Output) lifecycle.Output {
	a.now, a.out = now, lifecycle.Output{}
	a.take(out)
	return a.out
}

// do does a verb and handles its Output.
func (a *application) do(v verbs.Verb) error {
	out, err := a.m.do(a.now, v)
	a.did(out)
	return err
}

func (a *application) did(out lifecycle.Output) {
	if a.route != nil {
		out = a.route(out)
	}
	a.take(out)
}

func (a *application) take(out lifecycle.Output) {
	a.out.Merge(out)
	for _, ev := range out.Events {
		switch ev.Kind {
		case lifecycle.RequestReceived:
			if job, ok := a.h.Job(ev); ok {
				a.start(job)
				continue
			}
			e := server.UnhandledError(ev)
			_ = a.do(verbs.Verb{Op: verbs.OpFail, Call: ev.Call, Err: &e})
		case lifecycle.ResponseReceived, lifecycle.RequestFailed:
			if t := a.waiting[ev.Req.Seq()]; t != nil {
				delete(a.waiting, ev.Req.Seq())
				t.event = ev
				a.resume(t)
			}
		}
	}
}

func (a *application) start(job server.Job) {
	t := new(task)
	t.next, t.stop = iter.Pull(func(yield func(struct{}) bool) {
		t.yield = yield
		t.over = job.Run(context.Background(), caller{a, job.Call})
		t.done = true
	})
	a.resume(t)
}

// resume runs a task until it waits or ends.
func (a *application) resume(t *task) {
	before := a.current
	a.current = t
	t.next()
	a.current = before
	if !t.done {
		return
	}
	call := a.m.Call(t.over.Call.Seq(), t.over.Call.Key())
	_ = a.do(verbs.Verb{Op: verbs.OpFinish, Call: call, Result: t.over.Result, Err: t.over.Err}) // ErrGone: it was cancelled in between
}

// close abandons the waiting tasks.
func (a *application) close() {
	for _, t := range a.waiting {
		t.stop()
	}
}

// caller is the way back of a call.
type caller struct {
	a    *application
	call server.Call
}

func (c caller) Call() server.Call   { return c.a.m.Call(c.call.Seq(), c.call.Key()) }
func (c caller) State() server.State { return verbs.ServerState(c.a.m.Machine) }

func (c caller) Progress(p protocol.ProgressParams) error {
	return c.a.do(verbs.Verb{Op: verbs.OpProgress, Call: c.Call(), Progress: p})
}

func (c caller) Notify(n protocol.Params) error {
	return c.a.do(verbs.Verb{Op: verbs.OpNotify, Call: c.Call(), Params: n})
}

func (c caller) Request(_ context.Context, p protocol.Params, opt server.RequestOptions) (jsonrpc.Raw, error) {
	opt.Within = c.Call()
	out, err := c.a.m.do(c.a.now, verbs.Verb{Op: verbs.OpRequest, Params: p, Options: opt})
	if err != nil {
		return "", err
	}
	t := c.a.current
	c.a.waiting[out.Req.Seq()] = t
	c.a.did(out)
	if !t.yield(struct{}{}) {
		return "", lifecycle.ErrGone
	}
	return t.event.Body, t.event.Failure()
}
