package relay_test

import (
	"errors"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// busyWorld is one in which something of each kind is under way.
func busyWorld(t testing.TB) *world {
	w := newWorld(t, []string{"left", "right", "mute"}, resources, mute("mute"), func(w *world) {
		p := w.peers["right"]
		p.cfg.Unlisted, p.cfg.Logging = true, true
		p.cfg.Serve = []string{"resources/read", "resources/subscribe"}
		w.peers["left"].cfg.Unlisted = true
		w.peers["left"].cfg.Serve = []string{"resources/read"}
	})
	w.pass(defaultHold)
	w.list("tools/list")
	w.ask("logging/setLevel", `{"level":"error"}`)
	w.call("left-slow")
	w.call("mcp.mute.mute")
	w.asks("left", protocol.ListRootsParams{}, server.Call{})
	w.peers["left"].mute = true
	w.say("left", `{"jsonrpc":"2.0","method":"`+toolsChanged+`"}`)
	w.peers["left"].mute = false
	w.request(protocol.SubscribeParams{URI: "note:///1"}, noTimeout)
	w.request(protocol.ReadResourceParams{URI: "zz:1"}, noTimeout)
	w.on("right")(noReq(w.peers["right"].s.Notify(w.now, protocol.LoggingMessageParams{Level: "error", Data: "1"}, server.Call{})))
	w.result(w.request(protocol.SubscribeParams{URI: "left+own://left"}, noTimeout))
	return w
}

// A snapshot that is damaged or forged is an error, or comes back as a value that is sound.
func TestDamagedSnapshots(t *testing.T) {
	said := map[string]bool{}
	refused := damaged(t, busyWorld(t), said) + damaged(t, parkedWorld(t), said)
	if refused < 100 {
		t.Errorf("only %d were refused", refused)
	}
	// Each refusal of the sources is one that something damaged comes to.
	var refusals [][]string
	for _, name := range []string{"restore.go", "../catalog/restore.go"} {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		refusals = append(refusals, regexp.MustCompile(`Fail\("([^"]*)"\)`).FindAllStringSubmatch(string(source), -1)...)
	}
	for _, m := range refusals {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(said)), func(text string) bool { return strings.HasSuffix(text, m[1]) }) {
			t.Errorf("nothing is refused by %q", m[1])
		}
	}
	if len(refusals) < 10 {
		t.Errorf("%d refusals", len(refusals))
	}
}

// damaged restores the snapshot of a world with each of many damages, and adds what was said of them. It returns
// how many were refused.
func damaged(t *testing.T, w *world, said map[string]bool) (refused int) {
	t.Helper()
	data := string(w.r.Snapshot())
	restore := func(data string) (relay.Relay, error) {
		t.Helper()
		r, err := relay.Restore(w.cfg, w.defs, []byte(data), w.s, w.now)
		if err == nil {
			if bad := r.Check(w.s); bad != nil {
				t.Fatalf("%v\n%s", bad, data)
			}
			r, s, _ := r.Tick(w.s, w.now.Add(time.Hour))
			if bad := r.Check(s); bad != nil {
				t.Fatalf("after a tick: %v\n%s", bad, data)
			}
		} else if !errors.Is(err, lifecycle.ErrSnapshot) {
			t.Fatal(err)
		}
		return r, err
	}
	if r, err := restore(data); err != nil || string(r.Snapshot()) != data {
		t.Fatalf("%v\n%s\n%s", err, data, r.Snapshot())
	}
	for i := 0; i < len(data); i += 7 {
		if _, err := restore(data[:i]); err == nil {
			t.Fatal("half a snapshot was read")
		}
	}
	// Each number another one, each text another, each flag gone, each list empty or twice.
	damage := func(text string) {
		if _, err := restore(text); err != nil {
			refused++
			said[err.Error()] = true
		}
	}
	for i := 1; i < len(data); i++ {
		switch c := data[i]; {
		case c >= '0' && c <= '9' && data[i-1] == ':':
			for _, n := range []string{"0", "1", "2", "3", "99", "18446744073709551615", "-1", `"x"`, "true"} {
				end := i
				for end < len(data) && data[end] >= '0' && data[end] <= '9' {
					end++
				}
				damage(data[:i] + n + data[end:])
			}
		case c == '[' && data[i-1] == ':':
			end := rawjson.Skip(data, i, 100)
			inner := data[i+1 : end-1]
			for _, list := range []string{"[]", "{}", "7", "[7]", "[{}]", "[" + inner + "," + inner + "]"} {
				damage(data[:i] + list + data[end:])
			}
		case strings.HasPrefix(data[i:], "true"):
			damage(data[:i] + "false" + data[i+4:])
			damage(data[:i] + "7" + data[i+4:])
		case c == '"' && data[i-1] == ':':
			end := rawjson.Skip(data, i, 100)
			damage(data[:i] + `"x"` + data[end:])
			damage(data[:i] + `7` + data[end:])
		case c == '{' && data[i-1] == ':':
			end := rawjson.Skip(data, i, 100)
			damage(data[:i] + `{}` + data[end:])
			damage(data[:i] + `7` + data[end:])
		}
	}
	damage(`{"relay":9}`)
	for _, text := range []string{"", "{}", `{"relay":2}`, "7", `{"relay":1}`} {
		if _, err := restore(text); err == nil {
			t.Errorf("%q was read", text)
		}
	}
	if _, err := relay.Restore(relay.Config{}, w.defs, []byte(data), w.s, w.now); !errors.Is(err, lifecycle.ErrConfig) {
		t.Error(err)
	}
	return refused
}

