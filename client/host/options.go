package host

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Options are the settings of a Client. A field that is zero, or less where that has no meaning
// of its own, means its default.
type Options struct {
	// Serve answers what the server asks: each request of a method that Config.Serve
	// names, on a goroutine of its own. ctx ends when the call ends, however it does, and
	// with the Client. An error that is a jsonrpc.Error goes out as it is; any other
	// becomes -32603, whose text does not say more. A result that does not fit its method
	// becomes -32603 too, and an event LocalViolation.
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
	// Stall is how long one Send of the Transport may take until the session is ended with
	// ErrStalled; negative: for ever. Default one minute.
	Stall time.Duration
	// Grace is how long Close lets open requests finish. Default none: they are cancelled.
	Grace time.Duration
	// Reopen is how many times in a row a new session is asked for after ErrSessionGone,
	// with more time between one and the next; negative: not at all. Default 5. A session
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
	DefaultQueueBytes      = 1 << 20
	DefaultStall           = time.Minute
	DefaultReopen          = 5
)

func (o Options) filled() Options {
	o.MaxServing, o.MaxServingBytes = or(o.MaxServing, DefaultMaxServing), or(o.MaxServingBytes, DefaultMaxServingBytes)
	o.MaxEvents, o.MaxEventBytes = or(o.MaxEvents, DefaultMaxEvents), or(o.MaxEventBytes, DefaultMaxEventBytes)
	o.VisitWait, o.QueueBytes = or(o.VisitWait, DefaultVisitWait), or(o.QueueBytes, DefaultQueueBytes)
	o.Stall, o.Reopen = cmp.Or(o.Stall, DefaultStall), cmp.Or(o.Reopen, DefaultReopen)
	return o
}

// or returns v, or the default for what is no limit.
func or[T int | time.Duration](v, otherwise T) T {
	if v <= 0 {
		return otherwise
	}
	return v
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
	// ErrStalled: the server did not take what it was sent for Options.Stall.
	ErrStalled = errors.New("host: the server does not take what it is sent")

	// ErrTransport: New was given no Transport.
	ErrTransport = errors.New("host: the Transport is nil")

	errNotOpen = &lifecycle.OpError{Op: "list", Err: lifecycle.ErrPhase}
)
