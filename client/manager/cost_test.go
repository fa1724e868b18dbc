package manager_test

import (
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// many connects n servers and makes them ready, without looking at each step.
func many(tb testing.TB, n int) manager.Manager {
	cfg := config()
	cfg.Health = manager.Health{}
	m, err := manager.New(cfg, t0)
	if err != nil {
		tb.Fatal(err)
	}
	for i := range n {
		m, _, err = m.Connect(t0, fmt.Sprintf("server-%04d", i), manager.Options{Endpoint: i, Supervise: true, Resubscribe: true})
		if err != nil {
			tb.Fatal(err)
		}
		link, _ := m.Link(fmt.Sprintf("server-%04d", i))
		m, _ = m.Report(t0, manager.Report{Kind: manager.Opened, Link: link})
		m, _ = m.Report(t0, manager.Report{Kind: manager.Received, Link: link, Message: jsonrpc.DecodeString(hello(1))})
	}
	return m
}

// What an idle connection costs beyond its client.State: at most 1 KiB.
func TestIdleCost(t *testing.T) {
	const n = 1000
	begin := alive()
	m := many(t, n)
	all := alive() - begin
	// As many sessions alone, with the same handshake.
	begin = alive()
	proto, err := client.New(config().Client, t0)
	if err != nil {
		t.Fatal(err)
	}
	states := make([]*client.State, n)
	for i := range states {
		s, _ := proto.NewSession(t0)
		s, _, _ = s.Initialize(t0)
		s, _ = s.Receive(t0, jsonrpc.DecodeString(hello(1)))
		states[i] = &s
	}
	alone := alive() - begin
	t.Logf("%d bytes a connection, of which %d are its session", all/n, alone/n)
	if extra := (all - alone) / n; extra > 1024 {
		t.Errorf("a connection costs %d bytes beyond its session", extra)
	}
	runtime.KeepAlive(states)
	runtime.KeepAlive(m)
}

// A step of one of 1,000 connections costs what one of 10 does, but for a few nodes.
func TestStepCost(t *testing.T) {
	cost := func(n int) (allocs float64) {
		m := many(t, n)
		link, _ := m.Link("server-0007")
		ping := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":"p","method":"ping"}`)
		return testing.AllocsPerRun(100, func() {
			if _, out := m.Report(t0, manager.Report{Kind: manager.Received, Link: link, Message: ping}); len(out.Actions) != 1 {
				t.Fatal("no answer")
			}
		})
	}
	few, lots := cost(10), cost(1000)
	t.Logf("%v allocations with 10 servers, %v with 1,000", few, lots)
	if few > 7 || lots > few+2 {
		t.Errorf("%v allocations with 10 servers, %v with 1,000", few, lots)
	}
}

// Nothing is left of connections that fail, nor of those that come and go (row E30).
func TestNothingLeft(t *testing.T) {
	cfg := config()
	cfg.Client.Serve = []string{"sampling/createMessage"}
	m, err := manager.New(cfg, t0)
	if err != nil {
		t.Fatal(err)
	}
	now := t0
	cycle := func(i int) {
		now = now.Add(time.Minute)
		name := fmt.Sprintf("server-%d", i)
		m, _, err = m.Connect(now, name, manager.Options{Supervise: i%2 == 0})
		if err != nil {
			t.Fatal(err)
		}
		link, _ := m.Link(name)
		if i%3 > 0 {
			m, _ = m.Report(now, manager.Report{Kind: manager.Opened, Link: link})
			m, _ = m.Report(now, manager.Report{Kind: manager.Received, Link: link, Message: jsonrpc.DecodeString(hello(1))})
			m, _, _ = m.CallTool(now, name, "t", `{"a":1}`, manager.RequestOptions{})
			m, _, _ = m.List(now, name, "tools/list", manager.Budget{})
			m, _ = m.Report(now, manager.Report{Kind: manager.Received, Link: link, Message: jsonrpc.DecodeString(sampling)})
		}
		switch i % 4 {
		case 0:
			m, _ = m.Report(now, manager.Report{Kind: manager.OpenFailed, Link: link, Err: errors.New("refused")})
		case 1:
			m, _ = m.Report(now, manager.Report{Kind: manager.Ended, Link: link, Err: errors.New("lost")})
		case 2:
			m, _ = m.HealthCheck(now)
		}
		m, _ = m.Disconnect(now, name)
		m, _ = m.Tick(now.Add(30 * time.Second)) // nobody reports Closed
	}
	for i := range 100 {
		cycle(i)
	}
	begin := alive()
	for i := range 1000 {
		cycle(i)
	}
	grown := alive() - begin
	if _, due := m.NextDeadline(); due || m.Len() != 0 || m.Pending() != 0 || grown > 16<<10 {
		t.Errorf("%d bytes, %d names, %d operations are left", grown, m.Len(), m.Pending())
	}
	if err := m.Check(); err != nil {
		t.Error(err)
	}
	// The same name over and over, failing to open.
	for range 1000 {
		m, _, err = m.Connect(now, "a", manager.Options{})
		if err != nil {
			t.Fatal(err)
		}
		link, _ := m.Link("a")
		m, _ = m.Report(now, manager.Report{Kind: manager.OpenFailed, Link: link, Err: errors.New("refused")})
	}
	if grown := alive() - begin; m.Len() != 1 || grown > 32<<10 {
		t.Errorf("%d bytes, %d names are left", grown, m.Len())
	}
	runtime.KeepAlive(m)
}

// What is kept of a server is no message: neither why it was lost, nor its report, nor pages.
func TestMessagesAreNotKept(t *testing.T) {
	m := many(t, 3)
	junk := func(text string) jsonrpc.Message {
		b := make([]byte, 4<<20)
		for i := range b {
			b[i] = 'x'
		}
		return jsonrpc.DecodeString(text[:len(text)-1] + `,"junk":"` + string(b) + `"}`)
	}
	begin := alive()
	a, _ := m.Link("server-0000")
	m, _, _ = m.List(t0, a.Server, "tools/list", manager.Budget{})
	m, _ = m.Report(t0, manager.Report{Kind: manager.Received, Link: a, Message: junk(`{"jsonrpc":"2.0","id":2,` + page(1, "x") + `}`)})
	m, _ = m.HealthCheck(t0)
	m, _ = m.Report(t0, manager.Report{Kind: manager.Received, Link: a, Message: junk(`{"jsonrpc":"2.0","id":4,"error":{"code":-1,"message":"no","data":{"a":1}}}`)})
	m, _, _ = m.Request(t0, a.Server, protocol.SubscribeParams{URI: "a:b"}, manager.RequestOptions{})
	m, _ = m.Report(t0, manager.Report{Kind: manager.Received, Link: a, Message: junk(`{"jsonrpc":"2.0","id":5,"result":{}}`)})
	m, _, err := m.Connect(t0, "refuses", manager.Options{Supervise: true})
	if err != nil {
		t.Fatal(err)
	}
	b, _ := m.Link("refuses")
	m, _ = m.Report(t0, manager.Report{Kind: manager.Opened, Link: b})
	m, _ = m.Report(t0, manager.Report{Kind: manager.Received, Link: b, Message: junk(`{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no","data":{"a":1}}}`)})
	if s, _ := m.Status("refuses"); s.Err == nil || m.Pending() != 2 {
		t.Fatalf("%+v, %d", s, m.Pending())
	}
	if grown := alive() - begin; grown > 1<<20 {
		t.Errorf("%d KiB stay alive", grown>>10)
	}
	runtime.KeepAlive(m)
}

// A server that is mute delays no other by a step (rows E22, B4): the same inputs of the others give the same
// outputs, at the same instants, whether it is there or not.
func TestSilentServer(t *testing.T) {
	run := func(silent bool) string {
		r := newRig(t, config())
		if silent { // it says nothing after its handshake, and then not even that
			r.connect("mute", manager.Options{Supervise: true, Health: manager.Health{Interval: 7 * time.Second, Misses: 2}})
		} else {
			r.do(r.m.Connect(r.now, "mute", manager.Options{}))
			r.take(r.m.Report(r.now, manager.Report{Kind: manager.OpenFailed, Link: r.link("mute")}))
		}
		r.connect("a", manager.Options{Supervise: true})
		for i := range 20 {
			r.do(r.m.CallTool(r.now, "a", "t", "", manager.RequestOptions{Timeout: 5 * time.Second}))
			r.sleep(time.Second)
			if i%3 > 0 {
				r.m2(`"result":{"content":[]}`)
			}
			r.sleep(time.Duration(i) * time.Second)
		}
		var text string
		for _, a := range r.all.Actions {
			if a.Link.Server == "a" {
				text += fmt.Sprintf("%v %v %v\n", a.Kind, a.Out.Message.Method, a.Out.Message.ID)
			}
		}
		for _, ev := range r.all.Events {
			if ev.Link.Server == "a" {
				text += fmt.Sprintf("%v %v %v %v %v\n", ev.Kind, ev.From, ev.To, ev.Op, ev.Err)
			}
		}
		return text
	}
	if with, without := run(true), run(false); with != without {
		t.Errorf("with a mute server:\n%s\nwithout:\n%s", with, without)
	}
}

// BenchmarkReceive is one message of one of many servers.
func BenchmarkReceive(b *testing.B) {
	for _, n := range []int{1, 10, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			m := many(b, n)
			link, _ := m.Link("server-0000")
			msg := jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}`)
			b.ReportAllocs()
			for b.Loop() {
				m, _ = m.Report(t0, manager.Report{Kind: manager.Received, Link: link, Message: msg})
			}
		})
	}
}

// BenchmarkCall is a call and its answer.
func BenchmarkCall(b *testing.B) {
	m := many(b, 1000)
	link, _ := m.Link("server-0000")
	b.ReportAllocs()
	for b.Loop() {
		next, out, err := m.CallTool(t0, "server-0000", "t", `{"a":1}`, manager.RequestOptions{})
		if err != nil {
			b.Fatal(err)
		}
		answer := jsonrpc.Message{Kind: jsonrpc.KindResult, ID: out.Actions[0].Out.Message.ID, Body: `{"content":[]}`}
		m, _ = next.Report(t0, manager.Report{Kind: manager.Received, Link: link, Message: answer})
	}
}
