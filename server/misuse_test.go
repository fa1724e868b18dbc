package server_test

import (
	"context"
	"errors"
	"math"
	"regexp"
	"testing"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/uritemplate"
	"github.com/sansmcp/mcp/server"
)

// The zero State refuses everything and panics at nothing.
func TestZeroState(t *testing.T) {
	var s server.State
	if c := s.Capabilities(); c != 0 {
		t.Error(c)
	}
	if _, err := s.NewSession(t0); err == nil {
		t.Error("NewSession made a session of nothing")
	}
	if _, _, err := s.SetCatalog(t0, nil); !errors.Is(err, lifecycle.ErrPhase) {
		t.Error(err)
	}
	if data := s.Snapshot(); data != nil {
		t.Errorf("%s", data)
	}
	if s.Revision().Batches() || s.Revision().NullErrorID() || s.Revision().Row(protocol.MethodPing) != nil {
		t.Error("the zero Revision says something")
	}
	if _, ok := lifecycle.Next(protocol.BothParties, 99, 99); ok {
		t.Error("a row outside the table")
	}
	if _, out := s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)); !out.IsZero() {
		t.Error(out)
	}
}

// open returns a ready session with one call that awaits an answer.
func open(t *testing.T, cfg server.Config) (server.State, server.Call) {
	t.Helper()
	cfg.Info, cfg.Unlisted = protocol.Implementation{Name: "s", Version: "1"}, cfg.Unlisted || cfg.Catalog == nil
	s, err := server.New(cfg, t0)
	if err != nil {
		t.Fatal(err)
	}
	var out server.Output
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}`,
	} {
		s, out = s.Receive(t0, jsonrpc.DecodeString(line))
	}
	if s.Phase() != lifecycle.Ready || out.Opened.IsZero() {
		t.Fatal(s.Status(), out)
	}
	return s, out.Opened
}

// A nil pointer in an interface is a mistake like any other.
func TestNilPointers(t *testing.T) {
	s, call := open(t, server.Config{Serve: []string{"tools/call"}, Logging: true})
	for name, do := range map[string]func() (server.State, server.Output, error){
		"Respond": func() (server.State, server.Output, error) {
			return s.Respond(t0, call, (*protocol.ReadResourceResult)(nil))
		},
		"Finish": func() (server.State, server.Output, error) {
			return s.Finish(t0, server.Answer{Call: call, Result: (*protocol.CallToolResult)(nil)})
		},
		"Finish other": func() (server.State, server.Output, error) {
			return s.Finish(t0, server.Answer{Call: call, Result: (*protocol.ReadResourceResult)(nil)})
		},
		"Notify": func() (server.State, server.Output, error) {
			return s.Notify(t0, (*protocol.LoggingMessageParams)(nil), server.Call{})
		},
		"Request": func() (server.State, server.Output, error) {
			return s.Request(t0, (*protocol.CreateMessageParams)(nil), server.RequestOptions{})
		},
	} {
		if _, _, err := do(); !errors.Is(err, lifecycle.ErrParams) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A Finish that finds nothing gives back the very State.
func TestGoneChangesNothing(t *testing.T) {
	s, call := open(t, server.Config{Serve: []string{"tools/call"}})
	s, _, _ = s.Respond(t0, call, protocol.TextResult("done"))
	after, out, err := s.Finish(t0.Add(time.Hour), server.Answer{Call: call, Result: protocol.TextResult("again")})
	if !errors.Is(err, lifecycle.ErrGone) || after != s || !out.IsZero() {
		t.Error(err, out)
	}
}

// A time that no Duration reaches is late, but not never.
func TestFarFuture(t *testing.T) {
	s, err := server.New(server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}}, time.Time{}.Add(1))
	if err != nil {
		t.Fatal(err)
	}
	s, out := s.Tick(t0)
	if !out.IsZero() || s.Check() != nil {
		t.Fatal(out, s.Check())
	}
	if _, out = s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)); len(out.Send) != 1 {
		t.Error("a session of a far origin is deaf")
	}
}

// One page may be as large as an int.
func TestHugePage(t *testing.T) {
	items := server.Items{PageSize: 1, Tools: []protocol.Tool{{Name: "a", InputSchema: `{"type":"object"}`}, {Name: "b", InputSchema: `{"type":"object"}`}}}
	paged, err := server.NewCatalog(items)
	if err != nil {
		t.Fatal(err)
	}
	items.PageSize = math.MaxInt
	whole, err := server.NewCatalog(items)
	if err != nil {
		t.Fatal(err)
	}
	s, _ := open(t, server.Config{Catalog: paged, Serve: []string{"tools/call"}})
	_, out := s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`))
	first, err := protocol.Decode[protocol.ListToolsResult](out.Send[0].Message.Body)
	if err != nil || first.NextCursor == nil {
		t.Fatal(first, err)
	}
	if s, _, err = s.SetCatalog(t0, whole); err != nil {
		t.Fatal(err)
	}
	_, out = s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"`+string(*first.NextCursor)+`"}}`))
	rest, err := protocol.Decode[protocol.ListToolsResult](out.Send[0].Message.Body)
	if err != nil || len(rest.Tools) != 1 || rest.Tools[0].Name != "b" || rest.NextCursor != nil {
		t.Error(rest, err)
	}
}

// Two folds over one kept Output do not write into each other.
func TestOutputsAreFresh(t *testing.T) {
	s, _ := open(t, server.Config{Serve: []string{"tools/call"}})
	s, out := s.Receive(t0, jsonrpc.DecodeString(`[{"jsonrpc":"2.0","id":5,"method":"ping"},{"jsonrpc":"2.0","id":6,"method":"ping"},`+
		`{"jsonrpc":"2.0","id":7,"method":"ping"},{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"a"}}]`))
	answer := func(text string) server.Output {
		var h server.Handlers
		h.Tool(protocol.Tool{Name: "a", InputSchema: `{"type":"object"}`}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
			return protocol.TextResult(text), nil
		})
		_, o := h.Handle(s, out)
		return o
	}
	a := answer("A")
	want := a.Send[3].Message.Body
	if b := answer("B"); a.Send[3].Message.Body != want || b.Send[3].Message.Body == want {
		t.Errorf("%s, then %s", want, a.Send[3].Message.Body)
	}
}

// New refuses a server that declares what nobody answers, and one that cannot work.
func TestRefusedConfigs(t *testing.T) {
	for name, cfg := range map[string]server.Config{
		"tools without calls":     {Serve: []string{"tools/list"}},
		"resources without reads": {Serve: []string{"resources/list"}},
		"prompts without gets":    {Serve: []string{"prompts/list"}},
		"a method of later":       {Revisions: []protocol.Revision{protocol.Revision20241105}, Serve: []string{"elicitation/create"}},
		"pings without end":       {Keepalive: lifecycle.Keepalive{Interval: time.Second}, Timeouts: lifecycle.Timeouts{Ping: lifecycle.NoTimeout}},
	} {
		cfg.Info = protocol.Implementation{Name: "s", Version: "1"}
		if _, err := server.New(cfg, t0); !errors.Is(err, lifecycle.ErrConfig) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// What is switched off takes its parts with it.
	off := server.Config{
		Info: protocol.Implementation{Name: "s", Version: "1"}, Serve: []string{"resources/read"}, Subscribe: true,
		ListChanged: protocol.CapResourcesListChanged, Disable: protocol.CapResources,
	}
	if s, err := server.New(off, t0); err != nil || s.Capabilities() != 0 {
		t.Error(err, s.Capabilities())
	}
	if _, err := server.NewCatalog(server.Items{PageSize: -1}); err == nil {
		t.Error("a negative page size")
	}
	for _, key := range []string{"", "\xff"} {
		if _, err := server.NewCatalog(server.Items{Tools: []protocol.Tool{{Name: key, InputSchema: `{"type":"object"}`}}}); err == nil {
			t.Errorf("tool %q is listed", key)
		}
	}
}

// A resource that is registered without a function is left to the application, even if
// a template would match it.
func TestRegisteredWithoutFunction(t *testing.T) {
	var h server.Handlers
	h.Resource(protocol.Resource{Name: "own", URI: "x://a/own"}, nil)
	h.Template(protocol.ResourceTemplate{Name: "any", URITemplate: "x://a/{n}"}, func(context.Context, server.Caller, protocol.ReadResourceParams, uritemplate.Values) (*protocol.ReadResourceResult, error) {
		return &protocol.ReadResourceResult{}, nil
	})
	s, _ := open(t, server.Config{Serve: []string{"tools/call", "resources/read"}})
	for uri, left := range map[string]int{"x://a/own": 1, "x://a/other": 0} {
		_, rest := h.Handle(s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"`+uri+`"}}`)))
		if len(rest.Events) != left || len(rest.Send) != 1-left {
			t.Errorf("%s: %v", uri, rest)
		}
	}
}

