package fleet

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/internal/waits"
	"github.com/sansmcp/mcp/client/manager"
)

// How many Changes of the tools wait, and how many bytes of them: the newest, or the newest alone if it is
// longer.
const (
	maxChanges     = 1000
	maxChangeBytes = 16 << 20
)

// change is a Change that waits.
type change struct {
	catalog.Change
	bytes int
}

// inbox are the events that Options.Event has not seen, those of each server in a box of its
// own: so that a server that says too much pushes out nobody's but its own. The lock of the
// Fleet is held for all but wake.
type inbox struct {
	opt   manager.InboxOptions // of a box
	most  manager.InboxOptions // with how many the connection is held up
	holds bool                 // Options.HoldUp
	boxes map[string]*box
	turns []string // the servers of boxes, in the order of their turns
	left  uint64   // how many events were left out, but for those that boxes count
	news  []change
	size  int // bytes of news
	ended bool
	wake  chan struct{}
}

// box are the events of one server. Once it is empty it is thrown away.
type box struct {
	q      manager.Inbox
	bytes  int // of those that wait; with HoldUp, for otherwise the Inbox bounds them
	paused manager.Link
}

func newInbox(opt Options) inbox {
	in := inbox{most: opt.Inbox, holds: opt.HoldUp, boxes: map[string]*box{}, wake: make(chan struct{}, 1)}
	in.most.Notifications = cmp.Or(in.most.Notifications, manager.DefaultInbox)
	in.most.Bytes = cmp.Or(in.most.Bytes, manager.DefaultInboxBytes)
	in.opt = opt.Inbox
	if in.holds {
		in.opt = manager.InboxOptions{Notifications: math.MaxInt, Progress: math.MaxInt, Updates: math.MaxInt, Bytes: math.MaxInt}
	}
	return in
}

// add adds an event, and reports whether nothing more of its server may be taken in.
func (in *inbox) add(ev manager.Event) (full bool) {
	b := in.boxes[ev.Link.Server]
	if b == nil {
		q, _ := manager.NewInbox(in.opt) // New has tried it
		b = &box{q: q}
		in.boxes[ev.Link.Server] = b
		in.turns = append(in.turns, ev.Link.Server)
	}
	ev = kept(ev)
	b.q = b.q.Push(ev)
	b.bytes += weight(ev)
	waits.Signal(in.wake)
	if full = in.holds && (b.q.Len() >= in.most.Notifications || b.bytes >= in.most.Bytes); full {
		b.paused = ev.Link
	}
	return full
}

// weight returns how many bytes an event counts with, as an Inbox counts: those of the texts of its
// session, but for methods and ids of a usual length.
func weight(ev manager.Event) int {
	const usual = 64
	n := len(ev.Session.Body)
	if m := len(ev.Session.Method); m > usual {
		n += m
	}
	if id, _ := ev.Session.ID.Str(); len(id) > usual {
		n += len(id)
	}
	if e := ev.Session.Err; e != nil {
		n += len(e.Message) + len(e.Data)
	}
	return n
}

// next takes the next event out: one of each server in turn. ok is false if that server had
// none after all, for an Inbox may leave out what it is given; more is false if nobody's turn
// is left. again is a connection from which something may be taken in again.
func (in *inbox) next() (ev manager.Event, again manager.Link, ok, more bool) {
	if len(in.turns) == 0 {
		in.turns = nil
		return ev, again, false, false
	}
	server := in.turns[0]
	in.turns = in.turns[1:]
	b := in.boxes[server]
	b.q, ev, ok = b.q.Pop()
	b.bytes -= weight(ev)
	n := b.q.Len()
	if n > 0 {
		in.turns = append(in.turns, server)
	} else {
		in.left += drops(b.q)
		delete(in.boxes, server)
	}
	if !b.paused.IsZero() && (n == 0 || n <= in.most.Notifications/2 && b.bytes <= in.most.Bytes/2) {
		again, b.paused = b.paused, manager.Link{}
	}
	return ev, again, ok, true
}

// note adds what became of the tools, of which the newest wait.
func (in *inbox) note(list []catalog.Change) {
	for _, ch := range list {
		c := held(ch)
		in.news = append(in.news, c)
		in.size += c.bytes
	}
	over := 0
	for len(in.news)-over > maxChanges || in.size > maxChangeBytes && len(in.news)-over > 1 {
		in.size -= in.news[over].bytes
		over++
	}
	in.news = slices.Delete(in.news, 0, over)
	in.left += uint64(over)
	waits.Signal(in.wake)
}

// held returns a Change that shares no memory with the lists that it is about, which are much larger.
func held(ch catalog.Change) change {
	c := change{ch, 256}
	own := func(text *string) {
		*text = strings.Clone(*text)
		c.bytes += 32 + len(*text)
	}
	for _, ids := range []*[]catalog.ItemID{&c.Added, &c.Removed, &c.Changed} {
		*ids = slices.Clone(*ids)
		for i := range *ids {
			own(&(*ids)[i].Key)
		}
	}
	c.Dropped = slices.Clone(c.Dropped)
	for i := range c.Dropped {
		d := &c.Dropped[i]
		own(&d.Key)
		if e := new(catalog.ConflictError); errors.As(d.Err, &e) {
			conflict := *e
			own(&conflict.Name)
			own(&conflict.Existing.Key)
			own(&conflict.Incoming.Key)
			d.Err = &conflict
		}
	}
	return c
}

// changes takes all that became of the tools out.
func (in *inbox) changes() []catalog.Change {
	list := make([]catalog.Change, len(in.news))
	for i, c := range in.news {
		list[i] = c.Change
	}
	in.news, in.size = nil, 0
	return list
}

// drops returns how many events an Inbox has left out.
func drops(q manager.Inbox) uint64 {
	d := q.Drops()
	return d.Notifications + d.Updates + d.Progress
}

// leftOut returns how many events were left out.
func (in *inbox) leftOut() uint64 {
	n := in.left
	for _, b := range in.boxes {
		n += drops(b.q)
	}
	return n
}

// tell calls Options.Event and Options.Changed until the end. If one of them ends its goroutine, another
// goes on.
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
			var again manager.Link
			var ok bool
			f.mu.Lock()
			ended, news := f.inbox.ended, f.inbox.changes()
			if len(news) == 0 {
				ev, again, ok, more = f.inbox.next()
			}
			f.mu.Unlock()
			if len(news) > 0 {
				f.opt.Changed(f, news)
				continue
			}
			if !again.IsZero() {
				f.loop.Links().Resume(again)
			}
			if ok {
				f.opt.Event(f, ev)
			} else if !more && ended {
				return
			}
		}
	}
}

// LeftOut returns how many events and changes Options.Event and Options.Changed were not called with,
// because there were too many; news that other news stood for is not counted.
func (f *Fleet) LeftOut() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.inbox.leftOut()
}
