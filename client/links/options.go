package links

import (
	"context"
	"errors"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle"
)

// Dial opens the Transport of an endpoint, the Endpoint of manager.Options. It returns when
// messages may be sent; ctx ends at the deadline for that. The Transport stays open after ctx has
// ended. Package client/dial has one for child processes and HTTP. It may be called by several
// goroutines.
type Dial func(ctx context.Context, endpoint any) (Transport, error)

// Options are the settings of Links. A field that is zero, or that Check refuses, means its
// default.
type Options struct {
	// Report is called with reports, from several goroutines, but with one report of a Link at a
	// time, in order. While it runs, that Link is not read. It may call Do, and must not wait for
	// Links.
	Report func(manager.Report)
	// OnRoom, if set, is called when a full queue has room again.
	OnRoom func(manager.Link)
	// QueueBytes limits the bytes waiting to be sent; at the limit the server is no longer read. At
	// 16 times the limit a new request fails (lifecycle.Unsent), and any other message ends the
	// Link with ErrSendTimeout. Default 1 MiB.
	QueueBytes int
	// SendTimeout is how long one Send of a Transport may take; after that the Link ends with
	// ErrSendTimeout. lifecycle.NoTimeout means without limit. Default one minute.
	SendTimeout time.Duration
	// CloseTimeout is how long a Transport may take to close after its deadline, and a Dial to
	// return, before it is abandoned. Default 5 s.
	CloseTimeout time.Duration
}

// Check returns a *lifecycle.ConfigError for the first negative field, or nil. Call it before New
// for Options from a user.
func (o Options) Check() error { return o.fill() }

// fill fills the defaults in, also of what it refuses.
func (o *Options) fill() error {
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

// queueFactor is how many times QueueBytes a full queue may reach; see Options.QueueBytes.
const queueFactor = 16

// Errors of Links.
var (
	// ErrSendTimeout: the server did not read a message within Options.SendTimeout, or 16 times
	// Options.QueueBytes are queued.
	ErrSendTimeout = errors.New("links: server accepts no messages")
	// ErrCloseTimeout: a Transport did not end within Options.CloseTimeout, or a Dial did not
	// return. It is abandoned, with its resources.
	ErrCloseTimeout = errors.New("links: transport still open")
)

var (
	// errDial: a Dial returned neither a Transport nor an error.
	errDial = errors.New("links: Dial returned no Transport")
	// errQueueFull: a request was not sent, because the queue of its server is full.
	errQueueFull = lifecycle.Unsent(errors.New("links: send queue full"))
	// errKilled: a server had not ended by the deadline of ActClose, and was killed.
	errKilled = errors.New("links: server not closed by its deadline; killed")
)
