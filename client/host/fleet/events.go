package fleet

import (
	"math"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle"
)

// inbox are the events that Options.Event has not seen, those of each server in a box of its
// own: so that a server that says too much pushes out nobody's but its own. The lock of the
// Fleet is held for all but wake.
type inbox struct {
	opt   Options
	boxes map[string]*box
	turns []string // the servers of boxes, in the order of their turns
	left  uint64   // how many events were left out, but for those that boxes count
	ended bool
	wake  chan struct{}
}

// box are the events of one server. Once it is empty it is thrown away.
type box struct {
	q      manager.Inbox
	bytes  int // at least those of the notifications that wait; some of them may have been left out
	paused manager.Link
}

func newInbox(opt Options) inbox {
	if opt.HoldUp {
		opt.Inbox.Notifications = math.MaxInt
	}
	return inbox{opt: opt, boxes: map[string]*box{}, wake: make(chan struct{}, 1)}
}

// add adds an event, and reports whether too many of its server wait.
func (in *inbox) add(ev manager.Event) (full bool) {
	b := in.boxes[ev.Link.Server]
	if b == nil {
		b = &box{q: manager.NewInbox(in.opt.Inbox)}
		in.boxes[ev.Link.Server] = b
		in.turns = append(in.turns, ev.Link.Server)
	}
	ev = kept(ev)
	n := weight(ev)
	if !in.opt.HoldUp && n > 0 && b.bytes > 0 && b.bytes+n > in.opt.MaxEventBytes {
		in.left++
		return false
	}
	b.q = b.q.Push(ev)
	b.bytes += n
	signal(in.wake)
	if full = b.bytes > in.opt.MaxEventBytes || b.q.Len() > 8*manager.DefaultInbox; full {
		b.paused = ev.Link
	}
	return full
}

// weight returns about how much memory a notification holds; 0 for what is never left out.
func weight(ev manager.Event) int {
	if ev.Kind != manager.SessionEvent || ev.Session.Kind == lifecycle.PhaseChanged {
		return 0
	}
	n := 256 + len(ev.Session.Body) + len(ev.Session.Method)
	if e := ev.Session.Err; e != nil {
		n += len(e.Message) + len(e.Data)
	}
	return n
}

// next takes the next event out: one of each server in turn. again is a connection that
// something may be taken in from again.
func (in *inbox) next() (ev manager.Event, again manager.Link, ok bool) {
	if len(in.turns) == 0 {
		return ev, again, false
	}
	server := in.turns[0]
	in.turns = in.turns[1:]
	b := in.boxes[server]
	b.q, ev, ok = b.q.Pop()
	b.bytes -= weight(ev)
	if b.q.Len() > 0 {
		in.turns = append(in.turns, server)
	} else {
		d := b.q.Drops()
		in.left += d.Notifications + d.Progress
		delete(in.boxes, server)
	}
	if !b.paused.IsZero() && (b.q.Len() == 0 || b.bytes < in.opt.MaxEventBytes/2 && b.q.Len() < 4*manager.DefaultInbox) {
		again, b.paused = b.paused, manager.Link{}
	}
	return ev, again, ok
}

// leftOut returns how many events were left out.
func (in *inbox) leftOut() uint64 {
	n := in.left
	for _, b := range in.boxes {
		d := b.q.Drops()
		n += d.Notifications + d.Progress
	}
	return n
}

// tell calls Options.Event until the end.
func (f *Fleet) tell() {
	for range f.inbox.wake {
		for {
			f.mu.Lock()
			ev, again, ok := f.inbox.next()
			ended := f.inbox.ended
			f.mu.Unlock()
			if !again.IsZero() {
				f.links.Resume(again)
			}
			if !ok {
				if ended {
					return
				}
				break
			}
			f.opt.Event(f, ev)
		}
	}
}

// LeftOut returns how many events Options.Event was not called with, because there were too
// many; announcements of a change that another one stood for are not counted.
func (f *Fleet) LeftOut() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.inbox.leftOut()
}
