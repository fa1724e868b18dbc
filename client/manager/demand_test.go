package manager_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle/backoff"
)

var onDemand = manager.Options{OnDemand: true}

// state checks what a server is doing, and when it may be opened again.
func (r *rig) state(name string, want manager.Condition, retry time.Duration) {
	r.t.Helper()
	s, ok := r.m.Status(name)
	at := time.Time{}
	if retry >= 0 {
		at = r.now.Add(retry)
	}
	if !ok || s.Condition != want || !s.RetryAt.Equal(at) {
		r.t.Fatalf("%q is %v, opened again at %v; want %v at %v\n%s", name, s.Condition, s.RetryAt, want, at, r.log.String())
	}
}

// open has a server opened that is not open, and returns the operation.
func (r *rig) open(name string) manager.Op {
	r.t.Helper()
	out := r.do(r.m.Open(r.now, name))
	if n := opens(out); n != 1 {
		r.t.Fatalf("%d transports are opened by\n%s", n, render(out, r.now))
	}
	return out.Op
}

func opens(out manager.Effects) (n int) {
	for _, a := range out.Actions {
		if a.Kind == manager.ActOpen {
			n++
		}
	}
	return n
}

// A server that is registered is opened when somebody wants it, and never before (rows A1, A8).
func TestOnDemand(t *testing.T) {
	r := newRig(t, config())
	r.now = t0.Add(time.Hour)
	op := r.do(r.m.Connect(r.now, "a", onDemand)).Op
	if ev := done(t, r.out, op); ev.Err != nil || len(r.out.Actions) != 0 || len(r.out.Events) != 1 {
		t.Fatalf("registering a server did\n%s", render(r.out, r.now))
	}
	r.state("a", manager.Idle, -1)
	r.sleep(24 * time.Hour)
	if len(r.all.Actions) != 0 {
		t.Fatalf("it was opened:\n%s", r.log.String())
	}
	_, _, err := r.m.CallTool(r.now, "a", "t", "", manager.RequestOptions{})
	if e := class(t, err, manager.ClassUnavailable); e.Condition != manager.Idle || !e.RetryAt.IsZero() {
		t.Fatal(e)
	}
	first := r.open("a")
	second := r.do(r.m.Open(r.now, "a"))
	if opens(second) != 0 || len(second.Events) != 0 {
		t.Fatalf("it is opened twice:\n%s", render(second, r.now))
	}
	r.shake("a")
	if done(t, r.out, first).Err != nil || done(t, r.out, second.Op).Err != nil {
		t.Fatal(r.log.String())
	}
	if out := r.do(r.m.Open(r.now, "a")); opens(out) != 0 || done(t, out, out.Op).Err != nil {
		t.Fatalf("Open of a server that is ready did\n%s", render(out, r.now))
	}
	r.do(r.m.CallTool(r.now, "a", "t", "", manager.RequestOptions{}))
}

// Where it cannot be opened, it is not before its back-off is over, however often it is wanted.
func TestOnDemandBackOff(t *testing.T) {
	cfg := config()
	cfg.Backoff = backoff.Policy{Base: 10 * time.Second, Attempts: 2}
	r := newRig(t, cfg)
	r.do(r.m.Connect(r.now, "a", onDemand))
	for i, delay := range []time.Duration{10 * time.Second, 20 * time.Second, 30 * time.Second} {
		op := r.open("a")
		r.take(r.m.Report(r.now, manager.Report{Kind: manager.OpenFailed, Link: r.link("a"), Err: errors.New("no such program")}))
		if e := class(t, done(t, r.out, op).Err, manager.ClassTransport); e == nil {
			t.Fatal(i)
		}
		r.state("a", manager.Failed, delay)
		for _, wait := range []time.Duration{0, delay - 1} {
			at := r.now.Add(wait)
			was := r.m
			_, out, err := r.m.Open(at, "a")
			e := class(t, err, manager.ClassUnavailable)
			if !e.RetryAt.Equal(r.now.Add(delay)) || e.Condition != manager.Failed || !out.IsZero() || was.Step() != r.m.Step() {
				t.Fatalf("attempt %d, %v later: %v until %v", i, wait, e, e.RetryAt)
			}
		}
		if _, ok := r.m.NextDeadline(); ok {
			t.Fatal("it is opened again by itself")
		}
		r.now = r.now.Add(delay)
	}
}

