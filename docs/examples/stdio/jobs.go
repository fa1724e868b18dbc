package stdio

import (
	"container/list"
	"context"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// tooBusy answers a call for which there is no place.
var tooBusy = protocol.InternalError("too busy")

// jobs are the calls that functions answer. Only the loop touches them.
type jobs struct {
	opt     Options
	running int       // functions that have not returned
	bytes   int       // of the params that running and waiting ones hold
	waiting list.List // of *job, oldest first
	open    map[server.Call]*job
}

// job is one of them.
type job struct {
	server.Job
	bytes int
	ctx   context.Context
	end   context.CancelCauseFunc
	place *list.Element // while it waits
}

func newJobs(opt Options) jobs { return jobs{opt: opt, open: map[server.Call]*job{}} }

// add takes a call in that a function is to answer; false if there is no place for it.
func (js *jobs) add(j server.Job, params jsonrpc.Raw) bool {
	n := js.running + js.waiting.Len()
	if n >= js.opt.MaxRunning+js.opt.MaxWaiting || n > 0 && js.bytes+len(params) > js.opt.CallBytes {
		return false
	}
	a := &job{Job: j, bytes: len(params)}
	a.ctx, a.end = context.WithCancelCause(context.Background())
	a.place = js.waiting.PushBack(a)
	js.open[j.Call] = a
	js.bytes += a.bytes
	return true
}

// start runs those whose turn it is, on goroutines of their own.
func (js *jobs) start(run func(*job)) {
	for js.running < js.opt.MaxRunning && js.waiting.Len() > 0 {
		j := js.waiting.Remove(js.waiting.Front()).(*job)
		j.place = nil
		js.running++
		go run(j)
	}
}

// returned takes in that a function has returned.
func (js *jobs) returned(j *job) {
	js.running--
	js.bytes -= j.bytes
}

// ended ends the contexts of the calls that ended in this step, and forgets those that
// were waiting.
func (js *jobs) ended(out server.Output) {
	for _, ev := range out.Events {
		switch ev.Kind {
		case lifecycle.RequestCancelled, lifecycle.RequestExpired, lifecycle.RequestLost:
			js.endOne(ev.Call, ev.Cause)
		}
	}
	for call := range out.EndedCalls() {
		js.endOne(call, lifecycle.ErrGone) // answered
	}
}

func (js *jobs) endOne(call server.Call, cause error) {
	j := js.open[call]
	if j == nil {
		return
	}
	delete(js.open, call)
	j.end(cause)
	if j.place != nil {
		js.waiting.Remove(j.place)
		js.bytes -= j.bytes
	}
}
