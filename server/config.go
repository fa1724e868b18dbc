package server

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/seal"
)

// Config says what a server is and offers. New copies it; any number of sessions can share one
// Config. The capabilities of the server follow from it, so every declared capability is answered.
type Config struct {
	// Info names the server; Name and Version are required.
	Info protocol.Implementation
	// Instructions tell the client how to use the server; "" leaves them out.
	Instructions string
	// Revisions are the supported revisions in any order; empty means protocol.Revisions, those with a
	// handshake. With protocol.AllRevisions, requests without a session are served too: then functions
	// ask by protocol.Ask, because Caller.Request needs a session.
	Revisions []protocol.Revision

	// Catalog has the lists that the machine answers; nil has none. Other names are unknown: a
	// call, a prompt or a read of one is refused, unless the application serves the list itself.
	// New refuses a nil Catalog if calls are served and nothing lists their names.
	Catalog *Catalog
	// Unlisted also passes names that the Catalog does not list to the application: hidden tools,
	// resources that only results link to.
	Unlisted bool
	// Serve names the methods that the application answers by event, of the specification or its
	// own. A method named here goes to the application even if the Catalog could answer it.
	Serve []string
	// ServeUnknown gives the application every request and notification outside the method table,
	// for a relay.
	ServeUnknown bool
	// ListChanged are the list_changed notifications to declare: CapToolsListChanged,
	// CapResourcesListChanged, CapPromptsListChanged.
	ListChanged protocol.Capability
	// ChangeDelay is how long after SetCatalog a change is announced, so that successive changes
	// are announced once. Zero means 100 ms, a negative value at once.
	ChangeDelay time.Duration
	// Declare are capabilities that do not follow from the rest of the Config: flags of those that
	// do, beyond ListChanged.
	Declare protocol.Capability
	// Subscribe makes the machine keep the client's resource subscriptions.
	Subscribe bool
	// Logging declares log messages; the machine keeps the client's level.
	Logging bool
	// LogLevel is the level that is sent before the client sets one; "" means debug.
	LogLevel protocol.LoggingLevel
	// Disable has capabilities not to declare.
	Disable protocol.Capability
	// Experimental are capabilities outside the specification, by name: JSON objects.
	Experimental map[string]jsonrpc.Raw

	// Timeouts are how long the session waits.
	Timeouts lifecycle.Timeouts
	// Limits bound what the session keeps.
	Limits lifecycle.Limits
	// Keepalive makes the machine ping the peer.
	Keepalive lifecycle.Keepalive
	// Policy selects behaviours where real peers differ.
	Policy lifecycle.Policy
	// HashKey keys the hash of the peer's ids. Fill it from crypto/rand once per process, so that a
	// peer cannot choose ids that collide. Processes that share sessions need the same key.
	HashKey [16]byte
	// StateKeys seal the state that a client returns with its answers (protocol.Questions.Open), for
	// the same request of the same principal, for Timeouts.Human: 32 random bytes each, the same in
	// all processes that serve the same clients. The first seals, each opens, so that keys can be
	// rotated. Without keys the client can change the state (2026-07-28; MRTR-015).
	StateKeys [][]byte
}

// defaultChangeDelay is the default of Config.ChangeDelay.
const defaultChangeDelay = 100 * time.Millisecond

// config is a Config made ready: immutable and shared by the sessions of one New.
type config struct {
	env     engine.Env
	states  seal.Ring
	catalog *Catalog
	hides   bool             // what is not listed is unknown
	serve   protocol.Methods // what the application answers
	level   int8
	delay   time.Duration // until list changes are announced
	hello   []greeting    // for each revision of env.Revisions
	found   []greeting    // the result of server/discover, for each revision of env.Stateless
}

// greeting is the InitializeResult of one revision.
type greeting struct {
	body  jsonrpc.Raw
	lossy bool // it says less than that of the newest revision
}

func (cfg *Config) build() (*config, error) {
	c := &config{catalog: cfg.Catalog, hides: !cfg.Unlisted, delay: max(cmp.Or(cfg.ChangeDelay, defaultChangeDelay), 0)}
	c.env = engine.Env{
		Self: protocol.Server, Theirs: ^protocol.ServerCaps, EarlyRule: "LIFE-040", ServeUnknown: cfg.ServeUnknown,
		Timeouts: cfg.Timeouts, Limits: cfg.Limits, Keepalive: cfg.Keepalive, Policy: cfg.Policy, Stamp: engine.NewStamp(cfg.Info),
	}
	var err error
	if c.serve, err = c.env.Fill(engine.Settings{Info: cfg.Info, Revisions: cfg.Revisions, Serve: cfg.Serve, HashKey: cfg.HashKey}); err != nil {
		return nil, err
	}
	if c.states, err = seal.NewRing(cfg.StateKeys...); err != nil {
		return nil, c.env.Wrong("StateKeys", "a key too short", "want 32 bytes and more")
	}
	if c.catalog == nil {
		c.catalog = &Catalog{}
	}
	level := cfg.LogLevel
	if level == "" {
		level = "debug"
	}
	if c.level = int8(level.Severity()); c.level < 0 {
		return nil, c.env.Wrong("LogLevel", strconv.Quote(string(level)), "want a level of the specification, or none for debug")
	}
	if err := c.declare(cfg); err != nil {
		return nil, err
	}
	return c, nil
}

