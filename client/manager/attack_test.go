package manager_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol"
)

// What the caller does to its Config and Options afterwards changes nothing.
func TestScribble(t *testing.T) {
	cfg := config()
	cfg.Client.Serve = []string{"sampling/createMessage"}
	cfg.Client.Roots = []protocol.Root{{URI: "file:///a"}}
	cfg.Client.Revisions = protocol.Revisions()
	cfg.Client.Experimental = map[string]jsonrpc.Raw{"x": "{}"}
	r := newRig(t, cfg)
	cfg.Client.Serve[0], cfg.Client.Roots[0].URI, cfg.Client.Experimental["x"] = "nonsense", "https:", "["
	cfg.Client.Revisions[0] = protocol.Revision{}
	ways := []manager.Fallback{{Endpoint: "b", Revisions: protocol.Revisions()[1:2]}}
	r.do(r.m.Connect(r.now, "a", manager.Options{Timeouts: manager.Timeouts{Ping: time.Second}, Fallbacks: ways}))
	ways[0].Endpoint, ways[0].Revisions[0] = "scribbled", protocol.Revision{}
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.OpenFailed, Link: r.link("a")}))
	if a := r.out.Actions[0]; a.Endpoint != "b" {
		t.Error(a.Endpoint)
	}
	got := sent(r.take(r.m.Report(r.now, manager.Report{Kind: manager.Opened, Link: r.link("a")})), "a")
	if !strings.Contains(got[0], `"protocolVersion":"2025-06-18"`) || !strings.Contains(got[0], `"sampling"`) || !strings.Contains(got[0], `"experimental":{"x":{}}`) {
		t.Error(got)
	}
}

// A zero or earlier time counts as the latest seen (row G), and one far in the future harms nothing.
func TestOddTimes(t *testing.T) {
	r := newRig(t, config())
	r.sleep(time.Hour)
	r.do(r.m.Connect(r.now, "a", manager.Options{Supervise: true}))
	for _, now := range []time.Time{{}, t0.Add(-time.Hour), t0} {
		r.take(r.m.Tick(now))
	}
	r.take(r.m.Report(time.Time{}, manager.Report{Kind: manager.OpenFailed, Link: r.link("a")}))
	if s, _ := r.m.Status("a"); !s.RetryAt.Equal(t0.Add(time.Hour + time.Second)) {
		t.Errorf("%+v", s)
	}
	for _, years := range []int{100, 200, 291, 293, 5000} {
		r.now = t0.AddDate(years, 0, 0)
		for range 5 {
			r.take(r.m.Tick(r.now))
			for s := range r.m.Statuses() {
				r.take(r.m.Report(r.now, manager.Report{Kind: manager.OpenFailed, Link: s.Link, Err: errors.New("refused")}))
			}
			r.take(r.m.HealthCheck(r.now))
			r.do(r.m.Connect(r.now, "b", manager.Options{Replace: true}))
			r.shake("b")
			r.do(r.m.Request(r.now, "b", protocol.PingParams{}, manager.RequestOptions{}))
			r.take(r.m.Disconnect(r.now, "b"))
			if due, ok := r.m.NextDeadline(); ok && due.Before(t0) {
				t.Fatal(due)
			}
		}
	}
}

// Delays of zero and tiny times lead to no endless Tick.
func TestTinyTimes(t *testing.T) {
	cfg := config()
	cfg.Backoff = backoff.Policy{Base: backoff.Immediate}
	cfg.Timeouts = manager.Timeouts{Connect: 1, Request: 1, Maximum: 1, Ping: 2, Close: 1, Inbound: 1}
	cfg.Health = manager.Health{Interval: 1, Misses: 1}
	cfg.StableFor = 1
	cfg.Breaker = backoff.BreakerOptions{Threshold: 1, Cooldown: 1}
	r := newRig(t, cfg)
	r.do(r.m.Connect(r.now, "a", manager.Options{Supervise: true, Fallbacks: []manager.Fallback{{}, {}}}))
	for range 50 {
		r.sleep(1)
		if s, _ := r.m.Status("a"); s.Condition == manager.Connecting {
			r.shake("a")
		}
	}
	if s, _ := r.m.Status("a"); s.ReadyCount < 5 {
		t.Errorf("%+v", s)
	}
}

