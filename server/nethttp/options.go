package nethttp

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/host"
	"github.com/sansmcp/mcp/server/streams"
)

// Options are the settings of a Handler. A zero field means its default; the zero Options
// suit a server for the programs of this machine.
type Options struct {
	// Store is where sessions live; the default is a Memory of the Handler's own.
	Store Store
	// Streams bound what each session keeps for its connections, and for how long.
	Streams streams.Options
	// Work bounds the functions that run for all sessions of the Handler together. Each session
	// has a share of it, and so has each principal, or without Authenticate each address that
	// sessions begin from; of IPv6 the first 64 bits count. Behind a proxy all have one address.
	// Calls that Companions answer hold no place in it. There may be MaxRunning + MaxWaiting of
	// them beside, shared in the same way; one too many is answered -32603.
	Work host.WorkOptions

	// MaxSessions is how many sessions a Handler knows at a time. One more ends one that nobody
	// listens to and that has no running call. The principal or address with the most idle sessions
	// loses its longest idle one, those that never finished their handshake before others. Where as
	// many of all have not finished it, the longest idle one of these ends instead. Its client is
	// answered 404 and begins a new one. If none is idle, the initialize is answered 503 with
	// Retry-After. Default 10,000.
	MaxSessions int
	// MaxSessionsPerPrincipal is how many of them may belong to one Principal.ID, "" being one
	// too, or without Authenticate to one address as for Work. One more ends the one of them that
	// is idle for longest, as above; if there is none, 503. Default three quarters of MaxSessions.
	MaxSessionsPerPrincipal int
	// MaxConnections is how many responses a Handler has under way at a time, those that wait
	// for their answer included, and all SSE streams; a request beyond is answered 503. So is one
	// of a principal, or without Authenticate of an address as for Work, that has three times what
	// is free: one alone has three quarters at most. Default 10,000.
	MaxConnections int
	// MaxBody is how long the body of a POST may be, in bytes; a longer one is answered 413.
	// Default 4 MiB.
	MaxBody int
	// BodyBytes bounds what has arrived of the bodies that are being read at a time, together,
	// in bytes; a POST beyond is answered 503. A body of less than WriteBytes does not count, and
	// always passes: MaxConnections bounds those. Default 64 MiB, and never less than MaxBody.
	BodyBytes int

	// KeptBytes bounds what all sessions together keep for their clients beside what Streams lets
	// each keep, in bytes as Streams counts them. Beyond, the sessions without a connection give
	// up what they keep, first the one that was not heard for longest; then those with one. One
	// session alone may keep more. Default 256 MiB.
	KeptBytes int

	// WritingBytes bounds what is being written to clients at a time, all together, in bytes: JSON
	// answers, and the events that wait for a connection. What is within WriteBytes does not count.
	// Beyond, connections are closed whose clients took nothing for longest, of the principal or
	// address with most. What a stream has not written can be resumed; a JSON answer is lost. One
	// alone may be longer. Default 512 MiB.
	WritingBytes int

	// StreamAfter is how long a POST waits for its answer to come alone, and then be the body
	// of the response, before the response becomes an SSE stream. It becomes one at once when
	// something else than the answer is sent within the call. Default 200 ms;
	// lifecycle.NoTimeout makes every response to a request that is not answered at once a
	// stream.
	StreamAfter time.Duration
	// ReadTimeout is how long a body may take to arrive; after that, 408. Default 30 s.
	ReadTimeout time.Duration
	// WriteTimeout is how long a client may take for what is written to it in one go, at most
	// WriteBytes, before its connection is closed. What it has not got stays in its stream.
	// Default 30 s.
	WriteTimeout time.Duration
	// Heartbeat is how often a comment is written to a stream that is silent, so that proxies
	// do not close it and a client that is gone is found out. Default 15 s;
	// lifecycle.NoTimeout writes none.
	Heartbeat time.Duration
	// IdleTimeout is how long a session lives without a message of its client, an open
	// connection or a call that runs. Default 30 min. One whose handshake is not finished
	// lives at most a minute so.
	IdleTimeout time.Duration

	// Hosts are Host headers that are accepted beside those of this machine on connections
	// that arrive on a loopback address, and the only ones on others, if any are given: a
	// name, without port for every port (protocol/headers). A proxy on this machine that
	// passes the Host of its clients on needs them.
	Hosts []string
	// Origins are Origin headers that are accepted beside those of the Host itself, as
	// https://app.example (HTTP-002). Their pages may read the answers: the Handler says so to
	// their browsers by the headers of CORS, and answers preflights before Authenticate. Cookies
	// and other credentials of the browser are not allowed.
	Origins []string
	// AnyHost and AnyOrigin switch the rules off, for who checks them elsewhere; AnyOrigin that
	// of Sec-Fetch-Site as well (headers.Rules.Guard). Without them any page that a user of this
	// machine looks at can talk to the server.
	AnyHost, AnyOrigin bool

	// Authenticate, if set, says who a request comes from (HTTP-004). It is called for every request
	// but those of Metadata. What an error becomes: an *AuthError is the response that it describes;
	// any other is 401, and its text goes to Log at level Debug alone.
	Authenticate func(*http.Request) (Principal, error)
	// Metadata, if set, is served where RFC 9728 has it, and a 401 refers to it (AUTH-008,
	// AUTH-013).
	Metadata *ResourceMetadata

	// Stateless serves each POST by itself, without a session: initialize is answered without a
	// session id, any other message by a State of its own, of the revision that its
	// Mcp-Protocol-Version names, and GET and DELETE are 405. So any process serves any request
	// without a Store. A function cannot ask its client (lifecycle.ErrCapability), what is sent
	// within a call goes out on its stream, and what belongs to none is not sent. A call ends
	// with its connection. It excludes Store and LegacySSE.
	Stateless bool
	// LegacySSE serves the HTTP+SSE transport of 2024-11-05 as well, on the same path: a GET
	// without session id opens its stream (HTTP-054).
	LegacySSE bool
	// Recover logs what a function of the application panics with, or hands it to Work.Recover, and
	// has it cost what it was for. That is the call of a function, which is answered -32603; the
	// turn of a Companion or a Store, which is not made, and is made again later where it was due by
	// time; the request of Authenticate, and of such a turn: 500. What Event panics with costs
	// nothing, a session ends whatever its Companion does, and one whose Handlers panics offers
	// nothing. Off, a panic ends the program, as
	// everywhere in Go, but where net/http recovers: within a request it costs that one its answer.
	Recover bool
	// Companion, if set, is asked for what takes part in each turn of a session, as
	// registry.Follow does: once for each session in this process, at the first turn after the one
	// that the session begins with. Peer has its Principal, and the Value of the request that
	// the turn belongs to, if there is one. The session is held meanwhile. nil is none. Lists of its
	// Handlers that are not those of the Handler are announced as changed after the handshake.
	//
	// It lives in the process and not in the Record: of turns that other processes make it sees
	// what the State says after them. So where processes share a Store, the requests of a session
	// that a Companion answers belong to one of them. That a session is gone from the Store is
	// found out at its next turn, after IdleTimeout at the latest. A Handler that is closed tells
	// nothing.
	Companion func(server.Peer) server.Companion
	// Event, if set, is called for every event of every session, in causal order: notifications
	// that Config.Serve names, phases, violations of the protocol. The session is held meanwhile, so
	// it returns at once and takes no turn, as Notify does. Events of requests are those that
	// functions answer and wait for; they are not for Event to answer. It is not called for what a
	// Companion takes out of an Output.
	Event func(session string, ev server.Event)
	// Log gets what goes wrong on this side, and of what a peer wrote the Host and Origin of a
	// request that was refused for them, cut. Default none.
	Log *slog.Logger
}

