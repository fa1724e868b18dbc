package fleet

import (
	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/calls"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle"
)

// act performs the actions of a step except connections, with the lock held.
func (f *Fleet) act(out calls.Output) {
	for _, r := range out.LocalStop { // before LocalStart
		f.stopLocal(r)
	}
	for _, i := range out.LocalStart {
		f.startLocal(i)
	}
	for _, p := range out.Progress {
		of := f.calls[p.Call]
		of.w.Progress(of.i, p.Params)
	}
	for _, r := range out.Done {
		if w := f.calls[r.Call].w; r.Batch == 0 {
			w.End(attempt.BatchDone{Results: []attempt.Result{r}})
		}
		delete(f.calls, r.Call)
	}
	for _, b := range out.Batches {
		f.batches[b.Batch].End(b)
		delete(f.batches, b.Batch)
	}
	for _, ev := range out.Events {
		f.event(ev)
	}
	if len(out.Changes) > 0 && f.opt.Changed != nil {
		f.inbox.note(out.Changes)
	}
	if len(out.Changes) > 0 || len(out.Settled) > 0 {
		f.mu.Wake()
	}
}

// event handles one event.
func (f *Fleet) event(ev manager.Event) {
	switch ev.Kind {
	case manager.OpDone:
		if w := f.ops[ev.Op]; w != nil {
			delete(f.ops, ev.Op)
			w.End(ev)
		}
		return
	case manager.ServerChanged:
		if !ev.To.Live() {
			for _, end := range f.serving[ev.Link] {
				end(ev.Err)
			}
			delete(f.serving, ev.Link)
		}
		f.mu.Wake()
	case manager.SessionEvent:
		switch ev.Session.Kind {
		case lifecycle.RequestReceived:
			f.serve(ev)
			return
		case lifecycle.RequestCancelled, lifecycle.RequestExpired, lifecycle.RequestLost:
			f.served(ev.Call, ev.Session.Cause)
		case lifecycle.ProgressReceived:
			if w := f.ops[ev.Op]; w != nil {
				w.Progress(0, ev.Session.Body)
				return
			}
		}
	}
	f.note(ev)
}

// room wakes the callers that wait for a full queue.
func (f *Fleet) room(manager.Link) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.mu.Wake()
}
