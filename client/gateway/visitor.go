package gateway

import (
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server"
)

// Handlers implements server.Companion: the servers answer.
func (v *visitor) Handlers() *server.Handlers { return nil }

// Homed says that what a result asks is of this process: see nethttp.Options.Companion.
func (v *visitor) Homed() bool { return true }

// HeaderParams returns the arguments of a tool that the headers of a call repeat: see server.Companion.
func (v *visitor) HeaderParams(tool string) []headers.Param {
	text, _ := v.g.tool(whose(v.peer), tool)
	schema, _ := rawjson.Get(string(text), "inputSchema")
	list, _ := headers.Params(jsonrpc.Raw(schema)) // of a tool that no client takes, none
	return list
}

// Step implements server.Companion.
func (v *visitor) Step(s server.State, now time.Time, out server.Output) (server.State, server.Output, time.Time) {
	v.mu.Lock()
	list := v.inbox[:len(v.inbox):len(v.inbox)]
	v.mu.Unlock()
	var asks, ended []server.Event // what is to be asked at the home, and what is over
	var left []server.Event
	for _, ev := range out.Events {
		switch ev.Kind {
		case lifecycle.RequestReceived:
			asks = append(asks, ev)
		case lifecycle.RequestCancelled, lifecycle.RequestExpired, lifecycle.RequestLost:
			ended = append(ended, ev)
		default:
			left = append(left, ev)
		}
	}
	if !v.looked {
		for call, filter := range s.Listens() {
			p := protocol.ListenParams{Notifications: filter, Meta: envelope(s.Client(call))}
			asks = append(asks, server.Event{Call: call, Method: p.Method(), Body: jsonrpc.Raw(p.AppendJSON(nil))})
		}
	}
	out.Events = left
	clients := make([]server.Client, len(asks))
	for i := range asks {
		clients[i] = s.Client(asks[i].Call)
	}
	for _, d := range list {
		next, more, err := d.to(s, now)
		if err != nil && len(more.Send) == 0 {
			continue // it is over
		}
		s = next
		out.Merge(more)
	}
	gone := over(out)
	v.commit = func() {
		v.looked = true
		v.mu.Lock()
		v.inbox = v.inbox[len(list):]
		v.over = v.over || gone
		v.mu.Unlock()
		for i, ev := range asks {
			v.forward(ev, clients[i])
		}
		for _, ev := range ended {
			v.cancel(ev)
		}
		if gone {
			for seq := range v.calls {
				v.cancel(server.Event{Call: s.Call(seq, 0)})
			}
		}
	}
	return s, out, time.Time{}
}

// to takes what the home sends to the client.
func (d delivery) to(s server.State, now time.Time) (server.State, server.Output, error) {
	call := s.Call(d.call.Seq(), d.call.Key())
	switch d.m.Kind {
	case jsonrpc.KindError:
		return s.Finish(now, server.Answer{Call: call, Err: d.m.Err})
	case jsonrpc.KindResult:
		return s.Finish(now, server.Answer{Call: call, Result: protocol.DecodedResult(d.m.Body)})
	}
	body := d.m.Body
	if p, err := protocol.Decode[protocol.ProgressParams](body); err == nil && d.m.Method == p.Method() {
		return s.Progress(now, call, p)
	}
	if meta, has := rawjson.Get(string(body), "_meta"); has {
		if rest := rawjson.Set(meta, protocol.MetaSubscription, ""); rest != meta { // the State writes its own
			body = jsonrpc.Raw(rawjson.Set(string(body), "_meta", rest))
			call = server.Call{}
		}
	}
	return s.Notify(now, protocol.RawRequest{Name: d.m.Method, Body: body, Decoded: true}, call)
}

// forward makes a request at the home. It is called when the turn of the request is kept.
func (v *visitor) forward(ev server.Event, of server.Client) {
	again := false
	if row := of.Revision.Row(ev.Method); row != nil && row.Asks {
		_, again = rawjson.Get(string(ev.Body), "requestState")
	}
	for range 2 {
		if v.home == nil {
			v.home = v.g.homeOf(v.peer, of.Capabilities, !again)
		}
		if v.home == nil {
			break
		}
		if v.calls == nil {
			v.calls = map[uint64]uint64{}
		}
		n, err := v.home.enter(v, ev)
		if err == nil {
			v.calls[ev.Call.Seq()] = n
			return
		}
		v.home = nil // it has ended just now
	}
	e := protocol.InternalError("there are too many clients, or the gateway ends; try again later")
	if again {
		e = protocol.UnknownState()
	}
	v.deliver(delivery{ev.Call, jsonrpc.Message{Kind: jsonrpc.KindError, Err: &e}})
}

// cancel says at the home that nobody waits for a request any more.
func (v *visitor) cancel(ev server.Event) {
	n, ok := v.calls[ev.Call.Seq()]
	if !ok {
		return
	}
	delete(v.calls, ev.Call.Seq())
	reason := ""
	if ev.Cause != nil {
		reason = ev.Cause.Reason
	}
	v.home.leave(n, reason)
}

// envelope returns the _meta of a request of a client that is made anew. It declares what the client does: it may be
// the first that the home hears of.
func envelope(of server.Client) protocol.Meta {
	caps := protocol.DeclareClient(of.Capabilities).AppendJSON(nil)
	return protocol.Meta("").With(protocol.MetaProtocolVersion, protocol.StringValue(of.Revision.String())).With(protocol.MetaClientCapabilities, protocol.Raw(caps))
}
