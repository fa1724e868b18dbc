package server_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// lists returns a catalog and a Config that declares every kind of list. A name that is
// not "" is added to the list of its place: tools, resources, templates, prompts.
func lists(t *testing.T, more ...string) server.Config {
	t.Helper()
	items := server.Items{
		Tools: []protocol.Tool{{Name: "t", InputSchema: `{"type":"object"}`}}, Resources: []protocol.Resource{{URI: "a:b", Name: "b"}},
		ResourceTemplates: []protocol.ResourceTemplate{{URITemplate: "a:{b}", Name: "b"}}, Prompts: []protocol.Prompt{{Name: "p"}},
	}
	for i, name := range more {
		switch {
		case name == "":
		case i == 0:
			items.Tools = append(items.Tools, protocol.Tool{Name: name, InputSchema: `{"type":"object"}`})
		case i == 1:
			items.Resources = append(items.Resources, protocol.Resource{URI: "a:" + name, Name: name})
		case i == 2:
			items.ResourceTemplates = append(items.ResourceTemplates, protocol.ResourceTemplate{URITemplate: "a:{" + name + "}", Name: name})
		case i == 3:
			items.Prompts = append(items.Prompts, protocol.Prompt{Name: name})
		}
	}
	c, err := server.NewCatalog(items)
	if err != nil {
		t.Fatal(err)
	}
	return server.Config{
		Info: protocol.Implementation{Name: "s", Version: "1"}, Catalog: c, Serve: []string{"tools/call", "resources/read", "prompts/get"}, Logging: true,
		ListChanged: protocol.CapToolsListChanged | protocol.CapResourcesListChanged | protocol.CapPromptsListChanged,
	}
}

// opened returns a session of the Config that is ready at t0.
func opened(t *testing.T, cfg server.Config) server.State {
	t.Helper()
	s, err := server.New(cfg, t0)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[:2] {
		s, _ = s.Receive(t0, jsonrpc.DecodeString(line))
	}
	return s
}

// restored is Restore of what has to be restored.
func restored(t *testing.T, cfg server.Config, data []byte, now time.Time) server.State {
	t.Helper()
	s, err := server.Restore(cfg, data, now)
	if err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	return s
}

func methods(out server.Output) string {
	var list []string
	for _, o := range out.Send {
		list = append(list, strings.TrimPrefix(o.Message.Method, "notifications/"))
	}
	return strings.Join(list, " ")
}

// After a Restore the lists that are others are announced, each kind by itself, and none
// that is the same; where the version is none, all of them.
func TestRestoreAnnouncesWhatDiffers(t *testing.T) {
	cfg := lists(t)
	text := string(opened(t, cfg).Snapshot())
	_, rest, _ := strings.Cut(text, `"catalog":"`)
	version, _, _ := strings.Cut(rest, `"`)
	const all = "tools/list_changed resources/list_changed prompts/list_changed"
	for _, tt := range []struct {
		name, want, version string
		more                []string
	}{
		{"the same", "", version, nil},
		{"a tool", "tools/list_changed", version, []string{"x"}},
		{"a resource", "resources/list_changed", version, []string{"", "x"}},
		{"a template", "resources/list_changed", version, []string{"", "", "x"}},
		{"a prompt", "prompts/list_changed", version, []string{"", "", "", "x"}},
		{"a tool and a prompt", "tools/list_changed prompts/list_changed", version, []string{"x", "", "", "x"}},
		{"no version", all, "", nil},
		{"half a version", "resources/list_changed prompts/list_changed", version[:strings.Index(version, "-")], nil},
		{"more than a version", all, version + "-0", nil},
		{"a long version", all, strings.Repeat("-", 1<<16), nil},
	} {
		s := restored(t, lists(t, tt.more...), []byte(strings.Replace(text, version, tt.version, 1)), t0)
		if due, ok := s.NextDeadline(); ok != (tt.want != "") || ok && !due.Equal(t0.Add(100*time.Millisecond)) {
			t.Errorf("%s: due %v %v", tt.name, due, ok)
		}
		if _, out := s.Tick(t0.Add(time.Second)); methods(out) != tt.want {
			t.Errorf("%s: announced %q, want %q", tt.name, methods(out), tt.want)
		}
	}
}