// A session that moves to a machine with other servers goes on with those that are the same: the
// others are connected, and what was under way at those that are gone is answered at once.
func TestRestoreWithOtherServers(t *testing.T) {
	w := busyWorld(t)
	lost, waits := w.call("left-slow"), w.call("right-slow")
	w.defs = []relay.Server{
		{Name: "left", Definition: "2", Options: manager.Options{Endpoint: "left"}}, w.defs[1],
		{Name: "new", Definition: "1", Options: manager.Options{Endpoint: "new"}},
	}
	w.peers["new"] = &peer{name: "new", h: &server.Handlers{}}
	w.peers["new"].h.Tool(protocol.Tool{Name: "new", InputSchema: `{"type":"object"}`}, echo("new"))
	s, err := server.Restore(w.down, w.s.Snapshot(), w.sAt)
	if err != nil {
		t.Fatal(err)
	}
	r, err := relay.Restore(w.cfg, w.defs, w.r.Snapshot(), s, w.now)
	if err != nil {
		t.Fatal(err)
	}
	w.r, w.s = r, s
	if next, ok := r.NextDeadline(); !ok || next.After(w.now) {
		t.Error("nothing is due:", next.Sub(w.now), ok)
	}
	w.tick()
	if e := w.fault(lost); e.Code != jsonrpc.CodeInternalError {
		t.Errorf("%+v", e)
	}
	w.pass(time.Second)
	w.result(w.call("new"))
	w.result(w.call("left"))
	w.on("right")(noReq(w.peers["right"].s.Respond(w.now, w.held("right"), protocol.TextResult("x"))))
	w.result(waits)
}

// A snapshot taken before anything has begun, and one of the end, are as good as others.
func TestRestoreOfTheEnds(t *testing.T) {
	w := newWorld(t, []string{"left"})
	fresh, err := relay.New(w.cfg, w.defs, w.now)
	if err != nil {
		t.Fatal(err)
	}
	w.relay(w.r.Close(w.s, w.now))
	w.pass(time.Minute)
	for _, r := range []relay.Relay{fresh, w.r} {
		again, err := relay.Restore(w.cfg, w.defs, r.Snapshot(), w.s, w.now)
		if err != nil || string(again.Snapshot()) != string(r.Snapshot()) {
			t.Errorf("%v\n%s\n%s", err, r.Snapshot(), again.Snapshot())
		}
		if _, some := again.NextDeadline(); some {
			t.Error("something is due")
		}
	}
}

// A call and a listing that the Manager of the snapshot does not have end, and are made again.
func TestRestoreWithoutOperations(t *testing.T) {
	w := newWorld(t, []string{"left", "right"})
	w.pass(time.Minute)
	w.list("tools/list")
	early, _ := rawjson.Get(string(w.r.Snapshot()), "manager")
	req := w.call("left-slow")
	w.peers["left"].slow = "tools/list"
	w.say("left", `{"jsonrpc":"2.0","method":"`+toolsChanged+`"}`)
	w.pass(time.Second)
	r, err := relay.Restore(w.cfg, w.defs, []byte(rawjson.Set(string(w.r.Snapshot()), "manager", early)), w.s, w.now)
	if err != nil {
		t.Fatal(err)
	}
	w.r, w.lines = r, nil
	w.tick()
	if e := w.fault(req); e.Code != jsonrpc.CodeInternalError {
		t.Errorf("%+v", e)
	}
	if !w.askedFor("left", `"tools/list"`) {
		t.Error("the list is not read")
	}
}

// What other Filters and servers change is told after a Restore too, and what they keep out is not
// subscribed to any more.
func TestRestoreWithOtherFilters(t *testing.T) {
	for name, change := range map[string]func(defs []relay.Server) []relay.Server{
		"none": func(defs []relay.Server) []relay.Server { return defs },
		"Deny": func(defs []relay.Server) []relay.Server {
			defs[0].Filter.Deny = []catalog.Rule{{Name: "own:*"}, {Kind: protocol.ToolList, ReadOnly: protocol.Ptr(true)}, {Name: "left"}}
			return defs
		},
		"Allow": func(defs []relay.Server) []relay.Server {
			defs[0].Filter.Allow = []catalog.Rule{{Kind: protocol.ToolList, Destructive: protocol.Ptr(false)}, {Name: "both"}}
			return defs
		},
		"gone": func(defs []relay.Server) []relay.Server { return defs[1:] },
	} {
		w := newWorld(t, []string{"left", "right"}, resources)
		w.pass(time.Minute)
		was := w.list("tools/list")
		w.ask("resources/subscribe", `{"uri":"own://left"}`)
		opens := w.peers["right"].opens
		w.defs = change(slices.Clone(w.defs))
		s, err := server.Restore(w.down, w.s.Snapshot(), w.sAt)
		if err != nil {
			t.Fatal(err)
		}
		if w.r, err = relay.Restore(w.cfg, w.defs, w.r.Snapshot(), s, w.now); err != nil {
			t.Fatal(err)
		}
		if w.s = s; w.r.Check(s) != nil {
			t.Error(w.r.Check(s))
		}
		want := 1
		if name == "none" {
			want = 0
		}
		if left := strings.Contains(string(w.r.Snapshot()), `"uri":"own://left","server"`); left != (want == 0) {
			t.Errorf("%s: subscribed is %v", name, left)
		}
		w.pass(time.Second)
		if got := w.count(toolsChanged); got != want || w.peers["right"].opens != opens {
			t.Errorf("%s: told %d times", name, got)
		}
		if now := w.list("tools/list"); slices.Equal(now, was) != (want == 0) {
			t.Errorf("%s: %q", name, now)
		}
	}
}
