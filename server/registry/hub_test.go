package registry_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/conformance/session"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/registry"
)

// hub returns a Hub with global groups and a session of its own groups.
func hub(t testing.TB, native ...registry.Operation) registry.Hub {
	t.Helper()
	h := registry.NewHub(registry.HubOptions{Native: native, Config: server.Config{ChangeDelay: -1}})
	h, out := h.SetGlobals(t0, registry.NewGlobals(from(t, group(t, "g", "x"), group(t, "a", "hidden"))))
	if !out.All {
		t.Errorf("%+v", out)
	}
	h, out, err := h.SetSession(t0, "s", from(t, group(t, "a", "y"), mixed(t, "m")))
	if err != nil || len(out.Changed) != 1 || out.All {
		t.Fatal(err, out)
	}
	return h
}

// deliver hands messages to a group, and returns what it sends.
func deliver(t testing.TB, h registry.Hub, id, name string, messages ...jsonrpc.Message) (registry.Hub, string, registry.HubOutput) {
	t.Helper()
	var text []string
	var last registry.HubOutput
	for _, m := range messages {
		next, out, err := h.Deliver(t0, id, name, m)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range out.Deliveries {
			if d.Session != id || d.Group != name || d.Handlers == nil {
				t.Errorf("%+v", d)
			}
			if lines := sent(d.Output); lines != "" {
				text = append(text, lines)
			}
		}
		h, last = next, out
	}
	return h, strings.Join(text, "\n"), last
}

func handshake() []jsonrpc.Message {
	return []jsonrpc.Message{jsonrpc.DecodeString(session.InitializeLine("2025-06-18", "{}")), jsonrpc.DecodeString(session.Initialized)}
}

// C27: a message for one group goes through the dispatcher that there is: it has a lifecycle,
// answers ping, and leaves notifications without an answer. A group that is not there or not on is
// an error of the host.
func TestDeliver(t *testing.T) {
	h := hub(t)
	if _, ok := h.State("s", "a"); ok {
		t.Error("a State before a message")
	}
	h, text, _ := deliver(t, h, "s", "a", handshake()...)
	if !strings.Contains(text, `"serverInfo":{"name":"a","version":"1.0.0"}`) || !strings.Contains(text, `"tools":{"listChanged":true}`) {
		t.Error(text)
	}
	h, text, _ = deliver(t, h, "s", "a", request(2, "ping", "{}"), request(3, "nothing", "{}"), jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/nothing"}`),
		request(4, "tools/list", "{}"), calls(5, "x"))
	lines := strings.Split(text, "\n")
	for i, want := range []string{`{"id":2,"result":{}}`, `{"id":3,"error":{"code":-32601`, `{"id":4,"result":{"tools":[{"name":"y"`, `{"id":5,"error":{"code":-32602`} {
		if len(lines) != 4 || !strings.HasPrefix(lines[i], want) {
			t.Errorf("got %s, want %s", text, want)
		}
	}
	h, text, out := deliver(t, h, "s", "a", calls(6, "y"))
	ev := out.Deliveries[0].Output.Events[0]
	job, ok := out.Deliveries[0].Handlers.Job(ev)
	if text != "" || !ok {
		t.Fatal(text, ev)
	}
	a := job.Run(context.Background(), nil)
	h, out, err := h.Finish(t0, "s", "a", a)
	if err != nil || !strings.Contains(sent(out.Deliveries[0].Output), `"text":"a.y"`) {
		t.Error(err, out)
	}
	if _, _, err = h.Finish(t0, "s", "a", a); !errors.Is(err, lifecycle.ErrGone) {
		t.Error(err)
	}
	_, _, err = h.Finish(t0, "s", "g", a)
	fails(t, err, registry.ErrUnknownGroup, "g")
	h, _, _ = deliver(t, h, "other", "a", handshake()...) // which is the global one
	if s, ok := h.State("other", "a"); !ok || s.Phase() != protocol.Ready {
		t.Error("no session with the global group")
	}
	_, _, err = h.Deliver(t0, "s", "none", calls(2, "x"))
	fails(t, err, registry.ErrUnknownGroup, "none")
	off, _, _, _ := h.SetEnabled(t0, "s", "a", false)
	_, _, err = off.Deliver(t0, "s", "a", calls(2, "x"))
	fails(t, err, registry.ErrDisabled, "a")
	if _, _, err := registry.NewHub(registry.HubOptions{}).Deliver(t0, "s", "a", calls(2, "x")); !errors.Is(err, registry.ErrUnknownGroup) {
		t.Error(err)
	}
	broken := registry.NewHub(registry.HubOptions{Config: server.Config{Serve: []string{"ping"}}})
	broken, _ = broken.SetGlobals(t0, registry.NewGlobals(from(t, group(t, "g", "x"))))
	if _, _, err := broken.Deliver(t0, "s", "g", calls(2, "x")); !errors.Is(err, lifecycle.ErrParams) {
		t.Error(err)
	}
}

