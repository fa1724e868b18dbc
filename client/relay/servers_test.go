package relay_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

const toolsChanged = "notifications/tools/list_changed"

func mute(names ...string) option {
	return func(w *world) {
		for _, name := range names {
			w.peers[name].mute = true
		}
	}
}

// A server that says nothing costs the other nothing: its tools are called at once, and listed
// after a moment; those of the mute one join when it speaks, and are announced once.
func TestMuteServer(t *testing.T) {
	for _, names := range [][2]string{{"left", "right"}, {"right", "left"}} {
		both(t, func(t *testing.T, as option) {
			muted, other := names[0], names[1]
			w := newWorld(t, []string{"left", "right"}, mute(muted), as)
			w.result(w.call(other))
			list := w.request(protocol.ListToolsParams{}, client.RequestOptions{})
			if _, ok := w.end(list); ok {
				t.Error("the list did not wait at all")
			}
			w.pass(defaultHold)
			if body := w.result(list); !strings.Contains(body, `"`+other+`"`) || strings.Contains(body, `"`+muted+`"`) {
				t.Error(body)
			}
			if e := w.fault(w.call(muted)); e.Code != jsonrpc.CodeInvalidParams {
				t.Errorf("%+v", e)
			}
			named := w.call("mcp." + muted + "." + muted)
			if ev, ok := w.end(named); ok {
				t.Errorf("a call of its own was answered: %+v", ev)
			}
			w.speak(muted)
			w.pass(time.Second)
			w.result(named)
			w.result(w.call(muted))
			if n := w.count(toolsChanged); n != 1 {
				t.Errorf("%d announcements", n)
			}
			if got := w.list("tools/list"); !slices.Contains(got, muted) || !slices.Contains(got, other) {
				t.Error(got)
			}
		})
	}
}

// Without any server a list waits, but not for ever, and a call has its own deadline.
func TestAllServersAreMute(t *testing.T) {
	both(t, func(t *testing.T, as option) {
		w := newWorld(t, []string{"left", "right"}, mute("left", "right"), as)
		list := w.request(protocol.ListToolsParams{}, client.RequestOptions{})
		call := w.request(protocol.CallToolParams{Name: "left"}, client.RequestOptions{Timeout: time.Hour})
		named := w.request(protocol.CallToolParams{Name: "mcp.left.left"}, client.RequestOptions{Timeout: time.Hour})
		w.pass(defaultHold - 1)
		for _, req := range []client.Req{list, call} {
			if _, ok := w.end(req); ok {
				t.Error("it did not wait")
			}
		}
		w.pass(1)
		if body := w.result(list); body != `{"tools":[]}` {
			t.Error(body)
		}
		if e := w.fault(call); e.Code != jsonrpc.CodeInvalidParams {
			t.Errorf("%+v", e)
		}
		if _, ok := w.end(named); ok {
			t.Error("the call of a server that starts did not wait")
		}
		w.pass(defaultHeldTime)
		tells(t, w.fault(named), "left", toolerror.Unavailable)
	})
}

// A server that is mute in a session fails its own calls, at their own deadline, and nothing else.
func TestServerFallsMute(t *testing.T) {
	w := newWorld(t, []string{"left", "right"}, config(relay.Config{CallTimeout: time.Second}))
	w.list("tools/list")
	w.peers["left"].mute = true
	own := w.call("left")
	for range 10 {
		w.result(w.call("right"))
		w.list("tools/list")
		w.pass(100 * time.Millisecond)
	}
	tells(t, w.fault(own), "left", toolerror.Timeout)
}

