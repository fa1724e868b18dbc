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

	// Serve answers requests of servers with the methods in Serve of the client.Config, each on its own
	// goroutine. ev is a manager.SessionEvent: ev.Link.Server asks ev.Session.Method. ctx ends with the
	// call and with the Fleet. A jsonrpc.Error is sent unchanged; any other error, and a result that is
	// invalid for its method, becomes -32603 without its text: a SessionEvent lifecycle.LocalViolation
	// has the error as its Session.Cause.Err. For a form, protocol.ElicitParams.Accept makes one that
	// fits. It is required if a client.Config serves a method of the specification.
	Serve func(ctx context.Context, f *Fleet, ev manager.Event) (protocol.Result, error)
	// MaxServing is how many functions of Serve run at a time for one server, including those of
	// calls that have ended; more requests get -32603. Default 16.
	MaxServing int
	// MaxServingBytes bounds the bytes of their params together. Default 16 MiB. A single one may
	// be larger.
	MaxServingBytes int

	// Local runs a tool of the program itself, from Local of the catalog.Config, on its own goroutine.
	// ctx ends with the call and with the Fleet. attempt.FromError makes an outcome from an error. It is
	// required if there are local tools.
	Local func(ctx context.Context, f *Fleet, i calls.LocalStart) attempt.Outcome

	// Event is called with the events that no method waits for: changes of condition,
	// notifications, violations. It is called for one event at a time, for each server in order, on
	// its own goroutine, and may use the Fleet. Without Event all are dropped.
	Event func(f *Fleet, ev manager.Event)
	// Inbox bounds the waiting events of each server. Dropped ones are counted (Fleet.LeftOut);
	// control events are never dropped (see manager.Inbox).
	Inbox manager.InboxOptions
	// Changed is called with changes of the tools of servers, as Event is. If it is slower, Changes beyond
	// 1,000, or 16 MiB, are dropped, the oldest first, and counted. Without Changed all are dropped.
	Changed func(f *Fleet, list []catalog.Change)

	// QueueBytes is as in links.Options. While a queue is full, the methods of a Peer wait.
	QueueBytes int
	// SendTimeout and CloseTimeout are as in links.Options.
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

// Caller returns the current Caller, for reading: its Tools, and its Manager with the servers. Its
// transitions do not change the Fleet.
func (f *Fleet) Caller() calls.Caller {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.loop.Machine()
}

// m returns the Manager, with the lock held.
func (f *Fleet) m() manager.Manager { return f.loop.Machine().Manager() }
