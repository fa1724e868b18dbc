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

	sources map[string]catalog.Source // of the Config, by name

	ctx  context.Context // for functions of the application
	end  context.CancelFunc
	apps sync.WaitGroup // running functions of the application
	told sync.WaitGroup // the goroutine that calls Event and Changed
	done chan struct{}  // closed when Close has finished, except waiting for those

	hurry context.Context // for Close; ends when its ctx does
	rush  context.CancelFunc

	mu      waits.Gate // closed once the end has begun
	ops     map[manager.Op]*waiter
	calls   map[attempt.CallID]place
	batches map[attempt.BatchID]*caller
	local   map[attempt.Attempt]context.CancelFunc
	serving map[manager.Link]map[manager.Call]context.CancelCauseFunc // ends running functions of Serve
	loads   map[string]waits.Load                                     // per server, over all its links
	inbox   inbox
	err     error // why the end failed
}

// waiter waits for the end of an operation.
type waiter struct {
	waits.Waiter[manager.Event]
	op manager.Op
}

// caller waits for the end of a batch, or of a call, which has one result.
type caller = waits.Waiter[attempt.BatchDone]

// place is the waiter for the result of a call, and the index of the call in its batch.
type place struct {
	w *caller
	i int
}

// Options are the settings of a Fleet. A zero field means its default.
type Options struct {
	// Dial opens the connections; see package client/dial. It must not be nil.
	Dial links.Dial

	// Serve answers requests from servers: it is called for each request of a method that the Serve of
	// the client.Config names, on its own goroutine. ev is a manager.SessionEvent: the server is
	// ev.Link.Server, the method ev.Session.Method. ctx ends when the call ends, for any reason, and when
	// the Fleet does. If the error is a jsonrpc.Error, the server gets it unchanged. Any other error, and
	// a result that does not fit its method, becomes -32603 without details; a SessionEvent
	// lifecycle.LocalViolation has the error as its Session.Cause.Err. For a form,
	// protocol.ElicitParams.Accept makes a result that fits. Serve is required if a client.Config serves
	// a method of the specification.
	Serve func(ctx context.Context, f *Fleet, ev manager.Event) (protocol.Result, error)
	// MaxServing is how many functions of Serve may run at a time for one server, including
	// those whose calls have already ended; further calls fail with -32603. Default 16.
	MaxServing int
	// MaxServingBytes bounds the bytes of the params of all of them together. A single one may
	// be larger. Default 16 MiB.
	MaxServingBytes int

	// Local runs a tool of the program itself, one of those in catalog.Config.Local, on its own
	// goroutine. ctx ends when the call ends, and when the Fleet does. attempt.FromError converts an
	// error to an outcome. Local is required if there are local tools.
	Local func(ctx context.Context, f *Fleet, i calls.LocalStart) attempt.Outcome

	// Event is called with the events that no method waits for: changes of condition,
	// notifications, violations. The calls are made one after another, in order for each
	// server, on a separate goroutine, and may use the Fleet. If Event is nil, all are
	// dropped.
	Event func(f *Fleet, ev manager.Event)
	// Inbox bounds the waiting events of each server. Drops are counted (Fleet.LeftOut);
	// manager.Inbox lists the events that it never drops.
	Inbox manager.InboxOptions
	// Changed is called with changes of the servers' tools, in the way Event is. If more than 1,000 Changes
	// or 16 MiB wait, the oldest are dropped and counted. If Changed is nil, all are dropped.
	Changed func(f *Fleet, list []catalog.Change)

	// QueueBytes is as in links.Options. While a queue is full, the methods of its Peer wait.
	QueueBytes int
	// SendTimeout and CloseTimeout are as in links.Options.
	SendTimeout, CloseTimeout time.Duration
}

// filled returns the Options with their defaults; local is the number of local tools.
func (o Options) filled(local int) (Options, error) {
	var f lifecycle.Filler
	if local > 0 && o.Local == nil {
		f.Wrong("Local", "nil", "want a function, because the catalog.Config has local tools")
	}
	f.Count("MaxServing", &o.MaxServing, waits.MaxServing)
	f.Count("MaxServingBytes", &o.MaxServingBytes, waits.MaxServingBytes)
	f.Count("QueueBytes", &o.QueueBytes, links.DefaultQueueBytes)
	f.Time("SendTimeout", &o.SendTimeout, links.DefaultSendTimeout, lifecycle.MayBeNone)
	f.Time("CloseTimeout", &o.CloseTimeout, links.DefaultCloseTimeout, lifecycle.NeverNone)
	return o, f.Err("fleet")
}

var errClosed = lifecycle.Unsent(fmt.Errorf("fleet: %w", lifecycle.ErrClosed))

// Caller returns the current Caller, for reading: its Tools, and its Manager with the servers.
// Its transitions do not change the Fleet.
func (f *Fleet) Caller() calls.Caller {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.loop.Machine()
}

// m returns the Manager, with the lock held.
func (f *Fleet) m() manager.Manager { return f.loop.Machine().Manager() }
