package model

import (
	"fmt"
	"slices"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/transcript"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// Offer is what a party itself lists, by name or uri; nil lists are not offered. The
// prompt "needy" has a required argument "a".
type Offer struct {
	Tools, Prompts, Resources, Templates []string // of a server
	Roots                                []string // of a client
}

// Setup is a configuration of either role. Its zero fields mean the same as those of a
// Config.
type Setup struct {
	Party        lifecycle.Party     // the role
	Topic        string              // a method that most random steps are about, or ""
	Revisions    []protocol.Revision // with a handshake, newest first; empty only if Stateless is not
	Stateless    []protocol.Revision // without one, newest first
	Strange      bool                // random peers behave as without sessions, whatever this side supports
	Serve        []string            // Config.Serve
	ServeUnknown bool                // Config.ServeUnknown
	Offer        Offer               // the Catalog or the Roots
	ListChanged  bool                // whether changes of the lists are announced
	ChangeDelay  time.Duration       // of a server: Config.ChangeDelay
	Subscribe    bool                // of a server: Config.Subscribe
	Unlisted     bool                // of a server: Config.Unlisted
	Logging      bool                // of a server: Config.Logging
	Declare      protocol.Capability // of a client: Config.Declare
	Require      protocol.Capability // of a client: Config.Require
	Timeouts     lifecycle.Timeouts  // Config.Timeouts
	Limits       lifecycle.Limits    // Config.Limits
	Keepalive    lifecycle.Keepalive // Config.Keepalive
	Policy       lifecycle.Policy    // Config.Policy
}

// Origin is the start time of every Machine.
var Origin = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// RandomSetup draws a configuration that New accepts. Limits and timeouts are small, so
// that they are reached.
func RandomSetup(src Source, party lifecycle.Party) Setup {
	d := dice{src}
	return aboutTopic(d, pick(d, []string{"", "tools/call", "", "tools/call", "resources/subscribe", "tools/call"}), party)
}

// aboutTopic is RandomSetup for a given topic.
func aboutTopic(d dice, topic string, party lifecycle.Party) Setup {
	s := Setup{Party: party, Topic: topic, Revisions: some(d, protocol.Revisions()), ServeUnknown: d.one(4)}
	if len(s.Revisions) == 0 || s.Topic != "" && d.one(2) {
		s.Revisions = protocol.Revisions()
	}
	s.Timeouts = lifecycle.Timeouts{
		Initialize: pick(d, []time.Duration{0, 5 * time.Second}), Ping: 2 * time.Second,
		Request: pick(d, []time.Duration{4 * time.Second, 0, lifecycle.NoTimeout}), Human: 6 * time.Second,
		Maximum: pick(d, []time.Duration{0, 9 * time.Second, lifecycle.NoTimeout}),
		Inbound: pick(d, []time.Duration{0, 5 * time.Second}),
	}
	s.Limits = lifecycle.Limits{Inbound: 1 + d.Intn(4), Outbound: 2 + d.Intn(4), Batch: 3, Subscriptions: 1 + d.Intn(2)}
	for _, r := range []*lifecycle.Rate{&s.Limits.Requests, &s.Limits.Progress, &s.Limits.Logs} {
		if d.one(4) {
			*r = lifecycle.Rate{PerSecond: float64(1 + d.Intn(2)), Burst: d.Intn(4)}
		}
	}
	if d.one(3) {
		s.Keepalive = lifecycle.Keepalive{Interval: 3 * time.Second, Misses: d.Intn(3)}
	}
	s.Policy = lifecycle.Policy{AnswerUnreadable: d.one(3), StrictInitialized: d.one(4), StrictVersion: d.one(4), KeepNulls: d.one(8), QuietShutdown: d.one(4)}
	s.Policy.StrictArguments, s.Policy.LenientContent = d.one(3), d.one(2)
	if d.one(3) {
		s.Serve = append(s.Serve, "custom/one")
	}
	if party == lifecycle.Client {
		s.client(d)
	} else {
		s.server(d)
	}
	s.suit(d)
	s.declare(d)
	return s
}

// declare draws the modes that a client declares.
func (s *Setup) declare(d dice) {
	if s.newest().String() < "2025-11-25" {
		return
	}
	if slices.Contains(s.Serve, "elicitation/create") {
		s.Declare = pick(d, []protocol.Capability{
			0, protocol.CapElicitationURL | protocol.CapElicitationForm, protocol.CapElicitationURL, protocol.CapElicitationForm,
		})
	}
	if slices.Contains(s.Serve, "sampling/createMessage") {
		s.Declare |= pick(d, []protocol.Capability{
			0, protocol.CapSamplingTools | protocol.CapSamplingContext, protocol.CapSamplingTools, protocol.CapSamplingContext,
		})
	}
}

func (s *Setup) client(d dice) {
	if d.one(2) {
		s.Offer.Roots = some(d, rootNames)
	} else if d.one(2) {
		s.Serve = append(s.Serve, "roots/list")
	}
	s.ListChanged = d.one(2) && (s.Offer.Roots != nil || slices.Contains(s.Serve, "roots/list"))
	s.Serve = append(s.Serve, some(d, []string{"sampling/createMessage"})...)
	if s.Revisions[0].String() >= "2025-06-18" && d.one(2) {
		s.Serve = append(s.Serve, "elicitation/create")
	}
	if d.one(6) {
		s.Require = protocol.CapTools
	}
}

func (s *Setup) server(d dice) {
	if d.one(3) && (s.Topic != "tools/call" || d.one(3)) {
		s.Serve = append(s.Serve, "tools/list")
	}
	if s.Topic == "tools/call" {
		s.Offer.Tools = toolNames
	} else if d.Intn(4) > 0 {
		s.Offer.Tools = some(d, toolNames)
	}
	if s.Offer.Tools != nil || slices.Contains(s.Serve, "tools/list") || d.one(2) {
		s.Serve = append(s.Serve, "tools/call")
	}
	if d.one(2) {
		s.Offer.Prompts = some(d, promptNames)
		s.Serve = append(s.Serve, "prompts/get")
	}
	if subscribes := s.Topic == "resources/subscribe" || s.Topic == "notifications/resources/updated"; d.one(2) || subscribes {
		s.Offer.Resources = some(d, resourceNames)
		s.Serve = append(s.Serve, "resources/read")
		if d.one(2) {
			s.Offer.Templates = some(d, templateNames)
		}
		s.Subscribe = d.one(2) || subscribes
		if d.one(4) {
			s.Serve = append(s.Serve, "resources/subscribe", "resources/unsubscribe")
		}
	}
	s.Unlisted = d.one(3) || s.Offer.Tools == nil && !slices.Contains(s.Serve, "tools/list") && slices.Contains(s.Serve, "tools/call")
	s.Logging = d.one(2)
	if d.one(4) {
		s.Serve = append(s.Serve, "logging/setLevel")
	}
	if d.one(3) {
		s.Serve = append(s.Serve, "completion/complete")
	}
	s.ListChanged = d.one(2)
	s.ChangeDelay = pick(d, []time.Duration{-1, 0, time.Second})
}

// New returns the Machine of the setup. It overwrites the Config and everything in it
// afterwards.
func (s Setup) New(now time.Time) (verbs.Machine, error) {
	if s.Party == lifecycle.Client {
		cfg := s.clientConfig()
		c, err := client.New(cfg, now)
		Scribble(&cfg)
		return verbs.Client(c), err
	}
	cfg := s.serverConfig()
	st, err := server.New(cfg, now)
	cfg.Catalog = nil // immutable, and others may share it
	Scribble(&cfg)
	return verbs.Server(st), err
}

// Restore returns the Machine of a snapshot with the setup. A server lists
// offer, if not nil, instead of the Offer of the setup; a snapshot of a client has the
// roots.
func (s Setup) Restore(data []byte, now time.Time, offer *Offer) (verbs.Machine, error) {
	if s.Party == lifecycle.Client {
		c, err := client.Restore(s.clientConfig(), data, now)
		return verbs.Client(c), err
	}
	cfg := s.serverConfig()
	if offer != nil {
		cfg.Catalog = offer.catalog()
	}
	st, err := server.Restore(cfg, data, now)
	return verbs.Server(st), err
}

func (s *Setup) clientConfig() client.Config {
	return client.Config{
		Info: protocol.Implementation{Name: "machine", Version: "1"}, Revisions: slices.Concat(s.Stateless, s.Revisions),
		Serve: slices.Clone(s.Serve), ServeUnknown: s.ServeUnknown, Roots: s.Offer.roots(), RootsListChanged: s.ListChanged,
		Declare: s.Declare, Require: s.Require, Timeouts: s.Timeouts, Limits: s.Limits, Keepalive: s.Keepalive, Policy: s.Policy, HashKey: transcript.HashKey,
		Experimental: map[string]jsonrpc.Raw{"x": `{"y":1}`},
	}
}

func (s *Setup) serverConfig() server.Config {
	return server.Config{
		Info: protocol.Implementation{Name: "machine", Version: "1"}, Revisions: slices.Concat(s.Stateless, s.Revisions),
		Serve: slices.Clone(s.Serve), ServeUnknown: s.ServeUnknown, Catalog: s.Offer.catalog(), ListChanged: s.changes(), ChangeDelay: s.ChangeDelay,
		Subscribe: s.Subscribe, Unlisted: s.Unlisted, Logging: s.Logging, Timeouts: s.Timeouts, Limits: s.Limits, Keepalive: s.Keepalive, Policy: s.Policy, HashKey: transcript.HashKey,
		Experimental: map[string]jsonrpc.Raw{"x": `{"y":1}`},
	}
}

// Record returns a Recorder for a session of the setup that begins at Origin.
func (s Setup) Record() *transcript.Recorder {
	options := transcript.ServerOptions(s.serverConfig(), s.Offer.items())
	if s.Party == lifecycle.Client {
		options = transcript.ClientOptions(s.clientConfig())
	}
	return transcript.NewRecorder(s.Party, options, s.newest(), Origin)
}

// changes returns the list_changed capabilities of a server that announces changes.
func (s *Setup) changes() protocol.Capability {
	var caps protocol.Capability
	if !s.ListChanged {
		return caps
	}
	if s.Offer.Tools != nil || slices.Contains(s.Serve, "tools/list") || slices.Contains(s.Serve, "tools/call") {
		caps |= protocol.CapToolsListChanged
	}
	if s.Offer.Prompts != nil {
		caps |= protocol.CapPromptsListChanged
	}
	if s.Offer.Resources != nil {
		caps |= protocol.CapResourcesListChanged
	}
	return caps
}

var (
	toolNames     = []string{"t1", "t2", "t3", "t4"}
	promptNames   = []string{"easy", "needy"}
	resourceNames = []string{"file:///a", "file:///dir/b"}
	templateNames = []string{"file:///{x}"}
	rootNames     = []string{"file:///home", "file:///tmp"}
)

func (o Offer) roots() []protocol.Root {
	if o.Roots == nil {
		return nil
	}
	list := []protocol.Root{}
	for _, uri := range o.Roots {
		list = append(list, protocol.Root{URI: uri})
	}
	return list
}

// items returns what a server lists.
func (o Offer) items() server.Items {
	return server.Items{
		CursorKey: transcript.CursorKey,
		Tools: each(o.Tools, func(name string) protocol.Tool {
			return protocol.Tool{Name: name, InputSchema: jsonrpc.Raw(tools[name].input), OutputSchema: jsonrpc.Raw(tools[name].output)}
		}),
		Resources: each(o.Resources, func(uri string) protocol.Resource { return protocol.Resource{Name: "r", URI: uri} }),
		ResourceTemplates: each(o.Templates, func(uri string) protocol.ResourceTemplate {
			return protocol.ResourceTemplate{Name: "r", URITemplate: uri}
		}),
		Prompts: each(o.Prompts, func(name string) protocol.Prompt {
			p := protocol.Prompt{Name: name}
			if name == "needy" {
				p.Arguments = []protocol.PromptArgument{{Name: "a", Required: true}}
			}
			return p
		}),
	}
}

// catalog returns the Catalog of the offer, and overwrites its Items.
func (o Offer) catalog() *server.Catalog {
	items := o.items()
	slices.Reverse(items.Tools) // any order is valid
	before := Render(items)
	c, err := server.NewCatalog(items)
	if err != nil || Render(items) != before {
		panic(fmt.Sprintf("NewCatalog: %v, of %s, which was %s", err, Render(items), before))
	}
	Scribble(&items)
	return c
}

func each[T any](names []string, f func(string) T) []T {
	if names == nil {
		return nil
	}
	list := []T{}
	for _, name := range names {
		list = append(list, f(name))
	}
	return list
}