// C29, C30, C37: what runs with a group that is not offered any more ends with a cause; what runs
// with others goes on; what was replaced is announced.
func TestHubFollows(t *testing.T) {
	h := hub(t)
	h, _, _ = deliver(t, h, "s", "a", append(handshake(), calls(2, "y"))...)
	h, _, _ = deliver(t, h, "s", "g", append(handshake(), calls(2, "x"))...)
	h, _, _ = deliver(t, h, "u", "g", handshake()...)
	h, one, err := h.Call(t0, "s", "y", "", registry.CallOptions{})
	if err != nil || one.Session != "s" {
		t.Fatal(err)
	}
	h, two, _ := h.Call(t0, "s", "x", "", registry.CallOptions{})
	_, _, err = h.Call(t0, "s", "none", "", registry.CallOptions{})
	fails(t, err, registry.ErrUnknownTool, "none")
	h, r, out, err := h.SetEnabled(t0, "s", "a", false)
	if err != nil || r.Status != registry.StatusDone || len(out.Outcomes) != 1 || out.Outcomes[0].Invocation.ID != one.ID || !errors.Is(out.Outcomes[0].Err, registry.ErrRemoved) {
		t.Errorf("%+v, %v", out, err)
	}
	if len(out.Deliveries) != 1 || out.Deliveries[0].Group != "a" || !errors.Is(out.Deliveries[0].Output.Close, registry.ErrDisabled) {
		t.Errorf("%+v", out.Deliveries)
	}
	lost := session.Events(out.Deliveries[0].Output, lifecycle.RequestLost)
	if len(lost) != 1 || !errors.Is(lost[0].Cause, registry.ErrDisabled) {
		t.Errorf("%+v", lost)
	}
	if _, ok := h.State("s", "a"); ok || len(h.Calls().Open()) != 1 {
		t.Error("the State is kept")
	}
	if _, o, ok := h.Resolve(t0, one.ID, nil, nil); ok {
		t.Errorf("%+v", o)
	}
	g, _, _ := h.Globals().Register(group(t, "g", "x", "z"))
	h, out = h.SetGlobals(t0, g)
	if len(out.Deliveries) != 2 || sent(out.Deliveries[0].Output) != `{"method":"notifications/tools/list_changed"}` || out.Outcomes != nil || !out.All {
		t.Errorf("%+v", out)
	}
	if same, out := h.SetGlobals(t0, g); out.All || same.Globals() != g {
		t.Error("no change is one")
	}
	g, _, _ = g.Register(mixed(t, "g")) // of kinds that were not declared
	next, out := h.SetGlobals(t0, g)
	if len(out.Deliveries) != 2 || !errors.Is(out.Deliveries[0].Output.Close, lifecycle.ErrCapability) {
		t.Errorf("%+v", out)
	}
	if _, ok := next.State("u", "g"); ok {
		t.Error("the State is kept")
	}
	h, out, ok := h.Drop(t0, "s")
	if !ok || len(out.Deliveries) != 1 || len(out.Outcomes) != 1 || out.Outcomes[0].Invocation.ID != two.ID || len(out.Changed) != 1 || h.Sessions().Len() != 0 {
		t.Errorf("%+v", out)
	}
	if _, out, ok = h.Drop(t0, "s"); ok || out.Changed != nil {
		t.Errorf("%+v", out)
	}
	if _, ok := h.State("u", "g"); !ok {
		t.Error("another session has ended")
	}
	if _, _, err := h.SetSession(t0, "s", nil); !errors.Is(err, registry.ErrNil) {
		t.Error(err)
	}
}

