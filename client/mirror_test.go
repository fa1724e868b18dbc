package client_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// mirroring is a client with a Mirror and what came of the last step.
type mirroring struct {
	t   *testing.T
	s   client.State
	m   client.Mirror
	out client.Output
	now time.Time
}

func mirror(t *testing.T, lists ...string) *mirroring {
	t.Helper()
	return mirrorWith(t, func(m *client.Mirror) { m.MinInterval = lifecycle.NoTimeout }, lists...)
}

// mirrorWith is a Mirror with settings.
func mirrorWith(t *testing.T, set func(*client.Mirror), lists ...string) *mirroring {
	t.Helper()
	m, err := client.NewMirror(lists...)
	if err != nil {
		t.Fatal(err)
	}
	set(&m)
	x := &mirroring{t: t, s: session(t, client.Config{}), m: m, now: t0}
	x.take(x.s, client.Output{})
	return x
}

// take gives an Output to the Mirror. Afterwards no deadline has passed.
func (x *mirroring) take(s client.State, out client.Output) {
	x.t.Helper()
	x.m, x.s, x.out = x.m.Handle(s, out)
	if err := x.s.Check(); err != nil {
		x.t.Fatal(err)
	}
	if t, ok := x.m.NextDeadline(); ok && !t.After(x.now) {
		x.t.Fatalf("a deadline at %v; it is %v", t, x.now)
	}
}

func (x *mirroring) receive(line string) {
	x.t.Helper()
	x.take(x.s.Receive(x.now, jsonrpc.DecodeString(line)))
}

func (x *mirroring) changed(what string) {
	x.t.Helper()
	x.receive(`{"jsonrpc":"2.0","method":"notifications/` + what + `/list_changed"}`)
}

// expect compares what goes out (methods with params) and the events.
func (x *mirroring) expect(send, events string) {
	x.t.Helper()
	var sent, happened []string
	for _, m := range x.out.Send {
		sent = append(sent, strings.TrimSpace(m.Message.Method+" "+string(m.Message.Body)))
	}
	for _, ev := range x.out.Events {
		switch {
		case ev.Kind != client.ListRead:
			happened = append(happened, ev.Kind.String())
		case ev.Failure() != nil:
			happened = append(happened, ev.Method+" failed")
		default:
			happened = append(happened, ev.Method)
		}
	}
	if got := strings.Join(sent, ", "); got != send {
		x.t.Errorf("sent %q, want %q", got, send)
	}
	if got := strings.Join(happened, ", "); got != events {
		x.t.Errorf("events %q, want %q", got, events)
	}
}

func (x *mirroring) items(list string, n int, fresh bool) {
	x.t.Helper()
	if items, f := x.m.Items(list); len(items) != n || f != fresh {
		x.t.Errorf("%s: %v, fresh %v", list, items, f)
	}
}