// One that is lost is Idle if it was stable, or for the first time; else it has to wait. A program
// that ends as soon as it is ready is not started over and over.
func TestOnDemandLost(t *testing.T) {
	r := newRig(t, config())
	r.do(r.m.Connect(r.now, "a", onDemand))
	for range 2 {
		r.open("a")
		r.shake("a")
		r.sleep(time.Minute)
		r.take(r.m.Report(r.now, manager.Report{Kind: manager.Ended, Link: r.link("a")}))
		r.state("a", manager.Idle, -1)
		r.sleep(time.Second)
		r.open("a")
		r.shake("a")
		r.take(r.m.Report(r.now, manager.Report{Kind: manager.Ended, Link: r.link("a")}))
		r.state("a", manager.Failed, 2*time.Second)
		r.sleep(2 * time.Second)
	}
}

// DisconnectAll does not close the breaker of a server: until its cooldown is over nobody opens it, and
// the error says when that is.
func TestOnDemandBreaker(t *testing.T) {
	cfg := config()
	cfg.Breaker = backoff.BreakerOptions{Threshold: 1, Cooldown: time.Minute}
	r := newRig(t, cfg)
	r.do(r.m.Connect(r.now, "a", onDemand))
	r.open("a")
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.OpenFailed, Link: r.link("a"), Err: errors.New("no such program")}))
	end := r.now.Add(time.Minute)
	r.take(r.m.DisconnectAll(r.now))
	r.state("a", manager.Idle, -1)
	for _, wait := range []time.Duration{0, time.Minute - 1} {
		was := r.m
		_, out, err := r.m.Open(r.now.Add(wait), "a")
		e := class(t, err, manager.ClassUnavailable)
		if !e.RetryAt.Equal(end) || e.Condition != manager.Idle || !out.IsZero() || was.Step() != r.m.Step() {
			t.Fatalf("%v later: %v until %v", wait, e, e.RetryAt)
		}
	}
	r.now = end
	r.open("a")
	r.shake("a")
	r.state("a", manager.Ready, -1)
}

// What DisconnectAll ends is opened again when it is wanted; Disconnect frees the name (row A11).
func TestOnDemandDisconnect(t *testing.T) {
	r := newRig(t, config())
	for _, name := range []string{"open", "idle", "opening", "failed"} {
		r.do(r.m.Connect(r.now, name, onDemand))
	}
	r.connect("other", manager.Options{})
	r.open("open")
	r.shake("open")
	waits := r.open("opening")
	r.open("failed")
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.OpenFailed, Link: r.link("failed")}))
	call := r.do(r.m.CallTool(r.now, "open", "t", "", manager.RequestOptions{})).Op
	old := r.link("open")

	all := r.take(r.m.DisconnectAll(r.now))
	class(t, done(t, all, call).Err, manager.ClassLost)
	class(t, done(t, all, waits).Err, manager.ClassLost)
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.Ended, Link: old}))
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.Ended, Link: r.link("opening")}))
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.Ended, Link: manager.Link{Server: "other", Epoch: 1}}))
	if ev := done(t, r.out, all.Op); ev.Err != nil || len(ev.Errors) != 5 {
		t.Fatal(ev)
	}
	var names []string
	for s := range r.m.Statuses() {
		names = append(names, s.Link.Server)
		r.state(s.Link.Server, manager.Idle, -1)
	}
	if diff := cmp.Diff([]string{"open", "idle", "opening", "failed"}, names); diff != "" {
		t.Fatal(diff)
	}
	r.open("open")
	if r.link("open") == old {
		t.Fatal("the same Link again")
	}
	r.shake("open")
	r.do(r.m.CallTool(r.now, "open", "t", "", manager.RequestOptions{}))

	out := r.take(r.m.Disconnect(r.now, "idle"))
	if ev := done(t, out, out.Op); ev.Err != nil {
		t.Fatal(ev)
	}
	_, _, err := r.m.Open(r.now, "idle")
	if !errors.Is(err, manager.ErrUnknownServer) {
		t.Fatal(err)
	}
}

