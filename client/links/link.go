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
// The goroutine of live dials, reads, and cleans up after a server that ended by itself. The
// goroutine of shut closes the link on this side. The first to leave phase linkOpen decides.
type link struct {
	l  *Links
	id manager.Link

	ctx   context.Context // for Dial, Send and Receive
	end   context.CancelFunc
	hurry context.Context // for Transport.Close
	rush  context.CancelFunc
	runs  sync.WaitGroup // goroutines that send or report; started in linkOpen only
	read  chan struct{}  // closed when receiving has ended

	tells sync.Mutex // one report at a time; taken before mu

	mu       waits.Gate
	phase    linkPhase
	t        Transport
	out      sendqueue.Queue
	flying   int  // bytes of the message being sent
	sending  bool // a goroutine sends the queue
	refused  []client.Req
	giveUp   *time.Timer // abandons the Transport
	reported bool        // the last report was made
	gone     bool        // Links no longer wait for it
	leftOpen bool        // the Transport was abandoned
	cause    error       // from fail
}

// linkPhase is the phase of a link.
type linkPhase uint8

const (
	linkOpening linkPhase = iota
	linkOpen
	linkClosing // on this side
	linkEnded   // by itself; its last report has been made or is being made
)

// Links do the Actions of a machine such as manager.Manager: Do does what a step asks for, and
// Options.Report is called with what came of it. No server delays another, or Do.
//
// A Link costs one goroutine, which waits in Receive; a second one runs while messages are sent,
// and a third while this side closes the Link. Its Transport may need more.
//
// Each ActOpen is followed by OpenFailed, or by Opened and later Ended. If ActClose or ActKill
// comes before Opened, only Ended follows.
type Links struct {
	dial Dial
	opt  Options

	mu     sync.Mutex
	links  map[manager.Link]*link // whose last report has not been made
	alive  map[*link]struct{}     // which have running goroutines
	closed bool
	empty  chan struct{} // closed when closed and nothing is alive
}

// tidy closes the Transport of a link that has ended, and waits for its goroutines.
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

// fail ends a link because its server is at fault; receive cleans up.
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

// wait abandons the Transport after d, unless it ends before.
func (k *link) wait(d time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.gone {
		k.giveUp.Reset(d)
	}
}

// over ends all waiting for the link.
func (k *link) over() {
	k.end()
	k.mu.Lock()
	k.gone = true
	k.giveUp.Stop()
	k.mu.Unlock()
	k.l.over(k)
}

// over removes a link that has ended or was abandoned.
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

// abandoned returns the error of an abandoned Transport.
func (k *link) abandoned() error {
	return fmt.Errorf("%w: abandoned %v after its deadline", ErrCloseTimeout, k.l.opt.CloseTimeout)
}

func (k *link) left() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.leftOpen
}

// report makes a report, unless the last one, an OpenFailed or Ended, was made.
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

// unanswered reports a request that will get no answer. err says how far it got.
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
