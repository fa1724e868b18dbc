package relay_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
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
	"github.com/sansmcp/mcp/server"
)

// both runs a test as it is, and with a session that moves to another machine in each step.
func both(t *testing.T, do func(t *testing.T, as option)) {
	t.Helper()
	t.Run("stays", func(t *testing.T) { do(t, func(*world) {}) })
	t.Run("moves", func(t *testing.T) { do(t, func(w *world) { w.moves = true }) })
}

// config sets settings of the relay.
func config(cfg relay.Config) option {
	return func(w *world) { cfg.Info = info; w.cfg = cfg }
}

// Section F, name precedence: of two tools of one name that of the first server in configured
// order has it, the qualified name of each is always understood, and no server can take the calls
// of another by the name of a tool (E8, E9, A4, A14).
func TestNamesOfTools(t *testing.T) {
	for _, tt := range []struct {
		name  string
		cfg   relay.Config
		list  []string
		calls map[string]string // who answers
	}{
		{
			"unique", relay.Config{},
			[]string{"both", "left", "left-slow", "mcp.mcp-x2E.x", "mcp.right.both", "right", "right-slow"},
			map[string]string{"both": "left", "mcp.left.both": "left", "mcp.right.both": "right", "right": "right", "mcp.right.right": "right"},
		},
		{
			"qualified", relay.Config{Naming: naming.Policy{Names: naming.Always, Form: naming.Form{Bare: true, Profile: naming.Provider}}},
			[]string{"left__both", "left__left", "left__left-slow", "right__both", "right__right", "right__right-slow"},
			map[string]string{"left__both": "left", "right__both": "right", "both": "", "left": ""},
		},
		{
			"shadow", relay.Config{Naming: naming.Policy{OnConflict: naming.Hidden}},
			[]string{"both", "left", "left-slow", "right", "right-slow"},
			map[string]string{"both": "left", "mcp.right.both": "right"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			both(t, func(t *testing.T, as option) {
				w := newWorld(t, []string{"left", "right"}, config(tt.cfg), as)
				want := slices.DeleteFunc(slices.Clone(tt.list), func(s string) bool { return s == "mcp.mcp-x2E.x" })
				if got := w.list("tools/list"); !slices.Equal(got, want) {
					t.Errorf("the list is %q", got)
				}
				for tool, server := range tt.calls {
					req := w.call(tool)
					if server == "" {
						if e := w.fault(req); e.Code != jsonrpc.CodeInvalidParams {
							t.Errorf("%s: %+v", tool, e)
						}
					} else if body := w.result(req); !strings.Contains(body, `"text":"`+server+`"`) {
						t.Errorf("%s: %s", tool, body)
					}
				}
			})
		})
	}
}

// A tool whose name is the qualified one of another server's does not get its calls.
func TestNobodyTakesTheNameOfAnother(t *testing.T) {
	long := strings.Repeat("l", 200)
	w := newWorld(t, []string{"left", "right"}, func(w *world) {
		for _, name := range []string{"mcp.right.right", "mcp.right.hidden", naming.Form{}.ID("right", long), "mcp.nobody.x"} {
			w.peers["left"].h.Tool(protocol.Tool{Name: name, InputSchema: `{"type":"object"}`}, echo("left"))
		}
		w.peers["right"].h.Tool(protocol.Tool{Name: long, InputSchema: `{"type":"object"}`}, echo("right"))
	})
	id := naming.Form{}.ID
	want := []string{
		"both", "left", "left-slow", id("left", "mcp.right.right"), id("left", "mcp.right.hidden"), id("left", id("right", long)), "mcp.nobody.x",
		"mcp.right.both", long, "right", "right-slow",
	}
	got := w.list("tools/list")
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("the list is\n%q, want\n%q", got, want)
	}
	for _, name := range []string{"mcp.right.right", id("right", long), long} {
		if body := w.result(w.call(name)); !strings.Contains(body, `"text":"right"`) {
			t.Errorf("%s: %s", name, body)
		}
	}
	// What right does not list may be there all the same: right says so itself.
	if e := w.fault(w.call("mcp.right.hidden")); e.Code != jsonrpc.CodeInvalidParams {
		t.Error(e)
	}
	if n := len(w.peers["left"].calls); n != 0 {
		t.Errorf("left holds %d calls", n)
	}
}

