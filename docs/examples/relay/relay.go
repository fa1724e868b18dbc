//sansmcp:loop max=200

package main

import (
	"strings"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// relay joins one downstream server State with two upstream client States. Ids and
// progress tokens belong to the State of each side, so nothing has to be rewritten;
// bodies pass as they are. It does no I/O: its methods return packets.
type relay struct {
	s     server.State
	up    [2]upstream
	calls pairs[at[client.Req], server.Call] // requests of the client, passed on
	asks  pairs[at[client.Call], server.Req] // requests of the servers, passed back
	held  []server.Event                     // requests that wait for the tools
	out   []packet
}

type upstream struct {
	s     client.State
	lists client.Mirror // its tools
	gone  bool
}

// at is a handle with the number of the server that it belongs to.
type at[H comparable] struct {
	i int
	h H
}

// packet is a message with the party it goes to: down, or the number of a server.
type packet struct {
	to int
	m  jsonrpc.Message
}

const down = -1

var info = protocol.Implementation{Name: "relay", Version: "1.0.0"}

func newRelay(now time.Time) (*relay, error) {
	s, err := server.New(server.Config{
		Info: info, Serve: []string{"tools/list", "tools/call"}, ListChanged: protocol.CapToolsListChanged,
	}, now)
	return &relay{s: s}, err
}

// receive takes a message of a party in.
func (r *relay) receive(now time.Time, from int, m jsonrpc.Message) []packet {
	r.out = nil
	if from == down {
		r.down(now)(r.s.Receive(now, m))
	} else {
		r.upward(now, from)(r.up[from].s.Receive(now, m))
	}
	return r.out
}

// lost takes in that a server is gone: what it owed the client is answered for it.
func (r *relay) lost(now time.Time, i int) []packet {
	r.out, r.up[i].gone = nil, true
	r.upward(now, i)(r.up[i].s.Disconnected(now, nil))
	return r.out
}

// tick lets time pass for all parties.
func (r *relay) tick(now time.Time) []packet {
	r.out = nil
	r.down(now)(r.s.Tick(now))
	for i := range r.up {
		r.upward(now, i)(r.up[i].s.Tick(now))
	}
	return r.out
}

// down takes the next downstream State and does what its Output asks for.
func (r *relay) down(now time.Time) func(server.State, server.Output) {
	return func(s server.State, out server.Output) {
		r.s = s
		for _, o := range out.Send {
			r.out = append(r.out, packet{down, o.Message})
		}
		for _, ev := range out.Events {
			switch ev.Kind {
			case lifecycle.PhaseChanged:
				if ev.To == lifecycle.Ready {
					r.connect(now)
				}
			case lifecycle.RequestReceived:
				r.held = append(r.held, ev)
				r.serve(now)
			case lifecycle.RequestCancelled:
				if to, known := r.calls.takeB(ev.Call); known {
					r.upward(now, to.i)(ok(r.up[to.i].s.Cancel(now, to.h, ev.Cause.Reason)))
				}
			case lifecycle.ResponseReceived, lifecycle.RequestFailed:
				if to, known := r.asks.takeB(ev.Req); known {
					r.upward(now, to.i)(ok(r.up[to.i].s.Finish(now, ev.Answer(to.h))))
				}
			}
		}
	}
}

// upward takes the next State of server i and does what its Output asks for.
func (r *relay) upward(now time.Time, i int) func(client.State, client.Output) {
	return func(s client.State, out client.Output) {
		u := &r.up[i]
		u.lists, u.s, out = u.lists.Handle(s, out)
		for _, o := range out.Send {
			r.out = append(r.out, packet{i, o.Message})
		}
		for _, ev := range out.Events {
			switch ev.Kind {
			case client.ListRead:
				r.serve(now)
			case lifecycle.PhaseChanged:
				if ev.From == lifecycle.Ready {
					r.down(now)(ok(r.s.Notify(now, protocol.ToolListChangedParams{}, server.Call{})))
				}
				r.serve(now)
			case lifecycle.ResponseReceived, lifecycle.RequestFailed:
				if call, known := r.calls.takeA(at[client.Req]{i, ev.Req}); known {
					r.down(now)(ok(r.s.Finish(now, ev.Answer(call))))
				}
			case lifecycle.ProgressReceived:
				p, _ := protocol.Decode[protocol.ProgressParams](ev.Body) // the State has checked it
				r.down(now)(ok(r.s.Progress(now, r.calls.a[at[client.Req]{i, ev.Req}], p)))
			case lifecycle.RequestReceived:
				p := protocol.RawRequest{Name: ev.Method, Body: ev.Body}
				s, out, err := r.s.Request(now, p, server.RequestOptions{ReplaceToken: true})
				if err != nil {
					r.upward(now, i)(ok(u.s.Finish(now, lifecycle.Event{}.Answer(ev.Call))))
					break
				}
				r.asks.put(at[client.Call]{i, ev.Call}, out.Req)
				r.down(now)(s, out)
			case lifecycle.RequestCancelled:
				req, _ := r.asks.takeA(at[client.Call]{i, ev.Call})
				r.down(now)(ok(r.s.Cancel(now, req, ev.Cause.Reason)))
			case lifecycle.NotificationReceived:
				if ev.Method == protocol.MethodToolsListChanged.String() {
					r.down(now)(ok(r.s.Notify(now, protocol.ToolListChangedParams{}, server.Call{})))
				}
			}
		}
	}
}

// connect opens the sessions with the servers, able to do what the client can.
func (r *relay) connect(now time.Time) {
	cfg := client.Config{Info: info, Require: protocol.CapTools}
	for _, m := range []protocol.Method{protocol.MethodSamplingCreateMessage, protocol.MethodElicitationCreate, protocol.MethodRootsList} {
		if row := r.s.Revision().Row(m); row != nil && r.s.PeerCapabilities().Has(row.Gate) {
			cfg.Serve = append(cfg.Serve, m.String())
		}
	}
	for i := range r.up {
		if !r.up[i].gone {
			s, _ := client.New(cfg, now) // the Config is valid, and so is the name of the list
			r.up[i].lists, _ = client.NewMirror(tools)
			r.upward(now, i)(ok(s.Initialize(now)))
		}
	}
}

// serve answers what was held or passes it on, once the tools of all servers are known.
func (r *relay) serve(now time.Time) {
	for len(r.held) > 0 && r.up[0].known() && r.up[1].known() {
		ev := r.held[0]
		r.held = r.held[1:]
		if ev.Method == protocol.MethodToolsList.String() {
			r.down(now)(ok(r.s.Respond(now, ev.Call, jsonrpc.Raw(`{"tools":[`+strings.Join(r.tools(), ",")+`]}`))))
			continue
		}
		p, _ := protocol.Decode[protocol.CallToolParams](ev.Body) // the State has checked it
		i, known := r.owner(p.Name)
		if !known {
			r.down(now)(ok(r.s.Fail(now, ev.Call, protocol.InvalidParams("unknown tool"))))
			continue
		}
		s, out, err := r.up[i].s.Request(now, protocol.RawRequest{Name: ev.Method, Body: ev.Body},
			client.RequestOptions{Timeout: lifecycle.NoTimeout, ReplaceToken: true})
		if err != nil {
			r.down(now)(ok(r.s.Finish(now, lifecycle.Event{}.Answer(ev.Call))))
			continue
		}
		r.calls.put(at[client.Req]{i, out.Req}, ev.Call)
		r.upward(now, i)(s, out)
	}
}