// The limit of subscriptions holds also where the application agrees to them.
func TestServedSubscriptionLimit(t *testing.T) {
	s, _ := open(t, server.Config{
		Serve:  []string{"tools/call", "resources/read", "resources/subscribe", "resources/unsubscribe"},
		Limits: lifecycle.Limits{Subscriptions: 1},
	})
	subscribe := func(uri string) (out server.Output) {
		s, out = s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":"`+uri+`","method":"resources/subscribe","params":{"uri":"`+uri+`"}}`))
		return out
	}
	out := subscribe("a:1")
	s, _, err := s.Respond(t0, out.Opened, protocol.EmptyResult{})
	if err != nil {
		t.Fatal(err)
	}
	if out = subscribe("a:2"); len(out.Send) != 1 || out.Send[0].Message.Err == nil || out.Send[0].Message.Err.Code != jsonrpc.CodeInternalError {
		t.Error(out)
	}
}

// Snapshots that this Config cannot have made are refused as such.
func TestImpossibleSnapshots(t *testing.T) {
	s, _ := open(t, server.Config{Serve: []string{"tools/call"}})
	cfg := server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}, Serve: []string{"tools/call"}, Unlisted: true}
	good := string(s.Snapshot())
	if _, err := server.Restore(cfg, []byte(good), t0); err != nil {
		t.Fatal(err)
	}
	for name, val := range map[string]string{"calls": "18446744073709551615", "first": "0", "step": `4,"last":9223372036854775807`} {
		bad := regexp.MustCompile(`"`+name+`":\d+`).ReplaceAllString(good, `"`+name+`":`+val)
		if bad == good {
			t.Fatal(name, good)
		}
		if _, err := server.Restore(cfg, []byte(bad), t0); !errors.Is(err, lifecycle.ErrSnapshot) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	cfg.Revisions = []protocol.Revision{protocol.Revision20250618}
	if _, err := server.Restore(cfg, []byte(good), t0); !errors.Is(err, lifecycle.ErrSnapshot) {
		t.Errorf("a session of another revision: %v", err)
	}
}
