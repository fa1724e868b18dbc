package gateway

import (
	"context"
	"sync"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// visitor is the Companion of a request without a session over HTTP: it makes the request at its home, and
// answers with what comes of it there.
type visitor struct {
	g    *Gateway
	peer server.Peer
	wake func(context.Context) error // has a step made

	// These are of Step and Commit.
	home   *home
	calls  map[uint64]uint64 // the ids at the home, by the number of the call
	looked bool              // for a subscription
	commit func()

	mu     sync.Mutex
	inbox  []delivery
	waking bool // a goroutine sees to it that what waits is taken in
	over   bool
}

// delivery is a message of the home, for a call of the visitor.
type delivery struct {
	call server.Call
	m    jsonrpc.Message
}

// Handlers implements server.Companion: the servers answer.
func (v *visitor) Handlers() *server.Handlers { return nil }

// Commit implements server.Companion.
func (v *visitor) Commit() {
	if v.commit != nil {
		v.commit()
		v.commit = nil
	}
}

// Step implements server.Companion.
func (v *visitor) Step(s server.State, now time.Time, out server.Output) (server.State, server.Output, time.Time) {
	v.mu.Lock()
	list := v.inbox[:len(v.inbox):len(v.inbox)]
	v.mu.Unlock()
	var asks, ended []server.Event
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
			body, _ := protocol.EncodeParams(protocol.ListenParams{Notifications: filter})
			asks = append(asks, server.Event{Call: call, Method: protocol.MethodListen, Body: body})
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
	if d.m.Method == protocol.MethodProgress {
		p, err := protocol.Decode[protocol.ProgressParams](body)
		if err != nil {
			return s, server.Output{}, err
		}
		return s.Progress(now, call, p)
	}
	meta, _ := rawjson.Get(string(body), "_meta")
	if protocol.Meta(meta) != "" {
		if rest := rawjson.Set(meta, protocol.MetaSubscription, ""); rest != meta { // the State writes its own
			body = jsonrpc.Raw(rawjson.Set(string(body), "_meta", rest))
			call = server.Call{}
		}
	}
	return s.Notify(now, protocol.RawRequest{Name: d.m.Method, Body: body, Decoded: true}, call)
}

// forward makes a request at the home. It is called when the turn of the request is kept.
func (v *visitor) forward(ev server.Event, of server.Client) {
	for range 2 {
		if v.home == nil {
			v.home = v.g.homeOf(v.peer, of.Capabilities)
		}
		if v.home == nil {
			break
		}
		if ev.Method == protocol.MethodListen {
			ev.Body = enveloped(ev.Body, of)
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

// deliver takes a message of the home. Any goroutine may call it.
func (v *visitor) deliver(d delivery) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.over {
		return
	}
	v.inbox = append(v.inbox, d)
	if !v.waking {
		v.waking = true
		v.g.wg.Go(v.work)
	}
}

// waits reports whether there is something to take in, and says so no more if there is not.
func (v *visitor) waits() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.waking = !v.over && len(v.inbox) > 0
	return v.waking
}

// work has steps made until nothing waits.
func (v *visitor) work() {
	for v.waits() {
		if v.wake(v.g.ctx) != nil { // its State is in this process: it is gone
			v.mu.Lock()
			v.over = true
			v.mu.Unlock()
		}
	}
}

// enveloped returns the params of a subscription as those of a request of a client.
func enveloped(body jsonrpc.Raw, of server.Client) jsonrpc.Raw {
	meta := rawjson.Set("{}", protocol.MetaProtocolVersion, string(rawjson.AppendQuote(nil, of.Revision.String())))
	meta = rawjson.Set(meta, protocol.MetaClientCapabilities, "{}")
	return jsonrpc.Raw(rawjson.Set(string(body), "_meta", meta))
}