// What the Config does not declare is not announced after a Restore either, of a snapshot of the old
// form that does not say what was declared.
func TestRestoreAnnouncesNothingUndeclared(t *testing.T) {
	cfg, next := lists(t), lists(t, "x")
	text := strings.Replace(string(opened(t, cfg).Snapshot()), `"catalog"`, `"changed":"prompts.listChanged","announce":5,"catalog"`, 1)
	text = oldForm.ReplaceAllString(text, "")
	next.ListChanged = 0
	if due, ok := restored(t, next, []byte(text), t0).NextDeadline(); ok {
		t.Errorf("due %v", due)
	}
}

// An announcement that waits is not put off by a Restore, not even by one that has
// something to announce itself, and a shorter delay of the new Config holds for it.
func TestRestoreKeepsAWaitingAnnouncement(t *testing.T) {
	cfg := lists(t)
	changed := lists(t, "x").Catalog
	s, _, err := opened(t, cfg).SetCatalog(t0, changed)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ passed, delay, want time.Duration }{
		{60 * time.Millisecond, 0, 40 * time.Millisecond},
		{0, time.Hour, 100 * time.Millisecond},
		{60 * time.Millisecond, 10 * time.Millisecond, 10 * time.Millisecond},
		{60 * time.Millisecond, -1, 0},
		{150 * time.Millisecond, 0, 0},
	} {
		busy, _ := s.Receive(t0.Add(tt.passed), jsonrpc.DecodeString(lines[14])) // a ping
		next := lists(t, "", "", "", "y")
		next.ChangeDelay = tt.delay
		now := t0.Add(time.Hour)
		r := restored(t, next, busy.Snapshot(), now)
		if due, ok := r.NextDeadline(); !ok || due.Sub(now) != tt.want {
			t.Errorf("%+v: due in %v %v", tt, due.Sub(now), ok)
		}
		if _, out := r.Tick(now.Add(tt.want)); methods(out) != "tools/list_changed prompts/list_changed" {
			t.Errorf("%+v: announced %q", tt, methods(out))
		}
	}
}

// A catalog that is set when no announcement can follow leaves none behind, nor does one
// that waited when the session ended.
func TestNoAnnouncementAtTheEnd(t *testing.T) {
	cfg := lists(t)
	changed := lists(t, "x").Catalog
	waits, _, err := opened(t, cfg).SetCatalog(t0, changed)
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]server.State{"set before the end": waits, "set at the end": opened(t, cfg)} {
		s, _ = s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"t"}}`))
		s, _ = s.Shutdown(t0, time.Hour)
		s, _, err = s.SetCatalog(t0, changed)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range []time.Duration{0, time.Second, time.Minute} {
			var out server.Output
			if s, out = s.Tick(t0.Add(d)); len(out.Send) != 0 || strings.Contains(string(s.Snapshot()), "announce") || strings.Contains(string(s.Snapshot()), "changed\":") {
				t.Errorf("%s: after %v sent %v, %s", name, d, out.Send, s.Snapshot())
			}
		}
		old := strings.Replace(string(s.Snapshot()), `"catalog"`, `"changed":"tools.listChanged","announce":-5,"catalog"`, 1)
		if got := string(restored(t, cfg, []byte(old), t0).Snapshot()); strings.Contains(got, "announce") {
			t.Errorf("%s: restored as %s", name, got)
		}
	}
	early, err := server.New(cfg, t0)
	if err != nil {
		t.Fatal(err)
	}
	early, _ = early.Receive(t0, jsonrpc.DecodeString(lines[0]))
	early, _, err = early.SetCatalog(t0, changed) // before initialized, which may take long
	if err != nil {
		t.Fatal(err)
	}
	early, _ = early.Tick(t0.Add(time.Hour))
	if text := string(early.Snapshot()); !strings.Contains(text, `"announce":0`) {
		t.Errorf("while initializing: %s", text)
	}
	if _, out := restored(t, lists(t, "x"), early.Snapshot(), t0).Receive(t0, jsonrpc.DecodeString(lines[1])); methods(out) != "tools/list_changed" {
		t.Errorf("once ready: %q", methods(out))
	}
}

// A request without a timeout has none after a Restore, progress or not.
func TestRestoreNoTimeout(t *testing.T) {
	cfg := lists(t)
	s, _, err := opened(t, cfg).Request(t0, protocol.ListRootsParams{}, server.RequestOptions{
		Timeout: lifecycle.NoTimeout, Maximum: lifecycle.NoTimeout, ResetOnProgress: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	s = restored(t, cfg, s.Snapshot(), t0)
	s, out := s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`))
	if due, ok := s.NextDeadline(); ok || len(out.Events) != 1 || out.Events[0].Kind != lifecycle.ProgressReceived {
		t.Errorf("due %v %v after %v", due, ok, out.Events)
	}
	if s, out = s.Tick(t0.Add(1e6 * time.Hour)); len(out.Events) != 0 || s.Status().Outbound != 1 {
		t.Errorf("it ended by %v", out.Events)
	}
}

