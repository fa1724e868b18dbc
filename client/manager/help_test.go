package manager_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

var update = flag.Bool("update", false, "rewrite the files in testdata")

var t0 = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// config is a Config that is good for a test.
func config() manager.Config {
	return manager.Config{
		Client: client.Config{Info: protocol.Implementation{Name: "test", Version: "1"}},
		Health: manager.Health{Interval: lifecycle.NoTimeout},
	}
}

// rig is a Manager with the servers that it is connected to, in virtual time.
type rig struct {
	t   *testing.T
	m   manager.Manager
	now time.Time
	out manager.Effects // of the last step
	log strings.Builder
	all manager.Effects // of all steps

	interval time.Duration // of TestOverrides
}

func newRig(t *testing.T, cfg manager.Config) *rig {
	t.Helper()
	m, err := manager.New(cfg, t0)
	if err != nil {
		t.Fatal(err)
	}
	return &rig{t: t, m: m, now: t0}
}

// take takes a step.
func (r *rig) take(m manager.Manager, out manager.Effects) manager.Effects {
	r.t.Helper()
	r.m, r.out = m, out
	r.all.Merge(out)
	if err := m.Check(); err != nil {
		r.t.Fatalf("%v after\n%s%s", err, r.log.String(), render(out, r.now))
	}
	r.log.WriteString(render(out, r.now))
	return out
}

// do takes a step that must not fail.
func (r *rig) do(m manager.Manager, out manager.Effects, err error) manager.Effects {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
	return r.take(m, out)
}

// link returns the incarnation that a name has now.
func (r *rig) link(name string) manager.Link {
	r.t.Helper()
	l, ok := r.m.Link(name)
	if !ok {
		r.t.Fatalf("no link of %q", name)
	}
	return l
}

// say lets a server send a message.
func (r *rig) say(name, text string) manager.Effects {
	r.t.Helper()
	return r.take(r.m.Report(r.now, manager.Report{Kind: manager.Received, Link: r.link(name), Message: jsonrpc.DecodeString(text)}))
}

// sleep lets time pass, with a Tick whenever one is due.
func (r *rig) sleep(d time.Duration) {
	r.t.Helper()
	end := r.now.Add(d)
	for {
		due, ok := r.m.NextDeadline()
		if !ok || due.After(end) {
			r.now = end
			return
		}
		if due.After(r.now) {
			r.now = due
		}
		r.take(r.m.Tick(r.now))
		if next, ok := r.m.NextDeadline(); ok && !next.After(r.now) {
			r.t.Fatalf("Tick at %v leaves a deadline at %v", r.now, next)
		}
	}
}

// caps are the capabilities of a server that has everything.
const caps = `{"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"prompts":{},"logging":{},"completions":{}}`

