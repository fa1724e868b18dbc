package manager

import (
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol"
)

// DefaultCloseTimeout is the default of Timeouts.Close.
const DefaultCloseTimeout = 5 * time.Second

// Config has the settings that all connections of a Manager share. New copies it.
type Config struct {
	// Client is the Config of the sessions: what the client is and offers, its limits, its
	// HashKey. Timeouts below replaces its Timeouts except Human, and its Keepalive is replaced by
	// Health.
	Client client.Config
	// Timeouts are how long a connection waits; those of Options take precedence.
	Timeouts Timeouts
	// Health says when a silent link is pinged, and when it counts as lost.
	Health Health
	// Backoff is how long a supervised connection waits before it is reopened: Delay(1) the first
	// time.
	Backoff backoff.Policy
	// Breaker stops opening a server that keeps failing; zero means never. Each server has its own.
	Breaker backoff.BreakerOptions
	// StableFor is how long a connection must be ready before its failures are cleared. Zero means
	// one minute, lifecycle.NoTimeout at once.
	StableFor time.Duration
	// Budget bounds the reading of a list. It applies where a caller of List leaves fields zero.
	Budget Budget
	// MaxServers is the limit of names. Zero means 10,000.
	MaxServers int
	// Seed begins the random numbers of the jitter. The same seed and the same steps give
	// the same times.
	Seed uint64
}

// Timeouts are how long each class of work may take. Zero means the default, so
// that a forgotten field is never "at once" or "never"; lifecycle.NoTimeout means none where that
// may be. All other negative times are refused.
type Timeouts struct {
	// Connect bounds opening the transport and the handshake together, and restoring
	// subscriptions after it once more. Default 5 min: there are servers that are installed when they are
	// started (npx, uvx, docker run), and one that is ended meanwhile begins anew the next time. A person
	// who logs in meanwhile has Client.Timeouts.Human.
	Connect time.Duration
	// Request bounds the answer to a request that sets no timeout of its own; may be
	// lifecycle.NoTimeout. Default 30 s. It stands still while the server asks the user of this client, for at
	// most Client.Timeouts.Human after a question, 10 minutes by default.
	Request time.Duration
	// Maximum is the longest that progress and questions can extend a request; zero means
	// lifecycle.DefaultMaximumTimeout; may be lifecycle.NoTimeout.
	Maximum time.Duration
	// Ping bounds the answer to a ping. Default 10 s.
	Ping time.Duration
	// Close is how long a connection may take to close before it is killed. Default 5 s.
	Close time.Duration
	// Inbound is how long the application may take to answer a request of a server, before
	// it is answered -32603; may be lifecycle.NoTimeout. Default 10 min.
	Inbound time.Duration
}

// Health says when a silent connection is pinged. Any received message shows that the server is
// alive, and an active connection is not pinged.
//
// While a request waits for its answer, a connection is pinged after Timeouts.Ping of silence. If
// no message arrives within Timeouts.Ping, PingsMissed reports it (Status.Misses) and the next ping
// is sent at once. So a server that stops counts as lost Timeouts.Ping × Misses after the first
// ping: by default 60 s after its last message, or 40 s after an unanswered request, and is
// reported silent 20 s before that.
//
// A server that has never answered a ping gets a list request instead of a ping after the first miss, because
// some servers never answer pings.
//
// Many servers handle one request at a time, and answer no ping meanwhile. So a server that had a
// request before it fell silent is lost only at the timeout of that request: RequestOptions.Timeout
// limits how long it may be busy.
type Health struct {
	// Interval is how long a ready connection may be silent before it is pinged. Zero means
	// 30 s, lifecycle.NoTimeout that it never is.
	Interval time.Duration
	// Misses is how many pings in a row may pass without any message before the connection counts
	// as lost. Zero means 3.
	Misses int
}

// Budget bounds the reading of a list over all its pages. Zero fields are those of
// Config.Budget, and where these are zero as well the defaults of client.Pager, with ten times
// Timeouts.Request for Total, 5 min by default.
type Budget struct {
	Pages int           // how many pages
	Items int           // how many items
	Bytes int           // bytes of the items, each with 64 bytes more
	Total time.Duration // for all pages together; may be lifecycle.NoTimeout
}

// Options are the settings of one connection. They end with it: a Connect under the same
// name begins with its own.
type Options struct {
	// Endpoint says where the server is: a command, a URL, what the driver knows. The Manager
	// hands it back in ActOpen and never looks at it; a Snapshot does not have it.
	Endpoint any
	// Fallbacks are tried in this order, within the same Timeouts.Connect, where opening
	// the Endpoint or the handshake fails. What worked is tried first the next time.
	Fallbacks []Fallback
	// Replace disconnects what has the name. Without it a name that is in use is ErrNameInUse.
	Replace bool
	// Client is used instead of Config.Client.
	Client *client.Config
	// Timeouts are used instead of Config.Timeouts, where they are not zero.
	Timeouts Timeouts
	// Health is used instead of Config.Health, where it is not zero.
	Health Health
	// Meta is a JSON object whose members are put into _meta of each tools/call to this
	// server, and to no other; a member that the call has itself stays. It may hold
	// a trace context. Everything else of the params goes out byte for byte.
	Meta protocol.Raw
	// TrustAnnotations says that the hints of its tools can be believed. The Manager
	// only keeps it; Manager.Options returns it.
	TrustAnnotations bool
	// Supervise opens the connection again when it is lost or could not be opened.
	Supervise bool
	// OnDemand opens no link by itself: Connect registers the name, which is Idle until
	// Open is called, as calls.Caller and package fleet do for each use. The
	// server is Idle again when it is lost for the first time since it was stable, and after
	// DisconnectAll. After further losses, and where it cannot be opened, it has Failed, and Open
	// has to wait for RetryAt: the delay of Config.Backoff, whose Attempts do not end it. With
	// Supervise a server that was opened once is opened again by itself.
	OnDemand bool
	// Handshake says that the server at Endpoint has sessions, as client.NeedsHandshake, the Verdict of an earlier
	// connection, does: it is not asked first. A handshake that fails makes that forgotten.
	Handshake bool
	// Resubscribe subscribes in a new session to what the last one was subscribed to, and
	// sets its log level, before the server counts as ready.
	Resubscribe bool
}

// Fallback is another way to a server.
type Fallback struct {
	Endpoint  any                 // as Options.Endpoint
	Revisions []protocol.Revision // to offer; empty: those of the Config
}
