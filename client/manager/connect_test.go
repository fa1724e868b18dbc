package manager_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/conformance/settings"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol"
)

// Rows B1, B2, E21, F9: zero is the default, what cannot be is refused by name, and
// "not at all" has to be said.
func TestSettings(t *testing.T) {
	check := func(cfg manager.Config) error {
		_, err := manager.New(cfg, t0)
		if err != nil && (class(t, err, manager.ClassConfig).Field == "" || !errors.Is(err, lifecycle.ErrConfig)) {
			t.Error(err)
		}
		return err
	}
	settings.Test(t, "manager", config(), check, settings.Wants{
		"Timeouts.Connect": "positive, or 0 for 5m0s", "Timeouts.Request": "positive, 0 for 30s, or NoTimeout", "Timeouts.Maximum": "positive, 0 for 1h0m0s, or NoTimeout",
		"Timeouts.Ping": "positive, or 0 for 10s", "Timeouts.Close": "positive, or 0 for 5s", "Timeouts.Inbound": "positive, 0 for 10m0s, or NoTimeout",
		"Health.Interval": "positive, 0 for 30s, or NoTimeout", "Health.Misses": "positive, or 0 for 3", "StableFor": "positive, 0 for 1m0s, or NoTimeout",
		"Backoff.Base": "positive, 0 for 1s, or Immediate", "Backoff.Cap": "positive, or 0 for 30s", "Backoff.Attempts": "positive, or 0 for no limit",
		"Breaker.Threshold": "positive, or 0 for no limit", "Breaker.Cooldown": "positive, or 0 for 1m0s", "Breaker.Probes": "positive, or 0 for 1",
		"Budget.Pages": "positive, or 0 for the default", "Budget.Items": "positive, or 0 for the default", "Budget.Bytes": "positive, or 0 for the default",
		"Budget.Total": "positive, 0 for 10 × Timeouts.Request, or NoTimeout", "MaxServers": "positive, or 0 for 10000",
	})
	for want, set := range map[string]func(*manager.Config){
		"Backoff.Cap is 1ns: want at least Base, 1s":         func(c *manager.Config) { c.Backoff.Cap = 1 },
		"Backoff.Factor is 0.5: want at least 1, or 0 for 2": func(c *manager.Config) { c.Backoff.Factor = 0.5 },
		"Backoff.Jitter is 2: want 0 to 1":                   func(c *manager.Config) { c.Backoff.Jitter = 2 },
	} {
		cfg := config()
		set(&cfg)
		settings.Refused(t, check(cfg), "manager: "+want)
	}
	cfg := config()
	cfg.Client.Info.Name = ""
	_, err := manager.New(cfg, t0)
	if e := class(t, err, manager.ClassConfig); !strings.HasPrefix(e.Field, "Client") || !errors.Is(err, lifecycle.ErrConfig) {
		t.Errorf("%v", err)
	}
	if _, err := manager.New(config(), time.Time{}); !errors.Is(err, lifecycle.ErrConfig) {
		t.Error("a zero time:", err)
	}
	for _, opt := range []manager.Options{
		{Timeouts: manager.Timeouts{Connect: -1}},
		{Health: manager.Health{Misses: -1}},
		{Meta: `[]`}, {Meta: `{"progressToken":1}`}, {Meta: `{`},
		{Client: &client.Config{}},
		{Client: &client.Config{Info: config().Client.Info, Limits: lifecycle.Limits{Text: -1}}},
		{Fallbacks: []manager.Fallback{{Revisions: []protocol.Revision{{}}}}},
	} {
		r := newRig(t, config())
		m, out, err := r.m.Connect(t0, "a", opt)
		if !errors.Is(err, lifecycle.ErrConfig) || !out.IsZero() || m.Step() != 0 {
			t.Errorf("%+v: %v", opt, err)
		}
	}
	for _, name := range []string{"", "\xff", strings.Repeat("a", 1025)} {
		if _, _, err := newRig(t, config()).m.Connect(t0, name, manager.Options{}); !errors.Is(err, lifecycle.ErrConfig) {
			t.Errorf("%.10q: %v", name, err)
		}
	}
	var zero manager.Manager
	if _, _, err := zero.Connect(t0, "a", manager.Options{}); err == nil || zero.Check() == nil || zero.Snapshot() != nil {
		t.Error("the zero Manager works")
	}
	m, out := zero.Report(t0, manager.Report{Kind: manager.Received, Link: manager.Link{Server: "a", Epoch: 1}, Message: jsonrpc.Message{}})
	m, _ = m.Tick(t0)
	if _, ok := m.NextDeadline(); ok || !out.IsZero() {
		t.Error("the zero Manager does something")
	}
}