// A request whose snapshot says no instant at which it is due, as of a clock that had run
// out, waits for its timeout once more, but not beyond its maximum.
func TestRestoreWithoutDeadline(t *testing.T) {
	cfg := lists(t)
	for _, tt := range []struct{ timeout, maximum, want time.Duration }{
		{5 * time.Second, 50 * time.Second, 5 * time.Second}, {5 * time.Second, 5 * time.Second, 5 * time.Second},
		{5 * time.Second, lifecycle.NoTimeout, 5 * time.Second},
	} {
		s, _, err := opened(t, cfg).Request(t0, protocol.ListRootsParams{}, server.RequestOptions{Timeout: tt.timeout, Maximum: tt.maximum})
		if err != nil {
			t.Fatal(err)
		}
		good := string(s.Snapshot())
		bad := strings.Replace(good, `"due":5000000000,`, ``, 1)
		if bad == good {
			t.Fatal(good)
		}
		s = restored(t, cfg, []byte(bad), t0.Add(time.Hour))
		if due, ok := s.NextDeadline(); !ok || due.Sub(t0.Add(time.Hour)) != tt.want {
			t.Errorf("%+v: due %v %v", tt, due, ok)
		}
	}
}

// The count of log messages that were left out goes on after a Restore.
func TestRestoreDroppedLogs(t *testing.T) {
	cfg := lists(t)
	cfg.Limits.Logs = lifecycle.Rate{PerSecond: 1}
	s := opened(t, cfg)
	for range 4 {
		s, _, _ = s.Notify(t0, protocol.LoggingMessageParams{Level: "error", Data: "1"}, server.Call{})
	}
	if s = restored(t, cfg, s.Snapshot(), t0); s.Status().DroppedLogs != 3 {
		t.Errorf("%d dropped", s.Status().DroppedLogs)
	}
	s, out, err := s.Notify(t0, protocol.LoggingMessageParams{Level: "error", Data: "1"}, server.Call{})
	if err != nil || len(out.Send) != 0 || s.Status().DroppedLogs != 4 {
		t.Errorf("sent %v, %d dropped, %v", out.Send, s.Status().DroppedLogs, err)
	}
	cfg.Limits.Logs = lifecycle.Rate{} // the rate of the new Config holds, for what was under the old one too
	if _, out, _ = restored(t, cfg, s.Snapshot(), t0).Notify(t0, protocol.LoggingMessageParams{Level: "error", Data: "1"}, server.Call{}); len(out.Send) != 1 {
		t.Error("a rate that the Config has no more")
	}
	far := strings.Replace(string(s.Snapshot()), `"logRateSent":1000000000`, `"logRateSent":9000000000000000000`, 1)
	cfg.Limits.Logs = lifecycle.Rate{PerSecond: 1}
	if _, out, _ = restored(t, cfg, []byte(far), t0).Notify(t0.Add(time.Second), protocol.LoggingMessageParams{Level: "error", Data: "1"}, server.Call{}); len(out.Send) != 1 {
		t.Error("a bucket that no rate fills")
	}
}

