package links

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle"
)

// Dial opens the Transport that an endpoint names: the Endpoint of manager.Options, which
// only the Dial understands. It returns when messages may be sent, and ctx ends at the
// deadline for that; a Transport that was opened lives on after ctx has ended. Package
// client/dial has one for child processes and HTTP. It may be called by several goroutines.
type Dial func(ctx context.Context, endpoint any) (Transport, error)

// Options are the settings of Links. A field that is zero means its default, and so does one that
// Check refuses.
type Options struct {
	// Report is called with what happens, by several goroutines, but with one report of a Link at
	// a time, in order. While it runs nothing more of that Link is read. It may call Do, and must
	// not wait for anything that Links do.
	Report func(manager.Report)
	// OnRoom, if set, is called when a queue that was full has room again.
	OnRoom func(manager.Link)
	// QueueBytes limits the bytes waiting to be sent; at the limit the server is no longer read.
	// At QueueFactor times the limit a request fails with ErrQueueFull, and anything else ends the
	// Link with ErrSendTimeout. Default 1 MiB.
	QueueBytes int
	// SendTimeout is how long one Send of a Transport may take until the Link ends with
	// ErrSendTimeout; lifecycle.NoTimeout: without limit. Default one minute.
	SendTimeout time.Duration
	// CloseTimeout is how long a Transport may take to end after its deadline, and a Dial to
	// return, until it is abandoned. Default 5 s.
	CloseTimeout time.Duration
}

// Check returns a *lifecycle.ConfigError for the first field that is negative, or nil. A function
// that is given Options calls it before New.
func (o Options) Check() error {
	var f lifecycle.Filler
	f.Count("QueueBytes", &o.QueueBytes, DefaultQueueBytes)
	f.Time("SendTimeout", &o.SendTimeout, DefaultSendTimeout, lifecycle.MayBeNone)
	f.Time("CloseTimeout", &o.CloseTimeout, DefaultCloseTimeout, lifecycle.NeverNone)
	return f.Err("links")
}

// The defaults of Options.
const (
	DefaultQueueBytes   = 1 << 20
	DefaultSendTimeout  = time.Minute
	DefaultCloseTimeout = 5 * time.Second
)

// QueueFactor says how far a full queue may grow; see Options.QueueBytes.
const QueueFactor = 16

// Errors of Links.
var (
	// ErrQueueFull: a request was not sent, because too much waits to be sent to its server.
	ErrQueueFull = lifecycle.Unsent(errors.New("links: send queue full"))
	// ErrSendTimeout: the server did not take what it was sent within Options.SendTimeout, or
	// QueueFactor times Options.QueueBytes wait for it.
	ErrSendTimeout = errors.New("links: server takes no messages")
	// ErrKilled: a server had not ended by the deadline of ActClose, and was killed.
	ErrKilled = errors.New("links: server killed, as it had not ended by its deadline")
	// ErrCloseTimeout: a Transport did not end within Options.CloseTimeout, or a Dial did not
	// return. It is abandoned, with all that it holds.
	ErrCloseTimeout = errors.New("links: transport still open")
	// ErrDial: the Dial returned neither a Transport nor an error.
	ErrDial = errors.New("links: Dial returned no Transport")
)

// Links do the Actions of a machine such as manager.Manager: Do does what a step asks for, and
// Options.Report is called with what came of it. Nothing that one server does or leaves undone
// holds up another, or Do.
//
// A Link costs one goroutine, which waits in Receive; a second one runs while there is
// something to send, and a third while the Link is being closed on this side. What its
// Transport costs comes on top.
//
// Each ActOpen is answered by OpenFailed, or by Opened and, in the end, Ended. One that
// ActClose or ActKill ends before Opened is answered by Ended alone.
type Links struct {
	dial Dial
	opt  Options

	mu     sync.Mutex
	links  map[manager.Link]*link // whose last report has not been made
	alive  map[*link]struct{}     // which have something that runs
	closed bool
	empty  chan struct{} // closed when closed and nothing is alive
}

// New returns Links without a Transport. Close is due. dial and Options.Report must not be nil.
func New(dial Dial, opt Options) *Links {
	opt.QueueBytes, opt.CloseTimeout = cmp.Or(max(opt.QueueBytes, 0), DefaultQueueBytes), cmp.Or(max(opt.CloseTimeout, 0), DefaultCloseTimeout)
	if opt.SendTimeout != lifecycle.NoTimeout {
		opt.SendTimeout = cmp.Or(max(opt.SendTimeout, 0), DefaultSendTimeout)
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
				k.push(a.Out, a.Revision)
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

// open begins a link.
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
// Options.OnRoom tells the end of that.
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

// Len returns how many Links have not ended, those that are being opened or closed included.
func (l *Links) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.links)
}

// Close ends all Links, as ActClose does with the end of ctx as the deadline, and waits until
// nothing runs. It returns the cause of ctx if that ended first, joined with ErrCloseTimeout if a
// Transport did not heed it. It may be called several times; the last reports are made before it
// returns.
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

// leftOpen returns ErrCloseTimeout if one of the links left something behind.
func stuck(all []*link) error {
	for _, k := range all {
		if k.left() {
			return k.abandoned()
		}
	}
	return nil
}

// over notes that nothing runs for a link, or that what does is abandoned.
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

// last removes a link whose last report is about to be made.
func (l *Links) last(k *link) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.links, k.id)
}