// Ids of different servers never meet: the same wire ids and tokens are open with both, and each
// answer and progress goes to its own (row B25).
func TestNoCrossTalk(t *testing.T) {
	r := newRig(t, config())
	ops := map[string]manager.Op{}
	for i := range 50 {
		name := fmt.Sprintf("s%d", i)
		r.connect(name, manager.Options{})
		ops[name] = r.do(r.m.CallTool(r.now, name, "t", "", manager.RequestOptions{Progress: true})).Op
		if id := lastID(t, r.out); id != 2 {
			t.Fatal(id)
		}
	}
	for i := range 50 {
		name := fmt.Sprintf("s%d", (i*7)%50)
		out := r.say(name, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":2,"progress":1}}`)
		if evs := events(out, manager.SessionEvent); len(evs) != 1 || evs[0].Op != ops[name] || evs[0].Link.Server != name {
			t.Fatalf("%+v", evs)
		}
		out = r.say(name, `{"jsonrpc":"2.0","id":2,"result":{"content":[]}}`)
		if ev := done(t, out, ops[name]); ev.Link.Server != name {
			t.Fatalf("%+v", ev)
		}
	}
}

// A server may flood, with requests that nobody answers, notifications and nonsense: the other
// operations of the Manager are as they were, and nothing of it is kept beyond the limits.
func TestFlood(t *testing.T) {
	cfg := config()
	cfg.Client.Serve = []string{"sampling/createMessage"}
	cfg.Client.Limits.Inbound = 8
	r := newRig(t, cfg)
	r.connect("a", manager.Options{})
	r.connect("b", manager.Options{})
	begin := alive()
	m := r.m
	link := r.link("a")
	for i := range 20_000 {
		for _, text := range []string{
			fmt.Sprintf(`{"jsonrpc":"2.0","id":"%d","method":"sampling/createMessage","params":{"messages":[],"maxTokens":1,"x":"%s"}}`, i, strings.Repeat("y", 500)),
			`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`, `nonsense`, `{"jsonrpc":"2.0","id":5,"result":{}}`,
		} {
			m, _ = m.Report(r.now, manager.Report{Kind: manager.Received, Link: link, Message: jsonrpc.DecodeString(text)})
		}
	}
	if grown := alive() - begin; grown > 256<<10 {
		t.Errorf("%d KiB", grown>>10)
	}
	r.m = m
	r.do(r.m.Request(r.now, "b", protocol.PingParams{}, manager.RequestOptions{}))
}

// Looking may end early, and at what is not there.
func TestLook(t *testing.T) {
	r := newRig(t, config())
	for _, name := range []string{"a", "b"} {
		r.connect(name, manager.Options{Resubscribe: true})
		r.subscribe(name, "u:1", "u:2")
	}
	n := 0
	for range r.m.Statuses() {
		n++
		break
	}
	for range r.m.Subscriptions("a") {
		n++
		break
	}
	r.take(r.m.DisconnectAll(r.now))
	for range r.m.Closing() {
		n++
		break
	}
	if n != 3 {
		t.Error(n)
	}
	if _, ok := r.m.Link("a"); ok {
		t.Error("a link of nothing")
	}
	if op := manager.OpOf(7); op.Seq() != 7 || op.String() != "op 7" || (manager.Op{}).IsZero() == op.IsZero() {
		t.Error(op)
	}
}

// What is too long to be kept is not restored, and the answer is the application's all the same.
func TestLongURI(t *testing.T) {
	r := one(t, manager.Options{Resubscribe: true})
	uri := "u:" + strings.Repeat("x", 3000)
	r.subscribe("a", uri)
	n := 0
	for range r.m.Subscriptions("a") {
		n++
	}
	cfg := config()
	cfg.Client.Limits.Text, cfg.Client.Limits.Subscriptions = 16, 2
	r = newRig(t, cfg)
	r.connect("a", manager.Options{Resubscribe: true})
	r.subscribe("a", "u:1", "u:2", "u:3")
	op := r.do(r.m.Request(r.now, "a", protocol.ReadResourceParams{URI: "u:123456789012345"}, manager.RequestOptions{})).Op
	if e := class(t, done(t, r.m2(`"error":{"code":-32002,"message":"no"}`), op).Err, manager.ClassProtocol); e.URI != "" {
		t.Errorf("%+v", e)
	}
	for range r.m.Subscriptions("a") {
		n++
	}
	if n != 1+2 {
		t.Error(n)
	}
}

// newTripped returns a Manager whose breaker has opened for a minute, because its server "a" could not be opened.
func newTripped(t *testing.T) (*rig, manager.Config) {
	cfg := config()
	cfg.Breaker = backoff.BreakerOptions{Threshold: 1, Cooldown: time.Minute}
	r := newRig(t, cfg)
	r.do(r.m.Connect(r.now, "a", manager.Options{Supervise: true}))
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.OpenFailed, Link: r.link("a")}))
	return r, cfg
}

