package fleet

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/calls"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Options are the settings of a Fleet. A field that is zero means its default.
type Options struct {
	// Dial opens the connections; see package client/dial. It must not be nil.
	Dial links.Dial

	// Serve answers what servers ask: each request of a method that the Serve of the
	// client.Config names, on a goroutine of its own. ev is a manager.SessionEvent:
	// ev.Link.Server asks ev.Session.Method. ctx ends when the call ends, however it does, and
	// with the Fleet. An error that is a jsonrpc.Error goes out as it is; any other becomes
	// -32603, whose text does not say more. A result that does not fit its method becomes
	// -32603 too. For a form, protocol.ElicitParams.Accept makes one that fits.
	Serve func(ctx context.Context, f *Fleet, ev manager.Event) (protocol.Result, error)
	// MaxServing is how many functions of Serve run at a time for one server, those of calls
	// that have ended meanwhile included; what is over that is refused with -32603. Default 16.
	MaxServing int
	// MaxServingBytes bounds the params of all of them together. Default 16 MiB. One alone may
	// be larger.
	MaxServingBytes int

	// Local runs a tool of the program itself, one of the Local of the catalog.Config, on a goroutine of
	// its own. ctx ends when nobody waits for the outcome any more, and with the Fleet. attempt.FromError
	// makes an outcome of an error.
	Local func(ctx context.Context, f *Fleet, i calls.LocalStart) attempt.Outcome

	// Event is called with the events that nobody waits for: servers that change their state,
	// notifications, violations. The calls are made one after another, those of one server in
	// order, on a goroutine of their own, and may use the Fleet.
	Event func(f *Fleet, ev manager.Event)
	// Inbox bounds the events of each server that wait. What is left out is counted
	// (Fleet.LeftOut); what the application has to know never is, as manager.Inbox says.
	Inbox manager.InboxOptions
	// HoldUp leaves no event out: while Inbox.Notifications or Inbox.Bytes of a server wait,
	// nothing is taken in from it. Event must not wait for that server then, as Request does.
	HoldUp bool
	// Changed is called with what became of the tools of servers, as Event is. If it is slower than they
	// are, the oldest of 1,000 Changes, or of 16 MiB, are left out and counted.
	Changed func(f *Fleet, list []catalog.Change)

	// QueueBytes is that of links.Options. While a queue is full, the methods of a Peer wait.
	QueueBytes int
	// SendTimeout and CloseTimeout are those of links.Options.
	SendTimeout, CloseTimeout time.Duration
}

// The defaults of Options that are not those of package host.
const (
	DefaultMaxServing      = session.DefaultMaxServing
	DefaultMaxServingBytes = session.DefaultMaxServingBytes
)

// filled returns the Options with their defaults, for a number of local tools.
func (o Options) filled(local int) (Options, error) {
	var f lifecycle.Filler
	if local > 0 && o.Local == nil {
		f.Wrong("Local", "nil", "want a function, for the catalog.Config has local tools")
	}
	f.Count("MaxServing", &o.MaxServing, DefaultMaxServing)
	f.Count("MaxServingBytes", &o.MaxServingBytes, DefaultMaxServingBytes)
	f.Count("QueueBytes", &o.QueueBytes, links.DefaultQueueBytes)
	f.Time("SendTimeout", &o.SendTimeout, links.DefaultSendTimeout, lifecycle.MayBeNone)
	f.Time("CloseTimeout", &o.CloseTimeout, links.DefaultCloseTimeout, lifecycle.NeverNone)
	return o, f.Err("fleet")
}

// answers returns a *lifecycle.ConfigError if the Serve of a Config promises a method of the
// specification and nothing answers it. Others may be notifications, which Event gets.
func (o Options) answers(cfg *client.Config) error {
	if cfg == nil || o.Serve != nil {
		return nil
	}
	for _, name := range cfg.Serve {
		if protocol.Known(name) {
			return &lifecycle.ConfigError{Package: "fleet", Field: "Options.Serve", Value: "nil", Why: "want a function, for the Serve of a client.Config has " + strconv.Quote(name)}
		}
	}
	return nil
}

// Errors of a Fleet; those of operations are *manager.Error.
var (
	// ErrClosed: the Fleet is closed.
	ErrClosed = lifecycle.Unsent(errors.New("fleet: closed"))
	// ErrDial: New was given no Dial.
	ErrDial = errors.New("fleet: Dial is nil")
	// ErrDuplicate: Set was given a name twice.
	ErrDuplicate = errors.New("fleet: the name stands twice in the list")
)