// A server that is killed in the middle of a call costs its caller an error in the same step and
// the other nothing; it comes back with its lists read anew, and each change is announced once
// (E11, E12, E14).
func TestKilledServer(t *testing.T) {
	for _, loss := range []naming.Loss{naming.Hide, naming.Keep} {
		both(t, func(t *testing.T, as option) {
			w := newWorld(t, []string{"left", "right"}, config(relay.Config{Naming: naming.Policy{OnLoss: loss}}), as)
			before := w.list("tools/list")
			own, other := w.call("left-slow"), w.call("right-slow")
			l := w.peers["left"]
			l.dead = true
			now := w.now
			w.kill("left")
			if tells(t, w.fault(own), "left", toolerror.ConnectionLost); !w.now.Equal(now) {
				t.Error("it took time")
			}
			if _, ok := w.end(other); ok {
				t.Error("the call of the other server ended")
			}
			w.pass(100 * time.Millisecond)
			away := []string{"mcp.right.both", "right", "right-slow"} // left keeps its name
			changes := 1
			if loss == naming.Keep {
				away, changes = before, 0
			}
			if got := w.list("tools/list"); !slices.Equal(got, away) || w.count(toolsChanged) != changes {
				t.Errorf("%q, %d announcements", got, w.count(toolsChanged))
			}
			if e := tells(t, w.fault(w.call("left")), "left", toolerror.Unavailable); e.After <= 0 {
				t.Errorf("%+v", e)
			}
			l.h.Tool(protocol.Tool{Name: "new", InputSchema: `{"type":"object"}`}, echo("left"))
			l.dead = false
			w.pass(5 * time.Minute)
			if got := w.list("tools/list"); !slices.Contains(got, "new") || len(got) != len(before)+1 || w.count(toolsChanged) != changes+1 {
				t.Errorf("%q, %d announcements", got, w.count(toolsChanged))
			}
			w.result(w.call("left"))
			w.on("right")(noReq(w.peers["right"].s.Respond(w.now, w.held("right"), protocol.TextResult("x"))))
			w.result(other)
		})
	}
}

// However often a server announces what has not changed, the client hears nothing, and once of
// what has; and the server is not asked more often than Lists.MinInterval says.
func TestAnnouncements(t *testing.T) {
	both(t, func(t *testing.T, as option) {
		w := newWorld(t, []string{"left", "right"}, as)
		w.list("tools/list")
		l := w.peers["left"]
		lists := func() (n int) {
			for _, m := range l.got {
				if m.Method == "tools/list" {
					n++
				}
			}
			return n
		}
		before := lists()
		announce := func() {
			for range 100 {
				w.say("left", `{"jsonrpc":"2.0","method":"`+toolsChanged+`"}`)
			}
		}
		announce()
		w.pass(time.Minute)
		announce()
		if n := lists() - before; n > 3 {
			t.Errorf("the list was read %d times", n)
		}
		w.pass(time.Minute)
		if n := w.count(toolsChanged); n != 0 {
			t.Errorf("%d announcements of nothing", n)
		}
		l.h.Tool(protocol.Tool{Name: "new", InputSchema: `{"type":"object"}`}, nil)
		catalog, err := l.h.Catalog()
		if err != nil {
			t.Fatal(err)
		}
		w.serve(l)(must(l.s.SetCatalog(w.now, catalog)))
		announce()
		w.pass(time.Minute)
		if n := w.count(toolsChanged); n != 1 {
			t.Errorf("%d announcements of one change", n)
		}
	})
}

// A client that never asked for a list is told nothing of it, nor is one that has seen it as it is.
func TestNothingIsAnnouncedToWhoDidNotAsk(t *testing.T) {
	w := newWorld(t, []string{"left", "right"}, resources)
	w.list("prompts/list")
	w.kill("left")
	w.pass(time.Minute)
	if w.count(toolsChanged) != 0 || w.count("notifications/resources/list_changed") != 0 || w.count("notifications/prompts/list_changed") != 2 {
		t.Error("announced otherwise")
	}
	w.list("resources/list")
	w.list("resources/templates/list")
	w.kill("left")
	w.pass(time.Minute)
	if n := w.count("notifications/resources/list_changed"); n != 2 {
		t.Errorf("%d announcements of resources and templates", n)
	}
}