// A breaker that comes back from a snapshot longer shut than the connection waits has the last
// word.
func TestBreakerAfterRestore(t *testing.T) {
	r, cfg := newTripped(t)
	data := strings.Replace(string(r.m.Snapshot()), `"until":60000000000,"`, `"until":1000000000,"`, 1)
	m, err := manager.Restore(cfg, []byte(data), t0, func(string) (manager.Options, bool) { return manager.Options{Supervise: true}, true })
	if err != nil {
		t.Fatal(err)
	}
	r.m = m
	r.sleep(time.Second)
	if s, _ := r.m.Status("a"); s.Condition != manager.Waiting || !s.RetryAt.Equal(t0.Add(time.Minute)) {
		t.Errorf("%+v", s)
	}
	r.sleep(59 * time.Second)
	if s, _ := r.m.Status("a"); s.Condition != manager.Connecting {
		t.Errorf("%+v", s)
	}
}

// A health check that is under way has the same result after a Restore, the time of a breaker included.
func TestHealthCheckRestore(t *testing.T) {
	r, cfg := newTripped(t)
	r.connect("ready", manager.Options{})
	op := r.take(r.m.HealthCheck(r.now)).Op
	m, err := manager.Restore(cfg, r.m.Snapshot(), r.now, func(name string) (manager.Options, bool) { return manager.Options{Supervise: name == "a"}, true })
	if err != nil {
		t.Fatal(err)
	}
	r.m = m
	ev := done(t, r.say("ready", `{"jsonrpc":"2.0","id":2,"result":{}}`), op)
	if len(ev.Checkups) != 2 || !ev.Checkups[0].RetryAt.Equal(t0.Add(time.Minute)) || ev.Checkups[0].Err == nil || ev.Checkups[1].Err != nil || !ev.Checkups[1].RetryAt.IsZero() {
		t.Errorf("%+v", ev.Checkups)
	}
}

// A driver may say any number of bytes, of any kind: they come back from a snapshot as far as
// they are text.
func TestLongCause(t *testing.T) {
	r := newRig(t, config())
	r.do(r.m.Connect(r.now, "a", manager.Options{}))
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.OpenFailed, Link: r.link("a"), Err: errors.New("x\xff" + strings.Repeat("é", 1<<20))}))
	data := r.m.Snapshot()
	m, err := manager.Restore(config(), data, r.now, func(string) (manager.Options, bool) { return manager.Options{}, true })
	if err != nil || string(m.Snapshot()) != string(data) {
		t.Error(err)
	}
}
