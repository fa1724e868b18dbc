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
	// At 16 times the limit a request fails (lifecycle.Unsent), and anything else ends the
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

// queueFactor says how far a full queue may grow; see Options.QueueBytes.
const queueFactor = 16

// Errors of Links.
var (
	// ErrSendTimeout: the server did not read a message within Options.SendTimeout, or 16 times
	// Options.QueueBytes are queued.
	ErrSendTimeout = errors.New("links: server takes no messages")
	// ErrCloseTimeout: a Transport did not end within Options.CloseTimeout, or a Dial did not
	// return. It is abandoned, with its resources.
	ErrCloseTimeout = errors.New("links: transport still open")
)

var (
	// errDial is what a Dial comes to that returned neither a Transport nor an error.
	errDial = errors.New("links: Dial returned no Transport")
	// errQueueFull: a request was not sent, because too much waits to be sent to its server.
	errQueueFull = lifecycle.Unsent(errors.New("links: send queue full"))
	// errKilled: a server had not ended by the deadline of ActClose, and was killed.
	errKilled = errors.New("links: server killed: it had not ended by its deadline")
)
