package links

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/internal/sendqueue"
	"github.com/sansmcp/mcp/client/internal/waits"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle"
)

// link is one Transport of Links, and the goroutines that serve it.
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

	mu       waits.Gate
	phase    linkPhase
	t        Transport
	out      sendqueue.Queue
	flying   int  // bytes of the message that is being sent
	sending  bool // a goroutine sends what is queued
	refused  []client.Req
	giveUp   *time.Timer // gives up waiting for the Transport
	reported bool        // the last report was made
	gone     bool        // Links do not wait for it any more
	leftOpen bool        // something was left behind
	cause    error       // of fail
}

// linkPhase is how far a connection has come.
type linkPhase uint8

const (
	linkOpening linkPhase = iota
	linkOpen
	linkClosing // on this side
	linkEnded   // by itself; its last report is made or being made
)

// Links do the Actions of a machine such as manager.Manager: Do does what a step asks for, and
// Options.Report is called with what came of it. No server delays another, or Do.
//
// A Link costs one goroutine, which waits in Receive; a second one runs while messages are sent,
// and a third while this side closes the Link. Its Transport may need more.
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

// tidy ends the Transport of a connection that has ended, and what runs for it.
func (k *link) tidy() {
	k.end()
	if k.t != nil {
		ctx, stop := context.WithTimeout(k.hurry, k.l.opt.CloseTimeout)
		defer stop()
		defer context.AfterFunc(ctx, func() { k.wait(k.l.opt.CloseTimeout) })()
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
		k.out.Clear()
		k.mu.Wake()
		k.runs.Add(1)
		defer k.runs.Done()
	}
	k.mu.Unlock()
	k.rush()
	k.end()
	if open {
		k.report(manager.Report{Kind: manager.Ended, Err: err})
	}
}

// wait gives what was asked to end some time to do so.
func (k *link) wait(d time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.gone {
		k.giveUp.Reset(d)
	}
}

// over says that nothing is waited for any more.
func (k *link) over() {
	k.end()
	k.mu.Lock()
	k.gone = true
	k.giveUp.Stop()
	k.mu.Unlock()
	k.l.over(k)
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

// abandoned returns the error of a Transport that nobody waits for.
func (k *link) abandoned() error {
	return fmt.Errorf("%w: abandoned %v after its deadline", ErrCloseTimeout, k.l.opt.CloseTimeout)
}

func (k *link) left() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.leftOpen
}

// report makes a report, unless the last one was made: that is an OpenFailed or Ended.
func (k *link) report(r manager.Report) {
	k.tells.Lock()
	defer k.tells.Unlock()
	last := r.Kind == manager.OpenFailed || r.Kind == manager.Ended
	k.mu.Lock()
	late := k.reported
	k.reported = late || last
	k.mu.Unlock()
	if late {
		return
	}
	if last {
		k.l.mu.Lock()
		delete(k.l.links, k.id)
		k.l.mu.Unlock()
	}
	r.Link = k.id
	k.l.opt.Report(r)
}

// unanswered reports a request that no answer will come to. The error says how far it came.
func (k *link) unanswered(req client.Req, err error) {
	kind := manager.ResponseLost
	if lifecycle.DeliveryOf(err).Repeatable() {
		kind = manager.SendFailed
	}
	k.report(manager.Report{Kind: kind, Req: req, Err: err})
}

func (k *link) full() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.out.Full()
}
