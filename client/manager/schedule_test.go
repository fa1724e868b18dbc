package manager_test

import (
	"errors"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol"
)

// The files in testdata say to the nanosecond what a Manager asks for and when. A line that
// begins with "#" is what happens to it.

// note writes what happens next into the log.
func (r *rig) note(text string) { r.log.WriteString("# " + text + "\n") }

// Row E15: a supervised connection is opened again after Delay(1), Delay(2), … up to the cap,
// until the attempts are used up; the count begins anew once it was stable.
func TestBackoffSchedule(t *testing.T) {
	cfg := config()
	cfg.Backoff = backoff.Policy{Base: time.Second, Cap: 5 * time.Second, Attempts: 5}
	cfg.StableFor = 10 * time.Second
	r := newRig(t, cfg)
	refused := func() {
		r.note("refused")
		r.take(r.m.Report(r.now, manager.Report{Kind: manager.OpenFailed, Link: r.link("a"), Err: errors.New("refused")}))
		r.sleep(6 * time.Second)
	}
	r.note("connect")
	r.do(r.m.Connect(r.now, "a", manager.Options{Supervise: true}))
	refused()
	refused()
	refused()
	r.note("opened, ready for less than StableFor, lost: the count goes on, to the cap")
	r.shake("a")
	r.sleep(9 * time.Second)
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.Ended, Link: r.link("a"), Err: errors.New("lost")}))
	r.sleep(5*time.Second - 1)
	r.note("one nanosecond later")
	r.sleep(1)
	r.note("opened, ready for StableFor, lost: the count begins anew")
	r.shake("a")
	r.sleep(10 * time.Second)
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.Ended, Link: r.link("a"), Err: errors.New("lost")}))
	r.sleep(6 * time.Second)
	refused()
	refused()
	refused()
	r.note("the fifth failure in a row is the last")
	refused()
	r.golden("backoff")
}

// Rows E15, F10: none by default; where there is some it follows from the seed and
// makes delays shorter, never longer.
func TestJitter(t *testing.T) {
	delays := func(seed uint64, jitter float64) (list []time.Duration) {
		cfg := config()
		cfg.Seed, cfg.Backoff = seed, backoff.Policy{Base: time.Second, Cap: 4 * time.Second, Jitter: jitter}
		r := newRig(t, cfg)
		r.do(r.m.Connect(r.now, "a", manager.Options{Supervise: true}))
		for range 6 {
			r.take(r.m.Report(r.now, manager.Report{Kind: manager.OpenFailed, Link: r.link("a")}))
			s, _ := r.m.Status("a")
			list = append(list, s.RetryAt.Sub(r.now))
			r.sleep(4 * time.Second)
		}
		return list
	}
	plain, a, b, again := delays(1, 0), delays(1, 0.5), delays(2, 0.5), delays(1, 0.5)
	same := 0
	for i := range plain {
		most := min(time.Second<<i, 4*time.Second)
		if plain[i] != most || a[i] > most || a[i] < most/2 || a[i] != again[i] {
			t.Errorf("%d: %v, with jitter %v and %v", i, plain[i], a[i], again[i])
		}
		if a[i] == b[i] {
			same++
		}
	}
	if same == len(a) {
		t.Error("the seed has no effect")
	}
}

// Row E16: a breaker that is open puts the next attempt off, lets one through after its
// cooldown, and closes once that connection was stable.
func TestBreakerSchedule(t *testing.T) {
	cfg := config()
	cfg.Backoff = backoff.Policy{Base: time.Second, Cap: 2 * time.Second}
	cfg.Breaker = backoff.BreakerOptions{Threshold: 3, Cooldown: time.Minute}
	cfg.StableFor = 10 * time.Second
	r := newRig(t, cfg)
	refused := func() {
		r.note("refused")
		r.take(r.m.Report(r.now, manager.Report{Kind: manager.OpenFailed, Link: r.link("a"), Err: errors.New("refused")}))
	}
	r.note("connect")
	r.do(r.m.Connect(r.now, "a", manager.Options{Supervise: true}))
	refused()
	r.sleep(2 * time.Second)
	refused()
	r.sleep(2 * time.Second)
	r.note("the third in a row opens the breaker")
	refused()
	r.note("a health check opens nothing now")
	r.take(r.m.HealthCheck(r.now))
	r.sleep(time.Minute - 1)
	r.note("one nanosecond later: a probe")
	r.sleep(1)
	r.note("which fails")
	refused()
	r.sleep(time.Minute)
	r.note("the next one goes well")
	r.shake("a")
	r.sleep(10 * time.Second)
	r.note("stable; now one failure is one again")
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.Ended, Link: r.link("a"), Err: errors.New("lost")}))
	r.sleep(time.Second)
	refused()
	r.golden("breaker")
}