// Of what passes only the member that has to change changes: arguments, results, _meta, icons and
// members that nobody knows are byte for byte.
func TestBytesPass(t *testing.T) {
	both(t, func(t *testing.T, as option) {
		w := newWorld(t, []string{"left", "right"}, config(relay.Config{Naming: naming.Policy{Names: naming.Always}}), as)
		p := w.peers["right"]
		p.heard, w.lines = nil, nil
		const item = `{"inputSchema" : {"type":"object","n":1e400},"icons":[ {"src":"data:,x"}],"name":"od\u0064","x":null,"_meta":{ "a/b":9007199254740993 }}`
		w.say("right", `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		w.pass(time.Minute)
		// right is played by hand from here on.
		p.mute = true
		w.say("right", `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		w.pass(2 * time.Second)
		list := p.late[0]
		w.say("right", `{"jsonrpc":"2.0","id":`+list.ID.String()+`,"result":{"tools":[`+item+`]}}`)
		body := w.ask("tools/list", "")
		if want := strings.Replace(item, `"od\u0064"`, `"mcp.right.odd"`, 1); !strings.Contains(body, want) {
			t.Errorf("%s lacks %s", body, want)
		}
		const params = `{ "x":null, "name" : "mcp.right.odd", "arguments":{"id":9007199254740993, "f":1e400,"s":"<a>&\u0062"},"_meta":{"progressToken":"tok","k" : [1 ]}}`
		req := w.request(protocol.RawRequest{Name: "tools/call", Body: params}, client.RequestOptions{})
		sent := p.late[len(p.late)-1]
		token := strings.Split(strings.Split(string(sent.Body), `"progressToken":`)[1], ",")[0]
		want := strings.Replace(strings.Replace(params, `"tok"`, token, 1), `"mcp.right.odd"`, `"odd"`, 1)
		if string(sent.Body) != want {
			t.Errorf("sent\n%s, want\n%s", sent.Body, want)
		}
		const result = `{"content" :[{"type":"text","text":"\u0062","y":1.0}],"structuredContent":{"a" :[1,  2]},"isError":null,"_meta":{"z":{}}}`
		w.say("right", `{"jsonrpc":"2.0","id":`+sent.ID.String()+`,"result":`+result+`}`)
		if got := w.result(req); got != result {
			t.Errorf("got\n%s, want\n%s", got, result)
		}
		req = w.request(protocol.RawRequest{Name: "tools/call", Body: params}, client.RequestOptions{})
		sent = p.late[len(p.late)-1]
		w.say("right", `{"jsonrpc":"2.0","id":`+sent.ID.String()+`,"error":{"code":-5,"message":"m\u0062","data":{ "a":1}}}`)
		if e := w.fault(req); e.Code != -5 || e.Message != "mb" || e.Data != `{ "a":1}` {
			t.Errorf("%+v", e)
		}
	})
}

// Progress and cancellations find their way, whatever the ids and tokens of the sides are, and a
// late answer reaches nobody (B21, E20; section F, Timeout expiry).
func TestProgressAndCancellation(t *testing.T) {
	both(t, func(t *testing.T, as option) {
		w := newWorld(t, []string{"left", "right"}, as)
		w.list("tools/list")
		one := w.call("left-slow")
		first := w.held("left")
		two := w.call("left-slow")
		second := w.held("left")
		l := w.peers["left"]
		w.on("left")(noReq(l.s.Progress(w.now, second, protocol.ProgressParams{Progress: 0.5, Message: "two"})))
		w.on("left")(noReq(l.s.Progress(w.now, first, protocol.ProgressParams{Progress: 0.25, Message: "one"})))
		var got []client.Req
		for _, ev := range w.got {
			if ev.Kind == lifecycle.ProgressReceived {
				got = append(got, ev.Req)
			}
		}
		if !slices.Equal(got, []client.Req{two, one}) {
			t.Errorf("progress of %v, want %v and %v", got, two, one)
		}
		c, out, err := w.c.Cancel(w.now, one, "enough")
		if err != nil {
			t.Fatal(err)
		}
		w.client(c, out)
		last := l.heard[len(l.heard)-1]
		if last.Kind != lifecycle.RequestCancelled || last.Call != first || last.Cause.Reason != "enough" {
			t.Errorf("the server heard %v of %v", last.Kind, last.Call)
		}
		w.on("left")(noReq(l.s.Respond(w.now, second, protocol.TextResult("second"))))
		if body := w.result(two); !strings.Contains(body, "second") {
			t.Error(body)
		}
		before := len(w.got)
		w.say("left", `{"jsonrpc":"2.0","id":3,"result":{"content":[]}}`)
		w.say("left", `{"jsonrpc":"2.0","id":4,"result":{"content":[]}}`)
		if len(w.got) != before {
			t.Error("a late answer got through:", w.got[before:])
		}
	})
}

func noReq(s server.State, out server.Output, err error) (server.State, server.Output, error) {
	return s, out, err
}

// A call that a server leaves alone ends with an error of the relay's at its deadline, and the
// server is told; progress puts that off (B12).
func TestDeadline(t *testing.T) {
	both(t, func(t *testing.T, as option) {
		w := newWorld(t, []string{"left", "right"}, config(relay.Config{CallTimeout: 2 * time.Second}), as)
		req := w.request(protocol.CallToolParams{Name: "left-slow"}, client.RequestOptions{Timeout: time.Hour})
		long := w.request(protocol.CallToolParams{Name: "right-slow"}, client.RequestOptions{Timeout: time.Hour, Progress: true})
		w.pass(2*time.Second - 1)
		if _, ok := w.end(req); ok {
			t.Error("ended too early")
		}
		r := w.peers["right"]
		w.on("right")(r.s.Progress(w.now, w.held("right"), protocol.ProgressParams{Progress: 1}))
		w.pass(1)
		tells(t, w.fault(req), "left", toolerror.Timeout)
		if last := w.peers["left"].heard; last[len(last)-1].Kind != lifecycle.RequestCancelled {
			t.Error("the server was not told")
		}
		w.pass(time.Second)
		if _, ok := w.end(long); ok {
			t.Error("the other call ended in spite of its progress")
		}
		w.pass(2 * time.Second)
		w.fault(long)
	})
}

// With one server alone what it does not list is its own affair: also the error.
func TestOnlyServer(t *testing.T) {
	w := newWorld(t, []string{"left"})
	if got := w.list("tools/list"); !slices.Equal(got, []string{"both", "left", "left-slow"}) {
		t.Error(got)
	}
	w.fault(w.call("nope"))
	if got := w.peers["left"].got; got[len(got)-1].Method != "tools/call" {
		t.Error("the server was not asked")
	}
}

// What is wrong with a Config or with servers is said when they are given.
func TestMisuse(t *testing.T) {
	good := relay.Config{Info: info}
	bad := good
	bad.Manager.Timeouts.Connect = -5
	if _, err := relay.New(bad, nil, t0); !errors.Is(err, lifecycle.ErrParams) {
		t.Error(err)
	}
	if _, err := good.Server(server.Config{Info: info, Catalog: &server.Catalog{}}); !errors.Is(err, lifecycle.ErrConfig) {
		t.Error(err)
	}
	for name, servers := range map[string][]relay.Server{
		"no name": {{}}, "twice": {{Name: "a"}, {Name: "a"}}, "not seen": {{Name: "a\u200b"}}, "escape": {{Name: "a\x1b[2J"}}, "blank": {{Name: " a"}},
		"no UTF-8": {{Name: "a\xff"}}, "long": {{Name: strings.Repeat("a", 1025)}},
	} {
		if _, err := relay.New(good, servers, t0); !errors.Is(err, lifecycle.ErrParams) {
			t.Errorf("%s: %v", name, err)
		}
		r, err := relay.New(good, nil, t0)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, _, err := r.SetServers(server.State{}, t0, servers); !errors.Is(err, lifecycle.ErrParams) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := relay.New(good, nil, time.Time{}); !errors.Is(err, lifecycle.ErrParams) {
		t.Error(err)
	}
	// The zero Relay does nothing, and leaves the State alone.
	var zero relay.Relay
	is := newWorld(t, []string{"left"}).s
	for name, does := range map[string]func() (relay.Relay, server.State, relay.Effects, error){
		"SetServers": func() (relay.Relay, server.State, relay.Effects, error) { return zero.SetServers(is, t0, nil) },
		"Restart":    func() (relay.Relay, server.State, relay.Effects, error) { return zero.Restart(is, t0, "x") },
		"Handle": func() (relay.Relay, server.State, relay.Effects, error) {
			r, s, eff := zero.Handle(is, t0, server.Output{Events: make([]server.Event, 1)})
			if len(eff.Events) != 1 {
				t.Error("an event is lost")
			}
			return r, s, relay.Effects{}, lifecycle.ErrParams
		},
		"Report": func() (relay.Relay, server.State, relay.Effects, error) {
			r, s, eff := zero.Report(is, t0, manager.Report{})
			return r, s, eff, lifecycle.ErrParams
		},
		"Tick": func() (relay.Relay, server.State, relay.Effects, error) {
			r, s, eff := zero.Tick(is, t0)
			return r, s, eff, lifecycle.ErrParams
		},
		"Close": func() (relay.Relay, server.State, relay.Effects, error) {
			r, s, eff := zero.Close(is, t0)
			return r, s, eff, lifecycle.ErrParams
		},
		"Resume": func() (relay.Relay, server.State, relay.Effects, error) {
			r, s, eff := zero.Resume(is, t0)
			return r, s, eff, lifecycle.ErrParams
		},
		"Rest": func() (relay.Relay, server.State, relay.Effects, error) {
			r, s, eff := zero.Rest(is, t0)
			return r, s, eff, lifecycle.ErrParams
		},
	} {
		r, s, eff, err := does()
		if !reflect.DeepEqual(r, zero) || !bytes.Equal(s.Snapshot(), is.Snapshot()) || !reflect.DeepEqual(eff, relay.Effects{}) || !errors.Is(err, lifecycle.ErrParams) {
			t.Errorf("%s of the zero Relay does something: %v", name, err)
		}
	}
	if _, is := zero.Tool("x"); is || zero.Snapshot() != nil || zero.Statuses() != nil || zero.Check(server.State{}) != nil || zero.Startup("x") != 0 || zero.Resting() || zero.Handshake("x") {
		t.Error("the zero Relay has something")
	}
	if _, err := json.Marshal(zero); !errors.Is(err, lifecycle.ErrMarshal) {
		t.Error(err)
	}
	if _, some := zero.NextDeadline(); some {
		t.Error("the zero Relay has a deadline")
	}
}