// Rows B1, B4, B5, B7, E17, E19, G: connecting is visible, the endpoint is handed back untouched, and
// one deadline covers opening and handshake.
func TestConnect(t *testing.T) {
	r := newRig(t, config())
	type command struct {
		args []string
		dir  string
	}
	end := &command{[]string{"server"}, "/tmp"}
	out := r.do(r.m.Connect(r.now, "a", manager.Options{Endpoint: end}))
	a := out.Actions[0]
	if len(out.Actions) != 1 || a.Kind != manager.ActOpen || a.Endpoint != any(end) || a.By != t0.Add(5*time.Minute) || a.Dial != 1 {
		t.Fatalf("%+v", out.Actions)
	}
	if s, _ := r.m.Status("a"); s.Condition != manager.Connecting || s.Dials != 1 || s.Since != t0 {
		t.Errorf("%+v", s)
	}
	if _, err := r.m.ServerInfo("a"); !errors.Is(err, manager.ErrUnavailable) {
		t.Error(err) // row B20
	}
	r.sleep(10 * time.Second)
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.Opened, Link: a.Link}))
	if s, _ := r.m.Status("a"); s.Condition != manager.Handshaking {
		t.Errorf("%+v", s)
	}
	before, _ := r.m.Tick(t0.Add(5*time.Minute - 1))
	if s, _ := before.Status("a"); s.Condition != manager.Handshaking {
		t.Errorf("given up too early: %+v", s)
	}
	r.sleep(290 * time.Second) // at 5 min, not 10 s later
	ev := done(t, r.out, out.Op)
	class(t, ev.Err, manager.ClassTimeout)
	if s, _ := r.m.Status("a"); s.Condition != manager.Failed || s.Err == nil {
		t.Errorf("%+v", s)
	}
	if n := len(sent(r.out, "a")); n != 0 {
		t.Error("initialize was cancelled") // row B12
	}
}

// Rows B4, B3, F5: a name that is in use is refused; with Replace the old
// one is disconnected, and what it still says reaches nobody.
func TestSameName(t *testing.T) {
	r := newRig(t, config())
	r.connect("a", manager.Options{})
	old := r.link("a")
	call := r.do(r.m.CallTool(r.now, "a", "t", "", manager.RequestOptions{}))
	if _, out, err := r.m.Connect(r.now, "a", manager.Options{}); !errors.Is(err, manager.ErrNameInUse) || !out.IsZero() {
		t.Fatal(err)
	}
	out := r.do(r.m.Connect(r.now, "a", manager.Options{Replace: true, TrustAnnotations: true}))
	class(t, done(t, out, call.Op).Err, manager.ClassLost)
	if kinds := actionKinds(out); !slices.Equal(kinds, []manager.ActionKind{manager.ActSend, manager.ActClose, manager.ActOpen}) {
		t.Errorf("%v", kinds)
	}
	now := r.link("a")
	if now == old || now.Epoch <= old.Epoch {
		t.Errorf("%v after %v", now, old)
	}
	// Late messages of the old incarnation, before and after the new one is ready.
	for range 2 {
		late := r.m.LateReports()
		out := r.take(r.m.Report(r.now, manager.Report{Kind: manager.Received, Link: old, Message: jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":2,"result":{"content":[]}}`)}))
		if !out.IsZero() || r.m.LateReports() != late+1 {
			t.Errorf("%s", render(out, t0))
		}
		if s, _ := r.m.Status("a"); s.Condition == manager.Connecting {
			r.shake("a")
		}
	}
	if opt, _ := r.m.Options("a"); !opt.TrustAnnotations {
		t.Error("the options are those of the old one") // row B25
	}
	// Its end is no end of the new one.
	out = r.take(r.m.Report(r.now, manager.Report{Kind: manager.Ended, Link: old, Err: errors.New("gone")}))
	if s, _ := r.m.Status("a"); s.Condition != manager.Ready || len(events(out, manager.ServerChanged)) != 1 {
		t.Errorf("%+v\n%s", s, render(out, t0))
	}
	// One that has failed does not hold its name.
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.Ended, Link: now}))
	r.do(r.m.Connect(r.now, "a", manager.Options{}))
	if r.m.Len() != 1 {
		t.Error(r.m.Len())
	}
}

func actionKinds(out manager.Effects) (kinds []manager.ActionKind) {
	for _, a := range out.Actions {
		kinds = append(kinds, a.Kind)
	}
	return kinds
}

