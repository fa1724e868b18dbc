package relay_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// asks has a server ask the client.
func (w *world) asks(name string, p protocol.Params, within server.Call) server.Req {
	w.t.Helper()
	return w.on(name)(w.peers[name].s.Request(w.now, p, server.RequestOptions{Within: within}))
}

// asked returns the last request that the client was asked.
func (w *world) asked() client.Event {
	w.t.Helper()
	for _, ev := range slices.Backward(w.got) {
		if ev.Kind == lifecycle.RequestReceived {
			return ev
		}
	}
	w.t.Fatal("the client was not asked")
	return client.Event{}
}

// answer has the client answer what it was asked.
func (w *world) answer(call client.Call, result jsonrpc.Raw) {
	w.t.Helper()
	c, out, err := w.c.Respond(w.now, call, result)
	if err != nil {
		w.t.Fatal(err)
	}
	w.client(c, out)
}

// answered returns the answer that a server got.
func (w *world) answered(name string, req server.Req) server.Event {
	w.t.Helper()
	for _, ev := range w.peers[name].heard {
		if ev.Req == req {
			return ev
		}
	}
	w.t.Fatal("the server got no answer")
	return server.Event{}
}

// What a server asks reaches the client, and the answer reaches the server that asked: sampling,
// forms, roots and custom methods, byte for byte.
func TestServersAsk(t *testing.T) {
	for _, tt := range []struct{ method, params, result string }{
		{"sampling/createMessage", `{"messages":[{"role":"user","content":{"type":"text","text":"\u0062","x":1.0}}],"maxTokens":1e1,"_meta":{ "a":[]}}`, `{"role":"assistant","model":"m","content":{"type":"text","text":"yes"},"y":null}`},
		{"elicitation/create", `{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string","x":[1 ]}}}}`, `{"action":"accept","content":{"a":"b"}}`},
		{"roots/list", `{}`, `{"roots":[ {"uri":"file:///a"}]}`},
		{"acme/ask", `{"x" : 1}`, `{"y" : 2}`},
	} {
		t.Run(strings.ReplaceAll(tt.method, "/", "."), func(t *testing.T) {
			both(t, func(t *testing.T, as option) {
				w := newWorld(t, []string{"left", "right"}, as)
				w.list("tools/list")
				w.call("left-slow")
				req := w.asks("right", protocol.RawRequest{Name: tt.method, Body: jsonrpc.Raw(tt.params)}, server.Call{})
				ev := w.asked()
				if ev.Method != tt.method || string(ev.Body) != tt.params {
					t.Fatalf("asked %s %s", ev.Method, ev.Body)
				}
				w.answer(ev.Call, jsonrpc.Raw(tt.result))
				if got := w.answered("right", req); got.Kind != lifecycle.ResponseReceived || string(got.Body) != tt.result {
					t.Errorf("the server got %v %s %+v", got.Kind, got.Body, got.Err)
				}
				for _, ev := range w.peers["left"].heard {
					if ev.Kind == lifecycle.ResponseReceived {
						t.Error("the other server got an answer")
					}
				}
			})
		})
	}
}

// What a server asks while it has exactly one call goes out within it, what it asks otherwise
// outside of any; log messages too.
func TestAsksGoWithTheCallThatCausedThem(t *testing.T) {
	both(t, func(t *testing.T, as option) {
		w := newWorld(t, []string{"left", "right"}, as, func(w *world) {
			for _, p := range w.peers {
				p.cfg.Logging = true
			}
		})
		within := func(do func()) lifecycle.Call {
			t.Helper()
			w.within = nil
			do()
			if len(w.within) != 1 {
				t.Fatalf("%d messages", len(w.within))
			}
			return w.within[0]
		}
		ask := func() { w.asks("left", protocol.ListRootsParams{}, server.Call{}) }
		log := func() {
			w.on("left")(w.peers["left"].s.Notify(w.now, protocol.LoggingMessageParams{Level: "error", Data: "1"}, server.Call{}))
		}
		if c := within(ask); !c.IsZero() {
			t.Error("within a call that there is not")
		}
		w.call("right-slow")
		if !within(ask).IsZero() || !within(log).IsZero() {
			t.Error("within the call of another server")
		}
		w.call("left-slow")
		one := within(ask)
		if one.IsZero() || within(log).Seq() != one.Seq() {
			t.Error("not within the only call")
		}
		w.call("left-slow")
		if !within(ask).IsZero() || !within(log).IsZero() {
			t.Error("within one of two calls")
		}
	})
}

