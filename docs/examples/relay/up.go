//sansmcp:loop max=120

package main

import (
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// upward takes the next State of server i and does what its Output asks for.
func (r *relay) upward(now time.Time, i int) func(client.State, client.Output) {
	return func(s client.State, out client.Output) {
		u := &r.up[i]
		u.lists, u.s, out = u.lists.Handle(s, out)
		for _, o := range out.Send {
			r.out.send = append(r.out.send, packet{i, o.Message})
		}
		for _, ev := range out.Events {
			switch ev.Kind {
			case client.ListRead:
				r.listed(now, u, ev)
			case lifecycle.PhaseChanged:
				if ev.From == lifecycle.Ready {
					r.changed(now)
				}
				r.serve(now)
			case lifecycle.ResponseReceived, lifecycle.RequestFailed:
				if call, known := r.calls.takeA(at[client.Req]{i, ev.Req}); known {
					ev.Err = ownedError(i, ev.Err)
					r.down(now)(ok(r.s.Finish(now, answer(ev, call))))
				}
			case lifecycle.NotificationReceived:
				if ev.Method == protocol.MethodElicitationComplete {
					n := protocol.RawRequest{Name: ev.Method, Body: owned(i, ev.Body)}
					r.down(now)(ok(r.s.Notify(now, n, server.Call{})))
				}
			case lifecycle.ProgressReceived:
				p, _ := protocol.Decode[protocol.ProgressParams](ev.Body) // the State has checked it
				r.down(now)(ok(r.s.Progress(now, r.calls.a[at[client.Req]{i, ev.Req}], p)))
			case lifecycle.RequestReceived:
				r.ask(now, i, ev)
			case lifecycle.RequestCancelled, lifecycle.RequestExpired, lifecycle.RequestLost:
				if req, known := r.asks.takeA(at[client.Call]{i, ev.Call}); known {
					r.down(now)(ok(r.s.Cancel(now, req, ev.Cause.Reason)))
				}
			}
		}
		if out.Close != nil {
			r.out.stop = append(r.out.stop, i)
		}
	}
}

// ask passes a request of server i back to the client.
func (r *relay) ask(now time.Time, i int, ev client.Event) {
	body := ev.Body
	if ev.Method == protocol.MethodElicitationCreate {
		body = owned(i, body)
	}
	s, out, err := r.s.Request(now, protocol.RawRequest{Name: ev.Method, Body: body}, server.RequestOptions{ReplaceToken: true})
	if err != nil {
		r.upward(now, i)(ok(r.up[i].s.Finish(now, lifecycle.NoAnswer(ev.Call))))
		return
	}
	r.asks.put(at[client.Call]{i, ev.Call}, out.Req)
	r.down(now)(s, out)
}

// answer makes the end of a request that was passed on the answer to it.
func answer(ev client.Event, call server.Call) server.Answer {
	a := ev.Answer(call)
	if ev.Kind == lifecycle.RequestFailed && ev.Cause != nil {
		switch ev.Cause.Kind {
		case lifecycle.CauseLost, lifecycle.CauseShutdown, lifecycle.CauseAborted:
			e := protocol.InternalError("the server of this tool is gone")
			a.Err = &e
		}
	}
	return a
}
