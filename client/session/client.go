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
	t      links.Transport
	direct direct // t, if it is one; nil otherwise
	opt    Options

	ctx   context.Context // for functions of the application, Send and Receive
	end   context.CancelFunc
	hurry context.Context // for t.Close
	rush  context.CancelFunc
	done  chan struct{} // closed when nothing of the session or the Transport runs
	loop  sync.WaitGroup
	apps  sync.WaitGroup // running functions of the application

	mu      waits.Gate // closed once the end has begun
	s       client.State
	lists   map[string]*list
	retries client.Retries
	waiting map[client.Req]*waiter
	serving map[client.Call]context.CancelCauseFunc
	load    waits.Load // functions of Serve that have not returned
	out     *queue
	events  *events
	timer   *time.Timer
	due     time.Time // when timer calls tick; zero if never

	opening  bool      // a new session is being opened, and requests wait for it
	attempts int       // to open one, since a session was last useful
	ready    time.Time // when the session became ready
	lost     []string
	err      error
}

// list is what the Client knows of a list of the server.
type list struct {
	items   []jsonrpc.Raw
	schemas map[string]jsonrpc.Raw // the outputSchema of each tool that has one
	fresh   bool                   // read, with no change announced since the reading began
	reading bool
	part    []jsonrpc.Raw // items of a reading that failed
	err     error         // why the last reading failed; nil if it succeeded or its caller's ctx ended
}

// Options are the settings of a Client. A zero field means its default.
type Options struct {
	// Serve answers the server's requests: it is called for each request of a method that Config.Serve
	// names, on its own goroutine. ctx ends when the call ends, for any reason, and when the Client does.
	// If the error is a jsonrpc.Error, the server gets it unchanged. Any other error, and a result that
	// does not fit its method, becomes -32603 without details; an event LocalViolation has the error as
	// its Cause.Err. For a form, protocol.ElicitParams.Accept makes a result that fits. Serve is required
	// if Config.Serve names a method of the specification.
	Serve func(ctx context.Context, c *Client, ev client.Event) (protocol.Result, error)
	// MaxServing is how many functions of Serve may run at a time, including those whose
	// calls have already ended; further calls fail with -32603. Default 16.
	MaxServing int
	// MaxServingBytes bounds the bytes of the params of all of them together. A single one may be
	// larger. Default 16 MiB.
	MaxServingBytes int

	// Event is called with the events that no method waits for: notifications, phases, violations. The
	// calls are made one after another, in order, on a separate goroutine, and may use the Client. If
	// more events wait than MaxEvents and MaxEventBytes allow, the oldest are dropped and counted
	// (Client.LeftOut), PhaseChanged last. If Event is nil, all are dropped.
	Event func(c *Client, ev client.Event)
	// MaxEvents and MaxEventBytes bound the waiting events and their bytes. Default 1000 and 1 MiB.
	MaxEvents, MaxEventBytes int
	// HoldUp drops no events: while too many wait, the Client reads nothing. Event must then not wait
	// for the server, as Request does.
	HoldUp bool

	// Visit is called, on the goroutine of Request, when the server rejects a request until the user has
	// visited pages (protocol.CodeURLElicitationRequired). If it returns nil, the request is repeated
	// once, when the server has reported the pages as completed or after VisitWait. If it returns an
	// error, Request fails with it, joined with the server's error. If Visit is nil, the request fails
	// with the server's error.
	Visit func(ctx context.Context, c *Client, pages []protocol.ElicitParams) error
	// VisitWait is how long to wait for the server to report that the pages are completed; not all
	// servers do. Default one minute.
	VisitWait time.Duration

	// QueueBytes limits the bytes waiting to be sent: at the limit Request and Notify wait, and nothing
	// is read. Default 1 MiB.
	QueueBytes int
	// SendTimeout is how long one Send of the Transport may take; after that the session ends
	// with links.ErrSendTimeout. lifecycle.NoTimeout means without limit. Default one minute.
	SendTimeout time.Duration
	// Grace is how long Close lets open requests finish. Zero cancels them.
	Grace time.Duration
	// Reopen is how many times in a row a new session is opened after links.ErrSessionGone, with growing
	// pauses; -1 means never. Default 5. A session that answered a request, or lasted 30 s, resets the
	// count.
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

// RequestOptions are the settings of one request. The zero value suits most.
type RequestOptions struct {
	client.RequestOptions
	// OnProgress is called with the progress of the request, on the goroutine of Request, in
	// order. It implies Progress. If it is slower than the server, older progress is dropped.
	OnProgress func(protocol.ProgressParams)
}

// errClosed is the error of a closed Client, or of one whose session has ended.
var errClosed = lifecycle.Unsent(fmt.Errorf("session: %w", lifecycle.ErrClosed))

// State returns the current State: the server, the revision, its capabilities, the
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
		if protocol.ListOf(method) != nil { // other methods are refused
			c.lists[method] = l
		}
	}
	return l
}

const toolsList = protocol.MethodToolsList

// outputSchema returns the outputSchema of a tool; "" if unknown.
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