// A page that a server asks for has an id that no other server has: in the request, in the error
// that asks for it, and where it is told done.
func TestPages(t *testing.T) {
	both(t, func(t *testing.T, as option) {
		w := newWorld(t, []string{"left", "right"}, as)
		w.list("tools/list")
		page := protocol.ElicitParams{Mode: protocol.ElicitURL, Message: "m", URL: "https://example.com/1", ElicitationID: "1"}
		for _, name := range []string{"left", "right"} {
			req := w.asks(name, page, server.Call{})
			ev := w.asked()
			p, err := protocol.Decode[protocol.ElicitParams](ev.Body)
			if err != nil || p.ElicitationID != name+"+1" || p.URL != page.URL || p.Mode != protocol.ElicitURL {
				t.Errorf("asked %s, %v", ev.Body, err)
			}
			w.answer(ev.Call, `{"action":"accept"}`)
			if got := w.answered(name, req); got.Body != `{"action":"accept"}` {
				t.Errorf("the server got %s", got.Body)
			}
			w.on(name)(w.peers[name].s.Notify(w.now, protocol.ElicitationCompleteParams{ElicitationID: "1"}, server.Call{}))
			if got := w.got[len(w.got)-1]; got.Method != protocol.MethodElicitationComplete || got.Body != jsonrpc.Raw(`{"elicitationId":"`+name+`+1"}`) {
				t.Errorf("the client got %v %s", got.Method, got.Body)
			}
		}
		call := w.call("left-slow")
		two := page
		two.ElicitationID = "b"
		e := protocol.URLElicitationRequired(page, two)
		w.on("left")(noReq(w.peers["left"].s.Fail(w.now, w.held("left"), e)))
		got := w.fault(call)
		list, err := protocol.URLElicitations(got)
		if err != nil || len(list) != 2 || list[0].ElicitationID != "left+1" || list[1].ElicitationID != "left+b" || list[1].URL != page.URL || got.Message != e.Message {
			t.Errorf("%+v %v", got, err)
		}
		for _, data := range []jsonrpc.Raw{"", "1", `{"elicitations":{}}`, `{ "elicitations":[1 , {"elicitationId":7}]}`} {
			call := w.call("left-slow")
			w.on("left")(noReq(w.peers["left"].s.Fail(w.now, w.held("left"), jsonrpc.Error{Code: e.Code, Data: data})))
			if got := w.fault(call); got.Data != data {
				t.Errorf("%s became %s", data, got.Data)
			}
		}
	})
}

// When a server gives up what it asked, or is gone, or its call has been cancelled, nobody asks
// the client any more; and a server whose request the client cannot be asked is told so.
func TestAsksEnd(t *testing.T) {
	for name, end := range map[string]func(w *world, req server.Req){
		"gone": func(w *world, _ server.Req) { w.kill("left") },
		"given up": func(w *world, req server.Req) {
			w.on("left")(noReq(w.peers["left"].s.Cancel(w.now, req, "enough")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, as option) {
				w := newWorld(t, []string{"left", "right"}, as)
				w.list("tools/list")
				w.call("left-slow")
				req := w.asks("left", protocol.CreateMessageParams{MaxTokens: 1, Messages: []protocol.SamplingMessage{}}, w.held("left"))
				call := w.asked().Call
				end(w, req)
				cancelled := 0
				for _, ev := range w.got {
					if ev.Kind == lifecycle.RequestCancelled && ev.Call == call {
						cancelled++
					}
				}
				if n := w.s.Status().Outbound; n != 0 || cancelled != 1 {
					t.Errorf("%d open to the client, %d cancelled there", n, cancelled)
				}
			})
		})
	}
	t.Run("the call is cancelled", func(t *testing.T) {
		both(t, func(t *testing.T, as option) {
			w := newWorld(t, []string{"left", "right"}, as)
			call := w.call("left-slow")
			req := w.asks("left", protocol.ListRootsParams{}, server.Call{})
			c, out, err := w.c.Cancel(w.now, call, "enough")
			if err != nil {
				t.Fatal(err)
			}
			w.client(c, out)
			if got := w.answered("left", req); got.Err == nil || got.Err.Code != jsonrpc.CodeInternalError {
				t.Errorf("the server got %v %+v", got.Kind, got.Err)
			}
		})
	})
	t.Run("cannot be asked", func(t *testing.T) {
		w := newWorld(t, []string{"left"}, func(w *world) { w.cc = client.Config{Info: info} })
		for _, method := range []string{"roots/list", "sampling/createMessage", "elicitation/create"} {
			w.peers["left"].heard = nil
			w.say("left", `{"jsonrpc":"2.0","id":"x`+method+`","method":"`+method+`","params":{}}`)
			last := w.lines[len(w.lines)-1]
			if !strings.Contains(last, "relay>left") || !strings.Contains(last, "-32601") {
				t.Errorf("%s: %s", method, last)
			}
		}
	})
}

