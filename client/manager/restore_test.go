package manager_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// busy returns a rig with something of everything in it.
func busy(t *testing.T) *rig {
	t.Helper()
	r := newRig(t, busyConfig())
	r.sleep(time.Second)
	r.connect("a", manager.Options{Supervise: true, Resubscribe: true})
	r.subscribe("a", "a:1", "a:2")
	r.do(r.m.Request(r.now, "a", protocol.SetLevelParams{Level: protocol.LoggingLevel("error")}, manager.RequestOptions{}))
	r.answer("a", `"result":{}`)
	r.do(r.m.List(r.now, "a", "tools/list", manager.Budget{}))
	r.answer("a", page(2, "x"))
	r.do(r.m.CallTool(r.now, "a", "t", "", manager.RequestOptions{}))
	r.do(r.m.Request(r.now, "a", protocol.ReadResourceParams{URI: "a:9"}, manager.RequestOptions{}))
	r.do(r.m.Request(r.now, "a", protocol.PingParams{}, manager.RequestOptions{}))
	r.say("a", sampling)
	r.connect("b", manager.Options{Supervise: true, Resubscribe: true})
	r.subscribe("b", "b:1", "b:2")
	r.do(r.m.Request(r.now, "b", protocol.SetLevelParams{Level: protocol.LoggingLevel("error")}, manager.RequestOptions{}))
	r.answer("b", `"result":{}`)
	r.sleep(time.Second)
	r.reopen("b") // Restoring
	r.do(r.m.Connect(r.now, "c", manager.Options{Supervise: true}))
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.OpenFailed, Link: r.link("c"), Err: errors.New("refused")}))
	r.connect("d", manager.Options{})
	r.connect("e", manager.Options{})
	r.take(r.m.Disconnect(r.now, "e"))
	r.do(r.m.Connect(r.now, "f", manager.Options{}))
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.Opened, Link: r.link("f")}))
	r.take(r.m.HealthCheck(r.now))
	r.say("d", `{"jsonrpc":"2.0","id":2,"error":{"code":-5,"message":"no"}}`)
	r.sleep(3 * time.Second) // pings of its own are on their way
	return r
}

func busyOptions(name string) (manager.Options, bool) {
	return manager.Options{Supervise: name < "d", Resubscribe: name < "c"}, true
}

func busyConfig() manager.Config {
	cfg := config()
	cfg.Client.Serve = []string{"sampling/createMessage"}
	cfg.Health = manager.Health{Interval: 2 * time.Second, Misses: 9}
	return cfg
}

