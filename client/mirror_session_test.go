package client_test

import (
	"errors"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// No list is fresh while the session is not ready, however it ends; what was read last is
// there until the next session is ready, and then no more.
func TestMirrorIsNotFreshOutOfSession(t *testing.T) {
	for name, end := range map[string]func(client.State) (client.State, client.Output){
		"disconnected": func(s client.State) (client.State, client.Output) { return s.Disconnected(t0, nil) },
		"shut down":    func(s client.State) (client.State, client.Output) { return s.Shutdown(t0, time.Minute) },
		"aborted":      func(s client.State) (client.State, client.Output) { return s.Abort(t0, errors.New("e")) },
		"input closed": func(s client.State) (client.State, client.Output) { return s.InputClosed(t0) },
	} {
		x := mirror(t, "tools/list")
		x.receive(page(2, "", "a"))
		x.tools("a", true)
		x.take(end(x.s))
		if fresh := x.s.Phase() == protocol.Ready; fresh {
			t.Errorf("%s: the session goes on", name)
		}
		x.tools("a", false)
		if _, ok := x.m.NextDeadline(); ok {
			t.Errorf("%s: a deadline", name)
		}
		x.take(x.s.Disconnected(t0, nil))
		x.tools("a", false)
		s, err := x.s.Reset(t0)
		if err != nil {
			t.Fatal(err)
		}
		x.take(s, client.Output{})
		x.tools("a", false)
		s, out, err := x.s.Initialize(t0)
		if err != nil {
			t.Fatal(err)
		}
		x.take(s, out)
		x.tools("a", false)
		if err := x.m.Err("tools/list"); err != nil {
			t.Error(name, err)
		}
		x.receive(`{"jsonrpc":"2.0","id":3,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`)
		x.expect("notifications/initialized, tools/list", "response received, phase changed")
		x.tools("", false)
		x.receive(page(4, "", "b"))
		x.tools("b", true)
	}
}

// A Mirror that has seen nothing of the handshake begins with the State that it is given;
// so does one whose session has become another.
func TestMirrorBeginsAnywhere(t *testing.T) {
	x := mirror(t, "tools/list")
	x.receive(page(2, "", "a"))
	old := x.m
	s, _ := x.s.Disconnected(t0, nil)
	s, err := s.Reset(t0)
	if err != nil {
		t.Fatal(err)
	}
	if s, _, err = s.Initialize(t0); err != nil {
		t.Fatal(err)
	}
	s, _ = s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":3,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`))
	x.take(s, client.Output{}) // the Mirror has seen nothing of all that
	x.expect("tools/list", "")
	x.tools("", false)
	if items, fresh := old.Items("tools/list"); len(items) != 1 || !fresh {
		t.Error("an old Mirror has changed")
	}
}

// The options are those of each request of a Mirror, but for what one request is about.
func TestMirrorOptions(t *testing.T) {
	m, err := client.NewMirror("tools/list")
	if err != nil {
		t.Fatal(err)
	}
	s := session(t, client.Config{Serve: []string{"sampling/createMessage"}})
	s, out := s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":"s","method":"sampling/createMessage","params":{"maxTokens":1,"messages":[]}}`))
	call := out.Opened
	s, out = request(t, s, protocol.PingParams{}, client.RequestOptions{})
	ping := out.Req
	if call.IsZero() || ping.IsZero() {
		t.Fatal("there is no call, or no request")
	}
	m.Options = client.RequestOptions{Timeout: 3 * time.Second, Maximum: 5 * time.Second, Progress: true, Within: call, Replaces: ping}
	x := &mirroring{t: t, s: s, m: m, now: t0}
	check := func(id, cursor string) {
		t.Helper()
		x.expect(`tools/list {`+cursor+`"_meta":{"progressToken":`+id+`}}`, "")
		if !x.out.Send[0].Call.IsZero() {
			t.Error("a listing goes out within a call")
		}
		open := 0
		for req := range x.s.Outbound() {
			open++
			if req.Method == "tools/list" && (!req.Deadline.Equal(t0.Add(3*time.Second)) || !req.Maximum.Equal(t0.Add(5*time.Second))) {
				t.Errorf("%+v", req)
			}
		}
		if open != 2 {
			t.Errorf("%d requests are open", open)
		}
	}
	x.take(x.s, client.Output{})
	check("3", "")
	x.receive(page(3, "c", "a"))
	check("4", `"cursor":"c",`)
}

// A request that cannot be made at all fails the listing; what was read is there.
func TestMirrorOfBadOptions(t *testing.T) {
	x := mirror(t, "tools/list")
	x.m.Options.Timeout = -time.Hour
	x.receive(page(2, "c", "a"))
	x.expect("", "tools/list failed")
	x.tools("a", false)
	if err := x.m.Err("tools/list"); !errors.Is(err, lifecycle.ErrParams) {
		t.Error(err)
	}
	x.m.Options = client.RequestOptions{}
	x.changed("tools")
	x.expect("tools/list", "notification received")
	x.receive(page(3, "", "b"))
	x.tools("b", true)
}

// What has nothing in it answers that there is nothing.
func TestMirrorOfNothing(t *testing.T) {
	none, err := client.NewMirror()
	if err != nil {
		t.Fatal(err)
	}
	s := session(t, client.Config{})
	out := client.Output{Events: []client.Event{{Kind: lifecycle.NotificationReceived, Method: "notifications/tools/list_changed"}}}
	for name, m := range map[string]client.Mirror{"zero": {}, "no lists": none, "invalidated": none.Invalidate(), "unready": mirror(t, "prompts/list").m} {
		if name != "unready" {
			next, s1, got := m.Handle(s, out)
			if s1 != s || len(got.Send) != 0 || len(got.Events) != 1 {
				t.Errorf("%s: %+v", name, got)
			}
			m = next
		}
		for _, list := range []string{"", "tools/list", "tools/call", "nope"} {
			items, fresh := m.Items(list)
			item, found := m.Find(list, "")
			if len(items) != 0 || fresh || found || item != "" || m.Err(list) != nil {
				t.Errorf("%s: %q has something", name, list)
			}
		}
		if schema, ok := m.OutputSchema(""); ok || schema != "" {
			t.Errorf("%s: schema %s", name, schema)
		}
		if at, ok := m.NextDeadline(); ok || !at.IsZero() {
			t.Errorf("%s: deadline %v", name, at)
		}
	}
	if _, s1, got := (client.Mirror{}).Handle(client.State{}, client.Output{}); s1 != (client.State{}) || !got.IsZero() {
		t.Errorf("%+v", got)
	}
	m, err := client.NewMirror("tools/list")
	if err != nil {
		t.Fatal(err)
	}
	if _, s1, got := m.Handle(client.State{}, client.Output{}); s1 != (client.State{}) || !got.IsZero() {
		t.Errorf("%+v", got)
	}
	for _, method := range []string{"", "tools/call", "roots/list", "nope"} {
		if _, err := client.NewMirror("tools/list", method); !errors.Is(err, lifecycle.ErrParams) {
			t.Errorf("%q: %v", method, err)
		}
	}
}

// The empty key is one like others, and an unknown list leaves the others alone.
func TestMirrorOfEmptyNames(t *testing.T) {
	x := mirror(t, "tools/list", "tools/list")
	x.expect("tools/list", "") // given twice, it is read once
	x.receive(page(2, "", "a"))
	if item, ok := x.m.Find("tools/list", ""); ok || item != "" {
		t.Error(item)
	}
	x.m = x.m.Invalidate("", "prompts/list", "nope")
	x.tools("a", true)
	x.take(x.s, client.Output{})
	x.expect("", "")
	old := x.m
	x.m = x.m.Invalidate("tools/list")
	if _, fresh := old.Items("tools/list"); !fresh {
		t.Error("Invalidate has changed an old Mirror")
	}
	x.take(x.s, client.Output{})
	x.receive(page(3, "", "", "b"))
	x.tools(" b", true)
}

// A Pager of nothing has ended, and asks for nothing.
func TestPagerOfNothing(t *testing.T) {
	var p client.Pager
	if !p.Done() {
		t.Error("the zero Pager goes on")
	}
	for name, s := range map[string]client.State{"ready": ready(t), "zero": {}} {
		if next, _, out, err := p.Next(s, t0, client.RequestOptions{}); !errors.Is(err, lifecycle.ErrGone) || next != p || !out.IsZero() {
			t.Error(name, err)
		}
	}
	for _, ev := range []client.Event{{}, {Kind: lifecycle.ResponseReceived}, {Kind: lifecycle.RequestFailed}} {
		if next, items, mine, err := p.Page(ev); next != p || items != nil || mine || err != nil {
			t.Errorf("%v: %v %v %v", ev.Kind, items, mine, err)
		}
	}
	if _, err := client.NewPager(""); !errors.Is(err, lifecycle.ErrParams) {
		t.Error(err)
	}
	p, err := client.NewPager("tools/list")
	if err != nil {
		t.Fatal(err)
	}
	// What a State refuses does not bind the Pager to it.
	early, err := client.New(client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}}, t0)
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]client.State{"zero": {}, "uninitialized": early} {
		next, _, out, err := p.Next(s, t0, client.RequestOptions{})
		if !errors.Is(err, lifecycle.ErrPhase) || !out.IsZero() || next != p {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, out, err := p.Next(ready(t), t0, client.RequestOptions{}); err != nil || len(out.Send) != 1 {
		t.Error(err)
	}
}

// A list that cannot be asked for, be it that the options are none, is read with the reason
// in place of items: the request did not go out.
func TestMirrorThatCannotAsk(t *testing.T) {
	m, err := client.NewMirror("tools/list", "prompts/list")
	if err != nil {
		t.Fatal(err)
	}
	m.Options.Timeout = -5
	m, s, out := m.Handle(session(t, client.Config{}), client.Output{})
	if len(out.Send) != 0 || len(out.Events) != 2 || s.Status().Outbound != 0 {
		t.Fatalf("%+v", out)
	}
	for i, list := range []string{"tools/list", "prompts/list"} {
		ev := out.Events[i]
		if ev.Kind != client.ListRead || ev.Method != list || ev.Cause.Kind != lifecycle.CauseNotSent || !errors.Is(ev.Cause.Err, lifecycle.ErrParams) {
			t.Errorf("%s: %+v", list, ev)
		}
		if items, fresh := m.Items(list); len(items) != 0 || fresh || !errors.Is(m.Err(list), lifecycle.ErrParams) {
			t.Errorf("%s: %v, fresh %v, %v", list, items, fresh, m.Err(list))
		}
	}
}
