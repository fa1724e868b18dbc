package manager

import (
	"errors"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// The defaults of InboxOptions.
const (
	defaultCount = 128
	defaultBytes = 4 << 20
)

// InboxOptions bound an Inbox. A zero field means its default.
type InboxOptions struct {
	// Notifications is how many ordinary notifications may wait, such as log messages, unknown
	// methods and violations. One more drops the oldest. Default 128.
	Notifications int
	// Progress is how many operations may have waiting progress. That of one more is dropped.
	// Default 128.
	Progress int
	// Updates is how many resources may have a waiting resources/updated. One more drops the oldest.
	// The same limit applies to notifications of completed elicitations. Default 128.
	Updates int
	// Bytes bounds the bodies and errors of all events that may be dropped, and unusually long
	// methods and ids; zero means 4 MiB. A longer event is dropped at once.
	Bytes int
}

// DropCounts counts the events that an Inbox has dropped.
type DropCounts struct {
	Notifications uint64 // ordinary notifications dropped for newer ones
	Updates       uint64 // resources/updated, and elicitation/complete, dropped for newer ones
	Progress      uint64 // progress dropped at the limit
	Coalesced     uint64 // events merged into waiting ones, and progress and changes replaced by newer ones
}

// Inbox is a bounded queue of Events between a Manager and a slower application, as a value.
// Control events are never dropped: the end of an operation, requests of a server and their end;
// the number of requests bounds them. It keeps 16 changes of a server; each further one replaces
// the newest, so the last one is always current. It keeps one list_changed for each list of a
// server (without a body of more than 1 KiB), one resources/updated for each resource, the newest
// progress of each operation, and a bounded number of other notifications. Events keep their order;
// an event that replaces another takes its place, except an announcement of another link, which
// comes last.
type Inbox struct {
	opt   InboxOptions
	last  uint64
	queue table.Table[letter]
	same  table.Index[uint64]            // what news is about → its number in queue
	moves table.Index[moves]             // changes of servers
	bytes int                            // of the bodies of those that may be dropped
	old   [classes]table.Table[struct{}] // those that may be dropped, by number
	left  [classes]uint64                // how many of each class were dropped
	again uint64                         // DropCounts.Coalesced
}

// letter is an event that waits.
type letter struct {
	ev    Event
	class class
	about string // what it is news of, "" for what stands for itself
}

type class uint8

const (
	control class = iota
	announcement
	update
	progress
	ordinary
	completion
	classes
)

// moves says of the changes of one server that wait how many there are, and the number of the last.
type moves struct {
	count  int
	newest uint64
}

// maxChanges is how many changes of one server an Inbox keeps one by one. It is many more than
// connecting, losing and closing a server take, and bounds one that comes and goes for as long
// as nobody looks.
const maxChanges = 16

// hash is that of the texts of an Inbox, without a key: a peer that makes its uris fall together makes a
// list of as many as may wait.
func hash(text string) uint64 { return engine.Hash([2]uint64{}, 'm', text) }

// defaultInbox is what the zero Inbox has. It is never changed.
var defaultInbox = InboxOptions{Notifications: defaultCount, Progress: defaultCount, Updates: defaultCount, Bytes: defaultBytes}

// NewInbox returns an empty Inbox. Errors: lifecycle.ErrConfig.
func NewInbox(opt InboxOptions) (Inbox, error) {
	var f lifecycle.Filler
	f.Count("Notifications", &opt.Notifications, defaultCount)
	f.Count("Progress", &opt.Progress, defaultCount)
	f.Count("Updates", &opt.Updates, defaultCount)
	f.Count("Bytes", &opt.Bytes, defaultBytes)
	if err := invalid(&f); err != nil {
		return Inbox{}, err
	}
	return Inbox{opt: opt}, nil
}

// Push adds an event. It copies the kept parts of messages that may be dropped.
func (q Inbox) Push(ev Event) Inbox {
	if q.opt == (InboxOptions{}) {
		q.opt = defaultInbox
	}
	class, about := classify(ev)
	if ended(ev) {
		// A request that ended before it was seen is left out, with its end.
		if n := q.same.Get(hash(about), about); n != nil {
			q.again++
			return q.without(*n)
		}
		about = ""
	}
	x := letter{ev, class, about}
	if class != control {
		if class == announcement && len(ev.Session.Body) > maxNews {
			ev.Session.Body = "" // it is of no use
		}
		x.ev = detachedEvent(ev)
		if q.size(x) > q.opt.Bytes {
			q.left[class]++
			return q
		}
	}
	if n := q.same.Get(hash(about), about); n != nil {
		q.again++
		old := q.queue.Get(*n).V
		if old.ev.Link == ev.Link {
			q.bytes += q.size(x) - q.size(old)
			q.queue = q.queue.Put(*n, table.Never, x)
			return q.fit()
		}
		q = q.without(*n)
	}
	moved := moves{newest: q.last + 1}
	if ev.Kind == ServerChanged {
		if old := q.moves.Get(hash(ev.Link.Server), ev.Link.Server); old != nil {
			if moved.count = old.count; moved.count == maxChanges {
				return q.coalesce(old.newest, ev)
			}
		}
		moved.count++
		q.moves = q.moves.Put(hash(ev.Link.Server), ev.Link.Server, moved)
	}
	switch {
	case class == progress && q.old[class].Len() >= q.opt.Progress:
		q.left[class]++
		return q
	case class == ordinary && q.old[class].Len() >= q.opt.Notifications,
		(class == update || class == completion) && q.old[class].Len() >= q.opt.Updates:
		q = q.dropOldest(class)
	}
	q.last++
	if about != "" {
		q.same = q.same.Put(hash(about), about, q.last)
	}
	if class != control && class != announcement {
		q.old[class] = q.old[class].Put(q.last, table.Never, struct{}{})
	}
	q.queue = q.queue.Put(q.last, table.Never, x)
	q.bytes += q.size(x)
	return q.fit()
}

// maxNews is how long the body of the announcement that a list has changed may be to be kept; a
// longer one is left out of the event. It can say nothing but _meta, and an announcement is never dropped: a server that writes long ones
// would take the room of all others.
const maxNews = 1024

// longMethod is how long a method may be that counts nothing: those of the specification are
// shorter, and so are the ids that peers make.
const longMethod = 64

// size returns the bytes that an event counts with: those of its body and error, and of a method
// or id that is longer than any that is meant.
func (q Inbox) size(x letter) int {
	if x.class == control || x.class == announcement {
		return 0
	}
	n := len(x.ev.Session.Body)
	if m := len(x.ev.Session.Method); m > longMethod {
		n += m
	}
	if e := x.ev.Session.Err; e != nil {
		n += len(e.Message) + len(e.Data)
	}
	if id, _ := x.ev.Session.ID.Str(); len(id) > longMethod {
		n += len(id)
	}
	return n
}

// fit drops what is too long together.
func (q Inbox) fit() Inbox {
	for _, class := range []class{ordinary, update, progress, completion} {
		for q.bytes > q.opt.Bytes && q.old[class].Len() > 0 {
			q = q.dropOldest(class)
		}
	}
	return q
}

func (q Inbox) dropOldest(class class) Inbox {
	for leaf := range q.old[class].All() {
		q.left[class]++
		return q.without(leaf.Key)
	}
	return q
}

func (q Inbox) without(n uint64) Inbox {
	var leaf *table.Leaf[letter]
	q.queue, leaf = q.queue.Delete(n)
	x := leaf.V
	q.bytes -= q.size(x)
	if x.about != "" {
		q.same = q.same.Delete(hash(x.about), x.about)
	}
	if x.ev.Kind == ServerChanged {
		server := x.ev.Link.Server
		old := *q.moves.Get(hash(server), server)
		if old.count--; old.count == 0 {
			q.moves = q.moves.Delete(hash(server), server)
		} else {
			q.moves = q.moves.Put(hash(server), server, old)
		}
	}
	q.old[x.class], _ = q.old[x.class].Delete(n)
	return q
}

// detachedEvent returns an event that shares no memory with its message.
func detachedEvent(ev Event) Event {
	s := &ev.Session
	s.Body, s.Method, s.ID = jsonrpc.Raw(strings.Clone(string(s.Body))), strings.Clone(s.Method), s.ID.Clone()
	if s.Err != nil {
		s.Err = engine.KeptCause(&lifecycle.Cause{RPC: s.Err}).RPC
	}
	return ev
}

// ended reports whether an event is the end of a request of a server.
func ended(ev Event) bool {
	k := ev.Session.Kind
	return ev.Kind == SessionEvent && (k == lifecycle.RequestCancelled || k == lifecycle.RequestExpired || k == lifecycle.RequestLost)
}

// Pop removes the oldest event; false if there is none.
func (q Inbox) Pop() (Inbox, Event, bool) {
	for leaf := range q.queue.All() {
		return q.without(leaf.Key), leaf.V.ev, true
	}
	return q, Event{}, false
}

// Len returns how many events wait.
func (q Inbox) Len() int { return q.queue.Len() }

// Drops returns what was dropped so far.
func (q Inbox) Drops() DropCounts {
	return DropCounts{Notifications: q.left[ordinary], Updates: q.left[update] + q.left[completion], Progress: q.left[progress], Coalesced: q.again}
}

// classify says how an event may be left out, and what it is news of.
func classify(ev Event) (class, string) {
	if ev.Kind == PingsMissed {
		return announcement, aboutServer(ev, "health")
	}
	if ev.Kind != SessionEvent {
		return control, ""
	}
	switch s := ev.Session; s.Kind {
	case lifecycle.ProgressReceived:
		return progress, about(ev, "progress", s.Req.String())
	case lifecycle.NotificationReceived:
		switch row := protocol.Revisions()[0].Row(s.Method); {
		case row == nil:
			return ordinary, ""
		case row.Setting == protocol.SettingSubscribe:
			return update, about(ev, s.Method, rawjson.Text(string(s.Body), "uri"))
		case row.Lists != nil:
			return announcement, aboutServer(ev, s.Method)
		case row.Completes:
			return completion, ""
		}
		return ordinary, ""
	case lifecycle.RequestReceived, lifecycle.RequestCancelled, lifecycle.RequestExpired, lifecycle.RequestLost:
		return control, about(ev, "call", s.Call.String())
	}
	return ordinary, ""
}

// aboutServer is for news that says nothing any more once a later connection of the server has
// some: so that one that comes and goes fills nothing.
func aboutServer(ev Event, what string) string { return ev.Link.Server + "\x00" + what }

func about(ev Event, what, which string) string {
	return ev.Link.String() + "\x00" + what + "\x00" + strings.Clone(which)
}

// Check returns an error if an invariant of the Inbox does not hold; tests call it.
func (q Inbox) Check() error {
	var count [classes]int
	size, named, moved := 0, 0, 0
	for leaf := range q.queue.All() {
		x := leaf.V
		size += q.size(x)
		if q.old[x.class].Get(leaf.Key) != nil {
			count[x.class]++
		} else if x.class != control && x.class != announcement {
			return errors.New("manager: an event that is never dropped")
		}
		if x.ev.Kind == ServerChanged {
			moved++
		}
		if x.about != "" {
			named++
			if n := q.same.Get(hash(x.about), x.about); n == nil || *n != leaf.Key {
				return errors.New("manager: news that is not found")
			}
		}
	}
	for _, of := range q.moves.All() {
		moved -= of.count
		if of.count < 1 || of.count > maxChanges || q.queue.Get(of.newest) == nil {
			return errors.New("manager: changes of a server that are not found")
		}
	}
	for class, n := range count {
		if n != q.old[class].Len() {
			return errors.New("manager: the Inbox counts wrong")
		}
	}
	switch {
	case moved != 0, size != q.bytes, named != q.same.Len():
		return errors.New("manager: the Inbox counts wrong")
	case count[control]+count[announcement] > 0:
		return errors.New("manager: control that may be dropped")
	case count[ordinary] > q.opt.Notifications, count[update] > q.opt.Updates, count[completion] > q.opt.Updates, count[progress] > q.opt.Progress,
		size > q.opt.Bytes && count[ordinary]+count[update]+count[progress]+count[completion] > 0:
		return errors.New("manager: the Inbox is over its bounds")
	}
	return nil
}

// coalesce puts a change in the place of the one before it, of which it keeps where that began
// and, if it says nothing itself, why.
func (q Inbox) coalesce(n uint64, ev Event) Inbox {
	old := q.queue.Get(n).V
	if old.ev.Link == ev.Link {
		ev.From = old.ev.From
	}
	if ev.Err == nil {
		ev.Err = old.ev.Err
	}
	q.again++
	q.queue = q.queue.Put(n, table.Never, letter{ev, control, ""})
	return q
}
