package host

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle"
)

// link is one connection of Links.
//
// The goroutine of live dials, reads, and tidies up after a server that ended by itself. The
// one of shut closes it on this side. Whichever comes first decides by leaving phase linkOpen.
type link struct {
	l  *Links
	id manager.Link

	ctx   context.Context // of Dial, Send and Receive
	end   context.CancelFunc
	hurry context.Context // of Transport.Close
	rush  context.CancelFunc
	runs  sync.WaitGroup // what sends, or reports that it was not done; begun in linkOpen only
	read  chan struct{}  // closed when nothing is received any more

	tells sync.Mutex // one report at a time; taken before mu

	mu       sync.Mutex
	phase    linkPhase
	t        Transport
	out      queue
	flying   int  // bytes of the message that is being sent
	sending  bool // a goroutine sends what is queued
	refused  []client.Req
	paused   bool
	changed  chan struct{} // closed and replaced when who waits may look again; nil if nobody waits
	patience *time.Timer   // gives up waiting for the Transport
	reported bool          // the last report was made
	gone     bool          // Links do not wait for it any more
	stuck    bool          // something was left behind
	cause    error         // of fail
}

// linkPhase is how far a connection has come.
type linkPhase uint8

const (
	linkOpening linkPhase = iota
	linkOpen
	linkClosing // on this side
	linkEnded   // by itself; its last report is made or being made
)

func newLink(l *Links, id manager.Link) *link {
	k := &link{l: l, id: id, out: queue{limit: l.opt.QueueBytes}, read: make(chan struct{})}
	k.ctx, k.end = context.WithCancel(context.Background())
	k.hurry, k.rush = context.WithCancel(context.Background())
	k.patience = time.AfterFunc(time.Hour, k.abandon)
	k.patience.Stop()
	return k
}

// live is the life of a connection.
func (k *link) live(endpoint any, by time.Time) {
	t, err := k.dialled(endpoint, by)
	k.mu.Lock()
	k.t = t
	phase := k.phase
	if phase == linkOpening && err != nil {
		k.phase = linkEnded
	} else if phase == linkOpening {
		k.phase = linkOpen
	}
	k.patience.Stop()
	k.mu.Unlock()
	switch {
	case err != nil && phase == linkOpening:
		close(k.read)
		k.last(manager.OpenFailed, err)
		k.over()
	case phase != linkOpening: // it was closed, or given up, meanwhile
		close(k.read)
		k.rush()
		k.tidy()
		k.last(manager.Ended, nil)
		k.over()
	default:
		k.report(manager.Report{Kind: manager.Opened})
		k.receive()
	}
}

// dialled calls Dial, which has until the deadline and a while longer to return.
func (k *link) dialled(endpoint any, by time.Time) (Transport, error) {
	ctx := k.ctx
	if !by.IsZero() {
		within, stop := context.WithDeadline(ctx, by)
		defer stop()
		ctx = within
		k.mu.Lock()
		if k.phase == linkOpening {
			k.patience.Reset(time.Until(by) + k.l.opt.Linger)
		}
		k.mu.Unlock()
	}
	t, err := k.l.dial(ctx, endpoint)
	if err == nil && t == nil {
		err = ErrDial
	}
	return t, err
}

// receive takes in what arrives, until the end.
func (k *link) receive() {
	var err error
	for k.room() {
		var a Arrival
		if a, err = k.t.Receive(k.ctx); err != nil {
			break
		}
		if a.Req.IsZero() {
			k.report(manager.Report{Kind: manager.Received, Message: a.Message})
		} else {
			k.unanswered(a.Req, a.Err)
		}
	}
	close(k.read)
	if err == nil {
		err = io.EOF
	}
	if !k.ends(err) {
		return // shut does the rest
	}
	k.tidy()
	k.over()
}

// ends takes in that a connection has ended without being closed on this side, and reports
// it at once; false if it is being closed.
func (k *link) ends(err error) bool {
	k.mu.Lock()
	phase := k.phase
	var unsent []client.Req
	if phase == linkOpen {
		k.phase = linkEnded
		unsent = k.out.clear()
		k.change()
	}
	if k.cause != nil {
		err = k.cause
	}
	k.mu.Unlock()
	if phase == linkClosing {
		return false
	}
	var gone *SessionGone
	if errors.As(err, &gone) {
		unsent = append(unsent, gone.NotBegun...)
	}
	for _, req := range unsent {
		k.unanswered(req, lifecycle.Unsent(err))
	}
	k.last(manager.Ended, err)
	return true
}

