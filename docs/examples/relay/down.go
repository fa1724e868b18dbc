//sansmcp:loop max=120

package main

import (
	"slices"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// down takes the next downstream State and does what its Output asks for.
func (r *relay) down(now time.Time) func(server.State, server.Output) {
	return func(s server.State, out server.Output) {
		r.s = s
		for _, o := range out.Send {
			r.out.send = append(r.out.send, packet{down, o.Message})
		}
		for _, ev := range out.Events {
			switch ev.Kind {
			case lifecycle.PhaseChanged:
				if ev.To == lifecycle.Ready {
					r.connect(now)
				}
			case lifecycle.RequestReceived:
				r.connect(now) // for a client that forgets to say that it is ready
				if !r.held.add(now, ev) {
					r.down(now)(ok(r.s.Fail(now, ev.Call, protocol.InternalError("too busy"))))
				}
				r.serve(now)
			case lifecycle.RequestCancelled, lifecycle.RequestExpired, lifecycle.RequestLost:
				r.held.remove(ev.Call)
				if to, known := r.calls.takeB(ev.Call); known {
					r.upward(now, to.i)(ok(r.up[to.i].s.Cancel(now, to.h, ev.Cause.Reason)))
				}
			case lifecycle.ResponseReceived, lifecycle.RequestFailed:
				if to, known := r.asks.takeB(ev.Req); known {
					r.upward(now, to.i)(ok(r.up[to.i].s.Finish(now, ev.Answer(to.h))))
				}
			}
		}
		r.out.end = r.out.end || out.Close != nil
	}
}

// pass passes a call on to the server that has the tool.
func (r *relay) pass(now time.Time, i int, ev server.Event) {
	if r.full(i) {
		r.down(now)(ok(r.s.Fail(now, ev.Call, protocol.InternalError("the server of this tool takes no more at the moment"))))
		return
	}
	s, out, err := r.up[i].s.Request(now, protocol.RawRequest{Name: ev.Method, Body: ev.Body},
		client.RequestOptions{Timeout: lifecycle.NoTimeout, ReplaceToken: true})
	if err != nil {
		r.down(now)(ok(r.s.Finish(now, lifecycle.NoAnswer(ev.Call))))
		return
	}
	r.calls.put(at[client.Req]{i, out.Req}, ev.Call)
	r.upward(now, i)(s, out)
}

// flags are what a client can say of how it samples and elicits.
const flags = protocol.CapSamplingContext | protocol.CapSamplingTools | protocol.CapElicitationForm | protocol.CapElicitationURL

// connect opens the sessions with the servers, once, able to do what the client can: in
// its revision or an older one, so that they send nothing that it does not know.
func (r *relay) connect(now time.Time) {
	if !r.opened.IsZero() {
		return
	}
	cfg := client.Config{
		Info: info, Require: protocol.CapTools, Policy: policy(), HashKey: r.key,
		Declare:  r.s.PeerCapabilities() & flags,
		Timeouts: lifecycle.Timeouts{Initialize: patience},
		// A server that floods its client does not reach ours.
		Limits: lifecycle.Limits{Inbound: 64, Progress: lifecycle.Rate{PerSecond: 50, Burst: 50}},
	}
	all := protocol.Revisions()
	cfg.Revisions = all[slices.Index(all, r.s.Revision()):]
	for _, m := range []string{protocol.MethodSamplingCreateMessage, protocol.MethodElicitationCreate, protocol.MethodRootsList} {
		if row := r.s.Revision().Row(m); row != nil && r.s.PeerCapabilities().Has(row.Gate) {
			cfg.Serve = append(cfg.Serve, m)
		}
	}
	r.opened = now
	for i := range r.up {
		if !r.up[i].gone {
			s, _ := client.New(cfg, now) // the Config is valid, and so is the name of the list
			r.up[i].lists, _ = client.NewMirror(tools)
			r.upward(now, i)(ok(s.Initialize(now)))
		}
	}
}
