package nethttp

import (
	"log/slog"
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/host"
	"github.com/sansmcp/mcp/server/streams"
)

// Options are the settings of a Handler. A zero field means its default; the zero Options
// suit a server for the programs of this machine.
type Options struct {
	// Store is where sessions live; the default is a NewMemory of the Handler's own.
	Store Store
	// Streams bound what each session keeps for its connections, and how long.
	Streams streams.Options
	// Work bounds the functions that run for all sessions of the Handler together. Each session has
	// a share of it, and so has each principal, or without Authenticate each address that sessions
	// begin from; of IPv6 the first 64 bits count. Behind a proxy all have one address. Calls that
	// Companions answer do not count. There may be MaxRunning + MaxWaiting of them in addition,
	// shared in the same way; more are answered -32603.
	Work host.WorkOptions

	// MaxSessions is how many sessions a Handler knows at a time. One more ends an idle one: a session
	// without a connection and without a running call. The principal or address with the most idle
	// sessions loses its longest idle one, those that never finished their handshake before others. If
	// as many of all sessions have not finished it, the longest idle one of these ends instead. The
	// client of the session that ends is answered 404 and begins a new one. If no session is idle, the
	// initialize is answered 503 with Retry-After. Default 10,000.
	MaxSessions int
	// MaxSessionsPerPrincipal is how many sessions may belong to one Principal.ID, "" included, or
	// without Authenticate to one address as for Work. One more ends the longest idle one of these, as
	// above; if none is idle, 503. Default three quarters of MaxSessions.
	MaxSessionsPerPrincipal int
	// MaxConnections is how many responses a Handler has open at a time, including SSE streams and
	// waiting responses; more requests get 503. A principal, or without Authenticate an address as for
	// Work, has at most three times as many as are free, so a single one has three quarters. Default
	// 10,000.
	MaxConnections int
	// MaxBody is how long the body of a POST may be, in bytes; a longer one is answered 413.
	// Default 4 MiB.
	MaxBody int
	// BodyBytes bounds the bytes of all bodies that are being read at a time, or forwarded to another
	// process; more POSTs get 503. A body of less than 64 KiB does not count: MaxConnections bounds
	// those. Default 64 MiB, and at least MaxBody.
	BodyBytes int

	// KeptBytes bounds the bytes that all sessions together keep for their clients, as Streams counts
	// them; Streams bounds each session. Beyond, sessions drop what they keep: first the longest
	// silent ones without a connection. One session alone may keep more. Default 256 MiB.
	KeptBytes int

	// WritingBytes bounds the bytes that are being written to all clients at a time: JSON answers, and
	// the events that wait for a connection. A write within 64 KiB does not count. Beyond that, the
	// principal or address with most bytes loses connections, first the one whose client has read
	// nothing for longest. A stream can be resumed; a JSON answer is lost. One write alone may be
	// longer. Default 512 MiB.
	WritingBytes int

	// StreamAfter is how long a POST waits for its answer, which is then the body of the response.
	// After that the response becomes an SSE stream, and at once if another message is sent within
	// the call. Default 200 ms; with lifecycle.NoTimeout the response is a stream unless the
	// request is answered at once.
	StreamAfter time.Duration
	// ReadTimeout is how long a body may take to arrive; after that, 408. Default 30 s.
	ReadTimeout time.Duration
	// WriteTimeout is how long a client may take to read one write of at most 64 KiB, before its
	// connection is closed. What the client has not read stays in its stream. Default 30 s.
	WriteTimeout time.Duration
	// Heartbeat is how often a comment is written to a silent stream, to keep proxies from closing it
	// and to notice dead clients. Default 15 s; lifecycle.NoTimeout writes none.
	Heartbeat time.Duration
	// IdleTimeout is how long a session lives without a message from its client, an open connection
	// or a running call. Default 30 min, and at most a minute before the handshake is finished.
	IdleTimeout time.Duration
	// Lease, for a Store that is a Cluster, is how long a process may be silent before others end its calls and
	// streams. A process that cannot renew its lease for two thirds of it ends them itself. Default 5 s.
	Lease time.Duration
	// Liveness is an address of this machine that only the other processes of a Cluster can reach, such as
	// 10.0.0.5:0; port 0 means any free port. The process sends its id there. If a client asks another process for a
	// call or a stream of this one, and the address refuses connections or another process answers, this process is
	// dead, and its calls and streams end at once. Default none: its lease decides.
	Liveness string

	// Internal says how the processes of a Cluster reach each other: needed if a Companion lives in its process.
	Internal Internal

	// Hosts are the Host headers that are accepted: on connections to a loopback address besides those
	// of this machine, on others these alone, if any are given. A name without a port stands for every
	// port (protocol/headers). A proxy on this machine that passes on the Host of its clients needs
	// them.
	Hosts []string
	// Origins are Origin headers that are accepted beside those of the Host itself, such as
	// https://app.example (HTTP-002). Their pages may read the answers: the Handler sends the
	// headers of CORS, and answers preflights before Authenticate. Cookies and other credentials of
	// the browser are not allowed.
	Origins []string
	// AnyHost and AnyOrigin switch off the rules of Hosts and Origins, AnyOrigin that of
	// Sec-Fetch-Site too (headers.Rules.Guard), for a program that checks them elsewhere. Without
	// these rules any page that a user of this machine visits can talk to the server.
	AnyHost, AnyOrigin bool

	// Authenticate, if set, returns the principal of a request; Verified makes one for access tokens. It
	// is called for every request except those for Metadata, and preflights. An *AuthError is answered as
	// it describes; any other error is answered 401, with invalid_token if the request has a Bearer token,
	// and its text goes only to Log, at level Debug.
	Authenticate func(*http.Request) (Principal, error)
	// Metadata, if set, is served at the path of RFC 9728, and a 401 refers to it.
	Metadata *ResourceMetadata

	// Stateless serves each POST by itself, without a session: initialize is answered without a
	// session id, any other message by a State of its own, of the revision that its
	// Mcp-Protocol-Version names, and GET and DELETE are 405. So any process serves any request
	// without a Store. A function cannot ask its client (lifecycle.ErrCapability), messages within
	// a call are sent on its stream, and others are not sent. A call ends with its connection. It
	// excludes Store and LegacySSE.
	Stateless bool
	// LegacySSE serves the HTTP+SSE transport of 2024-11-05 as well, on the same path: a GET
	// without session id opens its stream (HTTP-054).
	LegacySSE bool
	// Recover keeps the program running if a function of the application panics, and logs the panic or
	// passes it to Work.Recover. The call of a function is answered -32603. A turn in which a
	// Companion or a Store panics is dropped, and repeated later if it was for a deadline; its
	// request, and one whose Authenticate panics, is answered 500. A session whose Companion.Handlers
	// panics gets empty lists. A panic of Event has no effect. If Recover is off, a panic ends the
	// program; within a request net/http recovers it, and the request gets no answer.
	Recover bool
	// Companion, if set, returns the machine that takes part in each turn of a session, as
	// registry.Follow does; nil for none. It is called once for each session in this process, at its
	// second turn, with the session locked. Peer has the Principal of the session, and the Value of the
	// request that the turn belongs to, if there is one. If the lists of its Handlers differ from those
	// of the Handler, they are announced as changed after the handshake.
	//
	// A Companion lives in the process and not in the Record: of turns in other processes it sees the State that they
	// stored. So if processes share a Store, all requests of a session that a Companion answers must reach one
	// process. If it has a method Homed() bool that returns true, the Store is a Cluster and Internal is set, the
	// Handlers ensure this: the process that makes it is the home of the session, and others forward requests. When a
	// process is no longer the home, its Companion sees the session end; the process asked next makes another one. It
	// learns at its next turn, at most IdleTimeout later, that its session was removed from the Store. Closing the
	// Handler does not notify it.
	//
	// If the Companion of a request without a session has that method, then the requestState of its result belongs to
	// this process. With Internal the state names the process, encrypted, for a day, and other processes with the
	// same Config.HashKey forward requests with it.
	Companion func(server.Peer) server.Companion
	// Event, if set, is called for every event of every session, in causal order: notifications that
	// Config.Serve names, phases, violations of the protocol. The session is locked during the call,
	// so it must return at once and make no turn, as Notify does. Functions answer the requests whose
	// events it sees. It is not called for events that a Companion removes from an Output.
	Event func(session string, ev server.Event)
	// Log gets errors of this side. Of a peer's text it has only the Host and Origin of requests
	// refused for them, cut to 64 bytes. Default none.
	Log *slog.Logger
}

