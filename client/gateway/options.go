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
	// Relay configures how clients and servers are joined.
	Relay relay.Config
	// Server is the Config of the sessions with clients. Relay adds the methods that it answers.
	// Info defaults to that of Relay.
	Server server.Config
	// Servers are the servers, in order. Dial must understand the Endpoint of each.
	Servers []relay.Server
	// ServersOf, if set, returns the servers of one session in place of Servers: those of its principal, with
	// its filters and credentials. A client's own token is never passed to a server (AUTH-053). ServersOf is
	// called when a session begins in this process, and again after SetServers, and must not wait. If
	// relay.New rejects the servers, or the function panics, the session keeps its servers, a new one gets
	// none, and the error is logged. Requests without a session share one session for their principal.
	ServersOf func(server.Peer) []relay.Server
	// Dial opens links to servers. The default is that of a dial.Dialer with Relay.MessageBytes as the
	// limit of a message.
	Dial links.Dial
	// Links are the settings of those links. The Gateway sets Report and OnRoom.
	Links links.Options
	// CloseTimeout is how long the servers of an ended session may take to end before they are killed.
	// 0 means manager.DefaultCloseTimeout.
	CloseTimeout time.Duration
	// RestAfter is how long a session over HTTP keeps its servers while its client has neither a
	// connection nor a call. Then they end, and the next request starts them again; their lists are
	// kept (relay.Relay.Rest). A server loses what it keeps in memory for the session. 0 means
	// DefaultRestAfter; lifecycle.NoTimeout keeps the servers until the session ends.
	RestAfter time.Duration
	// Log logs sessions and servers. Log and Status show a session by number, because its id is a
	// secret. They show ••• in place of texts that the method Secrets of an Endpoint returns, such as
	// those of client/dial, even in errors from the server. Log is called while a session is locked,
	// so it must not wait. The default is no log.
	Log *slog.Logger
}

// DefaultRestAfter is the default of Options.RestAfter.
const DefaultRestAfter = 30 * time.Second

// queueMessages and queueBytes bound the waiting messages of one link of one session. At either limit
// the link is no longer read. A single message may have any size.
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