// Row A21: ways are tried one after the other within one deadline, each offers its own
// revisions, and what worked is tried first the next time.
func TestFallbacks(t *testing.T) {
	r := newRig(t, config())
	older := []protocol.Revision{protocol.Revision20241105}
	op := r.do(r.m.Connect(r.now, "a", manager.Options{
		Endpoint: "stream", Supervise: true,
		Fallbacks: []manager.Fallback{{Endpoint: "sse", Revisions: older}, {Endpoint: "last"}},
	})).Op
	r.sleep(5 * time.Second)
	out := r.take(r.m.Report(r.now, manager.Report{Kind: manager.OpenFailed, Link: r.link("a"), Err: errors.New("405")}))
	if a := out.Actions[0]; a.Endpoint != "sse" || a.By != t0.Add(5*time.Minute) || a.Dial != 1 {
		t.Fatalf("%s", render(out, t0))
	}
	out = r.take(r.m.Report(r.now, manager.Report{Kind: manager.Opened, Link: r.link("a")}))
	if !strings.Contains(sent(out, "a")[0], `"protocolVersion":"2024-11-05"`) {
		t.Error(sent(out, "a"))
	}
	out = r.say("a", strings.Replace(hello(1), "2025-11-25", "2024-11-05", 1))
	if err := done(t, out, op).Err; err != nil {
		t.Fatal(err)
	}
	// Lost: the way that worked comes first, and then the others in turn.
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.Ended, Link: r.link("a")}))
	r.sleep(time.Second)
	var ends []any
	for range 3 {
		ends = append(ends, r.out.Actions[0].Endpoint)
		r.take(r.m.Report(r.now, manager.Report{Kind: manager.OpenFailed, Link: r.link("a")}))
	}
	if !slices.Equal(ends, []any{"sse", "last", "stream"}) {
		t.Error(ends)
	}
	if s, _ := r.m.Status("a"); s.Condition != manager.Waiting || s.Dials != 2 {
		t.Errorf("%+v", s) // three ways are one attempt
	}
	// A handshake that is refused is closed before the next way is opened.
	r.sleep(2 * time.Second)
	out = r.take(r.m.Report(r.now, manager.Report{Kind: manager.Opened, Link: r.link("a")}))
	out = r.say("a", `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"no"}}`)
	if kinds := actionKinds(out); !slices.Equal(kinds, []manager.ActionKind{manager.ActClose, manager.ActOpen}) {
		t.Errorf("%s", render(out, t0))
	}
}

// Rows E29, E31, A21: what a server has to be is what the specification says. It may have any
// capability, and it may lack them; a revision that is not supported, or a capability that
// Config requires, is not tried again.
func TestHandshakes(t *testing.T) {
	cfg := config()
	cfg.Client.Require = protocol.CapTools
	for _, tt := range []struct {
		name, answer string
		class        manager.Class
		state        manager.Condition
	}{
		{"all capabilities", hello(1), 0, manager.Ready},
		{"tools alone", strings.Replace(hello(1), caps, `{"tools":{}}`, 1), 0, manager.Ready},
		{"supported flags, as no specification has them", strings.Replace(hello(1), caps, `{"tools":{"supported":true}}`, 1), 0, manager.Ready},
		{"no tools", strings.Replace(hello(1), caps, `{"prompts":{}}`, 1), manager.ClassUnsupported, manager.Failed},
		{"another revision", strings.Replace(hello(1), "2025-11-25", "2024-01-01", 1), manager.ClassProtocol, manager.Failed},
		{"no result of initialize", `{"jsonrpc":"2.0","id":1,"result":{}}`, manager.ClassProtocol, manager.Waiting},
		{"an error", `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"not yet"}}`, manager.ClassProtocol, manager.Waiting},
	} {
		r := newRig(t, cfg)
		op := r.do(r.m.Connect(r.now, "a", manager.Options{Supervise: true})).Op
		r.take(r.m.Report(r.now, manager.Report{Kind: manager.Opened, Link: r.link("a")}))
		out := r.say("a", tt.answer)
		s, _ := r.m.Status("a")
		if s.Condition != tt.state {
			t.Errorf("%s: %v", tt.name, s.Condition)
		}
		ev := done(t, out, op)
		if tt.class == 0 {
			if n := len(sent(out, "a")); ev.Err != nil || n != 1 {
				t.Errorf("%s: %v, %d messages", tt.name, ev.Err, n) // one notifications/initialized
			}
			continue
		}
		class(t, ev.Err, tt.class)
		if (s.Condition == manager.Waiting) == ev.RetryAt.IsZero() {
			t.Errorf("%s: retry at %v", tt.name, ev.RetryAt)
		}
	}
}