// Progress that the client makes with what it was asked reaches the server.
func TestProgressOfAsks(t *testing.T) {
	both(t, func(t *testing.T, as option) {
		w := newWorld(t, []string{"left"}, as)
		l := w.peers["left"]
		req := w.on("left")(l.s.Request(w.now, protocol.CreateMessageParams{MaxTokens: 1, Messages: []protocol.SamplingMessage{}}, server.RequestOptions{Progress: true}))
		c, out, err := w.c.Progress(w.now, w.asked().Call, protocol.ProgressParams{Progress: 0.5})
		if err != nil {
			t.Fatal(err)
		}
		w.client(c, out)
		if last := l.heard[len(l.heard)-1]; last.Kind != lifecycle.ProgressReceived || last.Req != req {
			t.Errorf("the server heard %v", last.Kind)
		}
	})
}

// The servers are told all that the client can do, and no more, and in its revision.
func TestServersKnowWhatTheClientCan(t *testing.T) {
	for _, cfg := range []client.Config{
		{},
		{Serve: []string{"elicitation/create"}},
		{Serve: []string{"elicitation/create"}, Declare: protocol.CapElicitationURL},
		{Serve: []string{"elicitation/create", "sampling/createMessage"}, Declare: protocol.CapElicitationURL | protocol.CapElicitationForm | protocol.CapSamplingTools},
		{Serve: []string{"sampling/createMessage"}, Declare: protocol.CapSamplingContext},
		{Serve: []string{"roots/list"}},
		{Serve: []string{"roots/list"}, RootsListChanged: true},
		{Revisions: []protocol.Revision{protocol.Revision20250618}, Serve: []string{"elicitation/create"}},
		{Revisions: []protocol.Revision{protocol.Revision20241105}},
	} {
		both(t, func(t *testing.T, as option) {
			cfg.Info = info
			w := newWorld(t, []string{"left", "right"}, as, func(w *world) { w.cc = cfg })
			for _, p := range w.peers {
				if got, want := p.s.PeerCapabilities(), w.s.PeerCapabilities(); got != want {
					t.Errorf("%v %s: the server knows of %s, the relay of %s", cfg.Serve, cfg.Declare, got, want)
				}
				if p.s.Revision() != w.s.Revision() {
					t.Errorf("%v and %v", p.s.Revision(), w.s.Revision())
				}
			}
		})
	}
}

// That the roots have changed is told to all servers.
func TestRootsChanged(t *testing.T) {
	w := newWorld(t, []string{"left", "right"})
	c, out, err := w.c.Notify(w.now, protocol.RootsListChangedParams{}, client.Call{})
	if err != nil {
		t.Fatal(err)
	}
	w.client(c, out)
	for name, p := range w.peers {
		if last := p.heard[len(p.heard)-1]; last.Method != protocol.MethodRootsListChanged {
			t.Errorf("%s heard %v", name, last.Method)
		}
	}
}

