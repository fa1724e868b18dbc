package worlds

import (
	"errors"
	"slices"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/exchange"
	"github.com/sansmcp/mcp/conformance/explore"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol/headers"
)

// The driver of the client, modeled on client/remote: it posts what the Order returns, reads
// the answers, and begins a new session if the server has lost it.

// open begins a session.
func (x *webScope) open(w *web, r *explore.Report) {
	c, out, err := w.c.Initialize(w.now)
	if err != nil {
		r.Fail("a session cannot begin: %v", err)
		return
	}
	w.c, w.order, w.of = c, exchange.Order{}, exchange.Session{}
	x.sent(w, out, r)
}

// sent handles an Output of the client.
func (x *webScope) sent(w *web, out client.Output, r *explore.Report) {
	w.order = w.order.Add(out.Send...)
	if x.watch != nil {
		x.watch(false, &out)
		x.pump(w, r)
		return
	}
	for i := range out.Events {
		ev := &out.Events[i]
		what := "client " + ev.Kind.String()
		switch ev.Kind {
		case lifecycle.RequestReceived:
			w.asks = append(slices.Clip(w.asks), ev.Call)
		case lifecycle.RequestCancelled, lifecycle.RequestLost, lifecycle.RequestExpired:
			w.asks = slices.DeleteFunc(slices.Clone(w.asks), func(c client.Call) bool { return c == ev.Call })
		case lifecycle.ResponseReceived, lifecycle.RequestFailed:
			k := slices.IndexFunc(w.calls, func(c wcall) bool { return c.req == ev.Req })
			if k < 0 {
				break
			}
			c := w.calls[k]
			w.calls = slices.Delete(w.calls, k, k+1)
			if ev.Kind == lifecycle.ResponseReceived {
				if c.got != c.sent && w.lost == 0 && !w.wiped && !x.lossy {
					r.Fail("a call is answered before all of its progress")
				}
				break
			}
			if ev.Cause != nil {
				what += ": " + ev.Cause.Kind.String()
				if ev.Cause.Kind == lifecycle.CauseResponseLost && c.resumable && !w.wiped && !x.lossy && w.lost == 0 {
					r.Fail("a stream that could be resumed is lost")
				}
			}
		case lifecycle.ProgressReceived:
			for k := range w.calls {
				if v := int(progressOf(ev.Body)); w.calls[k].req == ev.Req {
					if v != w.calls[k].got+1 && !x.lossy && !w.wiped && w.lost == 0 {
						r.Fail("progress %d comes after %d", v, w.calls[k].got)
					}
					w.calls[k].got = v
				}
			}
		case lifecycle.NotificationReceived:
			data, _ := rawjson.Get(string(ev.Body), "data")
			v, _ := rawjson.Int(data)
			if slices.Contains(w.heard, int(v)) && w.lost == 0 { // a store that lost the turn in which it went out knows nothing of it
				r.Fail("a message comes twice")
			}
			w.heard = append(slices.Clip(w.heard), int(v))
		case lifecycle.Violation:
			r.Fail("the client blames the server: %s %s", ev.Rule, ev.Method)
		case lifecycle.Ignored:
			what += " " + ev.Rule + " " + ev.Method
		}
		r.Reach(what)
	}
	x.pump(w, r)
}

// pump posts what the Order allows.
func (x *webScope) pump(w *web, r *explore.Report) {
	for range most {
		next, t, m, ok := w.order.Next(w.now)
		if w.order = next; !ok {
			return
		}
		post := exchange.Post(exchange.Options{}, w.of, m.Message)
		w.talks = append(w.talks, talk{t: t, o: m, x: post, first: post})
		w.send(len(w.talks) - 1)
	}
	r.Fail("messages are given out without an end")
	w.order = exchange.Order{}
}

// most is how often a machine may continue at once: more counts as endless.
const most = 100

// send sends the request of an exchange.
func (w *web) send(i int) {
	k := &w.talks[i]
	if k.x.Phase() != exchange.Requesting || k.at != nowhere {
		return
	}
	w.conns++
	k.at, k.conn, k.pipe, k.eof, k.body = outbound, w.conns, nil, false, ""
	if k.t != 0 {
		w.order = w.order.Sent(w.now, k.t)
	}
}

// head handles the head of an answer at the client, with the body if it is JSON.
func (x *webScope) head(w *web, i int, r *explore.Report) {
	k := &w.talks[i]
	k.x, k.at = k.x.Respond(w.now, k.head), flowing
	if k.x.Phase() != exchange.JSON {
		x.after(w, i, r)
		return
	}
	w.accepted(k)
	conn := k.conn
	var m jsonrpc.Message
	var ok bool
	if k.x, m, ok = k.x.Body(w.now, []byte(k.body)); ok {
		x.deliver(w, m, r)
	}
	if i := slices.IndexFunc(w.talks, func(k talk) bool { return k.conn == conn }); i >= 0 {
		x.after(w, i, r)
	}
}

// event handles the next event of a stream at the client, or its end.
func (x *webScope) event(w *web, i int, r *explore.Report) {
	k := &w.talks[i]
	if len(k.pipe) == 0 {
		x.closed(w, i, r)
		return
	}
	v, conn := k.pipe[0], k.conn
	k.pipe = k.pipe[1:]
	var m jsonrpc.Message
	var ok bool
	k.x, m, ok = k.x.Event(w.now, v)
	for j := range w.calls {
		w.calls[j].resumable = w.calls[j].resumable || v.HasID && !k.get && w.calls[j].req == k.o.Req
	}
	if ok {
		x.deliver(w, m, r)
	}
	if i := slices.IndexFunc(w.talks, func(k talk) bool { return k.conn == conn }); i >= 0 {
		if p := w.talks[i].x.Phase(); p == exchange.Done || p == exchange.Lost {
			x.after(w, i, r)
		}
	}
}

