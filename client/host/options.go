package host

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Options are the settings of a Client. A field that is zero means its default.
type Options struct {
	// Serve answers what the server asks: each request of a method that Config.Serve
	// names, on a goroutine of its own. ctx ends when the call ends, however it does, and
	// with the Client. An error that is a jsonrpc.Error goes out as it is; any other
	// becomes -32603, whose text does not say more. A result that does not fit its method
	// becomes -32603 too, and an event LocalViolation. For a form,
	// protocol.ElicitParams.Accept makes one that fits.
	Serve func(ctx context.Context, c *Client, ev client.Event) (protocol.Result, error)
	// MaxServing is how many functions of Serve run at a time, those of calls that have
	// ended meanwhile included; what is over that is refused with -32603. Default 16.
	MaxServing int
	// MaxServingBytes bounds the params of all of them together. Default 16 MiB. One alone
	// may be larger.
	MaxServingBytes int

	// Event is called with the events that nobody waits for: notifications, phases,
	// violations, lists that were read. The calls are made one after another, in order, on a
	// goroutine of their own, and may use the Client. Events that wait are bounded by
	// MaxEvents and MaxEventBytes; if there are more, the oldest but for PhaseChanged are left
	// out and counted (Client.LeftOut), and of these too if they alone are too many.
	Event func(c *Client, ev client.Event)
	// MaxEvents and MaxEventBytes bound the events that wait. Default 1000 and 1 MiB.
	MaxEvents, MaxEventBytes int
	// HoldUp leaves no event out: while too many wait, nothing is taken in. Event must not wait
	// for the server then, as Request does.
	HoldUp bool

	// Visit is called, on the goroutine of Request, when the server refuses a request until
	// the user has visited pages (protocol.CodeURLElicitationRequired). If it returns nil,
	// the request is made again when the server has said that the pages are done with, or
	// after VisitWait, once; an error ends the request, beside that of the server. Without Visit the request fails with
	// the error of the server.
	Visit func(ctx context.Context, c *Client, pages []protocol.ElicitParams) error
	// VisitWait is how long the word of the server that the pages are done with is waited
	// for; not all servers send it. Default one minute.
	VisitWait time.Duration

	// Mirror has the settings of the lists that List keeps.
	Mirror client.Mirror

	// QueueBytes is how much may wait to be sent: then Request and Notify wait, and nothing
	// is taken in. Default 1 MiB.
	QueueBytes int
	// SendTimeout is how long one Send of the Transport may take until the session is ended with
	// links.ErrSendTimeout; lifecycle.NoTimeout: without limit. Default one minute.
	SendTimeout time.Duration
	// Grace is how long Close lets open requests finish. Default none: they are cancelled.
	Grace time.Duration
	// Reopen is how many times in a row a new session is asked for after links.ErrSessionGone,
	// with more time between one and the next; -1: not at all. Default 5. A session
	// that was of some use, or lived for 30 s, begins the count anew.
	Reopen int
}

// The defaults of Options.
const (
	DefaultMaxServing      = 16
	DefaultMaxServingBytes = 16 << 20
	DefaultMaxEvents       = 1000
	DefaultMaxEventBytes   = 1 << 20
	DefaultVisitWait       = time.Minute
	DefaultReopen          = 5
)

func (o Options) filled() (Options, error) {
	var f lifecycle.Filler
	f.Count("MaxServing", &o.MaxServing, DefaultMaxServing)
	f.Count("MaxServingBytes", &o.MaxServingBytes, DefaultMaxServingBytes)
	f.Count("MaxEvents", &o.MaxEvents, DefaultMaxEvents)
	f.Count("MaxEventBytes", &o.MaxEventBytes, DefaultMaxEventBytes)
	f.Time("VisitWait", &o.VisitWait, DefaultVisitWait, lifecycle.NeverNone)
	f.Count("QueueBytes", &o.QueueBytes, links.DefaultQueueBytes)
	f.Time("SendTimeout", &o.SendTimeout, links.DefaultSendTimeout, lifecycle.MayBeNone)
	if o.Grace < 0 {
		f.Wrong("Grace", o.Grace.String(), "want positive, or 0 for none")
	}
	if o.Reopen < -1 {
		f.Wrong("Reopen", strconv.Itoa(o.Reopen), "want positive, 0 for "+strconv.Itoa(DefaultReopen)+", or -1 for none")
	}
	o.Reopen = cmp.Or(o.Reopen, DefaultReopen)
	return o, f.Err("host")
}

// unanswered returns a *lifecycle.ConfigError if Config.Serve promises a method of the
// specification and nothing answers it. Others may be notifications, which Event gets.
func unanswered(serve []string) error {
	for _, name := range serve {
		if protocol.Known(name) {
			return &lifecycle.ConfigError{Package: "host", Field: "Options.Serve", Value: "nil", Why: "want a function, for Config.Serve has " + strconv.Quote(name)}
		}
	}
	return nil
}

// RequestOptions are the settings of one request. The zero value is good for most.
type RequestOptions struct {
	client.RequestOptions
	// OnProgress is called with the progress of the request, on the goroutine of Request, in
	// order. It implies Progress. If it is slower than the server, older progress is left
	// out.
	OnProgress func(protocol.ProgressParams)
}

// Errors of a Client.
var (
	// ErrClosed: the Client is closed, or its session has ended; Err says why.
	ErrClosed = lifecycle.Unsent(errors.New("host: the client is closed"))

	// ErrTransport: New was given no Transport.
	ErrTransport = errors.New("host: the Transport is nil")

	errNotOpen = &lifecycle.OpError{Op: "list", Err: lifecycle.ErrPhase}
)
