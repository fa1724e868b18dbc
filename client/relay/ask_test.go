package relay_test

import (
	"errors"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// say has a server send any message.
func (w *world) say(name, line string) {
	p := w.peers[name]
	w.lines = append(w.lines, name+">relay "+line)
	w.later(func() {
		w.relay(w.r.Report(w.s, w.now, manager.Report{Kind: manager.Received, Link: p.link, Message: jsonrpc.DecodeString(line)}))
	})
}

// speak ends the silence of a server.
func (w *world) speak(name string) {
	p := w.peers[name]
	p.mute = false
	late := p.late
	p.late = nil
	for _, m := range late {
		w.later(func() { p.got = append(p.got, m); w.server(p, p.h, m) })
	}
}

// kill ends a server.
func (w *world) kill(name string) {
	p := w.peers[name]
	if p.open {
		p.open = false
		w.later(func() {
			w.relay(w.r.Report(w.s, w.now, manager.Report{Kind: manager.Ended, Link: p.link, Err: errors.New("killed")}))
		})
	}
}

// pass lets time pass for the relay and its servers.
func (w *world) pass(d time.Duration) {
	w.t.Helper()
	for end := w.now.Add(d); ; {
		t, ok := w.r.NextDeadline()
		if next, some := w.s.NextDeadline(); some && (!ok || next.Before(t)) {
			t, ok = next, true
		}
		if !ok || t.After(end) {
			w.now = end
			return
		}
		if t.After(w.now) {
			w.now = t
		}
		w.tick()
	}
}

func (w *world) tick() {
	w.t.Helper()
	w.later(func() {
		s, out := w.s.Tick(w.now)
		w.relay(w.r.Handle(s, w.now, out))
	})
	w.later(func() {
		w.relay(w.r.Tick(w.s, w.now))
		if t, ok := w.r.NextDeadline(); ok && !t.After(w.now) {
			w.t.Fatalf("after a tick the next deadline is not later: %v", t.Sub(w.now))
		}
	})
}

// request has the client ask.
func (w *world) request(p protocol.Params, opt client.RequestOptions) client.Req {
	w.t.Helper()
	c, out, err := w.c.Request(w.now, p, opt)
	if err != nil {
		w.t.Fatal(err)
	}
	w.client(c, out)
	return out.Req
}

// call has the client call a tool.
func (w *world) call(tool string) client.Req {
	w.t.Helper()
	return w.request(protocol.CallToolParams{Name: tool, Arguments: `{"a":1}`}, client.RequestOptions{Progress: true})
}

// end returns how a request ended; false if it is still open.
func (w *world) end(req client.Req) (client.Event, bool) {
	for _, ev := range w.got {
		if ev.Req == req && (ev.Kind == lifecycle.ResponseReceived || ev.Kind == lifecycle.RequestFailed) {
			return ev, true
		}
	}
	return client.Event{}, false
}

// result returns the result of a request.
func (w *world) result(req client.Req) string {
	w.t.Helper()
	ev, ok := w.end(req)
	if !ok || ev.Err != nil || ev.Kind != lifecycle.ResponseReceived {
		w.t.Fatalf("the request came to %v %v %v %+v", ok, ev.Kind, ev.Cause, ev.Err)
	}
	return string(ev.Body)
}

// fault returns the error that a request was answered with.
func (w *world) fault(req client.Req) jsonrpc.Error {
	w.t.Helper()
	ev, ok := w.end(req)
	if !ok || ev.Err == nil {
		w.t.Fatalf("the request came to %v %v %s", ok, ev.Kind, ev.Body)
	}
	return *ev.Err
}

// ask makes a request and returns its result.
func (w *world) ask(method, params string) string {
	w.t.Helper()
	return w.result(w.request(protocol.RawRequest{Name: method, Body: jsonrpc.Raw(params)}, client.RequestOptions{}))
}

// list returns the names in a list, all pages of it.
func (w *world) list(method string) (names []string) {
	w.t.Helper()
	of := protocol.ListOf(method)
	params := ""
	for {
		body := w.ask(method, params)
		_, items, _ := strings.Cut(body, `"`+of.Key+`":"`)
		for items != "" {
			name, rest, _ := strings.Cut(items, `"`)
			names = append(names, name)
			_, items, _ = strings.Cut(rest, `"`+of.Key+`":"`)
		}
		_, cursor, more := strings.Cut(body, `"nextCursor":"`)
		if !more {
			return names
		}
		cursor, _, _ = strings.Cut(cursor, `"`)
		params = `{"cursor":"` + cursor + `"}`
	}
}

// count returns how many notifications of a method the client has got.
func (w *world) count(method string) (n int) {
	for _, ev := range w.got {
		if ev.Kind == lifecycle.NotificationReceived && ev.Method == method {
			n++
		}
	}
	return n
}

// held returns the call that the application of a server holds.
func (w *world) held(name string) server.Call {
	w.t.Helper()
	p := w.peers[name]
	if len(p.calls) == 0 {
		w.t.Fatal(name, "holds no call")
	}
	return p.calls[len(p.calls)-1].Call
}

// on takes a verb of a server's State.
func (w *world) on(name string) func(server.State, server.Output, error) server.Req {
	w.t.Helper()
	return func(s server.State, out server.Output, err error) server.Req {
		w.t.Helper()
		if err != nil {
			w.t.Fatal(err)
		}
		w.serve(w.peers[name])(s, out)
		return out.Req
	}
}

// noTimeout leaves the end of a request to the relay.
var noTimeout = client.RequestOptions{Timeout: lifecycle.NoTimeout, Maximum: lifecycle.NoTimeout}
