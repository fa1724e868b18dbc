package manager

import (
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol"
)

// DefaultCloseTimeout is the default of Timeouts.Close.
const DefaultCloseTimeout = 5 * time.Second

// Config configures a Manager and all its connections. New copies it.
type Config struct {
	// Client is the Config of the sessions: the client's capabilities, limits and HashKey. Timeouts
	// below replaces its Timeouts except Human, and Health replaces its Keepalive.
	Client client.Config
	// Timeouts bound the waits of a connection; Options can override them.
	Timeouts Timeouts
	// Health says when a silent link is pinged, and when it counts as lost.
	Health Health
	// Backoff is the pause before a supervised connection is opened again: Delay(1) before the
	// first time.
	Backoff backoff.Policy
	// Breaker stops opening a server that keeps failing; zero means never. Each server has its own.
	Breaker backoff.BreakerOptions
	// StableFor is how long a connection must be ready before its failures are cleared. Zero means
	// one minute, lifecycle.NoTimeout at once.
	StableFor time.Duration
	// Budget bounds the reading of a list, where a caller of List leaves fields zero.
	Budget Budget
	// MaxServers is the largest number of names. Zero means 10,000.
	MaxServers int
	// Seed seeds the random numbers of the jitter. The same seed and the same steps give the same
	// times.
	Seed uint64
}

// Timeouts bound each class of work. Zero means the default, so that a forgotten field never means
// "at once" or "never"; lifecycle.NoTimeout means none, where allowed. Other negative times are
// errors.
type Timeouts struct {
	// Connect bounds opening the transport and the handshake together, and then once more restoring
	// subscriptions. Default 5 min, because some servers are installed when they are started (npx, uvx,
	// docker run), and would start that again after a timeout. A person who must log in has
	// Client.Timeouts.Human.
	Connect time.Duration
	// Request bounds the answer to a request without its own timeout; may be lifecycle.NoTimeout. Default 30
	// s. It does not run while the server asks the user of this client, for at most Client.Timeouts.Human
	// after a question, 10 minutes by default.
	Request time.Duration
	// Maximum limits how far progress and questions can extend a request; zero means
	// lifecycle.DefaultMaximumTimeout; may be lifecycle.NoTimeout.
	Maximum time.Duration
	// Ping bounds the answer to a ping. Default 10 s.
	Ping time.Duration
	// Close is how long a connection may take to close before it is killed. Default 5 s.
	Close time.Duration
	// Inbound is how long the application may take to answer a request of a server; then it is
	// answered -32603; may be lifecycle.NoTimeout. Default 10 min.
	Inbound time.Duration
}

// Health says when a silent connection is pinged. Every incoming message shows that the server is
// alive, and a connection on which messages arrive is not pinged.
//
// While a request waits for its answer, a connection is pinged after Timeouts.Ping of silence. If
// nothing arrives within Timeouts.Ping of a ping, a PingsMissed reports it (Status.Misses) and the
// next ping is sent at once. So a server that stops counts as lost Timeouts.Ping × Misses after the
// first ping: by default 60 s after its last message, 40 s after a request that it leaves
// unanswered, and its silence is reported 20 s before that.
//
// A server that has never answered a ping gets a list request instead after the first miss, and from then on,
// because some servers ignore pings and work.
//
// Many servers handle one request after another and answer no ping while they are busy. So a server
// that got a request before it fell silent counts as lost only when that request times out:
// RequestOptions.Timeout limits how long it may be busy.
type Health struct {
	// Interval is how long a ready connection may be silent before it is pinged. Zero means 30 s,
	// lifecycle.NoTimeout never.
	Interval time.Duration
	// Misses is how many pings in a row may pass without any message before the connection counts
	// as lost. Zero means 3.
	Misses int
}

// Budget bounds the reading of a list over all its pages. Zero fields mean those of Config.Budget,
// and if these are zero too, the defaults of client.Pager, with ten times Timeouts.Request for
// Total, 5 min by default.
type Budget struct {
	Pages int           // number of pages
	Items int           // number of items
	Bytes int           // bytes of the items, plus 64 for each
	Total time.Duration // for all pages together; may be lifecycle.NoTimeout
}

// Options are the settings of one connection. They end with it: a later Connect under the same name
// needs its own.
type Options struct {
	// Endpoint says where the server is: a command, a URL, anything that the driver knows. The
	// Manager returns it in ActOpen and never uses it; a Snapshot omits it.
	Endpoint any
	// Fallbacks are tried in order, within the same Timeouts.Connect, if opening the Endpoint or
	// the handshake fails. The one that worked is tried first the next time.
	Fallbacks []Fallback
	// Replace disconnects a server that has the name. Otherwise the error is ErrNameInUse.
	Replace bool
	// Client replaces Config.Client.
	Client *client.Config
	// Timeouts that are not zero override Config.Timeouts.
	Timeouts Timeouts
	// Health fields that are not zero override Config.Health.
	Health Health
	// Meta is a JSON object whose members are added to _meta of each tools/call to this server
	// only, unless the call has such a member itself. It may hold a trace context. The rest of the
	// params is sent byte for byte.
	Meta protocol.Raw
	// TrustAnnotations says that the annotations of its tools can be trusted. The Manager only
	// stores it; Manager.Options returns it.
	TrustAnnotations bool
	// Supervise opens the connection again when it is lost or could not be opened.
	Supervise bool
	// OnDemand opens no link automatically: Connect registers the name, which is Idle until Open is
	// called, as calls.Caller and package fleet do for each use. If a ready link is lost, the server
	// becomes Idle again, as after DisconnectAll. If another one is lost before the server was
	// stable, or if a link cannot be opened, the server becomes Failed, and Open must wait until
	// RetryAt: the delay of Config.Backoff, without the limit of its Attempts. With Supervise a server
	// that was opened once is opened again automatically.
	OnDemand bool
	// Handshake says that the server at Endpoint has sessions, like client.NeedsHandshake, the Verdict of an
	// earlier connection: no probe is sent. A failed handshake clears it.
	Handshake bool
	// Resubscribe restores in a new session the subscriptions of the last one, and its log level,
	// before the server becomes ready.
	Resubscribe bool
}

// Fallback is an alternative endpoint of a server.
type Fallback struct {
	Endpoint  any                 // as Options.Endpoint
	Revisions []protocol.Revision // to offer; empty means those of the Config
}
