package manager_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Of the classes one is that of what took too long, and Timeout says so of a request that did.
func TestErrorTimeout(t *testing.T) {
	r := newRig(t, config())
	r.connect("a", manager.Options{})
	slow := r.do(r.m.CallTool(r.now, "a", "t", "", manager.RequestOptions{Timeout: time.Second})).Op
	lost := r.do(r.m.CallTool(r.now, "a", "t", "", manager.RequestOptions{Timeout: time.Minute})).Op
	r.sleep(time.Second)
	if e := class(t, done(t, r.out, slow).Err, manager.ClassTimeout); !e.Timeout() {
		t.Errorf("%v is no timeout", e)
	}
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.Ended, Link: r.link("a")}))
	if e := class(t, done(t, r.out, lost).Err, manager.ClassLost); e.Timeout() {
		t.Errorf("%v is a timeout", e)
	}
}

// Rows B6 and A3: Meta goes into _meta of tools/call to this server and nowhere else, never into
// arguments, and all else goes out byte for byte.
func TestMeta(t *testing.T) {
	r := newRig(t, config())
	r.connect("trusted", manager.Options{Meta: `{"traceparent":"00-1","b":2}`})
	r.connect("other", manager.Options{})
	raw := func(body string) protocol.RawRequest {
		return protocol.RawRequest{Name: "tools/call", Body: jsonrpc.Raw(body)}
	}
	for _, tt := range []struct{ body, want string }{
		{`{ "name" : "t" , "x":[1, 2] }`, `{ "name" : "t" , "x":[1, 2],"_meta":{"traceparent":"00-1","b":2} }`},
		{`{"_meta":null,"name":"t"}`, `{"_meta":{"traceparent":"00-1","b":2},"name":"t"}`},
		{`{"_meta":{"b": 3,"c":"d"},"name":"t","arguments":{"_meta":{}}}`, `{"_meta":{"b": 3,"c":"d","traceparent":"00-1"},"name":"t","arguments":{"_meta":{}}}`},
	} {
		r.do(r.m.Request(r.now, "trusted", raw(tt.body), manager.RequestOptions{}))
		if got := sent(r.out, "trusted")[0]; !strings.Contains(got, `"params":`+tt.want+`}`) {
			t.Errorf("%s: %s", tt.body, got)
		}
		r.do(r.m.Request(r.now, "other", raw(tt.body), manager.RequestOptions{}))
		if got := sent(r.out, "other")[0]; strings.Contains(got, "traceparent") {
			t.Errorf("%s: %s", tt.body, got)
		}
	}
	// With progress, and typed.
	r.do(r.m.CallTool(r.now, "trusted", "t", `{}`, manager.RequestOptions{Progress: true}))
	if got := sent(r.out, "trusted")[0]; !strings.Contains(got, `traceparent`) || !strings.Contains(got, "progressToken") {
		t.Error(got)
	}
	// Of what is not tools/call nothing is changed, and what is not valid is refused.
	r.do(r.m.GetPrompt(r.now, "trusted", "p", "", manager.RequestOptions{}))
	if got := sent(r.out, "trusted")[0]; strings.Contains(got, "traceparent") {
		t.Error(got)
	}
	for _, body := range []string{`{"name":"t","_meta":1}`, `[`, `{"name":"t"`} {
		if _, out, err := r.m.Request(r.now, "trusted", raw(body), manager.RequestOptions{}); err == nil || !out.IsZero() {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// Rows B28, B27, B7, E10: who is asked and cannot says so, with its state, cause and when it is back.
func TestUnavailable(t *testing.T) {
	r := newRig(t, config())
	r.do(r.m.Connect(r.now, "a", manager.Options{Supervise: true}))
	check := func(state manager.Condition, retry time.Time) {
		t.Helper()
		verbs := map[string]func() error{
			"request": func() error { _, _, err := r.m.CallTool(r.now, "a", "t", "", manager.RequestOptions{}); return err },
			"list":    func() error { _, _, err := r.m.List(r.now, "a", "tools/list", manager.Budget{}); return err },
			"ping": func() error {
				_, _, err := r.m.Request(r.now, "a", protocol.PingParams{}, manager.RequestOptions{})
				return err
			},
			"notify": func() error {
				_, _, err := r.m.Notify(r.now, "a", protocol.RootsListChangedParams{}, manager.Call{})
				return err
			},
		}
		for name, verb := range verbs {
			err := verb()
			e := class(t, err, manager.ClassUnavailable)
			if !errors.Is(err, manager.ErrUnavailable) || e.Condition != state || !e.RetryAt.Equal(retry) || e.Server != "a" {
				t.Errorf("%s: %+v", name, e)
			}
		}
	}
	check(manager.Connecting, time.Time{})
	auth := errors.New("no such command")
	op := r.take(r.m.Report(r.now, manager.Report{Kind: manager.OpenFailed, Link: r.link("a"), Err: auth}))
	s, _ := r.m.Status("a")
	for _, ev := range op.Events { // what the driver says reaches whoever asks (row B7)
		if !errors.Is(ev.Err, auth) || !errors.Is(s.Err, auth) {
			t.Errorf("%v, %v", ev.Err, s.Err)
		}
	}
	check(manager.Waiting, t0.Add(time.Second))
	if _, _, err := r.m.Request(r.now, "a", protocol.PingParams{}, manager.RequestOptions{}); !strings.Contains(err.Error(), "no such command") {
		t.Error(err)
	}
	r.take(r.m.Disconnect(r.now, "a"))
	for _, verb := range []func() error{
		func() error { _, _, err := r.m.CallTool(r.now, "a", "t", "", manager.RequestOptions{}); return err },
		func() error { _, _, err := r.m.List(r.now, "a", "tools/list", manager.Budget{}); return err },
		func() error {
			_, _, err := r.m.Notify(r.now, "a", protocol.RootsListChangedParams{}, manager.Call{})
			return err
		},
		func() error { _, _, err := r.m.SetRoots(r.now, "a", nil); return err },
		func() error { _, err := r.m.ServerInfo("a"); return err },
	} {
		if err := verb(); !errors.Is(err, manager.ErrUnknownServer) {
			t.Error(err)
		}
	}
}

// Row B28: what is not possible has a class, and changes nothing.
func TestClasses(t *testing.T) {
	r := newRig(t, config())
	r.do(r.m.Connect(r.now, "a", manager.Options{}))
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.Opened, Link: r.link("a")}))
	r.say("a", strings.Replace(hello(1), caps, `{"tools":{}}`, 1))
	_, _, err := r.m.Request(r.now, "a", protocol.ReadResourceParams{URI: "file:///x"}, manager.RequestOptions{})
	class(t, err, manager.ClassUnsupported)
	_, _, err = r.m.Request(r.now, "a", protocol.SubscribeParams{URI: "file:///x"}, manager.RequestOptions{})
	class(t, err, manager.ClassUnsupported)
	_, _, err = r.m.List(r.now, "a", "prompts/list", manager.Budget{})
	class(t, err, manager.ClassUnsupported)
	_, _, err = r.m.Request(r.now, "a", protocol.InitializeParams{}, manager.RequestOptions{})
	class(t, err, manager.ClassConfig)
	_, _, err = r.m.Request(r.now, "a", nil, manager.RequestOptions{})
	class(t, err, manager.ClassConfig)
	_, _, err = r.m.CallTool(r.now, "a", "t", "", manager.RequestOptions{Within: manager.Call{Call: lifecycle.MakeCall(nil, 1, 1)}})
	if !errors.Is(err, lifecycle.ErrGone) {
		t.Error(err)
	}

	// How a request can end without an answer.
	for _, tt := range []struct {
		name  string
		end   func(req client.Req) manager.Effects
		class manager.Class
	}{
		{"not sent", func(q client.Req) manager.Effects {
			return r.take(r.m.Report(r.now, manager.Report{Kind: manager.SendFailed, Link: r.link("a"), Req: q, Err: errors.New("full")}))
		}, manager.ClassTransport},
		{"response lost", func(q client.Req) manager.Effects {
			return r.take(r.m.Report(r.now, manager.Report{Kind: manager.ResponseLost, Link: r.link("a"), Req: q, Err: errors.New("cut")}))
		}, manager.ClassLost},
		{"invalid", func(client.Req) manager.Effects { return r.m2(`"result":7`) }, manager.ClassProtocol},
		{"closed", func(client.Req) manager.Effects {
			return r.take(r.m.Report(r.now, manager.Report{Kind: manager.Ended, Link: r.link("a"), Err: errors.New("EOF")}))
		}, manager.ClassLost},
	} {
		op := r.do(r.m.CallTool(r.now, "a", "t", "", manager.RequestOptions{})).Op
		e := class(t, done(t, tt.end(r.out.Actions[0].Out.Req), op).Err, tt.class)
		if e.Server != "a" || e.Method != "tools/call" || e.Error() == "" {
			t.Errorf("%s: %+v", tt.name, e)
		}
	}
	if s := manager.Class(99).String() + manager.Condition(99).String() + manager.ActionKind(99).String() + manager.EventKind(99).String(); s != "class(?)condition(?)action(?)event(?)" {
		t.Error(s)
	}
}

// Row B20: what the handshake brought.
func TestServerInfo(t *testing.T) {
	r := one(t, manager.Options{})
	info, err := r.m.ServerInfo("a")
	if err != nil || info.Server.Name != "s" || !info.Capabilities.Has(protocol.CapTools) || info.Revision != protocol.Revision20251125 {
		t.Errorf("%+v %v", info, err)
	}
	if s, ok := r.m.Client("a"); !ok || s.Phase() != lifecycle.Ready {
		t.Error("no session")
	}
	if _, ok := r.m.Client("b"); ok {
		t.Error("a session of nobody")
	}
	if _, ok := r.m.Status("b"); ok {
		t.Error("a status of nobody")
	}
}
