package lifecycle

import (
	"strconv"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
)

// Timeouts are how long a session waits (lifecycle, Timeouts). A zero field means its default,
// NoTimeout none.
type Timeouts struct {
	// Initialize is the answer to initialize; default 5 min, because starting may install the server
	// (npx, uvx, docker run).
	Initialize time.Duration
	Ping       time.Duration // the answer to a ping; default 10 s (PING-010)
	Probe      time.Duration // the answer to the probe whether a server needs a handshake; default 5 s (TIME-202, ERA-009)
	// Request is the answer to any other request; default 60 s. It is paused while the peer asks
	// the user of this side, by sampling/createMessage or elicitation/create (TIME-021).
	Request time.Duration
	// Human is the answer to sampling/createMessage and elicitation/create, which wait for people; default
	// 10 min (TIME-020). A question pauses the requests of the side that is asked for at most this long; so
	// does a login, by client.State.Pause.
	Human   time.Duration
	Maximum time.Duration // the longest that progress and questions can extend a request; default 60 min
	Inbound time.Duration // the application's answer to a request; default none
}

// The default Timeouts. They apply to every request without its own timeout, including calls of
// tools (TIME-015).
const (
	defaultInitializeTimeout = 5 * time.Minute
	defaultPingTimeout       = 10 * time.Second
	defaultProbeTimeout      = 5 * time.Second
	defaultRequestTimeout    = 60 * time.Second
	defaultHumanTimeout      = 10 * time.Minute
	DefaultMaximumTimeout    = 60 * time.Minute
)

// Filled returns t with the defaults filled in, or a *ConfigError.
func (t Timeouts) Filled() (Timeouts, error) {
	var f Filler
	f.Time("Initialize", &t.Initialize, defaultInitializeTimeout, MayBeNone)
	f.Time("Ping", &t.Ping, defaultPingTimeout, MayBeNone)
	f.Time("Probe", &t.Probe, defaultProbeTimeout, MayBeNone)
	f.Time("Request", &t.Request, defaultRequestTimeout, MayBeNone)
	f.Time("Human", &t.Human, defaultHumanTimeout, MayBeNone)
	f.Time("Maximum", &t.Maximum, DefaultMaximumTimeout, MayBeNone)
	f.Time("Inbound", &t.Inbound, NoTimeout, MayBeNone)
	return t, f.Err("lifecycle")
}

// Limits bound what a session keeps; docs/limits.md has the resulting bytes. A zero field means its
// default; negative ones are refused.
type Limits struct {
	Inbound       int // requests of the peer that await the application; default 1000
	Outbound      int // outbound requests that await the peer; default 10,000
	Batch         int // messages of a batch (2025-03-26); default 100
	Subscriptions int // resource subscriptions of the peer, and those that a client remembers; default 1000
	Text          int // bytes kept of an id, progress token, uri, method name, or name of the peer; default 4096
	Schema        int // bytes kept of a form, or of an output schema, until its request is answered; default 65,536

	// Requests is the rate of requests of the peer; excess requests are refused with -32603. ping
	// and initialize do not count.
	Requests Rate
	// Progress is the rate of progress for one token, sent and received; excess messages are
	// dropped, so a handler may report at any rate.
	Progress Rate
	// Logs is the rate of log messages, sent and received; excess messages are dropped and counted
	// in Status.
	Logs Rate
}

// Filled returns l with the defaults filled in, or a *ConfigError.
func (l Limits) Filled() (Limits, error) {
	var f Filler
	f.Count("Inbound", &l.Inbound, 1000)
	f.Count("Outbound", &l.Outbound, 10_000)
	f.Count("Batch", &l.Batch, 100)
	f.Count("Subscriptions", &l.Subscriptions, 1000)
	f.Count("Text", &l.Text, 4096)
	f.Count("Schema", &l.Schema, 64<<10)
	for _, r := range [...]struct {
		name string
		Rate
	}{{"Requests", l.Requests}, {"Progress", l.Progress}, {"Logs", l.Logs}} {
		switch {
		case r.Burst < 0:
			f.Wrong(r.name+".Burst", strconv.Itoa(r.Burst), "want 0 or more")
		case !(r.PerSecond >= 0) || r.PerSecond > 1e9:
			f.Wrong(r.name+".PerSecond", strconv.FormatFloat(r.PerSecond, 'g', -1, 64), "want 0 to 1e9")
		}
	}
	return l, f.Err("lifecycle")
}

// Keepalive makes a session ping its peer (ping page). The zero Keepalive is off.
type Keepalive struct {
	// Interval is the time between pings; zero or less: no pings. At most one is outstanding; a
	// clock that jumps causes only one (PING-008, PING-009).
	Interval time.Duration
	// Misses is how many pings in a row may go unanswered before the session ends: phase
	// shutting_down, Close. Zero: report only. Any valid message after a ping shows that the peer
	// is alive, even an error; the answer "method not found" stops the keepalive.
	Misses int
}

