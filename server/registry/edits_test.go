package registry_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/registry"
)

// scopes returns Scopes with shared groups and a session with groups of its own.
func scopes(t testing.TB) registry.Scopes {
	t.Helper()
	s, err := registry.NewScopes(from(t, group(t, "g", "x"), group(t, "a", "hidden"))).Put("s", from(t, group(t, "a", "y"), mixed(t, "m")))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func handshake() []jsonrpc.Message {
	return []jsonrpc.Message{jsonrpc.DecodeString(verbs.InitializeLine("2025-06-18", "{}")), jsonrpc.DecodeString(verbs.Initialized)}
}

// solo is a session that speaks to one group alone.
type solo struct {
	t testing.TB
	s server.State
	c server.Companion
}

// alone begins a session with the group of a name, as a session of the host is offered it.
func alone(t testing.TB, of func() registry.Scopes, id, name string) *solo {
	t.Helper()
	g, err := of().Offered(id, name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(g.Config(server.Config{ChangeDelay: -1}), t0)
	if err != nil {
		t.Fatal(err)
	}
	return &solo{t, s, registry.Follow(func() *registry.View {
		g, err := of().Offered(id, name)
		if err != nil {
			return nil
		}
		return g.View()
	})}
}

// take hands messages to the session, and returns what it sends.
func (x *solo) take(now time.Time, messages ...jsonrpc.Message) (string, []server.Event) {
	x.t.Helper()
	var all server.Output
	for _, m := range messages {
		s, out := x.s.Receive(now, m)
		x.s, out, _ = x.c.Step(s, now, out)
		x.c.Commit()
		all.Merge(out)
	}
	if messages == nil {
		x.s, all, _ = x.c.Step(x.s, now, server.Output{})
		x.c.Commit()
	}
	return sent(all), all.Events
}

// C27: a message for one group goes through the dispatcher that there is: it has a lifecycle,
// answers ping, and leaves notifications without an answer. A group that is absent or off is
// an error of the host.
func TestOneGroup(t *testing.T) {
	all := scopes(t)
	x := alone(t, func() registry.Scopes { return all }, "s", "a")
	text, _ := x.take(t0, handshake()...)
	if !strings.Contains(text, `"serverInfo":{"name":"a","version":"1.0.0"}`) || !strings.Contains(text, `"tools":{"listChanged":true}`) {
		t.Error(text)
	}
	text, _ = x.take(t0, request(2, "ping", "{}"), request(3, "nothing", "{}"), jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/nothing"}`),
		request(4, "tools/list", "{}"), calls(5, "x"))
	lines := strings.Split(text, "\n")
	for i, want := range []string{`{"id":2,"result":{}}`, `{"id":3,"error":{"code":-32601`, `{"id":4,"result":{"tools":[{"name":"y"`, `{"id":5,"error":{"code":-32602`} {
		if len(lines) != 4 || !strings.HasPrefix(lines[i], want) {
			t.Errorf("got %s, want %s", text, want)
		}
	}
	text, events := x.take(t0, calls(6, "y"))
	job, ok := x.c.Handlers().Job(events[0])
	if text != "" || !ok {
		t.Fatal(text, events)
	}
	a := job.Run(context.Background(), nil)
	s, out, err := x.s.Finish(t0, a)
	if err != nil || !strings.Contains(sent(out), `"text":"a.y"`) {
		t.Error(err, sent(out))
	}
	if _, _, err = s.Finish(t0, a); !errors.Is(err, lifecycle.ErrGone) {
		t.Error(err)
	}
	other := alone(t, func() registry.Scopes { return all }, "other", "a") // which is the shared one
	if text, _ := other.take(t0, append(handshake(), request(2, "tools/list", "{}"))...); !strings.Contains(text, "hidden") {
		t.Error(text)
	}
	_, err = all.Offered("s", "none")
	fails(t, err, registry.ErrUnknownGroup, "none")
	off, _, _ := all.Edit("s", enable("a", false))
	_, err = off.Offered("s", "a")
	fails(t, err, registry.ErrDisabled, "a")
	_, err = registry.Scopes{}.Offered("s", "a")
	fails(t, err, registry.ErrUnknownGroup, "a")
}

// C29, C30, C37: what runs with a group that is no longer offered ends with a cause; what runs
// with others goes on; what was replaced is announced.
func TestOneGroupFollows(t *testing.T) {
	all := scopes(t)
	now := func() registry.Scopes { return all }
	own, shared := alone(t, now, "s", "a"), alone(t, now, "s", "g")
	own.take(t0, append(handshake(), calls(2, "y"))...)
	shared.take(t0, append(handshake(), calls(2, "x"))...)
	all, _, _ = all.Edit("s", enable("a", false))
	text, events := own.take(t0)
	if !strings.Contains(text, "removed while the request ran") || !strings.Contains(text, "tools/list_changed") || !errors.Is(events[0].Cause, registry.ErrRemoved) {
		t.Error(text, events)
	}
	if text, _ := shared.take(t0); text != "" {
		t.Error(text)
	}
	all, _, _ = all.UpdateShared(0, add(group(t, "g", "x", "z")))
	if text, _ = shared.take(t0); text != `{"method":"notifications/tools/list_changed"}` {
		t.Error(text)
	}
	all, _ = all.Drop("s") // which has the shared groups then
	if text, _ = own.take(t0); text != `{"method":"notifications/tools/list_changed"}` {
		t.Error(text)
	}
	if text, _ = own.take(t0, request(3, "tools/list", "{}")); !strings.Contains(text, "hidden") {
		t.Error(text)
	}
}

// status is that of the groups of the session s.
func status(all registry.Scopes) []registry.GroupStatus {
	r, _, _ := all.Get("s")
	return r.Status()
}

// C43, C47: a session without groups gets some; the version is kept.
func TestAdd(t *testing.T) {
	var all registry.Scopes
	if _, _, err := all.Edit("s", add(nil)); !errors.Is(err, registry.ErrNil) {
		t.Error(err)
	}
	g := must(t, registry.Definition{Name: "n", Version: "7"})
	if status(all) != nil {
		t.Error("a status of nothing")
	}
	_, _, err := all.Edit("", add(g))
	fails(t, err, registry.ErrName, "")
	next, c, err := all.Edit("s", add(g))
	if err != nil || len(c.Added) != 1 || c.Added[0] != "n" || next.Version() != 1 || all.Version() != 0 {
		t.Errorf("%+v, %v", c, err)
	}
	if st := status(next); len(st) != 1 || st[0].Version != "7" || st[0].Name != "n" || !st[0].Enabled {
		t.Errorf("%+v", st)
	}
	if again, c, err := next.Edit("s", add(g)); err != nil || !none(c) || again.Version() != 1 {
		t.Errorf("%+v, %v", c, err)
	}
}

// C44: a login is not supported, and no secret comes back.
func TestLogin(t *testing.T) {
	const secret = "hunter2"
	params := protocol.Raw(`{"server":"s","client_id":"c","scopes":["a","b"],"client_secret":"hunter2","token":{"x":"hunter2"},"code":"hunter2","Scope":"hunter2",
		"scope":{"a":"hunter2"},"hunter2-name":1,"issuer":"https://u:hunter2@host/","audience":["ok",["hunter2"]],"redirect_uri":"a?hunter2","access_token":"hunter2","refresh_token":"hunter2","name":null,"response_type":"x?hunter2"}`)
	shown, err := scopes(t).Login("s", params)
	fails(t, err, registry.ErrNotSupported, "s")
	if strings.Contains(err.Error()+string(shown), secret) || !strings.HasPrefix(string(shown), `{"server":"s","client_id":"c","scopes":["a","b"],"client_secret":"[redacted]","token":"[redacted]"`) {
		t.Error(shown, err)
	}
	if _, err := protocol.Decode[protocol.CallToolParams](protocol.Raw(`{"name":"x","arguments":` + string(shown) + `}`)); err != nil {
		t.Error("the params are no JSON:", err)
	}
	const public = protocol.Raw(`{"server_name":"s","redirect_uri":"https://host/back"}`)
	if shown, err := registry.Redacted(public); err != nil || shown != public {
		t.Error(shown, err)
	}
	for _, uri := range []string{"https://u:hunter2@host/", "https://host/?code=hunter2", "https://host/#token=hunter2"} {
		if shown, _ := registry.Redacted(protocol.Raw(`{"server_name":"` + uri + `","redirect_uri":"` + uri + `"}`)); strings.Contains(string(shown), secret) {
			t.Error(shown)
		}
	}
	for _, bad := range []protocol.Raw{`[]`, `"hunter2"`, `{"a":`} {
		shown, err := scopes(t).Login("s", bad)
		if !errors.Is(err, registry.ErrInvalid) || strings.Contains(err.Error(), secret) || shown != "" {
			t.Error(shown, err)
		}
	}
	if shown, err := scopes(t).Login("s", ""); !errors.Is(err, registry.ErrNotSupported) || shown != "{}" {
		t.Error(shown, err)
	}
}

// C45: to reload gives a session's groups another version; one without groups is an error.
func TestReload(t *testing.T) {
	all := scopes(t)
	_, err := all.Reload("none")
	fails(t, err, registry.ErrUnknownSession, "none")
	r, before, _ := all.Get("s")
	next, err := all.Reload("s")
	again, after, _ := next.Get("s")
	if err != nil || after <= before || again != r || next.Version() != all.Version()+1 {
		t.Error(before, after, err)
	}
}

// C46, C31: to reconnect clears the failure of a group; the switch stays.
func TestReconnect(t *testing.T) {
	all := scopes(t)
	if next, c, err := all.Edit("s", reset("a")); err != nil || !none(c) || next != all {
		t.Errorf("%+v, %v", c, err)
	}
	failed, c, err := all.Edit("s", fail("a", errors.New("broken")))
	if err != nil || len(c.Disabled) != 1 {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := failed.Offered("s", "a"); !errors.Is(err, registry.ErrFailed) || !strings.Contains(err.Error(), "broken") {
		t.Error(err)
	}
	if next, c, err := failed.Edit("s", reset("a")); err != nil || len(c.Enabled) != 1 || status(next)[0].Err != nil {
		t.Errorf("%+v, %v", c, err)
	}
	off, _, _ := failed.Edit("s", enable("a", false))
	off, _, err = off.Edit("s", reset("a"))
	if st := status(off)[0]; err != nil || st.Err != nil || st.Enabled {
		t.Errorf("%+v, %v", st, err)
	}
	_, _, err = all.Edit("s", reset("none"))
	fails(t, err, registry.ErrUnknownGroup, "none")
}

// C48, C49: all groups of a session, or the switch of one; a session without groups gets some.
func TestSetGroupsAndEnabled(t *testing.T) {
	all, c, err := registry.Scopes{}.Edit("s", set())
	if err != nil || !none(c) || len(all.Sessions()) != 1 {
		t.Errorf("%+v, %v", c, err)
	}
	all, c, _ = all.Edit("s", set(group(t, "a", "x"), group(t, "b", "y")))
	if len(c.Added) != 2 {
		t.Errorf("%+v", c)
	}
	all, c, err = all.Edit("s", enable("b", false))
	if err != nil || len(c.Disabled) != 1 || c.Disabled[0] != "b" {
		t.Errorf("%+v, %v", c, err)
	}
	if next, c, _ := all.Edit("s", enable("b", false)); !none(c) || next != all {
		t.Errorf("%+v", c)
	}
	same(t, "offered", names(all.View("s").Tools()), []string{"a.x"})
	_, _, err = all.Edit("none", enable("b", true))
	fails(t, err, registry.ErrUnknownGroup, "b")
	twice := group(t, "a")
	_, _, err = all.Edit("s", set(twice, twice))
	fails(t, err, registry.ErrDuplicate, "a")
}
