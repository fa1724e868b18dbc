package host

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle"
)

// Dial opens the connection that an endpoint names: the Endpoint of manager.Options, which
// only the Dial understands. It returns when messages may be sent, and ctx ends at the
// deadline for that; a connection that was opened lives on after ctx has ended. Package
// client/dial has one for child processes and HTTP. It may be called by several goroutines.
type Dial func(ctx context.Context, endpoint any) (Transport, error)

// LinksOptions are the settings of Links. A field that is zero means its default, and so does one that
// Check refuses.
type LinksOptions struct {
	// Report is called with what happens, by several goroutines, but with one report of a
	// connection at a time, in order. While it runs nothing more of that connection is taken
	// in. It may call Do, and must not wait for anything that Links do.
	Report func(manager.Report)
	// Room is called when a queue that was full has room again. Default nobody.
	Room func(manager.Link)
	// QueueBytes is with how many bytes that wait to be sent a queue is full: then nothing
	// more is taken in from that server. With QueueFactor times as many a request fails with
	// ErrQueueFull, and anything else ends the connection with ErrStalled. Default 1 MiB.
	QueueBytes int
	// Stall is how long one Send of a Transport may take until the connection is ended with
	// ErrStalled; lifecycle.NoTimeout: for ever. Default one minute.
	Stall time.Duration
	// Linger is how long a Transport may take to end after its deadline, and a Dial to
	// return, until nobody waits for it any more. Default 5 s.
	Linger time.Duration
}

// Check returns a *lifecycle.ConfigError for the first field that is negative, or nil. Whoever is given
// LinksOptions asks it before NewLinks.
func (o LinksOptions) Check() error {
	var f lifecycle.Filler
	f.Count("QueueBytes", &o.QueueBytes, DefaultQueueBytes)
	f.Time("Stall", &o.Stall, DefaultStall, lifecycle.MayBeNone)
	f.Time("Linger", &o.Linger, DefaultLinger, lifecycle.NeverNone)
	return f.Err("host")
}

// DefaultLinger is that of LinksOptions.Linger.
const DefaultLinger = 5 * time.Second

// QueueFactor says how far a queue grows that is full; see LinksOptions.QueueBytes.
const QueueFactor = 16

// Errors of Links.
var (
	// ErrQueueFull: a request was not sent, for too much waits to be sent to its server.
	ErrQueueFull = lifecycle.Unsent(errors.New("host: too much waits to be sent to this server"))
	// ErrKilled: a server had not ended by the deadline of ActClose, and was killed.
	ErrKilled = errors.New("host: the server did not end in time and was killed")
	// ErrStuck: a Transport did not end within LinksOptions.Linger, or a Dial did not return.
	// What it still has belongs to nobody.
	ErrStuck = errors.New("host: the transport does not end")
	// ErrDial: the Dial returned neither a Transport nor an error.
	ErrDial = errors.New("host: Dial returned no Transport")
)

// Links are the connections of a machine that gives manager.Actions, such as
// manager.Manager: Do does what it asks for, and LinksOptions.Report tells what came of it.
// Nothing that one server does or leaves undone holds up another, or Do.
//
// A connection costs one goroutine, which waits in Receive; a second one runs while there is
// something to send, and a third while the connection is being closed on this side. What its
// Transport costs comes on top.
//
// Each ActOpen is answered by OpenFailed, or by Opened and, in the end, Closed. One that
// ActClose or ActKill ends before Opened is answered by Closed alone.
type Links struct {
	dial Dial
	opt  LinksOptions

	mu     sync.Mutex
	links  map[manager.Link]*link // whose last report has not been made
	alive  map[*link]struct{}     // which have something that runs
	closed bool
	empty  chan struct{} // closed when closed and nothing is alive
}

