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
	// Notifications is how many ordinary notifications may wait, such as log messages, those of
	// unknown methods, and violations. One more drops the oldest. Default 128.
	Notifications int
	// Progress is how many operations may have waiting progress. Progress of one more is dropped.
	// Default 128.
	Progress int
	// Updates is how many resources may have a waiting resources/updated. One more drops the oldest. As
	// many notifications that an elicitation is complete may wait. Default 128.
	Updates int
	// Bytes bounds the bodies and errors of all events that may be dropped, and their methods and ids
	// if these are unusually long; zero means 4 MiB. A longer event is dropped at once.
	Bytes int
}

// DropCounts counts what an Inbox has dropped.
type DropCounts struct {
	Notifications uint64 // ordinary notifications dropped for newer ones
	Updates       uint64 // resources/updated, and elicitation/complete, dropped for newer ones
	Progress      uint64 // progress that exceeded the limit
	Coalesced     uint64 // events that a waiting event already covers, and progress and changes of a server that newer ones replaced
}

// Inbox is a bounded queue of Events between a Manager and a slower application: a value. It never
// drops what the application must know: the ends of operations, and requests of a server and their
// ends, which are bounded by the number of requests. Of the changes of a server 16 wait; each
// further one replaces the newest, so that the last one always has the server's condition. Of
// announcements that a list has changed, one waits for each list of a server (without its body if
// that exceeds 1 KiB); of resources/updated, one for each resource; of progress, the newest of each
// operation; of other notifications, a bounded number. Events leave in the order in which they
// arrived. An event that replaces an older one takes its place, except an announcement of another
// link, which comes last.
type Inbox struct {
	opt   InboxOptions
	last  uint64
	queue table.Table[letter]
	same  table.Index[uint64]            // what an event is about → its number in queue
	moves table.Index[moves]             // changes of servers
	bytes int                            // of the bodies of events that may be dropped
	old   [classes]table.Table[struct{}] // events that may be dropped, by number
	left  [classes]uint64                // how many of each class were dropped
	again uint64                         // DropCounts.Coalesced
}

// letter is a waiting event.
type letter struct {
	ev    Event
	class class
	about string // what it is about; "" if it replaces no other
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

// moves counts the waiting changes of one server, and has the number of the last.
type moves struct {
	count  int
	newest uint64
}

// maxChanges is how many changes of one server an Inbox keeps separately. Connecting, losing and
// closing a server takes far fewer; the limit bounds a server that is lost again and again while
// the application does not read.
const maxChanges = 16

// hash hashes a text without a key: a peer that makes its uris collide only makes a list as long as the
// number of waiting events.
func hash(text string) uint64 { return engine.Hash([2]uint64{}, 'm', text) }

// defaultInbox has the options of the zero Inbox. It is never changed.
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

// Push adds an event. It copies what it keeps of a message that may be dropped.
func (q Inbox) Push(ev Event) Inbox {
	if q.opt == (InboxOptions{}) {
		q.opt = defaultInbox
	}
	class, about := classify(ev)
	if ended(ev) {
		// Drop a request that ended before it was seen, with its end.
		if n := q.same.Get(hash(about), about); n != nil {
			q.again++
			return q.without(*n)
		}
		about = ""
	}
	x := letter{ev, class, about}
	if class != control {
		if class == announcement && len(ev.Session.Body) > maxNews {
			ev.Session.Body = "" // it is not needed
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

// maxNews is the longest body that is kept of an announcement that a list has changed, in bytes; a longer one
// is removed from the event. The body can only contain _meta, and announcements are never dropped, so a
// server with long bodies would use the room of all others.
const maxNews = 1024

// longMethod is the longest method or id that counts nothing, in bytes: normal ones are shorter.
const longMethod = 64

// size returns the bytes that an event counts with: those of its body and error, and of an
// unusually long method or id.
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

// fit drops events until the limit of bytes is kept.
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
		q = q.without(leaf.Key)
		break
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

// Pop removes and returns the oldest event; false if there is none.
func (q Inbox) Pop() (Inbox, Event, bool) {
	for leaf := range q.queue.All() {
		return q.without(leaf.Key), leaf.V.ev, true
	}
	return q, Event{}, false
}

// Len returns the number of waiting events.
func (q Inbox) Len() int { return q.queue.Len() }

// Drops returns the counts of dropped events.
func (q Inbox) Drops() DropCounts {
	return DropCounts{Notifications: q.left[ordinary], Updates: q.left[update] + q.left[completion], Progress: q.left[progress], Coalesced: q.again}
}

// classify returns the class of an event, which decides how it may be dropped, and what it is
// about.
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

// aboutServer is for events that a later link of the server makes obsolete, so that a server that
// is lost again and again fills nothing.
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
			return errors.New("manager: event missing from the list of drops")
		}
		if x.ev.Kind == ServerChanged {
			moved++
		}
		if x.about != "" {
			named++
			if n := q.same.Get(hash(x.about), x.about); n == nil || *n != leaf.Key {
				return errors.New("manager: waiting event not found")
			}
		}
	}
	for _, of := range q.moves.All() {
		moved -= of.count
		if of.count < 1 || of.count > maxChanges || q.queue.Get(of.newest) == nil {
			return errors.New("manager: changes of a server not found")
		}
	}
	for class, n := range count {
		if n != q.old[class].Len() {
			return errors.New("manager: wrong counts in the Inbox")
		}
	}
	switch {
	case moved != 0, size != q.bytes, named != q.same.Len():
		return errors.New("manager: wrong counts in the Inbox")
	case count[control]+count[announcement] > 0:
		return errors.New("manager: control event in the list of drops")
	case count[ordinary] > q.opt.Notifications, count[update] > q.opt.Updates, count[completion] > q.opt.Updates, count[progress] > q.opt.Progress,
		size > q.opt.Bytes && count[ordinary]+count[update]+count[progress]+count[completion] > 0:
		return errors.New("manager: the Inbox exceeds its limits")
	}
	return nil
}

// coalesce replaces a change by a newer one, which keeps the older From and, if it has no Err, the
// older Err.
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
