package relay

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// Config has the settings of a Relay. Info is required; the zero value of every other field is its
// default.
type Config struct {
	// Info names the relay to the servers; Name and Version are required.
	Info protocol.Implementation
	// Manager has the settings of the links: times, health, back-off, budgets. Its Client is the base of
	// what the servers are told. Revisions and capabilities come from the client, and Info from above.
	Manager manager.Config
	// Offer says which of CapTools, CapResources, CapPrompts, CapCompletions and CapLogging to pass
	// on; 0 means all. They are declared to the client before any server is known, so the list of a
	// kind that no server has is empty.
	Offer protocol.Capability
	// Naming sets the names of tools, prompts and resources for the client, and whether those of a
	// disconnected server stay. A qualified uri has the name of the server and a plus sign before its
	// scheme: files+file:///a. If URIs is naming.Always, uris in results, updates and sampling are
	// qualified too, and an unqualified uri is unknown. Otherwise uris in results pass unchanged, and a
	// uri that no server lists is requested from one server after the other until one knows it.
	Naming naming.Policy
	// Routes say which server a custom method goes to. One that no Route matches goes to the only
	// server, otherwise it is answered with -32601. A server with a restricting Filter gets only
	// methods that a Route names, because a custom method may do anything. A notification is dropped
	// if its server is not ready.
	Routes []Route
	// CallTimeout is how long a forwarded request may take. Progress requested by the client extends it, up to
	// Timeouts.Maximum of Manager.Client, and so do requests of the server. 0 means 10 minutes,
	// lifecycle.NoTimeout none. It is also how long a client without a session may take to retry with its
	// answers; for NoTimeout that is 10 minutes, because such a client never reports that it has left.
	CallTimeout time.Duration
	// MessageBytes is the limit of the driver for a message of a server, in bytes. The error for a
	// longer response names it. 0 means jsonrpc.DefaultMaxBytes.
	MessageBytes int
	// Strangers says that requests without a session may come from several people. Then a server with
	// sessions and several open calls cannot ask, because its question cannot be assigned to a call.
	// Otherwise it asks within the oldest of them.
	Strangers bool
	// Held bounds the requests that wait for a server.
	Held Held
	// Lists are the times and sizes of merged lists.
	Lists Lists
}

// Route sends custom methods to a server: Method, or all methods with that prefix if it ends in a
// slash. The longest match counts. "" matches every custom method, without naming any.
type Route struct {
	Method string // such as "acme/search", or "acme/"
	Server string // the name of the server
}

// Held bounds the requests of the client that wait for a server. Further ones are answered with -32603. It
// also bounds, separately, the parked calls of clients without a session: further questions of servers are
// answered with -32603.
type Held struct {
	Requests int // 0 means 256
	Bytes    int // of their params together; 0 means 32 MiB
	// Time is how long each may wait. It is also how long calls wait for a server that is not
	// ready, even if it is restarted. 0 means 30 s.
	Time time.Duration
}

// Lists are the times and sizes of merged lists.
type Lists struct {
	// Hold is how long a list, and a request for a name that no server lists, waits for a starting
	// server. It counts from the beginning of the start, once in a session; Server.Startup says for
	// which servers it is shorter. It is also how long a server has to answer for a uri that no server
	// lists, before the next server gets the request. 0 means 5 s.
	Hold time.Duration
	// Announce is how long changes are gathered for one list_changed. 0 means 50 ms.
	Announce time.Duration
	// MinInterval is the least time between two readings of the same list of a server, if only an
	// announcement asks for the second. 0 means 1 s.
	MinInterval time.Duration
	// PageItems and PageBytes bound a page. It always has one item. 0 means 1,000 and 4 MiB.
	PageItems, PageBytes int
}