// A snapshot restores to a Manager with the same snapshot, at another time as well; what is
// damaged is refused, whatever it is.
func TestRestore(t *testing.T) {
	r := busy(t)
	good := string(r.m.Snapshot())
	for _, now := range []time.Time{r.now, t0.Add(1000 * time.Hour)} {
		m, err := manager.Restore(busyConfig(), []byte(good), now, busyOptions)
		if err != nil {
			t.Fatalf("%v\n%s", err, good)
		}
		if got := string(m.Snapshot()); got != good {
			t.Fatalf("%s\n%s", got, good)
		}
		if s, _ := m.Status("c"); s.Err == nil || s.Err.Error() != `manager: transport: server "c": open: refused` {
			t.Errorf("%+v", s)
		}
	}
	for _, tt := range []struct{ name, old, with string }{
		{"another version", `"manager":1`, `"manager":2`},
		{"a huge step", `"step":`, `"step":9007199254740993,"x":`},
		{"random", `"random":"`, `"random":"x`},
		{"a name twice", `"name":"b"`, `"name":"a"`},
		{"no name", `"name":"b"`, `"name":""`},
		{"a number twice", `"number":2`, `"number":1`},
		{"no number", `"number":2`, `"number":0`},
		{"a number to come", `"numbers":6`, `"numbers":1`},
		{"an epoch to come", `"epochs":`, `"epochs":1,"x":`},
		{"an op to come", `"seq":`, `"seq":1,"x":`},
		{"another state", `"state":"ready"`, `"state":"waiting"`},
		{"no state", `"state":"ready"`, `"state":"asleep"`},
		{"the future", `"since":-`, `"since":`},
		{"the future of a session", `"seen":-`, `"seen":`},
		{"a breaker that is none", `"breaker":{}`, `"breaker":{"failures":1,"probes":1}`},
		{"a job of nothing", `"kind":1,`, `"kind":0,`},
		{"an unknown job", `"kind":1,`, `"kind":99,`},
		{"a job of another request", `"jobs":[{"req":`, `"jobs":[{"req":1`},
		{"a setting that is none", `"setting":2`, `"setting":200`},
		{"a job of no operation", `"op":5`, `"op":77`},
		{"a subscription twice", `"want":["a:1","a:2"]`, `"want":["a:1","a:1",5]`},
		{"an empty subscription", `"want":["a:1"`, `"want":[""`},
		{"more left than there are", `"client":{`, `"wantLeft":9,"client":{`},
		{"a level that is too long", `"level":"error"`, `"level":"` + strings.Repeat("x", 5000) + `"`},
		{"a session that is none", `"client":{`, `"client":{"x":`},
		{"a list that is told of and is none", `"opens":`, `"told":"x","opens":`},
		{"failures", `"opens":`, `"failures":9999999999,"opens":`},
		{"a pager that is none", `"pager":{"list":"tools/list"`, `"pager":{"list":"tools/call"`},
		{"a pager with nothing to come", `"pager":{`, `"pager":{},"x":{`},
		{"an operation that is none", `"kind":4`, `"kind":0`},
		{"an operation twice", `"ops":[{"seq":`, `"ops":[{"seq":5,"kind":4,"method":"connect"},{"seq":`},
		{"a report of no server", `"slot":3,"server":"d"`, `"slot":99,"server":"d"`},
		{"a closing that never ends", `"by":`, `"x":`},
		{"a closing of nobody", `"closing":[{"name":"`, `"closing":[{"name":"","x":"`},
		{"a class", `"class":2`, `"class":200`},
		{"a code", `"code":"-5"`, `"code":"x"`},
		{"no object", `{`, `[`},
	} {
		bad := strings.Replace(good, tt.old, tt.with, 1)
		if bad == good {
			t.Errorf("%s: no %s", tt.name, tt.old)
			continue
		}
		if m, err := manager.Restore(busyConfig(), []byte(bad), r.now, busyOptions); !errors.Is(err, lifecycle.ErrSnapshot) || m.Step() != 0 {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	bad := busyConfig()
	bad.MaxServers = -1
	if _, err := manager.Restore(bad, []byte(good), r.now, busyOptions); !errors.Is(err, lifecycle.ErrConfig) {
		t.Error(err)
	}
	bad.MaxServers = 2
	if _, err := manager.Restore(bad, []byte(good), r.now, busyOptions); !errors.Is(err, lifecycle.ErrLimit) {
		t.Error(err)
	}
	odd := func(string) (manager.Options, bool) { return manager.Options{Meta: `[]`}, true }
	if _, err := manager.Restore(busyConfig(), []byte(good), r.now, odd); !errors.Is(err, lifecycle.ErrConfig) {
		t.Error(err)
	}
	other := busyConfig()
	other.Client.Revisions = protocol.Revisions()[1:] // lacks the one that was negotiated
	if _, err := manager.Restore(other, []byte(good), r.now, busyOptions); !errors.Is(err, lifecycle.ErrSnapshot) {
		t.Error(err)
	}
}

// What the driver and the application hold from before a Restore is good after it: the Req of a
// message, and the Call of a request of a server.
func TestRestoreHandles(t *testing.T) {
	r, calls := asking(t)
	op := r.do(r.m.CallTool(r.now, "a", "t", "", manager.RequestOptions{})).Op
	req := r.out.Actions[0].Out.Req
	lost := r.do(r.m.CallTool(r.now, "b", "t", "", manager.RequestOptions{})).Op
	cfg := config()
	cfg.Client.Serve = []string{"sampling/createMessage", "elicitation/create"}
	m, err := manager.Restore(cfg, r.m.Snapshot(), r.now, func(string) (manager.Options, bool) { return manager.Options{Supervise: true}, true })
	if err != nil {
		t.Fatal(err)
	}
	r.m = m
	class(t, done(t, r.take(r.m.Report(r.now, manager.Report{Kind: manager.SendFailed, Link: r.link("a"), Req: req, Err: errors.New("full")})), op).Err, manager.ClassTransport)
	class(t, done(t, r.take(r.m.Report(r.now, manager.Report{Kind: manager.ResponseLost, Link: r.link("b"), Req: req, Err: errors.New("cut")})), lost).Err, manager.ClassLost)
	within := r.do(r.m.CallTool(r.now, "a", "t", "", manager.RequestOptions{Within: calls["a"]})).Op
	r.do(r.m.Notify(r.now, "a", protocol.RawRequest{Name: "notifications/x"}, calls["a"]))
	r.do(r.m.Progress(r.now, calls["a"], protocol.ProgressParams{Progress: 1}))
	out := r.do(r.m.Respond(r.now, calls["a"], protocol.Raw(sampled)))
	if got := sent(out, "a"); len(got) != 1 || !strings.Contains(got[0], `"id":"q"`) {
		t.Error(got)
	}
	if _, n := ended(out, within); n != 0 {
		t.Error("what was made within an answered call is withdrawn")
	}
	r.take(r.m.Abandon(r.now, calls["b"]))
	if evs := events(r.out, manager.SessionEvent); len(evs) != 1 || evs[0].Session.Kind != lifecycle.RequestLost {
		t.Errorf("%+v", evs)
	}
}

// A server whose Options are not there any more is left out, with its operations; the others go
// on, and a health check ends with the servers that are left.
func TestRestoreWithout(t *testing.T) {
	r := busy(t)
	m, err := manager.Restore(busyConfig(), r.m.Snapshot(), r.now, func(name string) (manager.Options, bool) {
		opt, _ := busyOptions(name)
		return opt, name != "a" && name != "b"
	})
	if err != nil {
		t.Fatal(err)
	}
	r.m = m
	if _, ok := m.Status("a"); ok || m.Len() != 3 {
		t.Errorf("%d servers", m.Len())
	}
	r.sleep(5 * time.Minute)
	if m := r.m; m.Pending() != 0 {
		t.Errorf("%d operations are left: %s", m.Pending(), m.Snapshot())
	}
	found := false
	for _, ev := range r.all.Events {
		found = found || ev.Kind == manager.OpDone && ev.Method == "health" && len(ev.Checkups) > 0
	}
	if !found {
		t.Error("the health check has not ended")
	}
}

// Whatever a snapshot says, it is restored to a Manager that holds together, or refused.
func FuzzRestore(f *testing.F) {
	t := &testing.T{}
	good := busy(t).m.Snapshot()
	f.Add(string(good), uint16(0), byte('x'))
	for i := 0; i < len(good); i += 97 {
		f.Add(string(good), uint16(i), byte('0'))
	}
	f.Fuzz(func(t *testing.T, text string, at uint16, b byte) {
		data := []byte(text)
		if int(at) < len(data) {
			data[at] = b
		}
		m, err := manager.Restore(busyConfig(), data, t0, busyOptions)
		if err != nil {
			return
		}
		if err := m.Check(); err != nil {
			t.Fatal(err)
		}
		now := t0
		for range 5 {
			due, ok := m.NextDeadline()
			if !ok {
				break
			}
			if due.After(now) {
				now = due
			}
			m, _ = m.Tick(now)
			if err := m.Check(); err != nil {
				t.Fatalf("%v\n%s", err, data)
			}
			if next, ok := m.NextDeadline(); ok && !next.After(now) {
				t.Fatalf("a deadline at %v after a tick at %v", next, now)
			}
		}
		if !rawjson.Valid(string(m.Snapshot())) {
			t.Fatal("a snapshot that is no JSON")
		}
	})
}

// A snapshot of a program that did not write when requests were sent is restored, with what is open.
func TestRestoreOfBefore(t *testing.T) {
	cfg := config()
	cfg.Health = manager.Health{}
	r := newRig(t, cfg)
	r.connect("a", manager.Options{})
	op := r.do(r.m.CallTool(r.now, "a", "t", "", manager.RequestOptions{})).Op
	data := string(r.m.Snapshot())
	before := strings.Replace(data, `,"sent":0`, "", 1)
	m, err := manager.Restore(cfg, []byte(before), r.now, func(string) (manager.Options, bool) { return manager.Options{}, true })
	if err != nil || before == data {
		t.Fatalf("%v: %s", err, data)
	}
	r.take(m, manager.Effects{})
	r.sleep(time.Minute)
	if _, n := ended(r.all, op); n != 1 {
		t.Error("the call did not end")
	}
}