// tidy ends the Transport of a connection that has ended, and what runs for it.
func (k *link) tidy() {
	k.end()
	if k.t != nil {
		ctx, stop := context.WithTimeout(k.hurry, k.l.opt.Linger)
		defer stop()
		defer context.AfterFunc(ctx, func() { k.wait(k.l.opt.Linger) })()
		_ = k.t.Close(ctx)
	}
	k.runs.Wait()
}

// fail gives a connection up for a fault of the server; receive tidies up.
func (k *link) fail(err error) {
	k.mu.Lock()
	open := k.phase == linkOpen
	if open {
		k.phase, k.cause = linkEnded, err
		k.out.clear()
		k.change()
		k.runs.Add(1)
		defer k.runs.Done()
	}
	k.mu.Unlock()
	k.rush()
	k.end()
	if open {
		k.last(manager.Ended, err)
	}
}

// close closes a connection, in good order until the deadline.
func (k *link) close(by time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch k.phase {
	case linkOpening:
		k.phase = linkClosing
		k.end()
		k.patience.Reset(k.l.opt.Linger)
	case linkOpen:
		k.phase = linkClosing
		go k.shut(by)
	}
}

// kill closes a connection without patience.
func (k *link) kill() {
	k.rush()
	k.close(time.Time{})
}

// shut closes a connection on this side: what is queued is sent, the Transport ends, and what
// runs for it too.
func (k *link) shut(by time.Time) {
	ctx := k.hurry
	if !by.IsZero() {
		within, stop := context.WithDeadline(ctx, by)
		defer stop()
		ctx = within
	}
	defer context.AfterFunc(ctx, func() { k.wait(k.l.opt.Linger) })()
	k.when(ctx, func() bool { return !k.sending })
	err := k.t.Close(ctx)
	if ctx.Err() != nil {
		err = ErrKilled
	}
	k.end()
	k.runs.Wait()
	<-k.read
	k.last(manager.Ended, err)
	k.over()
}

// wait gives what was asked to end some time to do so.
func (k *link) wait(d time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.gone {
		k.patience.Reset(d)
	}
}

// abandon gives up waiting.
func (k *link) abandon() {
	k.mu.Lock()
	if k.gone {
		k.mu.Unlock()
		return
	}
	k.stuck = true
	kind := manager.Ended
	if k.phase == linkOpening {
		kind, k.phase = manager.OpenFailed, linkEnded
	}
	k.mu.Unlock()
	k.rush()
	k.end()
	k.last(kind, ErrStuck)
	k.over()
}

// over says that nothing is waited for any more.
func (k *link) over() {
	k.end()
	k.rush()
	k.mu.Lock()
	k.gone = true
	k.patience.Stop()
	k.mu.Unlock()
	k.l.over(k)
}

func (k *link) left() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.stuck
}

// last makes the last report, once.
func (k *link) last(kind manager.ReportKind, err error) {
	k.tell(manager.Report{Kind: kind, Err: err}, true)
}

// report makes any other.
func (k *link) report(r manager.Report) { k.tell(r, false) }

// tell makes a report, unless the last one was made.
func (k *link) tell(r manager.Report, last bool) {
	k.tells.Lock()
	defer k.tells.Unlock()
	k.mu.Lock()
	late := k.reported
	k.reported = late || last
	k.mu.Unlock()
	if late {
		return
	}
	if last {
		k.l.last(k)
	}
	r.Link = k.id
	k.l.opt.Report(r)
}

// room waits until something may be taken in; false if nothing will.
func (k *link) room() bool {
	k.when(k.ctx, func() bool { return k.phase == linkClosing || !k.out.full() && !k.paused })
	return k.ctx.Err() == nil
}

// when waits until cond, which is asked under the lock, or the end of ctx.
func (k *link) when(ctx context.Context, cond func() bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for ctx.Err() == nil && !cond() {
		if k.changed == nil {
			k.changed = make(chan struct{})
		}
		changed := k.changed
		k.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
		}
		k.mu.Lock()
	}
}

// change wakes who waits by when.
func (k *link) change() {
	if k.changed != nil {
		close(k.changed)
		k.changed = nil
	}
}

func (k *link) full() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.out.full()
}

func (k *link) pause(on bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.paused = on
	k.change()
}