// Server is one server behind the relay.
type Server struct {
	// Name appears in statuses and in qualified names. It must be unique, naming.Valid and at most
	// 1,024 bytes.
	Name string
	// Definition identifies a definition, such as the text of an entry in a configuration file. SetServers, and
	// gateway.Options.ServersOf, keep the link of a server with unchanged Name and Definition.
	Definition string
	// Filter says which of its items the client may see and use. Of a restricted kind the client gets
	// only items that the server lists. SetServers may change it, from that step on. If a rule uses
	// annotations, a call of a tool waits until its list has been read in this session, and again after
	// each announcement of a change.
	Filter catalog.Filter
	// Startup is how long the server took to be known in an earlier session, from Relay.Startup. Lists
	// wait for it for twice that time and a second, up to Lists.Hold. lifecycle.NoTimeout means that it
	// was not ready in time: no list waits for it. 0 means unknown.
	Startup time.Duration
	// Options are the options of its link. The Relay sets OnDemand, Client, Replace, Supervise and
	// Resubscribe.
	Options manager.Options
}

// config is a Config made ready: immutable, and shared by all values of one Relay.
type config struct {
	Config
	key   [2]uint64       // of hashes
	blank manager.Manager // without servers
}

// callTimeout is the default of Config.CallTimeout.
const callTimeout = 10 * time.Minute

// answer is how long a call is parked.
func (cfg *config) answer() time.Duration {
	if cfg.CallTimeout == lifecycle.NoTimeout {
		return callTimeout
	}
	return cfg.CallTimeout
}

// offers are the kinds of things that a relay can pass on.
const offers = protocol.CapTools | protocol.CapResources | protocol.CapPrompts | protocol.CapCompletions | protocol.CapLogging

// filled returns the Config with its defaults. The error is a *lifecycle.ConfigError.
func (cfg Config) filled() (Config, error) {
	var f lifecycle.Filler
	if cfg.Info.Validate() != nil || cfg.Info.Name == "" || cfg.Info.Version == "" {
		f.Wrong("Info", strconv.Quote(cfg.Info.Name), "want a name and a version")
	}
	if cfg.Offer&^offers != 0 {
		f.Wrong("Offer", strconv.FormatUint(uint64(cfg.Offer), 10), "want capabilities that a relay passes on, or 0 for all")
	}
	cfg.Offer = cmp.Or(cfg.Offer, offers)
	f.Within("Naming", cfg.Naming.Check())
	f.Time("CallTimeout", &cfg.CallTimeout, callTimeout, lifecycle.MayBeNone)
	f.Count("MessageBytes", &cfg.MessageBytes, jsonrpc.DefaultMaxBytes)
	h, l := &cfg.Held, &cfg.Lists
	f.Count("Held.Requests", &h.Requests, 256)
	f.Count("Held.Bytes", &h.Bytes, 32<<20)
	f.Time("Held.Time", &h.Time, 30*time.Second, lifecycle.NeverNone)
	f.Time("Lists.Hold", &l.Hold, 5*time.Second, lifecycle.NeverNone)
	f.Time("Lists.Announce", &l.Announce, 50*time.Millisecond, lifecycle.NeverNone)
	f.Time("Lists.MinInterval", &l.MinInterval, time.Second, lifecycle.NeverNone)
	f.Count("Lists.PageItems", &l.PageItems, 1000)
	f.Count("Lists.PageBytes", &l.PageBytes, 4<<20)
	if err := f.Err("relay"); err != nil {
		return cfg, err
	}
	routes := slices.Clone(cfg.Routes)
	slices.SortStableFunc(routes, func(a, b Route) int { return len(b.Method) - len(a.Method) })
	cfg.Routes = routes
	cfg.Manager.Client = cfg.client()
	return cfg, nil
}

