package limits_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// What the zero Limits of results allow, and one more of it; as many calls wait as may, and no
// more.
func TestDefaultsOfAttempt(t *testing.T) {
	text := func(sizes ...int) *protocol.CallToolResult {
		r := &protocol.CallToolResult{}
		for _, n := range sizes {
			r.Content = append(r.Content, protocol.TextContent(strings.Repeat("x", n)))
		}
		return r
	}
	deep := func(n int) *protocol.CallToolResult {
		return &protocol.CallToolResult{StructuredContent: protocol.Raw(strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n))}
	}
	for name, tt := range map[string]struct{ most, over *protocol.CallToolResult }{
		"Blocks":     {text(make([]int, 1000)...), text(make([]int, 1001)...)},
		"BlockBytes": {text(8 << 20), text(8<<20 + 1)},
		"Bytes":      {text(8<<20, 8<<20), text(8<<20, 8<<20, 1)},
		"Depth":      {deep(128), deep(129)},
	} {
		for _, r := range []*protocol.CallToolResult{tt.most, tt.over} {
			x, out, err := attempt.Executor{}.Call(t0, attempt.Request{Tool: "t"})
			if err != nil {
				t.Fatal(err)
			}
			_, out = x.Finish(t0, out.Start[0].Attempt, attempt.Outcome{Result: r})
			if o := out.Done[0].Outcome; (o.Err == nil) != (r == tt.most) {
				t.Errorf("%s: more than may be is %v, and the outcome is %v", name, r == tt.over, o.Err)
			}
		}
	}
	x, err := attempt.New(attempt.Config{Running: 1}, t0)
	var last attempt.Output
	for range 1 + attempt.DefaultQueue {
		if err == nil {
			x, last, err = x.Call(t0, attempt.Request{Tool: "t"})
		}
	}
	if st := x.Status(); err != nil || st.Waiting != attempt.DefaultQueue {
		t.Fatalf("%v, %+v", err, st)
	}
	if _, _, err = x.Call(t0, attempt.Request{Tool: "t"}); !errors.Is(err, attempt.ErrOverloaded) {
		t.Errorf("one more: %v", err)
	}
	_, out, err := x.Cancel(t0, last.Call, strings.Repeat("#", 5000))
	if err != nil || len(out.Done) != 1 {
		t.Fatal(err, len(out.Done))
	}
	if text := out.Done[0].Outcome.Err.Text; text != strings.Repeat("#", 1024) {
		t.Errorf("%d bytes of a reason are kept: %.200s", len(text), text)
	}
}

// many is a Manager with one server, in virtual time.
type manyServers struct {
	t    *testing.T
	m    manager.Manager
	now  time.Time
	link manager.Link
	out  manager.Effects // of the last step
}

func (x *manyServers) step(m manager.Manager, out manager.Effects, err error) {
	x.t.Helper()
	if err != nil {
		x.t.Fatal(err)
	}
	x.m, x.out = m, out
}

func (x *manyServers) sure(m manager.Manager, out manager.Effects) { x.m, x.out = m, out }

// happens reports whether the last step asked for it.
func (x *manyServers) happens(what func(manager.Action) bool) bool {
	return slices.ContainsFunc(x.out.Actions, what)
}

func (x *manyServers) failed() bool {
	return slices.ContainsFunc(x.out.Events, func(ev manager.Event) bool { return ev.Kind == manager.OpDone && ev.Err != nil })
}

// after looks at what happens a nanosecond before, and at, a time from now.
func (x *manyServers) after(name string, d time.Duration, due func() bool) {
	x.t.Helper()
	begun := x.now
	for _, at := range []time.Duration{d - 1, d} {
		x.now = begun.Add(at)
		if x.sure(x.m.Tick(x.now)); due() != (at == d) {
			x.t.Errorf("%s after %v: %v, %+v", name, at, due(), x.out)
		}
	}
}