// C26: time passes for the calls by name and for the States.
func TestHubTick(t *testing.T) {
	h := registry.NewHub(registry.HubOptions{Config: server.Config{Keepalive: lifecycle.Keepalive{Interval: time.Minute}}})
	if _, ok := h.NextDeadline(); ok {
		t.Error("a deadline of nothing")
	}
	h, _, _ = h.SetSession(t0, "s", from(t, group(t, "a", "y"), group(t, "b", "z")))
	h, _, _ = deliver(t, h, "s", "a", handshake()...)
	h, _, _ = deliver(t, h, "s", "b", handshake()...)
	h, _, _ = h.Call(t0, "s", "y", "", registry.CallOptions{})
	if due, ok := h.NextDeadline(); !ok || !due.Equal(t0.Add(registry.DefaultTimeout)) {
		t.Error(due)
	}
	h, out := h.Tick(t0.Add(registry.DefaultTimeout))
	if len(out.Outcomes) != 1 || !errors.Is(out.Outcomes[0].Err, registry.ErrTimeout) || out.Deliveries != nil {
		t.Errorf("%+v", out)
	}
	due, ok := h.NextDeadline()
	h, out = h.Tick(due)
	if !ok || len(out.Deliveries) != 2 || !strings.Contains(sent(out.Deliveries[0].Output), `"ping"`) {
		t.Errorf("%v %+v", due, out)
	}
	if next, _ := h.NextDeadline(); !next.After(due) {
		t.Error(next)
	}
}

// C43, C47: a session without groups gets some; the version is kept.
func TestAddGroup(t *testing.T) {
	h := registry.NewHub(registry.HubOptions{})
	if _, _, _, err := h.AddGroup(t0, "s", nil); !errors.Is(err, registry.ErrNil) {
		t.Error(err)
	}
	s := must(t, registry.Definition{Name: "n", Version: "7"})
	if h.Status("s") != nil {
		t.Error("a status of nothing")
	}
	_, _, _, err := h.AddGroup(t0, "", s)
	fails(t, err, registry.ErrName, "")
	h, r, out, err := h.AddGroup(t0, "s", s)
	if err != nil || r.Status != registry.StatusDone || r.Source != registry.Universal || r.Group != "n" || r.Session != "s" || r.Operation != registry.OpAddGroup || len(out.Changed) != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	if st := h.Status("s"); len(st) != 1 || st[0].Version != "7" || r.Groups[0] != st[0] || r.Change.Added[0] != "n" {
		t.Errorf("%+v", st)
	}
	if _, r, out, _ = h.AddGroup(t0, "s", s); r.Status != registry.StatusUnchanged || out.Changed != nil {
		t.Errorf("%+v", r)
	}
}