func (x *webScope) deliver(w *web, m jsonrpc.Message, r *explore.Report) {
	c, out := w.c.Receive(w.now, m)
	if w.c = c; c.Phase() == lifecycle.Ready {
		w.of.Revision = c.Revision()
	}
	x.sent(w, out, r)
}

// accepted tells the Order that the server has accepted a message.
func (w *web) accepted(k *talk) {
	if k.x.Accepted() && k.t != 0 {
		if id := k.x.SessionID(); id != "" {
			w.of.ID = id
		}
		w.order = w.order.Accepted(k.t)
	}
}

// unplug breaks a connection; the server has not noticed yet.
func (w *web) unplug(k *talk) {
	for i := range w.socks {
		if w.socks[i].conn == k.conn {
			w.socks[i].alive = false
		}
	}
	k.at, k.pipe, k.eof, k.conn = nowhere, nil, false, 0
}

// closed tells an exchange that its connection has closed.
func (x *webScope) closed(w *web, i int, r *explore.Report) {
	k := &w.talks[i]
	w.unplug(k)
	k.x = k.x.Closed(w.now)
	x.after(w, i, r)
}

// excuses records that the client has no event id of a breaking GET stream.
func (w *web) excuses(i int) {
	if k := &w.talks[i]; k.get && k.at >= headed {
		y := k.x.Closed(w.now)
		w.excuse = w.excuse || k.x.Op() == headers.OpListen && k.at == headed || y.Phase() != exchange.Waiting || y.Tick(y.At()).Op() != headers.OpResume
	}
}

// after continues with an exchange by its phase.
func (x *webScope) after(w *web, i int, r *explore.Report) {
	k := &w.talks[i]
	w.accepted(k)
	switch k.x.Phase() {
	case exchange.Waiting: // it has read the answer, which says no
		w.unplug(k)
	case exchange.Requesting:
		w.send(i)
	case exchange.Done:
		if k.at == flowing {
			w.unplug(k) // it closes the body
		}
		x.over(w, i, r)
		return
	case exchange.Lost:
		x.lost(w, i, r)
		return
	}
	x.pump(w, r)
}

// tries returns how often a message that is not a request is posted again.
func tries(o *lifecycle.Outgoing) int {
	if o.Message.Method == "notifications/initialized" { // the server waits for it
		return 5
	}
	return 2
}

// lost continues after a lost exchange.
func (x *webScope) lost(w *web, i int, r *explore.Report) {
	k := &w.talks[i]
	f, isRequest := k.x.Failure(), k.o.Message.Kind == jsonrpc.KindRequest
	r.Reach("lost: " + f.Reason.String())
	switch {
	case f.Reason == exchange.SessionGone:
		x.lose(w, r)
	case k.get:
		w.unplug(k)
		w.talks = slices.Delete(w.talks, i, i+1)
	case !isRequest && f.Temporary() && k.tries < tries(&k.o):
		k.tries++
		w.unplug(k)
		k.x = k.first
		w.send(i)
	case k.o.Message.Method == "notifications/initialized" && f.Temporary() && tries(&k.o) > 2:
		x.lose(w, r)
	case isRequest:
		req := k.o.Req
		w.unplug(k)
		x.over(w, i, r)
		var out client.Output
		if f.Delivery() == lifecycle.MayHaveRun {
			w.c, out = w.c.ResponseLost(w.now, req, f)
		} else {
			w.c, out = w.c.SendFailed(w.now, req, f)
		}
		x.sent(w, out, r)
		x.reopen(w, r)
	default:
		w.unplug(k)
		x.over(w, i, r)
	}
}

// over ends an exchange.
func (x *webScope) over(w *web, i int, r *explore.Report) {
	k := w.talks[i]
	w.talks = slices.Delete(w.talks, i, i+1)
	w.order = w.order.Ended(k.t)
	if k.o.Message.Method == "notifications/cancelled" { // a cancelled request needs no answer
		if j := slices.IndexFunc(w.talks, func(o talk) bool { return !o.get && o.o.Message.Kind == jsonrpc.KindRequest && o.o.Req == k.o.Req }); j >= 0 {
			w.unplug(&w.talks[j])
			t := w.talks[j].t
			w.talks = slices.Delete(w.talks, j, j+1)
			w.order = w.order.Ended(t)
		}
	}
	if k.o.Message.Method == "notifications/initialized" {
		get := exchange.Listen(exchange.Options{}, w.of)
		w.talks = append(w.talks, talk{x: get, first: get, get: true})
		w.send(len(w.talks) - 1)
	}
	x.pump(w, r)
}

// reopen tries again if the session could not begin.
func (x *webScope) reopen(w *web, r *explore.Report) {
	if w.c.Phase().Live() {
		return
	}
	for i := range w.talks {
		w.unplug(&w.talks[i])
	}
	w.talks, w.asks = nil, nil
	c, err := w.c.Reset(w.now)
	if err != nil {
		r.Fail("a session cannot begin anew: %v", err)
		return
	}
	w.c = c
	x.open(w, r)
}

// lose drops a session that the server has lost.
func (x *webScope) lose(w *web, r *explore.Report) {
	w.wiped = true
	for i := range w.talks {
		w.unplug(&w.talks[i])
	}
	w.talks = nil
	c, out := w.c.Disconnected(w.now, errors.New("session gone"))
	w.c = c
	x.sent(w, out, r)
	if len(w.calls) > 0 {
		r.Fail("a call outlives its session")
	}
	x.reopen(w, r)
}
