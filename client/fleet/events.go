package fleet

import (
	"github.com/sansmcp/mcp/client/internal/waits"
	"github.com/sansmcp/mcp/client/manager"
)

// tell calls Options.Event and Options.Changed until the end. If one of them ends its goroutine, tell
// continues on another.
func (f *Fleet) tell() {
	over := false
	waits.Finally(func() {
		f.tellAll()
		over = true
	}, func() {
		if !over {
			waits.Signal(f.inbox.wake)
			f.told.Go(f.tell)
		}
	})
}

func (f *Fleet) tellAll() {
	for range f.inbox.wake {
		for more := true; more; {
			var ev manager.Event
			var ok bool
			f.mu.Lock()
			ended, news := f.inbox.ended, f.inbox.changes()
			if len(news) == 0 {
				ev, ok, more = f.inbox.next()
			}
			f.mu.Unlock()
			switch {
			case len(news) > 0:
				f.opt.Changed(f, news)
			case ok:
				f.opt.Event(f, ev)
			case !more && ended:
				return
			}
		}
	}
}

// LeftOut returns how many events and changes were dropped because too many waited for Options.Event
// and Options.Changed. Events that a newer one replaced do not count.
func (f *Fleet) LeftOut() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.inbox.leftOut()
}