// The level of the client reaches every server that logs, also one that comes later or again; the
// messages come back (B16).
func TestLogging(t *testing.T) {
	both(t, func(t *testing.T, as option) {
		w := newWorld(t, []string{"left", "right", "late"}, as, func(w *world) {
			w.peers["left"].cfg.Logging = true
			w.peers["late"].cfg.Logging = true
			w.peers["late"].mute = true
		})
		if body := w.ask("logging/setLevel", `{"level":"warning"}`); body != "{}" {
			t.Error(body)
		}
		w.speak("late")
		log := func(name string, level protocol.LoggingLevel) {
			w.on(name)(w.peers[name].s.Notify(w.now, protocol.LoggingMessageParams{Level: level, Logger: "l", Data: `{ "x":1}`}, server.Call{}))
		}
		levels := func(name string) (n int) {
			for _, m := range w.peers[name].got {
				if m.Method == "logging/setLevel" {
					n++
				}
			}
			return n
		}
		log("left", "info")
		log("left", "error")
		log("late", "warning")
		if n := w.count("notifications/message"); n != 2 {
			t.Errorf("%d messages", n)
		}
		if levels("left") != 1 || levels("late") != 1 || levels("right") != 0 {
			t.Errorf("the level was set %d, %d, %d times", levels("left"), levels("late"), levels("right"))
		}
		w.kill("left")
		w.pass(time.Minute)
		if levels("left") != 2 {
			t.Error("the level was not set in the new session")
		}
		e := w.fault(w.request(protocol.RawRequest{Name: "logging/setLevel", Body: `{"level":"loud"}`}, client.RequestOptions{}))
		if e.Code != jsonrpc.CodeInvalidParams {
			t.Errorf("%+v", e)
		}
	})
}

// A custom method goes to the server that Routes name, the longest first, to the only one there
// is, or to nobody; a custom notification too. What servers say so goes to the client.
func TestCustomMethods(t *testing.T) {
	routes := []relay.Route{{Method: "acme/", Server: "left"}, {Method: "acme/right/", Server: "right"}, {Method: "exact", Server: "right"}, {Method: "gone", Server: "nobody"}}
	for _, tt := range []struct {
		names        []string
		routes       []relay.Route
		method, want string
	}{
		{[]string{"left", "right"}, routes, "acme/x", "left"},
		{[]string{"left", "right"}, routes, "acme/right/x", "right"},
		{[]string{"left", "right"}, routes, "exact", "right"},
		{[]string{"left", "right"}, routes, "exactly", ""},
		{[]string{"left", "right"}, routes, "acme/", "left"},
		{[]string{"left", "right"}, routes, "gone", ""},
		{[]string{"left", "right"}, nil, "acme/x", ""},
		{[]string{"left", "right"}, []relay.Route{{Method: "", Server: "right"}}, "acme/x", "right"},
		{[]string{"left"}, nil, "acme/x", "left"},
	} {
		both(t, func(t *testing.T, as option) {
			w := newWorld(t, tt.names, as, config(relay.Config{Routes: tt.routes}), func(w *world) {
				for _, p := range w.peers {
					p.cfg.ServeUnknown = true
				}
			})
			c, out, err := w.c.Notify(w.now, protocol.RawRequest{Name: "notifications/" + tt.method, Body: `{"x" : 1}`}, client.Call{})
			if err != nil {
				t.Fatal(err)
			}
			w.client(c, out)
			req := w.request(protocol.RawRequest{Name: tt.method, Body: `{"x" : 1}`}, client.RequestOptions{})
			if tt.want == "" {
				if e := w.fault(req); e.Code != jsonrpc.CodeMethodNotFound {
					t.Errorf("%s: %+v", tt.method, e)
				}
				return
			}
			p := w.peers[tt.want]
			if last := p.calls[len(p.calls)-1]; last.Method != tt.method || last.Body != `{"x" : 1}` {
				t.Errorf("%s: the server got %s %s", tt.method, last.Method, last.Body)
			}
			w.on(tt.want)(noReq(p.s.Respond(w.now, w.held(tt.want), jsonrpc.Raw(`{"y":[ ]}`))))
			if body := w.result(req); body != `{"y":[ ]}` {
				t.Error(body)
			}
			w.on(tt.want)(p.s.Notify(w.now, protocol.RawRequest{Name: "notifications/acme", Body: `{"z" :1}`}, server.Call{}))
			if last := w.got[len(w.got)-1]; last.Method != "notifications/acme" || last.Body != `{"z" :1}` {
				t.Errorf("the client got %s %s", last.Method, last.Body)
			}
		})
	}
}
