package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// relayed is a relay whose client has opened its session, with servers behind it, in memory.
type relayed struct {
	r       relay.Relay
	s       server.State
	servers map[string]*behind
	todo    []manager.Action
	told    int // messages to the client
}

// behind is a server with one tool, and its connection.
type behind struct {
	h    *server.Handlers
	s    server.State
	link manager.Link
}

// relayOf returns a relay to n servers whose tools the client has listed.
func relayOf(n int) (*relayed, error) {
	w := &relayed{servers: map[string]*behind{}}
	var defs []relay.Server
	for i := range n {
		name := fmt.Sprintf("s%06d", i)
		h := new(server.Handlers)
		h.Tool(protocol.Tool{Name: "tool-" + name, InputSchema: `{"type":"object"}`}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
			return protocol.TextResult("x"), nil
		})
		w.servers[name] = &behind{h: h}
		defs = append(defs, relay.Server{Name: name, Definition: "1", Options: manager.Options{Endpoint: name}})
	}
	cfg := relay.Config{Info: info, Naming: naming.Policy{Names: naming.Plain}}
	down, err := cfg.Server(server.Config{Info: info})
	if err != nil {
		return nil, err
	}
	if w.s, err = server.New(down, origin); err != nil {
		return nil, err
	}
	if w.r, err = relay.New(cfg, defs, origin); err != nil {
		return nil, err
	}
	for _, m := range []string{initialize, initialized, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`} {
		s, out := w.s.Receive(origin, jsonrpc.DecodeString(m))
		if err := w.take(w.r.Handle(s, origin, out)); err != nil {
			return nil, err
		}
	}
	if w.told != 2 {
		return nil, fmt.Errorf("%d answers to initialize and tools/list", w.told)
	}
	return w, nil
}

// take takes a step of the relay and does its Effects, until there are none.
func (w *relayed) take(r relay.Relay, s server.State, eff relay.Effects) error {
	w.r, w.s, w.told = r, s, w.told+len(eff.Send)
	begun := len(w.todo) > 0
	if w.todo = append(w.todo, eff.Actions...); begun {
		return nil // the beginner continues
	}
	for ; len(w.todo) > 0; w.todo = w.todo[1:] {
		a := w.todo[0]
		b := w.servers[a.Link.Server]
		switch a.Kind {
		case manager.ActOpen:
			var err error
			if b.s, err = server.New(server.Config{Info: info, Catalog: must(b.h.Catalog()), Serve: b.h.Serve(), ListChanged: protocol.CapToolsListChanged}, origin); err != nil {
				return err
			}
			b.link = a.Link
			if err := w.report(manager.Report{Kind: manager.Opened, Link: a.Link}); err != nil {
				return err
			}
		case manager.ActSend:
			var out server.Output
			b.s, out = b.h.Receive(b.s, origin, a.Out.Message)
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

func (w *relayed) report(of manager.Report) error { return w.take(w.r.Report(w.s, origin, of)) }

func must(c *server.Catalog, err error) *server.Catalog {
	if err != nil {
		panic(err)
	}
	return c
}

// relayedCall forwards a call to one of n servers.
func relayedCall(n int) (act func() error, end func(), err error) {
	w, err := relayOf(n)
	if err != nil {
		return nil, nil, err
	}
	call := jsonrpc.DecodeString(fmt.Sprintf(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"tool-s%06d","arguments":{}}}`, n/2))
	return func() error {
		s, out := w.s.Receive(origin, call)
		if _, _, eff := w.r.Handle(s, origin, out); len(eff.Actions) != 1 || eff.Actions[0].Kind != manager.ActSend {
			return errors.New("the call is not passed on")
		}
		return nil
	}, nothing, nil
}

// relayedChange changes a list of one of n servers.
func relayedChange(n int) (act func() error, end func(), err error) {
	w, err := relayOf(n)
	if err != nil {
		return nil, nil, err
	}
	of := w.servers[fmt.Sprintf("s%06d", n/2)].link
	changed := jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"` + protocol.ToolList.Changed + `"}`)
	return func() error {
		_, _, eff := w.r.Report(w.s, origin, manager.Report{Kind: manager.Received, Link: of, Message: changed})
		for _, ev := range eff.Events {
			if ev.Kind == lifecycle.Violation {
				return errors.New("the change is refused")
			}
		}
		return nil
	}, nothing, nil
}