// Long lists have pages; a cursor belongs to the list as it is, and any other is refused.
func TestPaging(t *testing.T) {
	both(t, func(t *testing.T, as option) {
		w := newWorld(t, []string{"left", "right"}, config(relay.Config{Lists: relay.Lists{PageItems: 4}}), as)
		if got := w.list("tools/list"); len(got) != 6 {
			t.Error(got)
		}
		body := w.ask("tools/list", `{}`)
		_, cursor, _ := strings.Cut(body, `"nextCursor":"`)
		cursor = strings.TrimSuffix(cursor, `"}`)
		w.ask("tools/list", `{"cursor":"`+cursor+`"}`)
		w.ask("tools/list", `{"cursor":null}`)
		refuse := func(cursor string) {
			t.Helper()
			req := w.request(protocol.RawRequest{Name: "tools/list", Body: jsonrpc.Raw(`{"cursor":` + cursor + `}`)}, client.RequestOptions{})
			if e := w.fault(req); e.Code != jsonrpc.CodeInvalidParams {
				t.Errorf("%s: %+v", cursor, e)
			}
		}
		version, _, _ := strings.Cut(cursor, ".")
		for _, bad := range []string{`""`, `"x"`, `"1.1"`, `1`, `"` + version + `.0"`, `"` + version + `.2"`, `"` + version + `.-1"`, `"` + version + `.01"`, `"` + strings.ToUpper(cursor) + `.1"`} {
			refuse(bad)
		}
		w.peers["left"].dead = true
		w.kill("left")
		refuse(`"` + cursor + `"`)
	})
	all := newWorld(t, []string{"left", "right"}).list("tools/list")
	for n := 1; n <= len(all); n++ { // wherever a page begins and ends
		w := newWorld(t, []string{"left", "right"}, config(relay.Config{Lists: relay.Lists{PageItems: n}}))
		if got := w.list("tools/list"); !slices.Equal(got, all) {
			t.Errorf("%d a page: %q, want %q", n, got, all)
		}
	}
	w := newWorld(t, []string{"left"}, config(relay.Config{Lists: relay.Lists{PageBytes: 1}}))
	if got := w.list("tools/list"); len(got) != 3 {
		t.Error(got)
	}
}

// A reload keeps the connection of what has not changed, with its calls, ends what is gone, and
// connects what is new; the client hears of it once (B25).
func TestSetServers(t *testing.T) {
	both(t, func(t *testing.T, as option) {
		w := newWorld(t, []string{"left", "right", "new"}, as, func(w *world) { w.defs = w.defs[:2] })
		w.list("tools/list")
		keep, lose := w.call("left-slow"), w.call("right-slow")
		opens := w.peers["left"].opens
		set := func(defs ...relay.Server) {
			t.Helper()
			r, s, eff, err := w.r.SetServers(w.s, w.now, defs)
			if err != nil {
				t.Fatal(err)
			}
			w.defs = defs
			w.relay(r, s, eff)
		}
		def := func(name, definition string) relay.Server {
			return relay.Server{Name: name, Definition: definition, Options: manager.Options{Endpoint: name}}
		}
		set(def("new", "1"), def("left", "1"))
		tells(t, w.fault(lose), "right", toolerror.ConnectionLost)
		if _, ok := w.end(keep); ok || w.peers["left"].opens != opens || w.peers["right"].open {
			t.Error("left was touched, or right was not")
		}
		w.pass(time.Second)
		if got := w.list("tools/list"); !slices.Equal(got, []string{"mcp.new.both", "new", "new-slow", "both", "left", "left-slow"}) || w.count(toolsChanged) != 1 {
			t.Errorf("%q, %d announcements", got, w.count(toolsChanged))
		}
		w.on("left")(noReq(w.peers["left"].s.Respond(w.now, w.held("left"), protocol.TextResult("x"))))
		w.result(keep)
		// Another definition of the same name is another server.
		lose = w.call("left-slow")
		set(def("left", "2"), def("new", "1"))
		w.fault(lose)
		w.pass(time.Second)
		w.result(w.call("left"))
		if w.peers["left"].opens != opens+1 {
			t.Error("left was opened", w.peers["left"].opens)
		}
		if got := w.r.Statuses(); len(got) != 2 || got[0].Link.Server != "left" || got[0].Condition != manager.Ready || got[1].Link.Server != "new" {
			t.Errorf("%+v", got)
		}
		set()
		w.pass(time.Second)
		if got := w.list("tools/list"); len(got) != 0 {
			t.Error(got)
		}
		w.fault(w.call("left"))
	})
}

// Restart makes a connection anew at once.
func TestRestart(t *testing.T) {
	both(t, func(t *testing.T, as option) {
		w := newWorld(t, []string{"left", "right"}, as)
		w.list("tools/list")
		own, other := w.call("left-slow"), w.call("right-slow")
		r, s, eff, err := w.r.Restart(w.s, w.now, "left")
		if err != nil {
			t.Fatal(err)
		}
		w.relay(r, s, eff)
		w.fault(own)
		w.pass(time.Second)
		if _, ok := w.end(other); ok || w.peers["left"].opens != 2 {
			t.Errorf("the call of the other server ended, or left was opened %d times", w.peers["left"].opens)
		}
		w.result(w.call("left"))
		if _, _, _, err := w.r.Restart(w.s, w.now, "nobody"); !errors.Is(err, lifecycle.ErrParams) {
			t.Error(err)
		}
	})
}
