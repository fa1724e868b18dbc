package fleet

import (
	"errors"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/internal/waits"
	"github.com/sansmcp/mcp/client/manager"
)

// Limits of the waiting Changes and their bytes. The newest is kept even if it alone is larger.
const (
	maxChanges     = 1000
	maxChangeBytes = 16 << 20
)

// change is a waiting Change.
type change struct {
	catalog.Change
	bytes int
}

// inbox holds the events that Options.Event has not seen, in one box for each server, so that a server that
// floods displaces only its own events. The lock of the Fleet guards all fields except wake.
type inbox struct {
	opt   manager.InboxOptions // of a box
	boxes map[string]manager.Inbox
	turns []string // the servers of boxes, next first
	left  uint64   // drops, except those that boxes count
	news  []change
	size  int // bytes of news
	ended bool
	wake  chan struct{}
}

func newInbox(opt manager.InboxOptions) inbox {
	return inbox{opt: opt, boxes: map[string]manager.Inbox{}, wake: make(chan struct{}, 1)}
}

// add adds an event.
func (in *inbox) add(ev manager.Event) {
	b, ok := in.boxes[ev.Link.Server]
	if !ok {
		b, _ = manager.NewInbox(in.opt) // New has validated opt
		in.turns = append(in.turns, ev.Link.Server)
	}
	ev.Session = waits.Kept(ev.Session)
	in.boxes[ev.Link.Server] = b.Push(ev)
	waits.Signal(in.wake)
}

// next removes and returns the next event, one of each server in turn. ok is false if that server has none,
// because an Inbox may drop events; more is false if no server is left.
func (in *inbox) next() (ev manager.Event, ok, more bool) {
	if len(in.turns) == 0 {
		in.turns = nil
		return ev, false, false
	}
	server := in.turns[0]
	in.turns = in.turns[1:]
	b, ev, ok := in.boxes[server].Pop()
	if b.Len() > 0 {
		in.boxes[server] = b
		in.turns = append(in.turns, server)
	} else { // drop an empty box
		in.left += drops(b)
		delete(in.boxes, server)
	}
	return ev, ok, true
}

// note adds Changes; if there are too many, it drops the oldest.
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

// held returns a Change that shares no memory with its lists, which are much larger.
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

// changes removes and returns all waiting Changes.
func (in *inbox) changes() []catalog.Change {
	list := make([]catalog.Change, len(in.news))
	for i, c := range in.news {
		list[i] = c.Change
	}
	in.news, in.size = nil, 0
	return list
}

// drops returns how many events an Inbox has dropped.
func drops(q manager.Inbox) uint64 {
	d := q.Drops()
	return d.Notifications + d.Updates + d.Progress
}

// leftOut returns how many events and Changes were dropped.
func (in *inbox) leftOut() uint64 {
	n := in.left
	for _, b := range in.boxes {
		n += drops(b)
	}
	return n
}