// Rows A3, E21: a connection may have its own Config and times.
func TestOwnSettings(t *testing.T) {
	r := newRig(t, config())
	own := config().Client
	own.Info.Name = "other"
	out := r.do(r.m.Connect(r.now, "a", manager.Options{
		Client: &own, Timeouts: manager.Timeouts{Connect: time.Second, Request: 2 * time.Second}, TrustAnnotations: true,
	}))
	if out.Actions[0].By != t0.Add(time.Second) {
		t.Error(out.Actions[0].By)
	}
	own.Info.Name = "scribbled"
	out = r.take(r.m.Report(r.now, manager.Report{Kind: manager.Opened, Link: r.link("a")}))
	if !strings.Contains(sent(out, "a")[0], `"name":"other"`) {
		t.Error(sent(out, "a"))
	}
	r.say("a", hello(1))
	op := r.do(r.m.CallTool(r.now, "a", "t", "", manager.RequestOptions{})).Op
	r.sleep(2 * time.Second)
	class(t, done(t, r.out, op).Err, manager.ClassTimeout)
	if opt, ok := r.m.Options("a"); !ok || !opt.TrustAnnotations || opt.Client.Info.Name != "other" {
		t.Errorf("%+v", opt)
	}
	if _, ok := r.m.Options("b"); ok {
		t.Error("options of nobody")
	}
}

// MaxServers bounds the names, and Replace needs no further one.
func TestMaxServers(t *testing.T) {
	cfg := config()
	cfg.MaxServers = 1
	r := newRig(t, cfg)
	r.connect("a", manager.Options{})
	if _, _, err := r.m.Connect(r.now, "b", manager.Options{}); !errors.Is(err, lifecycle.ErrLimit) {
		t.Error(err)
	}
	r.do(r.m.Connect(r.now, "a", manager.Options{Replace: true}))
	r.take(r.m.Disconnect(r.now, "a"))
	r.do(r.m.Connect(r.now, "b", manager.Options{})) // the name is free before the transport is closed
}

// Reconnect opens again at once, and forgets the failures.
func TestReconnect(t *testing.T) {
	cfg := config()
	cfg.Breaker = backoff.BreakerOptions{Threshold: 1}
	r := newRig(t, cfg)
	if _, _, err := r.m.Forget(r.now, "a", "test://a"); !errors.Is(err, manager.ErrUnknownServer) {
		t.Error(err)
	}
	if _, _, err := r.m.Reconnect(r.now, "a"); !errors.Is(err, manager.ErrUnknownServer) {
		t.Fatal(err)
	}
	first := r.do(r.m.Connect(r.now, "a", manager.Options{Supervise: true})).Op
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.OpenFailed, Link: r.link("a")}))
	if done(t, r.out, first).RetryAt != t0.Add(time.Minute) { // the breaker is open
		t.Errorf("%s", render(r.out, t0))
	}
	op := r.do(r.m.Reconnect(r.now, "a")).Op
	r.shake("a")
	if err := done(t, r.out, op).Err; err != nil {
		t.Fatal(err)
	}
	call := r.do(r.m.CallTool(r.now, "a", "t", "", manager.RequestOptions{})).Op
	out := r.do(r.m.Reconnect(r.now, "a"))
	class(t, done(t, out, call).Err, manager.ClassLost)
	if kinds := actionKinds(out); !slices.Equal(kinds, []manager.ActionKind{manager.ActSend, manager.ActClose, manager.ActOpen}) {
		t.Errorf("%v", kinds)
	}
}

// A transport that ends in the middle of a handshake leads to the next way. What its session did in
// the end counts for that link alone: the next one begins as a new one does.
func TestFallbackWhileHandshaking(t *testing.T) {
	r := newRig(t, config())
	op := r.do(r.m.Connect(r.now, "a", manager.Options{Endpoint: "one", Fallbacks: []manager.Fallback{{Endpoint: "two"}}})).Op
	first := r.link("a")
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.Opened, Link: first}))
	out := r.take(r.m.Report(r.now, manager.Report{Kind: manager.Ended, Link: first, Err: errors.New("EOF")}))
	if len(out.Actions) != 1 || out.Actions[0].Kind != manager.ActOpen || out.Actions[0].Endpoint != "two" || out.Actions[0].Link == first {
		t.Fatalf("%+v", out.Actions)
	}
	for _, ev := range out.Events {
		if ev.Kind != manager.ServerChanged || ev.To != manager.Connecting {
			t.Errorf("%+v", ev)
		}
	}
	r.shake("a")
	if ev := done(t, r.out, op); ev.Err != nil {
		t.Error(ev.Err)
	}
}