// C44: a login that nobody can do is a result that says so, and no secret comes back. What the
// host is asked has them.
func TestOAuthLogin(t *testing.T) {
	const secret = "hunter2"
	params := protocol.Raw(`{"server":"s","client_id":"c","scopes":["a","b"],"client_secret":"hunter2","token":{"x":"hunter2"},"code":"hunter2","Scope":"hunter2",
		"scope":{"a":"hunter2"},"hunter2-name":1,"issuer":"https://u:hunter2@host/","audience":["ok",["hunter2"]],"redirect_uri":"a?hunter2","access_token":"hunter2","refresh_token":"hunter2","name":null,"response_type":"x?hunter2"}`)
	_, r, out, err := hub(t).OAuthLogin(t0, "s", params)
	if err != nil || r.Status != registry.StatusNotSupported || r.Reason == "" || out.Native != nil {
		t.Errorf("%+v, %v", r, err)
	}
	if text := fmt.Sprintf("%+v", r); strings.Contains(text, secret) || !strings.HasPrefix(string(r.Params), `{"server":"s","client_id":"c","scopes":["a","b"],"client_secret":"[redacted]","token":"[redacted]"`) {
		t.Error(text)
	}
	const shown = protocol.Raw(`{"server_name":"s","redirect_uri":"https://host/back"}`)
	if _, r, _, err := hub(t).OAuthLogin(t0, "s", shown); err != nil || r.Params != shown {
		t.Error(r.Params, err)
	}
	for _, uri := range []string{"https://u:hunter2@host/", "https://host/?code=hunter2", "https://host/#token=hunter2"} {
		if _, r, _, _ := hub(t).OAuthLogin(t0, "s", protocol.Raw(`{"server_name":"`+uri+`","redirect_uri":"`+uri+`"}`)); strings.Contains(string(r.Params), secret) {
			t.Error(r.Params)
		}
	}
	if _, err := protocol.Decode[protocol.CallToolParams](protocol.Raw(`{"name":"x","arguments":` + string(r.Params) + `}`)); err != nil {
		t.Error("the params are no JSON:", err)
	}
	for _, bad := range []protocol.Raw{`[]`, `"hunter2"`, `{"a":`} {
		_, _, _, err := hub(t).OAuthLogin(t0, "s", bad)
		if !errors.Is(err, registry.ErrInvalid) || strings.Contains(err.Error(), secret) {
			t.Error(err)
		}
	}
	if _, r, _, err = hub(t).OAuthLogin(t0, "s", ""); err != nil || r.Params != "{}" {
		t.Error(r.Params, err)
	}
	h, r, out, err := hub(t, registry.OpOAuthLogin).OAuthLogin(t0, "s", params)
	if err != nil || r.Status != registry.StatusPending || r.Source != registry.Native || len(out.Native) != 1 || out.Native[0].Params != params || r.Native != out.Native[0].ID || strings.Contains(fmt.Sprintf("%+v", r), secret) {
		t.Errorf("%+v, %v", r, err)
	}
	if _, r, _, err = h.Answer(t0, registry.NativeAnswer{ID: r.Native, Declined: true, Reason: "not here"}); err != nil || r.Status != registry.StatusNotSupported || r.Reason != "not here" || r.Source != registry.Universal {
		t.Errorf("%+v, %v", r, err)
	}
	h, r, _, err = h.Answer(t0, registry.NativeAnswer{ID: out.Native[0].ID, Reason: "logged in"})
	if err != nil || r.Status != registry.StatusDone || r.Source != registry.Native || r.Reason != "logged in" || strings.Contains(fmt.Sprintf("%+v", r), secret) {
		t.Errorf("%+v, %v", r, err)
	}
	if _, _, _, err = h.Answer(t0, registry.NativeAnswer{ID: out.Native[0].ID}); !errors.Is(err, registry.ErrAnswered) || h.Waiting() != 0 {
		t.Error("an answer is taken twice:", err)
	}
}

// C45: to reload announces a session anew; one without groups says so.
func TestReload(t *testing.T) {
	h := hub(t)
	_, r, out, err := h.Reload(t0, "none")
	if err != nil || r.Status != registry.StatusNoRegistry || out.Changed != nil {
		t.Errorf("%+v, %v", r, err)
	}
	_, before, _ := h.Sessions().Get("s")
	h, r, out, err = h.Reload(t0, "s")
	_, after, _ := h.Sessions().Get("s")
	if err != nil || r.Status != registry.StatusDone || len(r.Groups) != 2 || len(out.Changed) != 1 || after <= before {
		t.Errorf("%+v, %v", r, err)
	}
}

// C46, C31: to reconnect ends what speaks to the group and clears its failure; the switch stays.
func TestReconnect(t *testing.T) {
	h := hub(t)
	h, _, _ = deliver(t, h, "s", "a", handshake()...)
	h, r, out, err := h.Reconnect(t0, "s", "a")
	if err != nil || r.Status != registry.StatusDone || len(out.Deliveries) != 1 || out.Deliveries[0].Output.Close == nil {
		t.Errorf("%+v, %v", r, err)
	}
	if _, r, _, _ = h.Reconnect(t0, "s", "a"); r.Status != registry.StatusUnchanged {
		t.Errorf("%+v", r)
	}
	h, _, _ = deliver(t, h, "s", "a", handshake()...) // begins anew
	reg, _, _ := h.Sessions().Get("s")
	reg, _, _ = reg.Fail("a", errors.New("broken"))
	reg, _, _ = reg.SetEnabled("a", false)
	h, _, _ = h.SetSession(t0, "s", reg)
	h, r, _, err = h.Reconnect(t0, "s", "a")
	if st := h.Status("s")[0]; err != nil || st.Err != nil || st.Enabled || r.Status != registry.StatusDone {
		t.Errorf("%+v, %v", st, err)
	}
	_, _, _, err = h.Reconnect(t0, "s", "none")
	fails(t, err, registry.ErrUnknownGroup, "none")
}