// Check returns a *ConfigError for a Keepalive that cannot work with the given Timeouts, which
// are filled, or nil.
func (k Keepalive) Check(t Timeouts) error {
	var f Filler
	switch {
	case k.Misses < 0 || k.Misses > 1<<15:
		f.Wrong("Misses", strconv.Itoa(k.Misses), "want 0 to 32768")
	case k.Interval > 0 && t.Ping == NoTimeout:
		f.Wrong("Interval", k.Interval.String(), "want 0, or Timeouts.Ping other than NoTimeout")
	}
	return f.Err("lifecycle")
}

// Rate is a rate limit, a token bucket on the caller's time. The zero Rate is unlimited.
type Rate struct {
	// PerSecond is the sustained rate.
	PerSecond float64
	// Burst is how many may happen at once; less than 1 counts as 1.
	Burst int
}

// Policy selects behaviours where real peers differ. The zero Policy follows the specification.
type Policy struct {
	// AnswerUnreadable answers text that is not a message, or has no usable id, as JSON-RPC asks,
	// with an error of id null. It is off by default because that answer ends the session of known
	// peers.
	AnswerUnreadable bool
	// StrictInitialized makes a server refuse requests that come before
	// notifications/initialized with -32600. Off, because a transport with several
	// streams can reorder the two.
	StrictInitialized bool
	// StrictVersion (VERS-011) makes a server refuse an initialize of an unsupported revision with
	// -32602 instead of answering with a supported one.
	StrictVersion bool
	// StrictArguments makes a server answer arguments that do not satisfy the inputSchema of their
	// tool with -32602, the reason in data, instead of a result with isError, which the model sees.
	// From 2025-11-25 on the specification asks for the latter (TOOL-112): the policy is for
	// clients of older revisions that read only errors.
	StrictArguments bool
	// LenientContent makes a client accept a result of tools/call without content as an empty one.
	// It is still reported.
	LenientContent bool
	// KeepNulls keeps each null in place of an optional member in raw bodies. It is off by default
	// because the schema does not allow them and known peers refuse them; a relay sets it to pass
	// bytes unchanged.
	KeepNulls bool
	// PassThrough passes bodies unchanged, both ways, for a gateway between two peers: params and
	// results that the schema forbids are delivered and sent, bodies are not repaired, cut, filled
	// in or adapted to an older revision, and no schema, form or uri is checked
	// (RequestOptions.OutputSchema, the schemas of a Catalog). Envelopes, ids, phases,
	// capabilities, method names, limits and rates are still checked, a name that a Catalog does
	// not list is unknown, and messages that the machine itself reads (initialize, ping,
	// cancellations, progress) must be valid. Ambiguous params are refused: name, uri, level, ref,
	// arguments, _meta, or the progressToken in it, twice or in another case.
	PassThrough bool
	// QuietShutdown omits notifications/cancelled for requests that are open at the end of a
	// Shutdown.
	QuietShutdown bool
}

// RequestOptions are the settings of one outbound request. The zero value suits most requests.
type RequestOptions struct {
	// Within is the inbound request that this one is made for, if any: the message is routed with
	// it, and is cancelled (RequestFailed, CauseCancelled) when Within ends without an answer of
	// the application (SAMP-031, ELIC-029).
	Within Call
	// Timeout is how long to wait for the answer; zero means the default of the method, NoTimeout
	// none. While the peer asks the user of this side, the timeout of a request whose default is
	// Timeouts.Request is paused.
	Timeout time.Duration
	// Maximum is the longest that progress and questions can extend the wait, from the
	// start; zero means the default, NoTimeout none.
	Maximum time.Duration
	// Progress asks the peer for progress: a progressToken goes into _meta.
	Progress bool
	// ReplaceToken replaces a progressToken in the params by one of this side, for a relay. Without
	// it such a token is used unchanged, and refused together with Progress.
	ReplaceToken bool
	// Replaces is an earlier request that this one supersedes, such as a completion for an earlier
	// input. If it is open it is cancelled before this one is sent; initialize cannot be
	// (ErrPhase).
	Replaces Req
	// OutputSchema is the outputSchema of the tool that is called, as the server listed it. A
	// success whose structured content is missing or does not satisfy it fails the request (tools,
	// Output Schema). Parts of a schema that cannot be used, as schema.KeywordSchema has it, is not
	// checked, which the event LocalViolation reports, and nothing is under a revision without
	// structured content.
	OutputSchema jsonrpc.Raw
	// ResetOnProgress restarts the timeout at each progress notification, up to Maximum. It implies
	// Progress.
	ResetOnProgress bool
}
