package gateway

import (
	"cmp"
	"errors"
	"log/slog"
	"time"

	"github.com/sansmcp/mcp/client/dial"
	"github.com/sansmcp/mcp/client/host"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/relay"
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
	// Dial opens connections to servers. Default that of a zero dial.Dialer.
	Dial host.Dial
	// Links are the settings of those connections. Report and Room are set by the Gateway.
	Links host.LinksOptions
	// CloseTimeout is how long the servers of a session that has ended may take to end before they
	// are killed. Default manager.DefaultCloseTimeout.
	CloseTimeout time.Duration
	// Log gets what becomes of sessions and servers. Sessions have a number there, as in a Status:
	// their ids are secrets. It is called while a session is held, so it must not wait. Default none.
	Log *slog.Logger
}

// How much of what one connection of one session has sent waits for its turn, before nothing
// more is read from it; one message does whatever its size.
const (
	QueueMessages = 64
	QueueBytes    = 1 << 20
)

// ErrClosed says that the Gateway has been closed.
var ErrClosed = errors.New("gateway: closed")

func (o Options) filled() Options {
	if o.Server.Info.Name == "" {
		o.Server.Info = o.Relay.Info
	}
	if o.Dial == nil {
		o.Dial = dial.Dialer{}.Dial
	}
	o.CloseTimeout = cmp.Or(o.CloseTimeout, manager.DefaultCloseTimeout)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}