// hello is the answer to initialize.
func hello(id int64) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"protocolVersion":"2025-11-25","capabilities":%s,"serverInfo":{"name":"s","version":"1"}}}`, id, caps)
}

// connect connects a server and makes it ready.
func (r *rig) connect(name string, opt manager.Options) manager.Op {
	r.t.Helper()
	op := r.do(r.m.Connect(r.now, name, opt)).Op
	r.shake(name)
	return op
}

// shake opens the transport of a server and answers its handshake.
func (r *rig) shake(name string) {
	r.t.Helper()
	out := r.take(r.m.Report(r.now, manager.Report{Kind: manager.Opened, Link: r.link(name)}))
	r.say(name, hello(lastID(r.t, out)))
}

// lastID returns the id of the last request that a step sends.
func lastID(t *testing.T, out manager.Effects) int64 {
	t.Helper()
	for i := len(out.Actions) - 1; i >= 0; i-- {
		if a := out.Actions[i]; a.Kind == manager.ActSend && a.Out.Message.Kind == jsonrpc.KindRequest {
			n, _ := a.Out.Message.ID.Int64()
			return n
		}
	}
	t.Fatalf("no request in %s", render(out, t0))
	return 0
}

// sent returns the messages that a step sends to a server, as text.
func sent(out manager.Effects, name string) []string {
	var list []string
	for _, a := range out.Actions {
		if a.Kind == manager.ActSend && a.Link.Server == name {
			list = append(list, string(jsonrpc.Append(nil, a.Out.Message)))
		}
	}
	return list
}

// done returns the end of an operation in a step.
func done(t *testing.T, out manager.Effects, op manager.Op) manager.Event {
	t.Helper()
	ev, n := ended(out, op)
	if n != 1 {
		t.Fatalf("%v ends %d times in\n%s", op, n, render(out, t0))
	}
	return ev
}

func ended(out manager.Effects, op manager.Op) (ev manager.Event, n int) {
	for _, e := range out.Events {
		if e.Kind == manager.OpDone && e.Op == op {
			ev = e
			n++
		}
	}
	return ev, n
}

// kinds returns what a step says happened, one word each.
func events(out manager.Effects, kind manager.EventKind) []manager.Event {
	var list []manager.Event
	for _, ev := range out.Events {
		if ev.Kind == kind {
			list = append(list, ev)
		}
	}
	return list
}

// class checks the class of an error.
func class(t *testing.T, err error, want manager.Class) *manager.Error {
	t.Helper()
	var e *manager.Error
	if !errors.As(err, &e) || e.Class != want {
		t.Fatalf("error %v, want one of class %q", err, want)
	}
	return e
}

// render writes an Output as a person reads it, with the time since t0.
func render(out manager.Effects, now time.Time) string {
	var b strings.Builder
	at := func(t time.Time) string { return "+" + t.Sub(t0).String() }
	for _, a := range out.Actions {
		fmt.Fprintf(&b, "%-10s %-5s %v", at(now), a.Kind, a.Link)
		switch a.Kind {
		case manager.ActOpen:
			fmt.Fprintf(&b, " attempt %d by %s", a.Dial, at(a.By))
			if a.Endpoint != nil {
				fmt.Fprintf(&b, " %v", a.Endpoint)
			}
		case manager.ActClose:
			fmt.Fprintf(&b, " by %s", at(a.By))
		case manager.ActSend:
			text := string(jsonrpc.Append(nil, a.Out.Message))
			if a.Out.Message.Method == "initialize" {
				text = rawjson.Set(text, "params", "")
			}
			b.WriteString(" " + text)
		}
		b.WriteByte('\n')
	}
	for _, ev := range out.Events {
		fmt.Fprintf(&b, "%-10s   %s", at(now), ev.Kind)
		if !ev.Link.IsZero() {
			fmt.Fprintf(&b, " %v", ev.Link)
		}
		if !ev.Op.IsZero() {
			fmt.Fprintf(&b, " %v %s", ev.Op, ev.Method)
		}
		switch ev.Kind {
		case manager.ServerChanged:
			fmt.Fprintf(&b, " %v → %v", ev.From, ev.To)
		case manager.PingsMissed:
			fmt.Fprintf(&b, " misses %d", ev.Misses)
		case manager.RestoreFailed:
			fmt.Fprintf(&b, " %s %s", ev.Method, ev.URI)
		case manager.SessionEvent:
			fmt.Fprintf(&b, " %v %s %s", ev.Session.Kind, ev.Session.Method, ev.Session.Body)
			if !ev.Call.Call.IsZero() {
				fmt.Fprintf(&b, " %v", ev.Call.Call)
			}
		case manager.OpDone:
			if ev.Session.Body != "" {
				fmt.Fprintf(&b, " %s", ev.Session.Body)
			}
		}
		if ev.Items != nil {
			fmt.Fprintf(&b, " items %v", ev.Items)
		}
		if ev.Latency != 0 {
			fmt.Fprintf(&b, " latency %v", ev.Latency)
		}
		if !ev.RetryAt.IsZero() {
			fmt.Fprintf(&b, " retry %s", at(ev.RetryAt))
		}
		if ev.Err != nil {
			fmt.Fprintf(&b, " err %v", ev.Err)
		}
		b.WriteByte('\n')
		for _, p := range ev.Checkups {
			fmt.Fprintf(&b, "%-10s     %v %v latency %v err %v\n", "", p.Link, p.Condition, p.Latency, p.Err)
		}
		for _, e := range ev.Errors {
			fmt.Fprintf(&b, "%-10s     %v\n", "", e)
		}
	}
	return b.String()
}

// golden compares the log of a rig with a file.
func (r *rig) golden(name string) {
	r.t.Helper()
	file := filepath.Join("testdata", name+".txt")
	got := r.log.String()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			r.t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		r.t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		r.t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

var _ = lifecycle.ErrGone
