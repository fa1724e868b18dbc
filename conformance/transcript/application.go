package transcript

import (
	"iter"
	"time"

	"github.com/sansmcp/mcp/conformance/fixture"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// application runs the fixture beside a machine in memory. Each call is a coroutine that
// runs until it waits for the client, so a script leads to the same lines every time.
type application struct {
	m       *subject
	h       *server.Handlers
	now     time.Time
	out     lifecycle.Output // of the step so far
	current *task
	waiting map[server.Req]*task
}

// task is a call that the fixture answers.
type task struct {
	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool
	event server.Event  // the end of the request that it waited for
	done  bool          // its Job has run
	over  server.Answer // what the Job came to
}

var _ fixture.Session = (*application)(nil)

func newApplication(m *subject) *application {
	a := &application{m: m, waiting: map[server.Req]*task{}}
	a.h = fixture.Handlers(a)
	return a
}

// handle does what a driver does with an Output, and returns all that came of it.
func (a *application) handle(now time.Time, out lifecycle.Output) lifecycle.Output {
	a.now, a.out = now, lifecycle.Output{}
	a.take(out)
	return a.out
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
			var next lifecycle.Output
			a.m.Machine, next, _ = a.m.Fail(a.now, ev.Call, server.Refusal(ev))
			a.take(next)
		case lifecycle.RequestCancelled, lifecycle.RequestExpired:
			for r := range a.m.Requests() {
				if r.Within == ev.Call {
					var next lifecycle.Output
					a.m.Machine, next, _ = a.m.Cancel(a.now, r.Req, "the call is over")
					a.take(next)
				}
			}
		case lifecycle.ResponseReceived, lifecycle.RequestFailed:
			if t := a.waiting[ev.Req]; t != nil {
				delete(a.waiting, ev.Req)
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
		t.over = job.Run()
		t.done = true
	})
	a.resume(t)
}

// resume runs a task until it waits or has run.
func (a *application) resume(t *task) {
	before := a.current
	a.current = t
	t.next()
	a.current = before
	if !t.done {
		return
	}
	var next lifecycle.Output
	a.m.Machine, next, _ = a.m.Finish(a.now, t.over) // ErrGone: it was cancelled meanwhile
	a.take(next)
}

// close gives up what still waits.
func (a *application) close() {
	for _, t := range a.waiting {
		t.stop()
	}
}

// Progress reports progress of a call.
func (a *application) Progress(call server.Call, p protocol.ProgressParams) error {
	next, out, err := a.m.Progress(a.now, call, p)
	a.m.Machine = next
	a.take(out)
	return err
}

// Notify sends a notification within a call.
func (a *application) Notify(call server.Call, n protocol.Params) error {
	next, out, err := a.m.Notify(a.now, n, call)
	a.m.Machine = next
	a.take(out)
	return err
}

// Request sends a request within a call and waits for its end.
func (a *application) Request(call server.Call, p protocol.Params) (server.Event, error) {
	next, out, err := a.m.Request(a.now, p, lifecycle.RequestOptions{Within: call})
	a.m.Machine = next
	if err != nil {
		return server.Event{}, err
	}
	t := a.current
	a.waiting[out.Req] = t
	a.take(out)
	if !t.yield(struct{}{}) {
		return server.Event{}, lifecycle.ErrGone
	}
	return t.event, t.event.Failure()
}