// Keepalive is as the new Config has it: off is off, and no snapshot makes a deadline that
// never passes; on begins with the Restore, unless the client knows no pings.
func TestRestoreKeepalive(t *testing.T) {
	off := lists(t)
	on := lists(t)
	on.Keepalive = lifecycle.Keepalive{Interval: 7 * time.Second}
	s := restored(t, off, opened(t, on).Snapshot(), t0)
	now := t0
	for range 1000 {
		var out server.Output
		s, out = s.Tick(now)
		if due, ok := s.NextDeadline(); ok || len(out.Send) != 0 {
			t.Fatalf("keepalive is off: due %v, sent %v", due, out.Send)
		}
		now = now.Add(time.Second)
	}
	s = restored(t, on, opened(t, off).Snapshot(), t0)
	if due, ok := s.NextDeadline(); !ok || due.Sub(t0) != 7*time.Second {
		t.Errorf("keepalive is on: due %v %v", due, ok)
	}
	s, out := s.Tick(t0.Add(7 * time.Second))
	if len(out.Send) != 1 || out.Send[0].Message.Method != "ping" {
		t.Fatalf("sent %v", out.Send)
	}
	s = restored(t, on, s.Snapshot(), t0)
	if s, out = s.Tick(t0.Add(7 * time.Second)); len(out.Send) != 0 {
		t.Errorf("a second ping beside the first: %v", out.Send)
	}
	s, _ = s.Receive(t0.Add(8*time.Second), jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"m"}}`))
	if due, ok := restored(t, on, s.Snapshot(), t0).NextDeadline(); ok {
		t.Errorf("the client knows no pings, and the next one is due %v", due)
	}
	slow := lists(t)
	slow.Keepalive = lifecycle.Keepalive{Interval: time.Hour}
	if due, ok := restored(t, on, opened(t, slow).Snapshot(), t0).NextDeadline(); !ok || due.Sub(t0) != 7*time.Second {
		t.Errorf("a shorter interval: due %v %v", due, ok)
	}
}

// What the limits of the new Config do not allow is refused, and told from damage.
func TestRestoreUnderLowerLimits(t *testing.T) {
	ready, _, _, cfg := snapshots(t)
	for name, lower := range map[string]func(*lifecycle.Limits){
		"calls":         func(l *lifecycle.Limits) { l.Inbound = 2 },
		"requests":      func(l *lifecycle.Limits) { l.Outbound = 1 },
		"subscriptions": func(l *lifecycle.Limits) { l.Subscriptions = 1 },
		"texts":         func(l *lifecycle.Limits) { l.Text = 6 },
	} {
		c, text := cfg, strings.Replace(ready, `"subscriptions":[`, `"subscriptions":["a:12345",`, 1)
		if _, err := server.Restore(c, []byte(text), t0); err != nil {
			t.Fatal(err)
		}
		lower(&c.Limits)
		if _, err := server.Restore(c, []byte(text), t0); !errors.Is(err, lifecycle.ErrSnapshot) || !errors.Is(err, lifecycle.ErrLimit) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := server.Restore(cfg, []byte(ready[:9]), t0); !errors.Is(err, lifecycle.ErrSnapshot) || errors.Is(err, lifecycle.ErrLimit) {
		t.Errorf("damage: %v", err)
	}
}