// A health check reports on each configured server, and really opens one that is Idle (row A13).
func TestOnDemandHealth(t *testing.T) {
	r := newRig(t, config())
	r.connect("a", manager.Options{})
	r.do(r.m.Connect(r.now, "b", onDemand))
	r.do(r.m.Connect(r.now, "c", onDemand))
	out := r.take(r.m.HealthCheck(r.now))
	if opens(out) != 2 {
		t.Fatal(render(out, r.now))
	}
	r.say("a", `{"jsonrpc":"2.0","id":2,"result":{}}`)
	r.shake("b")
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.OpenFailed, Link: r.link("c")}))
	ev := done(t, r.out, out.Op)
	var got []string
	for _, p := range ev.Checkups {
		got = append(got, p.Link.Server+" "+p.Condition.String())
	}
	if diff := cmp.Diff([]string{"a ready", "b ready", "c failed"}, got); diff != "" {
		t.Fatal(diff)
	}
}

// Only names on demand are opened so, and none that is opened by itself or whose breaker is open.
func TestOpenRefusals(t *testing.T) {
	cfg := config()
	cfg.Breaker = backoff.BreakerOptions{Threshold: 1, Cooldown: time.Hour}
	r := newRig(t, cfg)
	r.do(r.m.Connect(r.now, "plain", manager.Options{}))
	r.do(r.m.Connect(r.now, "waiting", manager.Options{Supervise: true, OnDemand: true}))
	r.do(r.m.Connect(r.now, "broken", onDemand))
	r.open("waiting")
	r.open("broken")
	for _, name := range []string{"plain", "waiting", "broken"} {
		r.take(r.m.Report(r.now, manager.Report{Kind: manager.OpenFailed, Link: r.link(name)}))
		retry := r.now.Add(time.Hour)
		if name == "plain" {
			retry = time.Time{}
		}
		_, _, err := r.m.Open(r.now, name)
		if e := class(t, err, manager.ClassUnavailable); !e.RetryAt.Equal(retry) || !errors.Is(err, manager.ErrUnavailable) {
			t.Errorf("%s: %v until %v", name, e, e.RetryAt)
		}
	}
	if _, _, err := r.m.Open(r.now, ""); !errors.Is(err, manager.ErrUnknownServer) {
		t.Error(err)
	}
	if _, _, err := (manager.Manager{}).Open(r.now, "a"); !errors.Is(err, manager.ErrUnknownServer) {
		t.Error(err)
	}
}

// A server that is Idle or waits to be wanted is so after a Restore.
func TestOnDemandRestore(t *testing.T) {
	r := newRig(t, config())
	r.do(r.m.Connect(r.now, "never", onDemand))
	r.do(r.m.Connect(r.now, "failed", onDemand))
	r.open("failed")
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.OpenFailed, Link: r.link("failed")}))
	r.connect("lost", manager.Options{})
	r.do(r.m.Connect(r.now, "lost", manager.Options{OnDemand: true, Replace: true}))
	r.open("lost")
	r.shake("lost")
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.Ended, Link: r.link("lost")}))

	later := r.now.Add(3 * time.Hour)
	m, err := manager.Restore(config(), r.m.Snapshot(), later, func(string) (manager.Options, bool) { return onDemand, true })
	if err != nil {
		t.Fatal(err)
	}
	r.now = later
	r.take(m, manager.Effects{})
	r.state("never", manager.Idle, -1)
	r.state("failed", manager.Failed, time.Second)
	r.state("lost", manager.Idle, -1)
	for _, name := range []string{"never", "lost"} {
		r.open(name)
		r.shake(name)
	}
	r.sleep(time.Second)
	r.open("failed")

	_, err = manager.Restore(config(), r.m.Snapshot(), later, func(string) (manager.Options, bool) { return manager.Options{}, true })
	if err != nil {
		t.Fatal(err)
	}
	idle := newRig(t, config())
	idle.do(idle.m.Connect(r.now, "a", onDemand))
	if _, err = manager.Restore(config(), idle.m.Snapshot(), later, func(string) (manager.Options, bool) { return manager.Options{}, true }); err == nil {
		t.Fatal("a server is Idle that is not on demand")
	}
}
