package client_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// What no session can have come to is refused, one fault at a time.
func TestSnapshotsWithOneFault(t *testing.T) {
	s, err := client.New(config(), t0)
	if err != nil {
		t.Fatal(err)
	}
	if s, _, err = s.Initialize(t0); err != nil {
		t.Fatal(err)
	}
	s, _ = s.Receive(t0, jsonrpc.DecodeString(lines[0]))
	s, _ = s.Receive(t0, jsonrpc.DecodeString(lines[5]))
	if s, _, err = s.SetRoots(t0, []protocol.Root{{URI: "file:///b", Name: "b"}}); err != nil {
		t.Fatal(err)
	}
	if s, _, err = s.Request(t0, protocol.ListToolsParams{}, client.RequestOptions{Timeout: time.Second, Maximum: time.Minute}); err != nil {
		t.Fatal(err)
	}
	good := string(s.Snapshot())
	restored, err := client.Restore(config(), []byte(good), t0.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	_, out := restored.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":7,"method":"roots/list"}`))
	if len(out.Send) != 1 || out.Send[0].Message.Body != `{"roots":[{"uri":"file:///b","name":"b"}]}` {
		t.Errorf("the roots of a restored session are %v", out.Send)
	}
	for _, tt := range []struct{ name, old, with string }{
		{"another role", `"role":"client"`, `"role":"server"`},
		{"an unknown phase", `"phase":"ready"`, `"phase":"asleep"`},
		{"ready with nothing negotiated", `"revision":"2025-06-18",`, ``},
		{"a request that is to come", `"last":2`, `"last":1`},
		{"a request due after its latest deadline", `"hard":60000000000`, `"hard":60000000`},
		{"subscriptions that are no list", `"roots":{`, `"subscriptions":1,"roots":{`},
		{"roots that are no result", `"roots":{`, `"roots":{"roots":1},"x":{`},
		{"subscriptions that are no strings", `"roots":{`, `"subscriptions":["a:b",5],"roots":{`},
		{"roots that are no uris", `"roots":{"roots":[{"uri":"file:`, `"roots":{"roots":[{"uri":"https:`},
		{"time that stands still for a fraction", `"still":600000000000`, `"still":1.5`},
		{"a member twice", `"last":2`, `"last":2,"last":2`},
		{"a capability of a client", `"capabilities":"`, `"capabilities":"roots,`},
		{"initialize once ready", `"method":"tools/list"`, `"method":"initialize"`},
		{"a call of a server", `"inbound":[`, `"inbound":[{"id":"x","call":1,"method":"tools/call"},`},
		{"a form that is none", `"method":"sampling/createMessage"`, `"method":"elicitation/create","asked":"{}"`},
		{"a subscription twice", `"roots":{`, `"subscriptions":["a:b","a:b"],"roots":{`},
		{"an output schema that is none", `"method":"tools/list"`, `"method":"tools/call","asked":"{"`},
		{"roots that are no object", `"roots":{`, `"roots":[],"x":{`},
	} {
		bad := strings.Replace(good, tt.old, tt.with, 1)
		if bad == good {
			t.Errorf("%s: no %s in %s", tt.name, tt.old, good)
			continue
		}
		if r, err := client.Restore(config(), []byte(bad), t0); !errors.Is(err, lifecycle.ErrSnapshot) || r != (client.State{}) {
			t.Errorf("%s: %v for %s", tt.name, err, bad)
		}
	}
	for _, text := range []string{"", "{", "[]", good + "x", `{"x":[1 2],` + good[1:], `{"x":tru,` + good[1:], `{"x":"\q",` + good[1:], "{\"x\":\"\xff\"," + good[1:], `{"x":-,` + good[1:], `{"x":{"a"},` + good[1:], `{"x":[1,],` + good[1:], `{"x":01,` + good[1:]} {
		if _, err := client.Restore(config(), []byte(text), t0); !errors.Is(err, lifecycle.ErrSnapshot) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if r, err := client.Restore(client.Config{}, []byte(good), t0); !errors.Is(err, lifecycle.ErrConfig) || r != (client.State{}) {
		t.Errorf("without a Config: %v", err)
	}
}

// Why a session ended outlives a snapshot, as far as it is text.
func TestRestoredCause(t *testing.T) {
	s, err := client.New(config(), t0)
	if err != nil {
		t.Fatal(err)
	}
	if s, _, err = s.Initialize(t0); err != nil {
		t.Fatal(err)
	}
	refused, _ := s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"m","data":[1]}}`))
	old, _ := s.Receive(t0, jsonrpc.DecodeString(strings.Replace(lines[0], "2025-06-18", "1999-01-01", 1)))
	lost, _ := s.Disconnected(t0, errors.New("the pipe is closed"))
	for ended, want := range map[client.State]lifecycle.Cause{
		refused: {Kind: lifecycle.CauseRefused, RPC: &jsonrpc.Error{Code: -1, Message: "m", Data: "[1]"}},
		old:     {Kind: lifecycle.CauseUnsupportedRevision, Reason: "1999-01-01"},
		lost:    {Kind: lifecycle.CauseLost, Err: errors.New("the pipe is closed")},
	} {
		restored, err := client.Restore(config(), ended.Snapshot(), t0)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []*client.Cause{ended.Status().Cause, restored.Status().Cause} {
			if c == nil || c.Kind != want.Kind || c.Reason != want.Reason || (c.RPC == nil) != (want.RPC == nil) || c.Error() != want.Error() {
				t.Errorf("%v, want %v", c, &want)
			} else if want.RPC != nil && *c.RPC != *want.RPC {
				t.Errorf("the error is %+v, want %+v", *c.RPC, *want.RPC)
			}
		}
	}
}

// A client declares what it can answer, and no more.
func TestDeclared(t *testing.T) {
	for _, none := range []protocol.Capability{protocol.CapTools, 1 << 31, protocol.CapSampling | 1<<30} {
		if _, err := client.New(client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}, Declare: none}, t0); !errors.Is(err, lifecycle.ErrConfig) {
			t.Errorf("%#x is declared: %v", uint32(none), err)
		}
	}
	who := protocol.Implementation{Name: "c", Version: "1"}
	roots := []protocol.Root{}
	for _, tt := range []struct {
		name string
		cfg  client.Config
		want protocol.Capability
	}{
		{"nothing", client.Config{}, 0},
		{"roots", client.Config{Roots: roots}, protocol.CapRoots},
		{"roots that change", client.Config{Roots: roots, RootsListChanged: true}, protocol.CapRoots | protocol.CapRootsListChanged},
		{"served roots", client.Config{Serve: []string{"roots/list"}}, protocol.CapRoots},
		{"served roots that change", client.Config{Serve: []string{"roots/list"}, RootsListChanged: true}, protocol.CapRoots | protocol.CapRootsListChanged},
		{"sampling", client.Config{Serve: []string{"sampling/createMessage"}}, protocol.CapSampling},
		{"elicitation, by a form", client.Config{Serve: []string{"elicitation/create"}}, protocol.CapElicitation},
		{"a method of its own", client.Config{Serve: []string{"x/y"}}, 0},
		{"all methods", client.Config{ServeUnknown: true}, 0},
	} {
		tt.cfg.Info = who
		s, err := client.New(tt.cfg, t0)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got := s.Capabilities(); got != tt.want {
			t.Errorf("%s: declares %v, want %v", tt.name, got, tt.want)
		}
		another, err := s.NewSession(t0)
		if err != nil || another.Capabilities() != tt.want || another.Phase() != lifecycle.Uninitialized {
			t.Errorf("%s: another one declares %v in %v: %v", tt.name, another.Capabilities(), another.Phase(), err)
		}
		_, out, err := s.Initialize(t0)
		if err != nil || len(out.Send) != 1 {
			t.Fatal(err, out)
		}
		p, err := protocol.Decode[protocol.InitializeParams](out.Send[0].Message.Body)
		if err != nil || p.Capabilities.Set() != tt.want || string(p.ClientInfo.AppendJSON(nil)) != string(who.AppendJSON(nil)) {
			t.Errorf("%s: says %v and %v: %v", tt.name, p.Capabilities.Set(), p.ClientInfo, err)
		}
	}
	for name, cfg := range map[string]client.Config{
		"roots that change, but are not there": {RootsListChanged: true},
		"a root that is no file":               {Roots: []protocol.Root{{URI: "https://x"}}},
		"an empty method":                      {Serve: []string{""}},
		"ping":                                 {Serve: []string{"ping"}},
		"initialize":                           {Serve: []string{"initialize"}},
		"a notification":                       {Serve: []string{"notifications/message"}},
		"a method of the server":               {Serve: []string{"tools/call"}},
		"a method of a later revision":         {Serve: []string{"elicitation/create"}, Revisions: []protocol.Revision{protocol.Revision20241105}},
		"a negative timeout":                   {Timeouts: lifecycle.Timeouts{Request: -2}},
		"a negative limit":                     {Limits: lifecycle.Limits{Inbound: -1}},
		"no revision":                          {Revisions: []protocol.Revision{{}}},
		"experimental that is no object":       {Experimental: map[string]jsonrpc.Raw{"x": "1"}},
	} {
		cfg.Info = who
		if s, err := client.New(cfg, t0); !errors.Is(err, lifecycle.ErrConfig) || s != (client.State{}) {
			t.Errorf("%s: %v", name, err)
		} else if text := err.Error(); strings.Contains(text, "%!") || len(cfg.Serve) > 0 && !strings.Contains(text, strconv.Quote(cfg.Serve[0])) {
			t.Errorf("%s: %v", name, err) // which does not say what is refused
		}
	}
	if s, err := client.New(client.Config{Info: who}, time.Time{}); err == nil || s != (client.State{}) {
		t.Error("a session that begins at no time")
	}
	s, err := client.New(client.Config{Info: who}, t0)
	if err != nil {
		t.Fatal(err)
	}
	if a, err := s.NewSession(time.Time{}); err == nil || a != (client.State{}) {
		t.Error("another session that begins at no time")
	}
}
