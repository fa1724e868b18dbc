package gateway

import (
	"errors"
	"log/slog"
	"time"

	"github.com/sansmcp/mcp/client/child"
	"github.com/sansmcp/mcp/client/dial"
	"github.com/sansmcp/mcp/client/exchange"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/client/remote"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server"
)

// Options are the settings of a Gateway. A zero field means its default; Relay.Info is required.
type Options struct {
	// Relay says how clients and servers are joined.
	Relay relay.Config
	// Server is the Config of the sessions with clients, to which Relay adds what it answers. Its
	// Info is that of Relay by default.
	Server server.Config
	// Servers are the servers, in their order. The Endpoint of each has to be one that Dial
	// understands.
	Servers []relay.Server
	// ServersOf, if set, returns the servers of one session, in the place of Servers: those of its
	// principal, with the filters and the credentials that they have for it. It is asked when a
	// session begins here, and again after SetServers. It returns at once; servers that relay.New
	// refuses leave the session as it was, a new one without any, and are logged.
	ServersOf func(server.Peer) []relay.Server
	// Dial opens connections to servers. Default that of a dial.Dialer whose messages have
	// Relay.MessageBytes at most.
	Dial links.Dial
	// Links are the settings of those connections. Report and Room are set by the Gateway.
	Links links.Options
	// CloseTimeout is how long the servers of a session that has ended may take to end before they
	// are killed. Default manager.DefaultCloseTimeout.
	CloseTimeout time.Duration
	// RestAfter is how long a session over HTTP keeps its servers while its client has neither a
	// connection nor a call. Then they end, and the next request starts them again; what they
	// listed stays meanwhile (relay.Relay.Rest). What a server keeps in memory for the session is
	// lost with it. Default DefaultRestAfter; lifecycle.NoTimeout keeps them until the session
	// ends.
	RestAfter time.Duration
	// Log gets what becomes of sessions and servers. Sessions have a number there, as in a Status:
	// their ids are secrets. What the Endpoint of a server has by a method Secrets, as those of
	// client/dial do, is shown neither there nor in a Status, also where the server says it itself:
	// ••• stands for it. It is called while a session is held, so it must not wait. Default none.
	Log *slog.Logger
}

// DefaultRestAfter is the default of Options.RestAfter.
const DefaultRestAfter = 30 * time.Second

// How much of what one connection of one session has sent waits for its turn, before nothing
// more is read from it; one message does whatever its size.
const (
	QueueMessages = 64
	QueueBytes    = 1 << 20
)

// ErrClosed says that the Gateway has been closed.
var ErrClosed = errors.New("gateway: closed")

func (o Options) filled() (Options, error) {
	var f lifecycle.Filler
	f.Time("CloseTimeout", &o.CloseTimeout, manager.DefaultCloseTimeout, lifecycle.NeverNone)
	f.Time("RestAfter", &o.RestAfter, DefaultRestAfter, lifecycle.MayBeNone)
	if o.Server.Info.Name == "" {
		o.Server.Info = o.Relay.Info
	}
	if o.Dial == nil {
		o.Dial = dial.Dialer{Stdio: child.Options{MaxBytes: o.Relay.MessageBytes}, HTTP: remote.Options{Exchange: exchange.Options{MaxBytes: o.Relay.MessageBytes}}}.Dial
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o, f.Err("gateway")
}