// The defaults of Options.
const (
	defaultMaxSessions    = 10_000
	defaultMaxConnections = 10_000
	DefaultMaxBody        = 4 << 20
	defaultBodyBytes      = 64 << 20
	defaultKeptBytes      = 256 << 20
	defaultWritingBytes   = 512 << 20
	defaultStreamAfter    = 200 * time.Millisecond
	defaultReadTimeout    = 30 * time.Second
	defaultWriteTimeout   = 30 * time.Second
	defaultHeartbeat      = 15 * time.Second
	defaultIdleTimeout    = 30 * time.Minute
	defaultLease          = 5 * time.Second
)

// writeBytes is how much is written to a connection in one go, beyond a single message.
const writeBytes = 64 << 10

// handshakeTimeout is how long a session lives that does not finish its handshake.
const handshakeTimeout = time.Minute

// reachable reports whether an address can be that of one machine.
func reachable(addr string) bool {
	a, err := netip.ParseAddrPort(addr)
	ip := a.Addr().Unmap()
	return err == nil && !ip.IsUnspecified() && !ip.IsMulticast()
}

func (o Options) filled() (Options, error) {
	var f lifecycle.Filler
	f.Count("MaxSessions", &o.MaxSessions, defaultMaxSessions)
	f.Count("MaxSessionsPerPrincipal", &o.MaxSessionsPerPrincipal, max(1, o.MaxSessions-o.MaxSessions/4))
	f.Count("MaxConnections", &o.MaxConnections, defaultMaxConnections)
	f.Count("MaxBody", &o.MaxBody, DefaultMaxBody)
	f.Count("BodyBytes", &o.BodyBytes, defaultBodyBytes)
	f.Count("KeptBytes", &o.KeptBytes, defaultKeptBytes)
	f.Count("WritingBytes", &o.WritingBytes, defaultWritingBytes)
	f.Time("StreamAfter", &o.StreamAfter, defaultStreamAfter, lifecycle.MayBeNone)
	f.Time("ReadTimeout", &o.ReadTimeout, defaultReadTimeout, lifecycle.NeverNone)
	f.Time("WriteTimeout", &o.WriteTimeout, defaultWriteTimeout, lifecycle.NeverNone)
	f.Time("Heartbeat", &o.Heartbeat, defaultHeartbeat, lifecycle.MayBeNone)
	f.Time("IdleTimeout", &o.IdleTimeout, defaultIdleTimeout, lifecycle.NeverNone)
	f.Time("Lease", &o.Lease, defaultLease, lifecycle.NeverNone)
	f.Within("Streams", o.Streams.Check())
	f.Within("Work", o.Work.Check())
	f.Within("Internal", o.Internal.check())
	switch field, value, want := (headers.Rules{Hosts: o.Hosts, Origins: o.Origins}).Unmatched(); {
	case field != "":
		f.Wrong(field, value, want)
	case o.Liveness != "" && !reachable(o.Liveness):
		f.Wrong("Liveness", strconv.Quote(o.Liveness), "want one address of this machine with a port, as 10.0.0.5:0")
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
