package gateway

import (
	"fmt"
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
	// Relay says how clients and servers are connected.
	Relay relay.Config
	// Server is the Config of the sessions with clients, to which Relay adds its methods. Its Info
	// is that of Relay by default.
	Server server.Config
	// Servers are the servers, in their order. Dial must understand the Endpoint of each.
	Servers []relay.Server
	// ServersOf, if set, returns the servers of one session in place of Servers: for its principal, with filters and
	// credentials: the client's own credentials go to no server (AUTH-053). It is called when a session begins here,
	// and again after SetServers, and must not block. If relay.New rejects the servers, or the function panics, the
	// session keeps its servers, a new one gets none, and the error is logged. Requests without a session share one
	// for their principal.
	ServersOf func(server.Peer) []relay.Server
	// Dial opens links to servers. The default is that of a dial.Dialer with Relay.MessageBytes as the
	// limit of a message.
	Dial links.Dial
	// Links are the settings of those links. The Gateway sets Report and OnRoom.
	Links links.Options
	// CloseTimeout is how long the servers of an ended session have to end before they are killed. 0
	// means manager.DefaultCloseTimeout.
	CloseTimeout time.Duration
	// RestAfter is how long a session over HTTP keeps its servers while its client has neither a
	// connection nor a call. Then they end, their lists stay known, and the next request starts them
	// again (relay.Relay.Rest). A server loses what it keeps in memory for the session. 0 means
	// DefaultRestAfter; lifecycle.NoTimeout keeps the servers until the session ends.
	RestAfter time.Duration
	// Log logs sessions and servers. A session has a number there and in a Status, because its id is a
	// secret. Texts that the method Secrets of an Endpoint returns, as those of client/dial, are
	// replaced by ••• in logs and in a Status, even in errors of the server. Log is called while a
	// session is locked, so it must not block. The default is no log.
	Log *slog.Logger
}

// DefaultRestAfter is the default of Options.RestAfter.
const DefaultRestAfter = 30 * time.Second

// queueMessages and queueBytes bound what waits of one link of one session. At either limit the link is
// no longer read. One message may wait whatever its size.
const (
	queueMessages = 64
	queueBytes    = 1 << 20
)

var errClosed = fmt.Errorf("gateway: %w", lifecycle.ErrClosed)

func (o Options) filled() (Options, error) {
	var f lifecycle.Filler
	f.Within("Links", o.Links.Check())
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
