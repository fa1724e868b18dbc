// Package relays makes relays in memory, with a client in front and servers behind, to measure what a
// message through them costs.
package relays

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// Relay is a relay whose client has opened its session and listed the tools of the servers.
type Relay struct {
	Relay  relay.Relay
	Client server.State // the session with the client

	now     time.Time // of all steps of New
	servers []*behind
	named   map[string]*behind // the same
	todo    []manager.Action
	told    int // messages to the client
}

var info = protocol.Implementation{Name: "bench", Version: "1"}

// behind is a server with one tool, and its connection.
type behind struct {
	h    *server.Handlers
	s    server.State
	link manager.Link
}

// name returns the name of the ith server.
func name(i int) string { return fmt.Sprintf("s%06d", i) }

// Tool returns the name of the only tool of the ith server.
func Tool(i int) string { return "tool-" + name(i) }

// Link returns the connection to the ith server.
func (w *Relay) Link(i int) manager.Link { return w.servers[i].link }

// New returns a relay with n servers.
func New(n int, now time.Time) (*Relay, error) {
	w := &Relay{now: now, named: map[string]*behind{}}
	var defs []relay.Server
	for i := range n {
		h := new(server.Handlers)
		h.Tool(protocol.Tool{Name: Tool(i), InputSchema: `{"type":"object"}`}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
			return protocol.TextResult("x"), nil
		})
		b := &behind{h: h}
		w.servers, w.named[name(i)] = append(w.servers, b), b
		defs = append(defs, relay.Server{Name: name(i), Definition: "1", Options: manager.Options{Endpoint: name(i)}})
	}
	cfg := relay.Config{Info: info, Naming: naming.Policy{Names: naming.Plain}}
	down, err := cfg.Server(server.Config{Info: info})
	if err != nil {
		return nil, err
	}
	if w.Client, err = server.New(down, now); err != nil {
		return nil, err
	}
	if w.Relay, err = relay.New(cfg, defs, now); err != nil {
		return nil, err
	}
	for _, m := range []string{
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
	} {
		s, out := w.Client.Receive(now, jsonrpc.DecodeString(m))
		if err := w.take(w.Relay.Handle(s, now, out)); err != nil {
			return nil, err
		}
	}
	if w.told != 2 {
		return nil, fmt.Errorf("%d answers to initialize and tools/list", w.told)
	}
	return w, nil
}

// take takes a step of the relay and does its Effects, until there are none.
func (w *Relay) take(r relay.Relay, s server.State, eff relay.Effects) error {
	w.Relay, w.Client, w.told = r, s, w.told+len(eff.Send)
	begun := len(w.todo) > 0
	if w.todo = append(w.todo, eff.Actions...); begun {
		return nil // the beginner continues
	}
	for ; len(w.todo) > 0; w.todo = w.todo[1:] {
		a := w.todo[0]
		b := w.named[a.Link.Server]
		switch a.Kind {
		case manager.ActOpen:
			var err error
			if b.s, err = server.New(server.Config{Info: info, Catalog: must(b.h.Catalog()), Serve: b.h.Serve(), ListChanged: protocol.CapToolsListChanged}, w.now); err != nil {
				return err
			}
			b.link = a.Link
			if err := w.report(manager.Report{Kind: manager.Opened, Link: a.Link}); err != nil {
				return err
			}
		case manager.ActSend:
			var out server.Output
			b.s, out = b.h.Receive(b.s, w.now, a.Out.Message)
			for _, o := range out.Send {
				if err := w.report(manager.Report{Kind: manager.Received, Link: a.Link, Message: o.Message}); err != nil {
					return err
				}
			}
		default:
			return errors.New("a link is closed")
		}
	}
	return nil
}

func (w *Relay) report(of manager.Report) error { return w.take(w.Relay.Report(w.Client, w.now, of)) }

func must(c *server.Catalog, err error) *server.Catalog {
	if err != nil {
		panic(err)
	}
	return c
}
