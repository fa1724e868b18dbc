package client

import (
	"strconv"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
)

// Config says what a client is and offers. New copies it; any number of sessions may
// share one Config. The client's capabilities follow from it, so that it declares none
// that it does not answer.
type Config struct {
	// Info names the client; Name and Version are required.
	Info protocol.Implementation
	// Revisions are the supported revisions in any order; empty means protocol.Revisions, those with a
	// handshake. With protocol.AllRevisions, Connect finds out which of them the server has. The
	// client offers the newest (VERS-013).
	Revisions []protocol.Revision

	// Serve names the methods that the application answers, each from an event:
	// "sampling/createMessage", "elicitation/create", "roots/list", or its own.
	Serve []string
	// ServeUnknown delivers every request and notification outside the method table to
	// the application. A relay needs it.
	ServeUnknown bool
	// Roots are the machine's answer to roots/list, unless Serve names it; nil declares
	// no roots. Their uris must be file uris.
	Roots []protocol.Root
	// RootsListChanged declares that the client announces changes of its roots.
	RootsListChanged bool
	// Declare adds capabilities that do not follow from the rest of the Config: flags of
	// the ones that do.
	Declare protocol.Capability
	// Require are the capabilities that the server must have; without them the handshake
	// fails.
	Require protocol.Capability
	// Schemas checks structured results against RequestOptions.OutputSchema; nil means
	// schema.Basic.
	Schemas schema.Validator
	// Experimental are capabilities outside the specification, by name: JSON objects.
	Experimental map[string]jsonrpc.Raw

	// Timeouts bound how long the session waits.
	Timeouts lifecycle.Timeouts
	// Limits bound what the session keeps.
	Limits lifecycle.Limits
	// Keepalive makes the machine ping the server.
	Keepalive lifecycle.Keepalive
	// Policy chooses where peers in practice need different behaviours.
	Policy lifecycle.Policy
	// HashKey keys the hash of the peer's ids, so that a peer cannot choose ids that
	// collide. Fill it from crypto/rand once per process; sessions that move between
	// processes need the same key in all of them.
	HashKey [16]byte
}

// config is a validated Config: immutable and shared by the sessions of one New.
type config struct {
	env     engine.Env
	serve   protocol.Methods // what the application answers
	require protocol.Capability
	roots   jsonrpc.Raw // the result of roots/list
}

func (cfg *Config) build() (*config, error) {
	c := &config{require: cfg.Require}
	c.env = engine.Env{
		Self: protocol.Client, Opens: true, Theirs: protocol.ServerCaps, EarlyRule: "LIFE-039", ServeUnknown: cfg.ServeUnknown,
		Timeouts: cfg.Timeouts, Limits: cfg.Limits, Keepalive: cfg.Keepalive, Policy: cfg.Policy, Schemas: cfg.Schemas,
	}
	wrong := c.env.Wrong
	if cfg.Schemas == nil {
		c.env.Schemas = schema.Basic{}
	}
	var err error
	if c.serve, err = c.env.Fill(engine.Settings{Info: cfg.Info, Revisions: cfg.Revisions, Serve: cfg.Serve, HashKey: cfg.HashKey}); err != nil {
		return nil, err
	}
	if extra := cfg.Require &^ protocol.ServerCaps; extra != 0 {
		return nil, wrong("Require", strconv.Quote(extra.String()), "want capabilities that servers declare")
	}
	if cfg.Roots != nil {
		if c.roots, err = encodeRoots(cfg.Roots); err != nil {
			return nil, wrong("Roots", strconv.Itoa(len(cfg.Roots))+" roots", "want what roots/list can carry: "+err.Error())
		}
	}
	for _, method := range cfg.Serve {
		if row := c.env.Row(method); row != nil {
			// SAMP-001, ELIC-001
			c.env.Caps |= row.Declares
		}
	}
	// ROOT-001
	if cfg.Roots != nil {
		c.env.Caps |= protocol.CapRoots
	}
	if cfg.RootsListChanged {
		c.env.Caps |= protocol.CapRootsListChanged
	}
	c.env.Caps |= cfg.Declare // SAMP-102
	if c.env.Caps.Has(protocol.CapRoots) && c.roots == "" && !c.serve.Has(c.env.Rows.Row(protocol.MethodRootsList)) {
		c.roots, _ = encodeRoots(nil) // a declared capability must be answered
	}
	switch lacks := c.env.Caps.Wholes() &^ c.env.Caps; {
	case cfg.Declare&protocol.ServerCaps != 0 || !named(cfg.Declare):
		return nil, wrong("Declare", strconv.Quote(cfg.Declare.String()), "want capabilities that clients declare")
	case lacks != 0:
		return nil, wrong("Declare", strconv.Quote(cfg.Declare.String()), "want no flag of "+lacks.String()+" without "+lacks.String()+", which nothing here declares")
	}

	// VERS-001, VERS-002, VERS-102; VERS-207: never a stateless one.
	p := protocol.InitializeParams{ProtocolVersion: c.env.Rows.String(), Capabilities: protocol.DeclareClient(c.env.Caps), ClientInfo: cfg.Info}
	p.Capabilities.Experimental = cfg.Experimental
	body, err := protocol.EncodeParams(p)
	if err != nil {
		return nil, wrong("Info or Experimental", "invalid", "want what initialize can carry: "+err.Error())
	}
	c.env.Hello = protocol.RawRequest{Name: p.Method(), Body: body}
	for _, rev := range c.env.Stateless {
		declared := protocol.DeclareClient(c.env.Caps & rev.Capabilities())
		declared.Experimental = cfg.Experimental
		c.env.Envelopes = append(c.env.Envelopes, engine.Envelope(rev, declared, cfg.Info))
	}
	return c, nil
}

// named reports whether every capability in the set exists.
func named(set protocol.Capability) bool {
	known, ok := protocol.ParseCapability(set.String())
	return ok && known == set
}

// encodeRoots encodes the answer to roots/list (roots page: a root is a file uri without
// "..").
func encodeRoots(roots []protocol.Root) (jsonrpc.Raw, error) {
	return protocol.EncodeResult(protocol.ListRootsResult{Roots: roots})
}
