package fleet

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/calls"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/internal/waits"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Fleet runs one calls.Caller. Its methods may be called from any goroutine.
type Fleet struct {
	opt  Options
	loop *links.Loop[calls.Caller, calls.Output] // under mu
	key  [16]byte                                // the HashKey of servers that have none

	sources map[string]catalog.Source // of the Config, by their names

	ctx  context.Context // of what the application runs
	end  context.CancelFunc
	apps sync.WaitGroup // functions of the application
	told sync.WaitGroup // what calls Event and Changed
	done chan struct{}  // closed when Close has done everything but wait for those

	hurry context.Context // of Close; it ends when the ctx of Close does
	rush  context.CancelFunc

	mu      waits.Gate // closed when the end has begun
	ops     map[manager.Op]*waiter
	calls   map[attempt.CallID]place
	batches map[attempt.BatchID]*caller
	local   map[attempt.Attempt]context.CancelFunc
	serving map[manager.Link]map[manager.Call]context.CancelCauseFunc // what functions of Serve run for
	loads   map[string]waits.Load                                     // of servers, whatever their links
	inbox   inbox
	err     error // of the end
}

// waiter waits for the end of an operation.
type waiter struct {
	waits.Waiter[manager.Event]
	op manager.Op
}

// caller waits for the end of a batch, or of a call, which has one result.
type caller = waits.Waiter[attempt.BatchDone]

// place says who waits for the result of a call, and for which call of a batch.
type place struct {
	w *caller
	i int
}

// Options are the settings of a Fleet. A field that is zero means its default.
type Options struct {
	// Dial opens the connections; see package client/dial. It must not be nil.
	Dial links.Dial

	// Serve answers what servers ask: each request of a method that the Serve of the
	// client.Config names, on a goroutine of its own. ev is a manager.SessionEvent:
	// ev.Link.Server asks ev.Session.Method. ctx ends when the call ends, however it does, and
	// with the Fleet. An error that is a jsonrpc.Error goes out as it is; any other becomes
	// -32603, whose text does not say more, and so does a result that does not fit its method: a
	// SessionEvent lifecycle.LocalViolation has the error as its Session.Cause.Err. For a form,
	// protocol.ElicitParams.Accept makes one that fits. It is required if a client.Config serves a method
	// of the specification.
	Serve func(ctx context.Context, f *Fleet, ev manager.Event) (protocol.Result, error)
	// MaxServing is how many functions of Serve run at a time for one server, those of calls
	// that have ended meanwhile included; what is over that is refused with -32603. Default 16.
	MaxServing int
	// MaxServingBytes bounds the params of all of them together. Default 16 MiB. One alone may
	// be larger.
	MaxServingBytes int

	// Local runs a tool of the program itself, one of the Local of the catalog.Config, on a goroutine of
	// its own. ctx ends when the call ends, and with the Fleet. attempt.FromError
	// makes an outcome of an error. It is required if there are local tools.
	Local func(ctx context.Context, f *Fleet, i calls.LocalStart) attempt.Outcome

	// Event is called with the events that no method waits for: changes of condition,
	// notifications, violations. The calls are made one after another, those of one server in
	// order, on a goroutine of their own, and may use the Fleet. The default drops them all.
	Event func(f *Fleet, ev manager.Event)
	// Inbox bounds the events of each server that wait. What is left out is counted
	// (Fleet.LeftOut); what the application has to know never is, as manager.Inbox says.
	Inbox manager.InboxOptions
	// Changed is called with what became of the tools of servers, as Event is. If it is slower than they
	// are, the oldest of 1,000 Changes, or of 16 MiB, are left out and counted. The default drops them all.
	Changed func(f *Fleet, list []catalog.Change)

	// QueueBytes is that of links.Options. While a queue is full, the methods of a Peer wait.
	QueueBytes int
	// SendTimeout and CloseTimeout are those of links.Options.
	SendTimeout, CloseTimeout time.Duration
}

// filled returns the Options with their defaults, for a number of local tools.
func (o Options) filled(local int) (Options, error) {
	var f lifecycle.Filler
	if local > 0 && o.Local == nil {
		f.Wrong("Local", "nil", "want a function, for the catalog.Config has local tools")
	}
	f.Count("MaxServing", &o.MaxServing, waits.MaxServing)
	f.Count("MaxServingBytes", &o.MaxServingBytes, waits.MaxServingBytes)
	f.Count("QueueBytes", &o.QueueBytes, links.DefaultQueueBytes)
	f.Time("SendTimeout", &o.SendTimeout, links.DefaultSendTimeout, lifecycle.MayBeNone)
	f.Time("CloseTimeout", &o.CloseTimeout, links.DefaultCloseTimeout, lifecycle.NeverNone)
	return o, f.Err("fleet")
}

var errClosed = lifecycle.Unsent(fmt.Errorf("fleet: %w", lifecycle.ErrClosed))

// Caller returns the Caller as it is now, to look at: its Tools, and its Manager, which has the
// servers. Its transitions lead nowhere.
func (f *Fleet) Caller() calls.Caller {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.loop.Machine()
}

// m returns the Manager, with the lock held.
func (f *Fleet) m() manager.Manager { return f.loop.Machine().Manager() }
