package session

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/internal/waits"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Client runs one client.State over a Transport. Its methods may be called from any
// goroutine.
type Client struct {
	t   links.Transport
	opt Options

	ctx   context.Context // of what the application runs, of Send and of Receive
	end   context.CancelFunc
	hurry context.Context // of the Close of t
	rush  context.CancelFunc
	done  chan struct{} // closed when nothing of the session or the Transport runs
	loop  sync.WaitGroup
	apps  sync.WaitGroup // functions of the application

	mu      waits.Gate // closed when the end has begun
	s       client.State
	lists   map[string]*list
	retries client.Retries
	waiting map[client.Req]*waiter
	serving map[client.Call]context.CancelCauseFunc
	load    waits.Load // functions of Serve that have not returned
	out     *queue
	events  *events
	timer   *time.Timer // the next deadline

	opener   *time.Timer // for a new session
	opening  bool        // a new session is on its way, and requests wait for it
	attempts int         // to open one, since a session was of use
	ready    time.Time   // when the session became so
	lost     []string
	err      error
}

// list is what was read of a list of the server.
type list struct {
	items   []jsonrpc.Raw
	schemas map[string]jsonrpc.Raw // the outputSchema of each tool that has one
	fresh   bool                   // it was read, and no change was announced since that began
	reading bool
	part    []jsonrpc.Raw // what a reading that failed has brought
	err     error         // why it failed, unless the ctx of its caller ended; nil after a success
}

// Options are the settings of a Client. A zero field means its default.
type Options struct {
	// Serve answers requests of the server with the methods in Config.Serve, each on its own goroutine.
	// ctx ends with the call and with the Client. A jsonrpc.Error is sent unchanged; any other error, and
	// a result that is invalid for its method, becomes -32603 without its text: an event LocalViolation
	// has the error as its Cause.Err. For a form, protocol.ElicitParams.Accept makes one that fits. It is
	// required if Config.Serve names a method of the specification.
	Serve func(ctx context.Context, c *Client, ev client.Event) (protocol.Result, error)
	// MaxServing is how many functions of Serve run at a time, including those of calls that have
	// ended; more requests get -32603. Default 16.
	MaxServing int
	// MaxServingBytes bounds the bytes of their params together. Default 16 MiB. A single one may
	// be larger.
	MaxServingBytes int

	// Event is called with the events that no method waits for: notifications, phases, violations. It
	// is called in order, on its own goroutine, and may use the Client. MaxEvents and MaxEventBytes
	// bound the events that wait: beyond them the oldest are dropped and counted (Client.LeftOut),
	// those of PhaseChanged last. Without Event all are dropped.
	Event func(c *Client, ev client.Event)
	// MaxEvents and MaxEventBytes bound the events that wait, and their bytes. Default 1000 and 1 MiB.
	MaxEvents, MaxEventBytes int
	// HoldUp stops reading instead of dropping events while too many wait. Then Event must not wait
	// for the server, as Request does.
	HoldUp bool

	// Visit is called, on the goroutine of Request, when the server rejects a request until the user has
	// visited pages (protocol.CodeURLElicitationRequired). If it returns nil, the request is repeated
	// once, when the server has reported that the pages are complete or after VisitWait. An error ends
	// the request, joined with the error of the server. Without Visit the request fails with the error
	// of the server.
	Visit func(ctx context.Context, c *Client, pages []protocol.ElicitParams) error
	// VisitWait is how long to wait for the server to report that the pages are complete; not all
	// servers do. Default one minute.
	VisitWait time.Duration

	// QueueBytes limits the bytes waiting to be sent: at the limit Request and Notify wait, and nothing
	// is read. Default 1 MiB.
	QueueBytes int
	// SendTimeout is how long one Send of the Transport may take until the session is ended with
	// links.ErrSendTimeout; lifecycle.NoTimeout: without limit. Default one minute.
	SendTimeout time.Duration
	// Grace is how long Close lets open requests finish. Zero cancels them.
	Grace time.Duration
	// Reopen is how many times in a row a new session is opened after links.ErrSessionGone, with growing
	// pauses; -1 means never. Default 5. A session that answered a request, or lived for 30 s, resets
	// the count.
	Reopen int
}

func (o Options) filled() (Options, error) {
	var f lifecycle.Filler
	f.Count("MaxServing", &o.MaxServing, waits.MaxServing)
	f.Count("MaxServingBytes", &o.MaxServingBytes, waits.MaxServingBytes)
	f.Count("MaxEvents", &o.MaxEvents, 1000)
	f.Count("MaxEventBytes", &o.MaxEventBytes, 1<<20)
	f.Time("VisitWait", &o.VisitWait, time.Minute, lifecycle.NeverNone)
	f.Count("QueueBytes", &o.QueueBytes, links.DefaultQueueBytes)
	f.Time("SendTimeout", &o.SendTimeout, links.DefaultSendTimeout, lifecycle.MayBeNone)
	if o.Grace < 0 {
		f.Wrong("Grace", o.Grace.String(), "want positive, or 0 for none")
	}
	if o.Reopen < -1 {
		f.Wrong("Reopen", strconv.Itoa(o.Reopen), "want positive, 0 for 5, or -1 for none")
	}
	o.Reopen = cmp.Or(o.Reopen, 5)
	return o, f.Err("session")
}

// RequestOptions are the settings of one request. The zero value suits most requests.
type RequestOptions struct {
	client.RequestOptions
	// OnProgress is called with the progress of the request, on the goroutine of Request, in
	// order. It implies Progress. If it is slower than the server, older progress is dropped.
	OnProgress func(protocol.ProgressParams)
}

// errClosed is the error of a Client that is closed, or whose session has ended.
var errClosed = lifecycle.Unsent(fmt.Errorf("session: %w", lifecycle.ErrClosed))

// State returns the current State, for reading: the server, the revision, its capabilities, the
// subscriptions. Its transitions do not change the Client.
func (c *Client) State() client.State {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.s
}

// list returns a list, with the lock held.
func (c *Client) list(method string) *list {
	l := c.lists[method]
	if l == nil {
		l = new(list)
		if protocol.ListOf(method) != nil { // the others are refused
			c.lists[method] = l
		}
	}
	return l
}

const toolsList = protocol.MethodToolsList

// outputSchema returns the outputSchema of a tool, if it is known.
func (c *Client) outputSchema(tool string) jsonrpc.Raw {
	c.mu.Lock()
	defer c.mu.Unlock()
	if l := c.lists[toolsList]; l != nil {
		return l.schemas[tool]
	}
	return ""
}

// Lost returns the uris that the previous session was subscribed to. A new session has no
// subscriptions: on PhaseChanged to ready, subscribe to them again.
func (c *Client) Lost() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lost
}

// gone returns the error of methods that are called after the end.
func (c *Client) gone() error {
	if c.err != nil {
		return fmt.Errorf("%w: %w", errClosed, c.err)
	}
	return errClosed
}