func newManyServers(t *testing.T, cfg manager.Config) *manyServers {
	t.Helper()
	cfg.Client.Info, cfg.Client.Serve = who, []string{"sampling/createMessage"}
	m, err := manager.New(cfg, t0)
	if err != nil {
		t.Fatal(err)
	}
	x := &manyServers{t: t, m: m, now: t0}
	x.step(x.m.Connect(x.now, "a", manager.Options{}))
	x.link, _ = x.m.Link("a")
	return x
}

func ready(t *testing.T, cfg manager.Config) *manyServers {
	t.Helper()
	x := newManyServers(t, cfg)
	x.sure(x.m.Report(x.now, manager.Report{Kind: manager.Opened, Link: x.link}))
	id := x.out.Actions[0].Out.Message.ID.String()
	x.sure(x.m.Report(x.now, manager.Report{Kind: manager.Received, Link: x.link, Message: jsonrpc.DecodeString(strings.Replace(welcome, `"id":1`, `"id":`+id, 1))}))
	if st, _ := x.m.Status("a"); st.Condition != manager.Ready {
		t.Fatal(st)
	}
	return x
}

// Each time of a Manager whose settings are zero, a nanosecond before it and at it.
func TestDefaultsOfManager(t *testing.T) {
	quiet := manager.Config{Health: manager.Health{Interval: lifecycle.NoTimeout}}
	x := newManyServers(t, quiet)
	x.after("Connect", manager.DefaultConnectTimeout, x.failed)

	x = ready(t, quiet)
	x.step(x.m.CallTool(x.now, "a", "t", "", manager.RequestOptions{}))
	x.after("Request", manager.DefaultRequestTimeout, x.failed)

	x = ready(t, quiet)
	x.step(x.m.Ping(x.now, "a"))
	x.after("Ping", manager.DefaultPingTimeout, x.failed)

	x = ready(t, quiet)
	x.sure(x.m.Disconnect(x.now, "a"))
	x.after("Close", manager.DefaultCloseTimeout, func() bool {
		return x.happens(func(a manager.Action) bool { return a.Kind == manager.ActKill })
	})

	x = ready(t, quiet)
	x.sure(x.m.Report(x.now, manager.Report{Kind: manager.Received, Link: x.link, Message: jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`)}))
	x.after("Inbound", manager.DefaultInboundTimeout, func() bool {
		return x.happens(func(a manager.Action) bool {
			return a.Out.Message.Err != nil && a.Out.Message.Err.Code == jsonrpc.CodeInternalError
		})
	})

	x = ready(t, manager.Config{})
	isPing := func(a manager.Action) bool { return a.Out.Message.Method == "ping" }
	x.after("Health.Interval", manager.DefaultHealthInterval, func() bool { return x.happens(isPing) })
	pings := 1
	for st, _ := x.m.Status("a"); st.Condition == manager.Ready && pings < 10; st, _ = x.m.Status("a") {
		x.now, _ = x.m.NextDeadline()
		if x.sure(x.m.Tick(x.now)); x.happens(isPing) {
			pings++
		}
	}
	if pings != manager.DefaultHealthMisses {
		t.Errorf("%d pings stay unanswered until the server counts as lost, want %d", pings, manager.DefaultHealthMisses)
	}

	x = newManyServers(t, quiet)
	for i := 1; i < manager.DefaultMaxServers; i++ {
		x.step(x.m.Connect(x.now, fmt.Sprint(i), manager.Options{}))
	}
	if _, _, err := x.m.Connect(x.now, "more", manager.Options{}); x.m.Len() != manager.DefaultMaxServers || !errors.Is(err, lifecycle.ErrLimit) {
		t.Errorf("%d servers, one more: %v", x.m.Len(), err)
	}
}

// The zero Inbox takes as much of each kind as its defaults say, and no more.
func TestDefaultsOfInbox(t *testing.T) {
	link := manager.Link{Server: "a", Epoch: 1}
	note := func(method, body string) func(int) manager.Event {
		return func(i int) manager.Event {
			return manager.Event{Kind: manager.SessionEvent, Link: link, Session: client.Event{
				Kind: lifecycle.NotificationReceived, Method: method, Body: jsonrpc.Raw(fmt.Sprintf(body, i)),
			}}
		}
	}
	for name, of := range map[string]func(int) manager.Event{
		"Notifications": note("notifications/message", `{"data":%d}`),
		"Updates":       note("notifications/resources/updated", `{"uri":"a:%d"}`),
		"completions":   note("notifications/elicitation/complete", `{"elicitationId":"%d"}`),
		"Progress": func(i int) manager.Event {
			return manager.Event{Kind: manager.SessionEvent, Link: link, Session: client.Event{Kind: lifecycle.ProgressReceived, Req: lifecycle.MakeReq(nil, uint64(i+1))}}
		},
	} {
		var q manager.Inbox
		for i := range manager.DefaultInbox {
			q = q.Push(of(i))
		}
		if d := q.Drops(); q.Len() != manager.DefaultInbox || d != (manager.DropCounts{}) {
			t.Errorf("%s: %d wait, %+v", name, q.Len(), d)
		}
		q = q.Push(of(manager.DefaultInbox))
		if d := q.Drops(); q.Len() != manager.DefaultInbox || d.Notifications+d.Updates+d.Progress != 1 || q.Check() != nil {
			t.Errorf("%s, one more: %d wait, %+v, %v", name, q.Len(), d, q.Check())
		}
	}
	body := note("notifications/message", `"%0*[2]d"`)(0)
	for extra, want := range []int{1, 0} {
		body.Session.Body = jsonrpc.Raw(strings.Repeat("x", manager.DefaultInboxBytes+extra))
		if q := (manager.Inbox{}).Push(body); q.Len() != want {
			t.Errorf("%d bytes more than may: %d wait", extra, q.Len())
		}
	}
}

// As many servers as there may be, and one more.
func TestDefaultsOfCatalog(t *testing.T) {
	var cfg catalog.Config
	for i := range catalog.DefaultSources {
		cfg.Sources = append(cfg.Sources, catalog.Source{Name: fmt.Sprint(i)})
	}
	if _, err := catalog.New(cfg, t0); err != nil {
		t.Fatal(err)
	}
	cfg.Sources = append(cfg.Sources, catalog.Source{Name: "more"})
	if _, err := catalog.New(cfg, t0); err == nil {
		t.Error("one more is taken")
	}
}

// While no server is there as many calls wait as the defaults say, in number and in bytes.
func TestDefaultsOfRelay(t *testing.T) {
	for size, most := range map[int]int{10: relay.DefaultHeldRequests, 10 << 20: relay.DefaultHeldBytes / (10 << 20)} {
		cfg := relay.Config{Info: who}
		down, err := cfg.Server(server.Config{Info: who})
		if err != nil {
			t.Fatal(err)
		}
		s, err := server.New(down, t0)
		if err != nil {
			t.Fatal(err)
		}
		r, err := relay.New(cfg, []relay.Server{{Name: "a", Definition: "1"}}, t0)
		if err != nil {
			t.Fatal(err)
		}
		refused := 0
		say := func(line string) {
			var out server.Output
			s, out = feed(s, line)
			var eff relay.Effects
			r, s, eff = r.Handle(s, t0, out)
			refused += errorsOf(eff.Output, jsonrpc.CodeInternalError)
		}
		say(hello)
		say(initialized)
		pad := strings.Repeat("x", size)
		for i := range most + 1 {
			if refused > 0 {
				t.Fatalf("%d bytes each: call %d was refused", size, i)
			}
			say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"t","arguments":{"a":%q}}}`, i+2, pad))
		}
		if refused != 1 {
			t.Errorf("%d bytes each: %d refused of one more than may wait", size, refused)
		}
	}
}