// The defaults of Options.
const (
	DefaultMaxSessions    = 10_000
	DefaultMaxConnections = 10_000
	DefaultMaxBody        = 4 << 20
	DefaultBodyBytes      = 64 << 20
	DefaultKeptBytes      = 256 << 20
	DefaultWritingBytes   = 512 << 20
	DefaultStreamAfter    = 200 * time.Millisecond
	DefaultReadTimeout    = 30 * time.Second
	DefaultWriteTimeout   = 30 * time.Second
	DefaultHeartbeat      = 15 * time.Second
	DefaultIdleTimeout    = 30 * time.Minute
)

// WriteBytes is how much is written to a connection in one go, beyond a single message.
const WriteBytes = 64 << 10

// handshakeTimeout is how long a session lives that does not finish its handshake.
const handshakeTimeout = time.Minute

func (o Options) filled() (Options, error) {
	var f lifecycle.Filler
	f.Count("MaxSessions", &o.MaxSessions, DefaultMaxSessions)
	f.Count("MaxSessionsPerPrincipal", &o.MaxSessionsPerPrincipal, max(1, o.MaxSessions-o.MaxSessions/4))
	f.Count("MaxConnections", &o.MaxConnections, DefaultMaxConnections)
	f.Count("MaxBody", &o.MaxBody, DefaultMaxBody)
	f.Count("BodyBytes", &o.BodyBytes, DefaultBodyBytes)
	f.Count("KeptBytes", &o.KeptBytes, DefaultKeptBytes)
	f.Count("WritingBytes", &o.WritingBytes, DefaultWritingBytes)
	f.Time("StreamAfter", &o.StreamAfter, DefaultStreamAfter, lifecycle.MayBeNone)
	f.Time("ReadTimeout", &o.ReadTimeout, DefaultReadTimeout, lifecycle.NeverNone)
	f.Time("WriteTimeout", &o.WriteTimeout, DefaultWriteTimeout, lifecycle.NeverNone)
	f.Time("Heartbeat", &o.Heartbeat, DefaultHeartbeat, lifecycle.MayBeNone)
	f.Time("IdleTimeout", &o.IdleTimeout, DefaultIdleTimeout, lifecycle.NeverNone)
	f.Within("Streams", o.Streams.Check())
	f.Within("Work", o.Work.Check())
	switch {
	case o.Stateless && o.Store != nil:
		f.Wrong("Stateless", "true", "want false with Store: there is nothing to store")
	case o.Stateless && o.LegacySSE:
		f.Wrong("Stateless", "true", "want false with LegacySSE, whose sessions are its streams")
	}
	o.BodyBytes = max(o.BodyBytes, o.MaxBody)
	if o.Store == nil {
		o.Store = NewMemory()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o, f.Err("nethttp")
}

// Principal is who a request comes from, as Options.Authenticate found out. The zero
// Principal is anybody.
type Principal struct {
	// ID names the principal for good, as issuer and subject of a token do together. A
	// session belongs to the ID that began it: to another one it does not exist (404). It is
	// stored with the session.
	ID string
	// Value is what else the application knows of the request: scopes, claims. Functions
	// that the request starts find it by PrincipalFrom. It is not stored.
	Value any
}