// C48, C49: all groups of a session, or the switch of one; a session without groups gets some.
func TestSetGroupsAndEnabled(t *testing.T) {
	h := registry.NewHub(registry.HubOptions{})
	h, r, out, err := h.SetGroups(t0, "s")
	if err != nil || r.Status != registry.StatusDone || h.Sessions().Len() != 1 || len(out.Changed) != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	h, r, _, _ = h.SetGroups(t0, "s", group(t, "a", "x"), group(t, "b", "y"))
	if len(r.Change.Added) != 2 {
		t.Errorf("%+v", r)
	}
	h, r, _, err = h.SetEnabled(t0, "s", "b", false)
	if err != nil || !(r.Status == registry.StatusDone && r.Group == "b" && !r.Enabled && r.Change.Disabled[0] == "b") {
		t.Errorf("%+v, %v", r, err)
	}
	if _, r, out, _ = h.SetEnabled(t0, "s", "b", false); r.Status != registry.StatusUnchanged || out.Changed != nil {
		t.Errorf("%+v", r)
	}
	same(t, "offered", names(h.Effective("s").Tools()), []string{"a.x"})
	_, _, _, err = h.SetEnabled(t0, "none", "b", true)
	fails(t, err, registry.ErrUnknownGroup, "b")
	twice := group(t, "a")
	_, _, _, err = h.SetGroups(t0, "s", twice, twice)
	fails(t, err, registry.ErrDuplicate, "a")
}

// C43–C49: what a host may do itself is asked of it, and done by the Hub where it declines.
func TestNative(t *testing.T) {
	ops := []registry.Operation{registry.OpAddGroup, registry.OpSetGroups, registry.OpSetEnabled, registry.OpReload, registry.OpReconnect, registry.OpOAuthLogin}
	do := func(h registry.Hub, op registry.Operation) (registry.Hub, registry.SessionResult, registry.HubOutput, error) {
		switch op {
		case registry.OpAddGroup:
			return h.AddGroup(t0, "s", group(t, "n", "n"))
		case registry.OpSetGroups:
			return h.SetGroups(t0, "s", group(t, "n", "n"))
		case registry.OpSetEnabled:
			return h.SetEnabled(t0, "s", "a", false)
		case registry.OpReload:
			return h.Reload(t0, "s")
		case registry.OpReconnect:
			return h.Reconnect(t0, "s", "a")
		}
		return h.OAuthLogin(t0, "s", "")
	}
	for _, op := range ops {
		_, want, _, err := do(hub(t), op)
		if err != nil {
			t.Fatal(err)
		}
		h, r, out, err := do(hub(t, ops...), op)
		if err != nil || r.Status != registry.StatusPending || len(out.Native) != 1 || out.Native[0].Operation != op || out.Native[0].Session != "s" || h.Waiting() != 1 || out.Changed != nil {
			t.Fatalf("%s: %+v, %v", op, r, err)
		}
		_, r, _, err = h.Answer(t0, registry.NativeAnswer{ID: r.Native, Declined: true})
		if err != nil || r.Status != want.Status || r.Source != registry.Universal || fmt.Sprint(r.Groups) != fmt.Sprint(want.Groups) {
			t.Errorf("%s: %+v, want %+v", op, r, want)
		}
	}
	// What fails when it is done fails then.
	h, r, _, _ := hub(t, ops...).SetEnabled(t0, "s", "none", true)
	_, _, _, err := h.Answer(t0, registry.NativeAnswer{ID: r.Native, Declined: true})
	fails(t, err, registry.ErrUnknownGroup, "none")
}