// catalog returns the Config of what the servers list. Lists pass as they are, and one that cannot be
// read is asked for again, ever more seldom.
func (cfg Config) catalog(servers []Server) catalog.Config {
	c := catalog.Config{
		Kinds: []*protocol.List{}, Naming: cfg.Naming, Sources: sources(servers), TTL: lifecycle.NoTimeout, MinInterval: cfg.Lists.MinInterval,
		Retry: backoff.Policy{Base: min(2*min(max(cfg.Lists.MinInterval, time.Millisecond), slowest), slowest), Cap: slowest}, PassThrough: true, Deferred: true,
	}
	for _, of := range protocol.Lists() {
		if cfg.Offer.Has(of.Cap) {
			c.Kinds = append(c.Kinds, of)
		}
	}
	return c
}

// slowest is the longest time between two attempts to read a list.
const slowest = time.Minute

func sources(servers []Server) []catalog.Source {
	list := make([]catalog.Source, len(servers))
	for i, sv := range servers {
		list[i] = catalog.Source{Name: sv.Name, Filter: sv.Filter}
	}
	return list
}

// client returns the base of what servers are told. Bodies pass as they are, both ways, and a
// server that floods its client does not reach ours.
func (cfg Config) client() client.Config {
	c := cfg.Manager.Client
	// The sessions with the servers are made from these later on.
	c.Serve, c.Revisions = slices.Clone(c.Serve), slices.Clone(c.Revisions)
	c.Roots, c.Experimental = slices.Clone(c.Roots), maps.Clone(c.Experimental)
	c.Info = cfg.Info
	c.ServeUnknown = true
	c.Policy.PassThrough, c.Policy.KeepNulls = true, true
	c.Limits.Inbound = cmp.Or(c.Limits.Inbound, 64)
	if c.Limits.Progress == (lifecycle.Rate{}) {
		c.Limits.Progress = lifecycle.Rate{PerSecond: 50, Burst: 50}
	}
	if c.Limits.Logs == (lifecycle.Rate{}) {
		c.Limits.Logs = lifecycle.Rate{PerSecond: 200, Burst: 200}
	}
	return c
}

// Server returns the Config of the session with the client: base with the methods that the Relay
// answers. The error is a *lifecycle.ConfigError, also for a base that has a Catalog.
func (cfg Config) Server(base server.Config) (server.Config, error) {
	cfg, err := cfg.filled()
	if err != nil {
		return base, err
	}
	if base.Catalog != nil {
		return base, &lifecycle.ConfigError{Package: "relay", Field: "Catalog", Value: "set", Why: "want nil: the lists are those of the servers"}
	}
	base.Serve = slices.Clone(base.Serve)
	revisions := base.Revisions
	if len(revisions) == 0 {
		revisions = protocol.Revisions()
	}
	for _, rev := range protocol.SortRevisions(revisions) {
		for _, row := range rev.Rows() {
			served := row.Declares | row.Gate
			if !row.Notification && row.Receiver.Has(protocol.Server) && served != 0 && cfg.Offer.Has(served&^protocol.CapResourcesSubscribe) &&
				!slices.Contains(base.Serve, row.Method) {
				base.Serve = append(base.Serve, row.Method)
			}
		}
	}
	for _, l := range protocol.Lists() {
		if cfg.Offer.Has(l.Cap) {
			base.ListChanged |= l.Change
		}
	}
	base.ServeUnknown = true
	base.Policy.PassThrough, base.Policy.KeepNulls = true, true
	return base, nil
}

// matches reports whether a route is one for a method.
func (to Route) matches(method string) bool {
	n := len(to.Method)
	return n == 0 || to.Method == method || to.Method[n-1] == '/' && len(method) > n && method[:n] == to.Method
}

// subscriptions is how many subscriptions there may be.
func (cfg *config) subscriptions() int { return cmp.Or(cfg.Manager.Client.Limits.Subscriptions, 1000) }

func wrong(err error) error { return fmt.Errorf("%w: relay: %w", lifecycle.ErrParams, err) }

// longestName is how long the name of a server may be in bytes, as for the Manager.
const longestName = 1024
