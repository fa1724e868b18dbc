package relay_test

import (
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// A server that never comes up is waited for once, for Lists.Hold: what is asked after that and
// nobody has is answered at once, through all the attempts to start it, and as what nobody has. One
// that is started anew, by hand or after it was lost, is waited for again.
func TestMuteServerIsWaitedForOnce(t *testing.T) {
	cfg := relay.Config{
		Manager: manager.Config{Timeouts: manager.Timeouts{Connect: 7 * time.Second}, Backoff: backoff.Policy{Base: time.Second, Cap: 3 * time.Second, Jitter: 0.5}},
		Held:    relay.Held{Time: 20 * time.Second},
	}
	both(t, func(t *testing.T, as option) {
		w := newWorld(t, []string{"left", "mute"}, mute("mute"), config(cfg), as)
		begun := w.now
		ask := func() time.Duration { // how long an answer takes
			t.Helper()
			at := w.now
			reqs := []client.Req{
				w.request(protocol.CallToolParams{Name: "nope"}, client.RequestOptions{}),
				w.request(protocol.ReadResourceParams{URI: "nope:x"}, client.RequestOptions{}),
			}
			for i, req := range reqs {
				for w.now.Sub(at) < time.Minute {
					if _, ok := w.end(req); ok {
						break
					}
					w.pass(100 * time.Millisecond)
				}
				if e := w.fault(req); i == 0 && e.Code != jsonrpc.CodeInvalidParams || i == 1 && e.Code != protocol.CodeResourceNotFound {
					t.Errorf("%d: %+v", i, e)
				}
			}
			w.result(w.call("left"))
			return w.now.Sub(at)
		}
		if d := ask(); d == 0 || d > defaultHold {
			t.Errorf("%v at first", d)
		}
		opens := w.peers["mute"].opens
		for range 20 {
			if d := ask(); d != 0 {
				t.Errorf("%v after %v", d, w.now.Sub(begun))
			}
			w.pass(1700 * time.Millisecond)
		}
		if n := w.peers["mute"].opens - opens; n < 2 {
			t.Errorf("%d attempts", n)
		}
		r, s, eff, err := w.r.Restart(w.s, w.now, "mute")
		if err != nil {
			t.Fatal(err)
		}
		w.relay(r, s, eff)
		req := w.call("mute")
		w.pass(time.Second)
		if _, ok := w.end(req); ok {
			t.Error("a server that was started anew was not waited for")
		}
		w.speak("mute")
		w.pass(time.Second)
		w.result(req)

		// It was up: when it is lost, it is waited for.
		w.peers["mute"].mute = true
		w.kill("mute")
		w.pass(2 * time.Second) // until it is started again
		if d := ask(); d == 0 || d > cfg.Held.Time {
			t.Errorf("%v after a loss", d)
		}
	})
}

// Times that no clock reaches are never, and not at once.
func TestTimesThatNeverCome(t *testing.T) {
	const long = time.Duration(1<<63 - 1)
	for _, lists := range []relay.Lists{{MinInterval: long}, {Hold: long}, {MinInterval: 200 * time.Hour}} {
		w := newWorld(t, []string{"left", "mute"}, mute("mute"), config(relay.Config{Lists: lists}))
		w.pass(time.Second)
		w.say("left", `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		asked := len(w.peers["left"].got)
		for range 20 {
			w.say("left", `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
			w.pass(10 * time.Millisecond)
		}
		if n := len(w.peers["left"].got) - asked; lists.MinInterval > 0 && n > 0 {
			t.Errorf("%+v: %d requests", lists, n)
		}
		req := w.request(protocol.ListToolsParams{}, client.RequestOptions{})
		w.pass(20 * time.Second)
		if _, ok := w.end(req); ok != (lists.Hold != long) {
			t.Errorf("%+v: the list was answered: %v", lists, ok)
		}
	}
}

// A list that is read again and is the same changes nothing: it is not merged anew, and nothing is
// to be announced. One that differs in a byte is another one.
func TestListsThatAreTheSame(t *testing.T) {
	w := newWorld(t, []string{"left", "right"})
	w.list("tools/list")
	w.pass(2 * time.Second)
	news := func() bool { return strings.Contains(string(w.r.Snapshot()), `"news":`) }
	for range 3 {
		asked := len(w.peers["left"].got)
		w.say("left", `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		if len(w.peers["left"].got) == asked || news() {
			t.Errorf("asked %v, to be announced %v", len(w.peers["left"].got) > asked, news())
		}
		w.pass(2 * time.Second)
	}
	if n := w.count(toolsChanged); n != 0 {
		t.Errorf("%d announcements", n)
	}
	w.peers["left"].h = &server.Handlers{}
	w.peers["left"].h.Tool(protocol.Tool{Name: "left", Description: "x", InputSchema: `{"type":"object"}`}, echo("left"))
	w.kill("left")
	w.pass(10 * time.Second)
	if n := w.count(toolsChanged); n != 2 { // gone, and back
		t.Errorf("%d announcements", n)
	}
	if body := w.ask("tools/list", "{}"); !strings.Contains(body, `"description":"x"`) {
		t.Error(body)
	}
}