// NewLinks returns Links that have no connection. Close is due. dial and Report must not be
// nil.
func NewLinks(dial Dial, opt LinksOptions) *Links {
	opt.QueueBytes, opt.Linger = cmp.Or(max(opt.QueueBytes, 0), DefaultQueueBytes), cmp.Or(max(opt.Linger, 0), DefaultLinger)
	if opt.Stall != lifecycle.NoTimeout {
		opt.Stall = cmp.Or(max(opt.Stall, 0), DefaultStall)
	}
	return &Links{
		dial: dial, opt: opt,
		links: map[manager.Link]*link{}, alive: map[*link]struct{}{}, empty: make(chan struct{}),
	}
}

// Do does what a step of the machine asks for, in order. It never waits, and does not call
// Report. Messages to a Link that has ended, or that was never opened, are dropped; so is an
// ActOpen of one that is there, and everything after Close.
func (l *Links) Do(actions []manager.Action) {
	for _, a := range actions {
		switch a.Kind {
		case manager.ActOpen:
			l.open(a)
		case manager.ActSend:
			if k := l.find(a.Link); k != nil {
				k.push(queued{a.Out, a.Revision, size(a.Out.Message)})
			}
		case manager.ActClose:
			if k := l.find(a.Link); k != nil {
				k.close(a.By)
			}
		case manager.ActKill:
			if k := l.find(a.Link); k != nil {
				k.kill()
			}
		}
	}
}

func (l *Links) find(id manager.Link) *link {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.links[id]
}

// open begins a connection.
func (l *Links) open(a manager.Action) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || l.links[a.Link] != nil {
		return
	}
	k := newLink(l, a.Link)
	l.links[a.Link] = k
	l.alive[k] = struct{}{}
	go k.live(a.Endpoint, a.By)
}

// Full reports whether so much waits to be sent to a server that no more should be made.
// LinksOptions.Room tells the end of that.
func (l *Links) Full(id manager.Link) bool {
	k := l.find(id)
	return k != nil && k.full()
}

// Pause stops taking in what a server sends, until Resume. Its end is not seen meanwhile,
// and what it has sent waits in its connection.
func (l *Links) Pause(id manager.Link) {
	if k := l.find(id); k != nil {
		k.pause(true)
	}
}

// Resume takes in again what a server sends.
func (l *Links) Resume(id manager.Link) {
	if k := l.find(id); k != nil {
		k.pause(false)
	}
}

// Len returns how many connections there are that have not ended, those that are being
// opened or closed included.
func (l *Links) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.links)
}

// Close ends all connections, as ActClose does with the end of ctx as the deadline, and
// waits until nothing runs any more. It returns the cause of ctx if that has ended before,
// joined with ErrStuck if a Transport did not heed it. It may be called several times; the
// last reports are made before it returns.
func (l *Links) Close(ctx context.Context) error {
	l.mu.Lock()
	if !l.closed {
		l.closed = true
		if len(l.alive) == 0 {
			close(l.empty)
		}
	}
	all := make([]*link, 0, len(l.alive))
	for k := range l.alive {
		all = append(all, k)
	}
	l.mu.Unlock()
	for _, k := range all {
		k.close(time.Time{})
	}
	select {
	case <-l.empty:
		return stuck(all)
	case <-ctx.Done():
	}
	if len(all) == 0 {
		return nil
	}
	for _, k := range all {
		k.kill()
	}
	<-l.empty
	return errors.Join(context.Cause(ctx), stuck(all))
}

// stuck returns ErrStuck if one of the links left something behind.
func stuck(all []*link) error {
	for _, k := range all {
		if k.left() {
			return ErrStuck
		}
	}
	return nil
}

// over takes in that nothing runs for a link any more, or that nobody waits for what does.
func (l *Links) over(k *link) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.alive, k)
	if l.closed && len(l.alive) == 0 {
		select {
		case <-l.empty:
		default:
			close(l.empty)
		}
	}
}

// last takes a link out whose last report is about to be made.
func (l *Links) last(k *link) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.links, k.id)
}
