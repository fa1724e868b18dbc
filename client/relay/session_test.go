package relay_test

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/conformance/memory"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
	"github.com/sansmcp/mcp/server"
)

// When the session with the client ends, however it does, all connections do; Close does the same,
// and answers what is open.
func TestTheEnd(t *testing.T) {
	for name, end := range map[string]func(w *world){
		"disconnected": func(w *world) { s, out := w.s.Disconnected(w.now, nil); w.relay(w.r.Handle(s, w.now, out)) },
		"aborted":      func(w *world) { s, out := w.s.Abort(w.now, nil); w.relay(w.r.Handle(s, w.now, out)) },
		"shut down":    func(w *world) { s, out := w.s.Shutdown(w.now, 0); w.relay(w.r.Handle(s, w.now, out)) },
		"closed":       func(w *world) { w.relay(w.r.Close(w.s, w.now)) },
		"drained": func(w *world) {
			s, out := w.s.Shutdown(w.now, time.Second)
			w.relay(w.r.Handle(s, w.now, out))
			if !w.peers["left"].open {
				w.t.Error("closed before the drain")
			}
			w.on("left")(noReq(w.peers["left"].s.Respond(w.now, w.held("left"), protocol.TextResult("x"))))
			w.pass(time.Second)
		},
	} {
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, as option) {
				w := newWorld(t, []string{"left", "right", "mute"}, mute("mute"), as)
				call, waits := w.call("left-slow"), w.call("mute")
				w.asks("left", protocol.ListRootsParams{}, server.Call{})
				end(w)
				w.pass(time.Minute)
				for _, p := range w.peers {
					if p.open {
						t.Error(p.name, "is open")
					}
				}
				if name == "closed" {
					w.fault(call)
					w.fault(waits)
					w.fault(w.call("right"))
					w.relay(w.r.Close(w.s, w.now))
				}
				if next, some := w.r.NextDeadline(); some {
					t.Error("something is due at the end:", next.Sub(w.now))
				}
			})
		})
	}
}

// A client that forgets notifications/initialized is served all the same, and one that opens a new
// session on a State that was reset.
func TestSessionsBegin(t *testing.T) {
	w := newWorld(t, []string{"left"})
	s, out := w.s.Disconnected(w.now, nil)
	w.relay(w.r.Handle(s, w.now, out))
	if w.peers["left"].open {
		t.Fatal("left is open")
	}
	var err error
	if w.s, err = w.s.Reset(w.now); err != nil {
		t.Fatal(err)
	}
	w.feed(jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":100,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`))
	w.lines = nil
	w.feed(jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":101,"method":"tools/list"}`))
	w.pass(time.Second)
	found := false
	for _, line := range w.lines {
		found = found || strings.Contains(line, `"id":101,"result"`) && strings.Contains(line, `"left"`)
	}
	if !found {
		t.Errorf("%q", w.lines)
	}
}

// A call that is cancelled while it is held never goes out, and is not kept.
func TestCancelledCallsAreNotPassedOn(t *testing.T) {
	w := newWorld(t, []string{"left"}, mute("left"))
	text := strings.Repeat("x", 100_000)
	cancelled := func() {
		req := w.request(protocol.CallToolParams{Name: "left", Arguments: jsonrpc.Raw(`{"a":"` + text + `"}`)}, client.RequestOptions{})
		c, out, err := w.c.Cancel(w.now, req, "")
		if err != nil {
			t.Fatal(err)
		}
		w.client(c, out)
		w.lines, w.got = nil, nil
	}
	cancelled()
	before := heap()
	for range 300 {
		cancelled()
	}
	if n := heap() - before; n > 5<<20 {
		t.Errorf("%d bytes are kept", n)
	}
	w.speak("left")
	for _, line := range w.lines {
		if strings.Contains(line, "tools/call") {
			t.Error("passed on:", line)
		}
	}
	runtime.KeepAlive(w)
}

var heap = memory.Live

// What waits is bounded in number and bytes.
func TestHeldIsBounded(t *testing.T) {
	for size, most := range map[int]int{10: 20, 100_000: 4} {
		w := newWorld(t, []string{"left"}, mute("left"), config(relay.Config{Held: relay.Held{Requests: 20, Bytes: 450_000}}))
		args := jsonrpc.Raw(`{"a":"` + strings.Repeat("x", size) + `"}`)
		var reqs []client.Req
		for range 30 {
			reqs = append(reqs, w.request(protocol.CallToolParams{Name: "left", Arguments: args}, client.RequestOptions{}))
		}
		refused := 0
		for _, req := range reqs {
			if ev, ok := w.end(req); ok && ev.Err != nil && ev.Err.Code == jsonrpc.CodeInternalError {
				refused++
			}
		}
		if refused != 30-most {
			t.Errorf("%d bytes each: %d refused, want %d", size, refused, 30-most)
		}
		w.speak("left")
		for i, req := range reqs[:most] {
			if i > 0 || size == 10 {
				w.result(req)
			}
		}
	}
}

// A message that does not get out, or whose answer is lost, costs its request alone.
func TestTransportFaults(t *testing.T) {
	func() { // not for a session that moves: the handles of the driver are those of the State before
		w := newWorld(t, []string{"left", "right"})
		w.list("tools/list")
		other := w.call("left-slow")
		for kind, fault := range map[toolerror.Kind]func(link manager.Link, req lifecycle.Req) (relay.Relay, server.State, relay.Effects){
			toolerror.Unavailable: func(link manager.Link, req lifecycle.Req) (relay.Relay, server.State, relay.Effects) {
				return w.r.Report(w.s, w.now, manager.Report{Kind: manager.SendFailed, Link: link, Req: req, Err: errors.New("full")})
			},
			toolerror.ConnectionLost: func(link manager.Link, req lifecycle.Req) (relay.Relay, server.State, relay.Effects) {
				return w.r.Report(w.s, w.now, manager.Report{Kind: manager.ResponseLost, Link: link, Req: req, Err: errors.New("cut")})
			},
		} {
			w.peers["left"].mute = true
			w.sent = lifecycle.Outgoing{}
			own := w.call("left")
			w.peers["left"].mute = false
			w.relay(fault(w.peers["left"].link, w.sent.Req))
			tells(t, w.fault(own), "left", kind)
			if _, ok := w.end(other); ok {
				t.Error("another call ended")
			}
		}
	}()
}

// A server whose lists cannot be read keeps those that were, and is asked again, ever more seldom.
func TestListsThatCannotBeRead(t *testing.T) {
	w := newWorld(t, []string{"left", "right"})
	before := w.list("tools/list")
	l := w.peers["left"]
	l.mute = true
	w.say("left", `{"jsonrpc":"2.0","method":"`+toolsChanged+`"}`)
	n := 0
	for range 20 {
		w.pass(10 * time.Second)
		for _, m := range l.late {
			if m.Method == "tools/list" {
				n++
				w.say("left", fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"no"}}`, m.ID))
			} else if m.Method == "ping" {
				w.say("left", fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID))
			}
		}
		l.late = nil
	}
	if got := w.list("tools/list"); !slices.Equal(got, before) || n < 3 || n > 12 {
		t.Errorf("%q, asked %d times", got, n)
	}
	for range 120 {
		w.pass(time.Second)
		for _, m := range l.late {
			w.say("left", fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, m.ID))
		}
		l.late = nil
	}
	if got := w.list("tools/list"); slices.Contains(got, "left") {
		t.Errorf("%q", got)
	}
}