func page(id int, cursor string, names ...string) string {
	for i, n := range names {
		names[i] = `{"name":"` + n + `","inputSchema":{"type":"object"},"outputSchema":{"type":"object","title":"` + n + `"}}`
	}
	if cursor != "" {
		cursor = `,"nextCursor":"` + cursor + `"`
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"tools":[%s]%s}}`, id, strings.Join(names, ","), cursor)
}

// A list is read to its end; after changes it is read once more, after the last of them,
// and never twice at a time.
//
// rows: TOOL-023
func TestMirror(t *testing.T) { everywhere(t, mirrorOfOne) }

func mirrorOfOne(t *testing.T) {
	x := mirror(t, "tools/list")
	x.expect("tools/list", "")
	x.items("tools/list", 0, false)
	x.receive(page(2, "c1", "a", "b"))
	x.expect(`tools/list {"cursor":"c1"}`, "")
	x.items("tools/list", 0, false)
	x.receive(page(3, "", "c"))
	x.expect("", "tools/list")
	x.items("tools/list", 3, true)
	if schema, ok := x.m.OutputSchema("b"); !ok || schema != `{"type":"object","title":"b"}` {
		t.Error(schema)
	}
	if schema, ok := x.m.OutputSchema("z"); ok || schema != "" {
		t.Error(schema)
	}
	old := x.m

	x.changed("tools")
	x.expect("tools/list", "notification received")
	x.items("tools/list", 3, false)
	x.changed("tools")
	x.changed("tools")
	x.expect("", "notification received")
	x.receive(page(4, "c2", "a"))
	x.expect(`tools/list {"cursor":"c2"}`, "")
	x.changed("tools")
	x.receive(page(5, "", "b"))
	x.expect("tools/list", "tools/list") // read, but changed meanwhile: once more
	x.items("tools/list", 2, false)
	x.receive(page(6, "", "z"))
	x.expect("", "tools/list")
	x.items("tools/list", 1, true)
	if _, ok := x.m.Find("tools/list", "z"); !ok {
		t.Error("z is not found")
	}
	if items, fresh := old.Items("tools/list"); len(items) != 3 || !fresh {
		t.Error("an old Mirror has changed")
	}
	x.receive(`{"jsonrpc":"2.0","id":9,"method":"ping"}`)
	x.expect("{}", "")
	x.items("tools/list", 1, true)
}

// The lists do not disturb each other, and requests of others pass.
func TestMirrorOfSeveral(t *testing.T) {
	x := mirror(t, "resources/list", "resources/templates/list", "prompts/list")
	x.expect("resources/list, resources/templates/list, prompts/list", "")
	x.receive(`{"jsonrpc":"2.0","id":4,"result":{"prompts":[{"name":"p"}]}}`)
	x.expect("", "prompts/list")
	x.receive(`{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"m"}}`)
	x.expect("", "resources/list failed")
	x.items("resources/list", 0, false)
	if err := x.m.Err("resources/list"); err == nil || x.m.Err("prompts/list") != nil {
		t.Error(err)
	}
	x.receive(`{"jsonrpc":"2.0","id":3,"result":{"resourceTemplates":[{"name":"t","uriTemplate":"a:{b}"}]}}`)
	x.expect("", "resources/templates/list")
	if _, ok := x.m.Find("resources/templates/list", "a:{b}"); !ok {
		t.Error("the template is not found")
	}
	x.receive(`{"jsonrpc":"2.0","id":9,"method":"ping"}`)
	x.expect("{}", "") // a failure is not tried again by itself
	x.changed("resources")
	x.expect("resources/list, resources/templates/list", "notification received")
	if err := x.m.Err("resources/list"); err != nil {
		t.Error("an old error while the list is being read:", err)
	}
	x.take(x.s.Tick(t0.Add(time.Hour)))
	x.expect(`notifications/cancelled {"requestId":5,"reason":"timed out"}, notifications/cancelled {"requestId":6,"reason":"timed out"}`,
		"resources/list failed, resources/templates/list failed")
	x.items("resources/templates/list", 1, false)
	x.items("prompts/list", 1, true)
	x.m = x.m.Invalidate("prompts/list")
	x.items("prompts/list", 1, false)
	x.take(x.s, client.Output{})
	x.expect("prompts/list", "")
	x.items("tools/list", 0, false)
	s, out := request(t, x.s, listing7{}, client.RequestOptions{})
	x.take(s, out)
	x.receive(`{"jsonrpc":"2.0","id":8,"result":{"tools":[]}}`)
	x.expect("", "response received")
	x.take(x.s.Disconnected(t0, nil))
	x.expect("", "prompts/list failed, phase changed")
}

// listing7 is a tools/list of the application's own.
type listing7 struct{}

func (listing7) Method() string               { return "tools/list" }
func (listing7) AppendJSON(dst []byte) []byte { return append(dst, "{}"...) }

// A list that the server does not have fails once; a listing without end fails; a new
// session begins anew.
func TestMirrorFails(t *testing.T) {
	x := mirror(t, "tools/list")
	x.m.MaxPages = 2
	x.receive(page(2, "c", "a"))
	x.receive(page(3, "c", "b"))
	x.expect("", "tools/list failed")
	if err := x.out.Events[0].Failure(); !errors.Is(err, client.ErrRepeat) || !errors.Is(x.m.Err("tools/list"), client.ErrRepeat) {
		t.Error(err)
	}
	x.take(x.s.Disconnected(t0, nil))
	x.s, _ = x.s.Reset(t0)
	s, _, err := x.s.Initialize(t0)
	if err != nil {
		t.Fatal(err)
	}
	x.take(s, client.Output{})
	x.receive(`{"jsonrpc":"2.0","id":4,"result":{"protocolVersion":"2025-06-18","capabilities":{"logging":{}},"serverInfo":{"name":"s","version":"1"}}}`)
	x.expect("notifications/initialized", "response received, phase changed, tools/list failed")
	if err := x.out.Events[2].Failure(); !errors.Is(err, lifecycle.ErrCapability) || !errors.Is(x.m.Err("tools/list"), lifecycle.ErrCapability) {
		t.Error(err)
	}
	x.receive(`{"jsonrpc":"2.0","id":9,"method":"ping"}`)
	x.expect("{}", "")
	if _, err := client.NewMirror("tools/call"); !errors.Is(err, lifecycle.ErrParams) {
		t.Error(err)
	}
}

// Each list is read again for its own announcement, and for no other.
func TestMirrorHearsItsOwn(t *testing.T) {
	for list, what := range map[string]string{"tools/list": "tools", "prompts/list": "prompts", "resources/list": "resources", "resources/templates/list": "resources"} {
		x := mirror(t, list)
		member := map[string]string{"tools/list": "tools", "prompts/list": "prompts", "resources/list": "resources", "resources/templates/list": "resourceTemplates"}[list]
		x.receive(`{"jsonrpc":"2.0","id":2,"result":{"` + member + `":[]}}`)
		x.items(list, 0, true)
		x.receive(`{"jsonrpc":"2.0","method":"notifications/x"}`)
		for _, other := range []string{"tools", "prompts", "resources"} {
			if other != what {
				x.changed(other)
				x.expect("", "notification received")
			}
		}
		x.items(list, 0, true)
		x.changed(what)
		x.expect(list, "notification received")
		x.items(list, 0, false)
	}
}

// While too many requests are open a page waits, and it is not reported.
func TestMirrorWaits(t *testing.T) {
	m, err := client.NewMirror("tools/list", "resources/list")
	if err != nil {
		t.Fatal(err)
	}
	m.MinInterval = lifecycle.NoTimeout
	x := &mirroring{t: t, s: session(t, client.Config{Limits: lifecycle.Limits{Outbound: 1}}), m: m, now: t0}
	x.take(x.s, client.Output{})
	x.expect("tools/list", "")
	x.receive(page(2, "c", "a"))
	x.expect(`tools/list {"cursor":"c"}`, "")
	x.receive(page(3, "", "b"))
	x.expect("resources/list", "tools/list")
	x.changed("tools")
	x.expect("", "notification received")
	x.receive(`{"jsonrpc":"2.0","id":4,"result":{"resources":[]}}`)
	x.expect("tools/list", "resources/list")
	// The application takes the place of the next page.
	s, answered := x.s.Receive(t0, jsonrpc.DecodeString(page(5, "d", "a")))
	s, asked := request(t, s, protocol.PingParams{}, client.RequestOptions{})
	x.take(s, answered)
	x.expect("", "")
	x.take(x.s, asked)
	x.expect("ping", "")
	x.receive(`{"jsonrpc":"2.0","id":6,"result":{}}`)
	x.expect(`tools/list {"cursor":"d"}`, "response received")
	x.receive(page(7, "", "b"))
	x.expect("", "tools/list")
	x.items("tools/list", 2, true)
}

// What a page has beside its items is not kept, and an Output that has nothing to do with
// lists costs nothing.
func TestMirrorKeepsItems(t *testing.T) {
	x := mirror(t, "tools/list")
	got := retained(func() any {
		x.receive(strings.Replace(page(2, "", "a"), `{"tools"`, `{"x":"`+strings.Repeat("x", 1<<20)+`","tools"`, 1))
		x.out = client.Output{}
		return x.m
	})
	x.items("tools/list", 1, true)
	if got > 1<<16 {
		t.Errorf("a Mirror keeps %d bytes", got)
	}
	out := client.Output{Events: []client.Event{{Kind: lifecycle.ProgressReceived}}}
	if n := testing.AllocsPerRun(100, func() { x.m.Handle(x.s, out) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Before the session is ready nothing is asked for, and that is no failure.
func TestMirrorBeforeReady(t *testing.T) {
	s, err := client.New(client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}}, t0)
	if err != nil {
		t.Fatal(err)
	}
	m, err := client.NewMirror("tools/list")
	if err != nil {
		t.Fatal(err)
	}
	x := &mirroring{t: t, s: s, m: m, now: t0}
	x.take(x.s, client.Output{})
	x.expect("", "")
	s, out, err := x.s.Initialize(t0)
	if err != nil {
		t.Fatal(err)
	}
	x.take(s, out)
	if len(x.out.Send) != 1 {
		t.Errorf("sent %v", x.out.Send)
	}
	x.expect("initialize "+string(out.Send[0].Message.Body), "phase changed")
	x.receive(lines[0])
	x.expect("notifications/initialized, tools/list", "response received, phase changed")
}

// The bounds of a Mirror are those of its listings.
func TestMirrorBounds(t *testing.T) {
	for name, bound := range map[string]func(*client.Mirror){
		"pages": func(m *client.Mirror) { m.MaxPages = 1 }, "items": func(m *client.Mirror) { m.MaxItems = 1 }, "bytes": func(m *client.Mirror) { m.MaxBytes = 100 },
	} {
		x := mirrorWith(t, bound, "tools/list")
		x.receive(page(2, "c", "a", "b"))
		x.expect("", "tools/list failed")
		if err := x.m.Err("tools/list"); !errors.Is(err, client.ErrPages) {
			t.Error(name, err)
		}
	}
}

// Nothing is asked for once the session is ending, whatever has changed.
func TestMirrorAtTheEnd(t *testing.T) {
	x := mirror(t, "tools/list")
	x.changed("tools")
	x.take(x.s.Shutdown(t0, time.Minute))
	x.receive(page(2, "", "a"))
	x.expect("", "tools/list")
	if x.m.Err("tools/list") != nil {
		t.Error(x.m.Err("tools/list"))
	}
}
