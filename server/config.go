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

// Config describes a server and what it offers. New copies it; one Config may serve any number of
// sessions. The capabilities of the server are derived from it, so that it cannot declare more than
// it answers.
type Config struct {
	// Info names the server; Name and Version are required.
	Info protocol.Implementation
	// Instructions tell the client how to use the server; "" leaves them out.
	Instructions string
	// Revisions are the supported revisions in any order; empty means protocol.Revisions, those with a
	// handshake. With protocol.AllRevisions the server also answers requests without a session: then
	// functions must ask by protocol.Ask, because Caller.Request needs a session.
	Revisions []protocol.Revision

	// Catalog is what the machine lists by itself; nil lists nothing. A name that it does not list
	// is unknown: a call, a prompt or a read of it is refused, unless the application serves the
	// list itself. New refuses a nil Catalog if calls are served and nothing lists their names.
	Catalog *Catalog
	// Unlisted passes names that the Catalog does not list to the application too: tools that are
	// hidden but can be called, resources that only results link to.
	Unlisted bool
	// Serve names the methods, of the specification or your own, that the application answers by
	// event. A method named here goes to the application even if the Catalog could answer it.
	Serve []string
	// ServeUnknown passes every request and notification outside the method table to the
	// application. A relay needs it.
	ServeUnknown bool
	// ListChanged are the list_changed notifications to declare: CapToolsListChanged,
	// CapResourcesListChanged, CapPromptsListChanged.
	ListChanged protocol.Capability
	// ChangeDelay is how long after SetCatalog a change is announced, so that changes in quick
	// succession are announced once. Zero means 100 ms; a negative value announces at once.
	ChangeDelay time.Duration
	// Declare are capabilities that nothing else in the Config implies: flags, beyond ListChanged,
	// of those that it does imply.
	Declare protocol.Capability
	// Subscribe makes the machine keep the client's resource subscriptions.
	Subscribe bool
	// Logging declares log messages; the machine keeps the client's level.
	Logging bool
	// LogLevel is the least severe level that is sent until the client sets one; "" means debug.
	LogLevel protocol.LoggingLevel
	// Disable removes capabilities that would otherwise be declared.
	Disable protocol.Capability
	// Experimental are capabilities outside the specification, by name: JSON objects.
	Experimental map[string]jsonrpc.Raw

	// Timeouts are how long the session waits.
	Timeouts lifecycle.Timeouts
	// Limits bound what the session keeps.
	Limits lifecycle.Limits
	// Keepalive makes the machine ping the peer.
	Keepalive lifecycle.Keepalive
	// Policy selects behaviors that real peers disagree on.
	Policy lifecycle.Policy
	// HashKey keys the hash of the peer's ids. Fill it from crypto/rand once per process, so that a
	// peer cannot choose ids that collide. Sessions that move between processes need the same key
	// in all of them.
	HashKey [16]byte
	// StateKeys seal the state that a function gives a client to send back with its answers
	// (protocol.Questions.Open). It is valid for the same request of the same principal, for
	// Timeouts.Human. Each key is at least 32 random bytes, the same in all processes that serve the
	// same clients. The first key seals and every key opens, so that keys can be rotated. Without
	// keys the state is sent as it is, and the client can change it (2026-07-28; MRTR-015).
	StateKeys [][]byte
}

// defaultChangeDelay is the default of Config.ChangeDelay.
const defaultChangeDelay = 100 * time.Millisecond

// config is a Config made ready: immutable and shared by the sessions of one New.
type config struct {
	env     engine.Env
	states  seal.Ring
	catalog *Catalog
	hides   bool             // names that are not listed are unknown
	serve   protocol.Methods // what the application answers
	level   int8
	delay   time.Duration // until list changes are announced
	hello   []greeting    // for each revision of env.Revisions
	found   []greeting    // the result of server/discover, for each revision of env.Stateless
}

// greeting is the InitializeResult or DiscoverResult of one revision.
type greeting struct {
	body  jsonrpc.Raw
	lossy bool // it lacks members that the newest revision has
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
		return nil, c.env.Wrong("StateKeys", "a key too short", "want at least 32 bytes")
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
			return c.env.Wrong("Serve", fmt.Sprintf("%q", cfg.Serve), fmt.Sprintf("want %s too, because %s are listed", l.Use, l.Cap))
		case !listed.Has(l.Cap) && c.serves(l.Use) && cfg.Catalog == nil && !cfg.Unlisted:
			return c.env.Wrong("Serve", fmt.Sprintf("%q", cfg.Serve), fmt.Sprintf("want %s too, a Catalog that lists %s, or Unlisted", l.Method, l.Cap))
		}
	}
	c.env.Caps = caps
	return c.greet(cfg)
}

// parts refuses a flag of a capability that is not declared, or drops the flag if the capability
// was disabled.
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

// introduce encodes the DiscoverResult once for each revision without sessions (DISC-002).
func (c *config) introduce(cfg *Config) error {
	r := protocol.DiscoverResult{Capabilities: protocol.DeclareServer(c.env.Caps), Instructions: cfg.Instructions}
	r.Capabilities.Experimental = cfg.Experimental
	for _, rev := range c.env.Stateless { // VERS-203: no others
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

// listChanges are the notifications that announce sends.
const listChanges = protocol.CapToolsListChanged | protocol.CapResourcesListChanged | protocol.CapPromptsListChanged