// Rows E18, E13: a silent connection is pinged; whatever comes in counts as life; after so many pings
// without any it is lost.
func TestHealthSchedule(t *testing.T) {
	cfg := config()
	cfg.Health = manager.Health{Interval: 30 * time.Second, Misses: 2}
	r := newRig(t, cfg)
	r.note("connect")
	r.connect("a", manager.Options{Supervise: true})
	r.note("the server says something after 20 s: the interval counts from there")
	r.sleep(20 * time.Second)
	r.say("a", `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}`)
	r.sleep(30 * time.Second)
	r.note("the ping is answered")
	r.sleep(time.Second)
	r.m2(`"result":{}`)
	r.sleep(30 * time.Second)
	r.note("this one is not, but something else comes, though it is nonsense")
	r.sleep(5 * time.Second)
	r.say("a", `nonsense`)
	r.sleep(5 * time.Second)
	if s, _ := r.m.Status("a"); s.Misses != 0 || s.Latency != time.Second {
		t.Errorf("%+v", s)
	}
	r.sleep(30 * time.Second)
	r.note("this one is not answered: one miss, and the next ping at once; then a sign of life")
	r.sleep(10 * time.Second)
	if s, _ := r.m.Status("a"); s.Misses != 1 || s.Condition != manager.Ready {
		t.Errorf("%+v", s)
	}
	r.say("a", `{"jsonrpc":"2.0","id":"p","method":"ping"}`)
	r.sleep(15 * time.Second)
	r.note("silence, and a call on its way: the ping is due after Timeouts.Ping")
	op := r.do(r.m.CallTool(r.now, "a", "t", "", manager.RequestOptions{Timeout: lifecycle.NoTimeout})).Op
	r.sleep(40 * time.Second)
	r.note("three misses, but it may be at work: until the call is cancelled")
	if s, _ := r.m.Status("a"); s.Misses != 3 || s.Condition != manager.Ready {
		t.Errorf("%+v", s)
	}
	late := r.do(r.m.CallTool(r.now, "a", "t", "", manager.RequestOptions{Timeout: lifecycle.NoTimeout})).Op
	r.do(r.m.Cancel(r.now, op, ""))
	if ev, n := ended(r.all, late); n != 1 || !errors.Is(ev.Err, manager.ErrSilent) {
		t.Errorf("%d: %v", n, ev.Err)
	}
	if s, _ := r.m.Status("a"); s.Condition != manager.Waiting || !errors.Is(s.Err, manager.ErrSilent) {
		t.Errorf("%+v", s)
	}
	r.golden("health")
}

// Where StableFor is NoTimeout, failures are forgotten as soon as the server is ready.
func TestStableAtOnce(t *testing.T) {
	cfg := config()
	cfg.StableFor = lifecycle.NoTimeout
	r := newRig(t, cfg)
	r.do(r.m.Connect(r.now, "a", manager.Options{Supervise: true}))
	for range 5 {
		r.take(r.m.Report(r.now, manager.Report{Kind: manager.OpenFailed, Link: r.link("a")}))
		r.sleep(time.Second)
		r.shake("a")
		if s, _ := r.m.Status("a"); s.Dials != 1 || s.Err != nil {
			t.Fatalf("%+v", s)
		}
		if _, waits := r.m.NextDeadline(); waits {
			t.Fatal("something is due of a server that is stable")
		}
		old := r.link("a")
		r.do(r.m.Reconnect(r.now, "a"))
		r.take(r.m.Report(r.now, manager.Report{Kind: manager.Ended, Link: old}))
	}
}