// serves reports whether the application answers a method of the table.
func (c *config) serves(method string) bool {
	row := c.env.Row(method)
	return row != nil && c.serve.Has(row)
}

// lists reports whether the application serves a list itself.
func (c *config) lists(l *protocol.List) bool { return c.serves(l.Method) }

// declare derives the capabilities and encodes the InitializeResult (CAP-003, TOOL-001, RES-001,
// PROMPT-001, COMPL-001, LOG-001, LOG-206, PROMPT-201, DISC-004).
func (c *config) declare(cfg *Config) error {
	caps, listed := c.catalog.caps(), c.catalog.caps()
	for _, method := range cfg.Serve {
		if row := c.env.Row(method); row != nil {
			caps |= row.Declares
			if row.Lists != nil {
				listed |= row.Lists.Cap
			}
		}
	}
	if cfg.Subscribe {
		caps |= protocol.CapResourcesSubscribe
	}
	if cfg.Logging {
		caps |= protocol.CapLogging
	}
	if cfg.ListChanged&^listChanges != 0 {
		return c.env.Wrong("ListChanged", strconv.Quote(cfg.ListChanged.String()), "want "+strconv.Quote(listChanges.String())+" or some of it")
	}
	if cfg.Declare&^protocol.ServerCaps != 0 {
		return c.env.Wrong("Declare", strconv.Quote((cfg.Declare &^ protocol.ServerCaps).String()), "want capabilities that servers declare")
	}
	caps |= cfg.ListChanged | cfg.Declare
	caps &^= cfg.Disable
	if err := c.parts(cfg, &caps); err != nil {
		return err
	}
	for _, l := range protocol.Lists() {
		switch {
		case !caps.Has(l.Cap):
		case listed.Has(l.Cap) && !c.serves(l.Use):
			return c.env.Wrong("Serve", fmt.Sprintf("%q", cfg.Serve), fmt.Sprintf("want %s too, for %s are listed", l.Use, l.Cap))
		case !listed.Has(l.Cap) && c.serves(l.Use) && cfg.Catalog == nil && !cfg.Unlisted:
			return c.env.Wrong("Serve", fmt.Sprintf("%q", cfg.Serve), fmt.Sprintf("want %s too, a Catalog that lists %s, or Unlisted", l.Method, l.Cap))
		}
	}
	c.env.Caps = caps
	return c.greet(cfg)
}

// parts refuses a flag of a capability which is not declared, or leaves it out where that
// one was disabled.
func (c *config) parts(cfg *Config, caps *protocol.Capability) error {
	for flag := protocol.Capability(1); flag.String() != ""; flag <<= 1 {
		if whole := flag.Wholes(); caps.Has(flag) && !caps.Has(whole) {
			if cfg.Disable&whole == 0 {
				return c.env.Wrong(cfg.fieldOf(flag), strconv.Quote(flag.String()), "want no "+flag.String()+" without "+whole.String()+", which nothing here declares")
			}
			*caps &^= flag
		}
	}
	return nil
}

// fieldOf returns the field that declares a flag.
func (cfg *Config) fieldOf(flag protocol.Capability) string {
	switch {
	case cfg.ListChanged.Has(flag):
		return "ListChanged"
	case cfg.Subscribe && flag == protocol.CapResourcesSubscribe:
		return "Subscribe"
	}
	return "Declare"
}

// greet encodes the InitializeResult once for each revision (LIFE-005).
func (c *config) greet(cfg *Config) error {
	r := protocol.InitializeResult{
		Capabilities: protocol.DeclareServer(c.env.Caps), ServerInfo: cfg.Info, Instructions: cfg.Instructions,
	}
	r.Capabilities.Experimental = cfg.Experimental
	for _, rev := range c.env.Revisions {
		r.ProtocolVersion = rev.String()
		raw, err := protocol.EncodeResult(r)
		if err != nil {
			return c.env.Wrong("Info or Experimental", "invalid", "want what initialize can carry: "+err.Error())
		}
		raw, lossy := rev.Row(protocol.MethodInitialize).Downgrade(protocol.BodyResult, raw)
		c.hello = append(c.hello, greeting{raw, lossy})
	}
	return c.introduce(cfg)
}

// introduce encodes the DiscoverResult once for each revision that a request may bring (DISC-002).
func (c *config) introduce(cfg *Config) error {
	r := protocol.DiscoverResult{Capabilities: protocol.DeclareServer(c.env.Caps), Instructions: cfg.Instructions}
	r.Capabilities.Experimental = cfg.Experimental
	for _, rev := range c.env.Stateless { // VERS-203: and no other
		r.SupportedVersions = append(r.SupportedVersions, rev.String())
	}
	for _, rev := range c.env.Stateless {
		raw, err := protocol.EncodeResult(r)
		if err != nil {
			return c.env.Wrong("Info or Experimental", "invalid", "want what server/discover can carry: "+err.Error())
		}
		raw, lossy := rev.Row(protocol.MethodDiscover).Downgrade(protocol.BodyResult, raw)
		c.found = append(c.found, greeting{raw, lossy})
	}
	return nil
}

// listChanges are the notifications that announce makes.
const listChanges = protocol.CapToolsListChanged | protocol.CapResourcesListChanged | protocol.CapPromptsListChanged