// Row E13: a server whose pings go unanswered is degraded, and still used. Health may be off, and
// the server's own pings are answered all the same.
func TestHealthOptions(t *testing.T) {
	r := one(t, manager.Options{})
	r.sleep(1000 * time.Hour)
	if n := len(sent(r.all, "a")); n != 2 {
		t.Errorf("%d messages of a server without health", n)
	}
	if got := sent(r.say("a", `{"jsonrpc":"2.0","id":"p","method":"ping"}`), "a"); len(got) != 1 {
		t.Error(got)
	}
	// An interval shorter than the time of a ping: the next one goes out when it is over.
	cfg := config()
	cfg.Health = manager.Health{Interval: time.Second, Misses: 3}
	r = newRig(t, cfg)
	r.connect("a", manager.Options{})
	r.sleep(31 * time.Second)
	if s, _ := r.m.Status("a"); s.Condition != manager.Failed || len(sent(r.all, "a")) != 8 {
		t.Errorf("%+v %v", s, sent(r.all, "a")) // initialize, initialized, three pings, three cancellations
	}
	// A ping that is answered by an error is a sign of life; a table that is full puts it off.
	cfg.Client.Limits.Outbound = 1
	r = newRig(t, cfg)
	r.connect("a", manager.Options{})
	r.sleep(time.Second)
	r.m2(`"error":{"code":-32601,"message":"what?"}`)
	if s, _ := r.m.Status("a"); s.Misses != 0 || s.Latency != 0 {
		t.Errorf("%+v", s)
	}
	r.do(r.m.CallTool(r.now, "a", "t", "", manager.RequestOptions{Timeout: lifecycle.NoTimeout}))
	r.sleep(time.Hour)
	if s, _ := r.m.Status("a"); s.Condition != manager.Ready || s.Pending != 1 {
		t.Errorf("%+v", s)
	}
}

// Row A13: each server in the order of connect, with a real ping, and why it does not work.
func TestHealthCheck(t *testing.T) {
	r := newRig(t, config())
	out := r.take(r.m.HealthCheck(r.now))
	if ev := done(t, out, out.Op); ev.Err != nil || len(ev.Checkups) != 0 {
		t.Errorf("%+v", ev)
	}
	r.connect("works", manager.Options{})
	r.connect("mute", manager.Options{})
	r.do(r.m.Connect(r.now, "starts", manager.Options{}))
	r.do(r.m.Connect(r.now, "refused", manager.Options{Supervise: true}))
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.OpenFailed, Link: r.link("refused"), Err: errors.New("refused")}))
	r.do(r.m.Connect(r.now, "old", manager.Options{}))
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.OpenFailed, Link: r.link("old"), Err: errors.New("refused")}))
	r.connect("leaves", manager.Options{})
	r.connect("errs", manager.Options{})
	out = r.take(r.m.HealthCheck(r.now))
	op := out.Op
	if n := len(events(out, manager.ServerChanged)); n != 2 { // refused and old are opened
		t.Errorf("%s", render(out, t0))
	}
	r.sleep(time.Second)
	r.say("works", `{"jsonrpc":"2.0","id":2,"result":{}}`)
	r.shake("starts")
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.OpenFailed, Link: r.link("refused"), Err: errors.New("refused again")}))
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.Opened, Link: r.link("old")}))
	r.say("old", `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"1999-01-01","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`)
	r.take(r.m.Disconnect(r.now, "leaves"))
	r.say("errs", `{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"what?"}}`)
	r.sleep(9 * time.Second)
	ev := done(t, r.all, op)
	for i, want := range []struct {
		name  string
		state manager.Condition
		class manager.Class
	}{
		{"works", manager.Ready, 0}, {"mute", manager.Ready, manager.ClassTimeout}, {"starts", manager.Ready, 0},
		{"refused", manager.Waiting, manager.ClassTransport}, {"old", manager.Failed, manager.ClassProtocol},
		{"leaves", manager.Draining, manager.ClassLost}, {"errs", manager.Ready, manager.ClassProtocol},
	} {
		p := ev.Checkups[i]
		if p.Link.Server != want.name || p.Condition != want.state || (p.Err == nil) != (want.class == 0) {
			t.Errorf("%+v, want %+v", p, want)
		}
		if want.class != 0 {
			class(t, p.Err, want.class)
		}
		if (p.Latency == time.Second) != (want.name == "works") {
			t.Errorf("%s: latency %v", want.name, p.Latency)
		}
		if p.RetryAt.IsZero() != (want.state != manager.Waiting) {
			t.Errorf("%s: retry at %v", want.name, p.RetryAt)
		}
	}
	// With a full table the ping cannot be sent.
	cfg := config()
	cfg.Client.Limits.Outbound = 1
	r = newRig(t, cfg)
	r.connect("a", manager.Options{})
	r.do(r.m.Request(r.now, "a", protocol.PingParams{}, manager.RequestOptions{}))
	out = r.take(r.m.HealthCheck(r.now))
	class(t, done(t, out, out.Op).Checkups[0].Err, manager.ClassConfig)
	if _, _, err := r.m.Request(r.now, "a", protocol.PingParams{}, manager.RequestOptions{}); err == nil {
		t.Error("a second ping")
	}
}
