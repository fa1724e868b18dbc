package server_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/server"
)

// guarded returns Handlers of every kind whose functions count how often they ran.
func guarded(ran *int) *server.Handlers {
	h := new(server.Handlers)
	h.Tool(protocol.Tool{Name: "secret", InputSchema: `{"type":"object","properties":{"n":{"type":"integer"}}}`},
		func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
			*ran++
			return protocol.TextResult("x"), nil
		})
	read := func(context.Context, server.Caller, protocol.ReadResourceParams) (*protocol.ReadResourceResult, error) {
		*ran++
		return &protocol.ReadResourceResult{Contents: []protocol.ResourceContents{}}, nil
	}
	h.Resource(protocol.Resource{Name: "r", URI: "x://secret"}, read)
	h.Prompt(protocol.Prompt{Name: "secret"}, func(context.Context, server.Caller, protocol.GetPromptParams) (*protocol.GetPromptResult, error) {
		*ran++
		return &protocol.GetPromptResult{Messages: []protocol.PromptMessage{}}, nil
	})
	return h
}

// What the catalog of the moment does not list is unknown, however its list is empty, and
// never reaches a function or the application.
func TestUnlistedIsUnknown(t *testing.T) {
	empty := func(items server.Items) *server.Catalog {
		c, err := server.NewCatalog(items)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	catalogs := map[string]*server.Catalog{
		"nil": nil, "zero": {}, "of no items": empty(server.Items{}),
		"of empty lists": empty(server.Items{Tools: []protocol.Tool{}, Resources: []protocol.Resource{}, Prompts: []protocol.Prompt{}}),
		"of others": empty(server.Items{
			Tools: []protocol.Tool{{Name: "a", InputSchema: `{"type":"object"}`}}, Resources: []protocol.Resource{{Name: "a", URI: "x://a"}},
			ResourceTemplates: []protocol.ResourceTemplate{{Name: "a", URITemplate: "x://a/{b}"}}, Prompts: []protocol.Prompt{{Name: "a"}},
		}),
	}
	hidden := []struct {
		method, params string
		code           int64
	}{
		{"tools/call", `{"name":"secret","arguments":{"n":"not a number"}}`, -32602},
		{"tools/call", `{"name":"secret","arguments":{"n":1}}`, -32602},
		{"prompts/get", `{"name":"secret"}`, -32602},
		{"resources/read", `{"uri":"x://secret"}`, -32002},
		{"resources/subscribe", `{"uri":"x://secret"}`, -32002},
		{"resources/subscribe", `{"uri":"x://secret/"}`, -32002},
	}
	for name, c := range catalogs {
		for _, when := range []string{"set later", "from the start"} {
			var ran int
			h := guarded(&ran)
			all, err := h.Catalog()
			if err != nil {
				t.Fatal(err)
			}
			cfg := server.Config{Catalog: all, Serve: h.Serve(), Subscribe: true}
			if when == "from the start" {
				cfg.Catalog = c
			}
			cfg.Info = protocol.Implementation{Name: "s", Version: "1"}
			s, err := server.New(cfg, t0)
			if when == "from the start" && c == nil {
				if !errors.Is(err, lifecycle.ErrConfig) {
					t.Errorf("%s, %s: New returned %v", name, when, err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range lines[:2] {
				s, _ = s.Receive(t0, jsonrpc.DecodeString(line))
			}
			if when == "set later" {
				if s, _, err = s.SetCatalog(t0, c); err != nil {
					t.Fatal(err)
				}
			}
			for i, r := range hidden {
				m := jsonrpc.DecodeString(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, i+10, r.method, r.params))
				next, out := h.Handle(s.Receive(t0, m))
				if len(out.Send) != 1 || out.Send[0].Message.Err == nil || out.Send[0].Message.Err.Code != r.code || ran != 0 || len(out.Events) != 0 || next.Check() != nil {
					t.Errorf("%s, %s: %s %s: %+v, ran %d", name, when, r.method, r.params, out, ran)
				}
			}
			for _, list := range []string{"tools", "prompts", "resources"} {
				_, out := s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":50,"method":"`+list+`/list"}`))
				if len(out.Send) != 1 || out.Send[0].Message.Err != nil {
					t.Errorf("%s, %s: %s/list: %+v", name, when, list, out)
				}
			}
		}
	}
}

// With Unlisted the application gets every name, and what is listed is checked all the
// same.
func TestUnlisted(t *testing.T) {
	var ran int
	h := guarded(&ran)
	all, err := h.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	s, _ := open(t, server.Config{Catalog: all, Serve: h.Serve(), Unlisted: true})
	for _, c := range []struct {
		method, params string
		events         int
	}{
		{"tools/call", `{"name":"other"}`, 1}, {"tools/call", `{"name":"secret","arguments":{"n":"x"}}`, 0}, {"tools/call", `{"name":"secret"}`, 1},
		{"prompts/get", `{"name":"other"}`, 1}, {"resources/read", `{"uri":"x://other"}`, 1},
	} {
		if _, out := s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":9,"method":"`+c.method+`","params":`+c.params+`}`)); len(out.Events) != c.events {
			t.Errorf("%s %s: %+v", c.method, c.params, out)
		}
	}
}

// A resource that a template matches is known, and so is, for who subscribes, what the
// listed uris begin with.
func TestKnownResources(t *testing.T) {
	c, err := server.NewCatalog(server.Items{
		Resources:         []protocol.Resource{{Name: "a", URI: "x://dir/a"}, {Name: "b", URI: "x://e/f/b"}},
		ResourceTemplates: []protocol.ResourceTemplate{{Name: "t", URITemplate: "x://t/{id}"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	s, _ := open(t, server.Config{Catalog: c, Serve: []string{"resources/read"}, Subscribe: true})
	for uri, known := range map[string][2]bool{ // read, subscribe
		"x://dir/a": {true, true}, "x://dir/": {false, true}, "x://e/": {false, true}, "x://e/f/": {false, true}, "x://dir": {false, false},
		"x://di": {false, false}, "x://f/": {false, false}, "x://t/1": {true, true}, "x://t/1/2": {false, false}, "x://t/": {true, true}, "x://": {false, true},
	} {
		for i, method := range []string{"resources/read", "resources/subscribe"} {
			_, out := s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":9,"method":"`+method+`","params":{"uri":"`+uri+`"}}`))
			if got := out.Fate == lifecycle.FateAccepted || len(out.Send) == 1 && out.Send[0].Message.Err == nil; got != known[i] {
				t.Errorf("%s %s: known %v, want %v", method, uri, got, known[i])
			}
		}
	}
}

// What is left out of a Config or of Items has the value that its comment promises, and
// switches off nothing that guards.
func TestZeroValues(t *testing.T) {
	who := protocol.Implementation{Name: "s", Version: "1"}
	c, err := server.NewCatalog(server.Items{Tools: make120()})
	if err != nil {
		t.Fatal(err)
	}
	s, _ := open(t, server.Config{Catalog: c, Serve: []string{"tools/call"}, Logging: true, ListChanged: protocol.CapToolsListChanged})
	_, out := s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":9,"method":"tools/list"}`))
	page, err := protocol.Decode[protocol.ListToolsResult](out.Send[0].Message.Body)
	if err != nil || len(page.Tools) != 100 || page.NextCursor == nil {
		t.Errorf("PageSize 0: %d tools, %v", len(page.Tools), err)
	}
	if _, out := s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":9,"method":"tools/list","params":{"cursor":"made up by somebody"}}`)); out.Send[0].Message.Err == nil {
		t.Error("CursorKey 0: any cursor is good")
	}
	_, out = s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"t000","arguments":{"n":"x"}}}`))
	if len(out.Events) != 0 {
		t.Error("Schemas nil: arguments are not checked")
	}
	if _, err := server.NewCatalog(server.Items{Tools: []protocol.Tool{{Name: "a", InputSchema: `{"type":"object","properties":{"n":{"type":"nonsense"}}}`}}}); err == nil {
		t.Error("Schemas nil: a schema that is none is accepted")
	}
	if _, out, err := s.Notify(t0, protocol.LoggingMessageParams{Level: "debug", Data: "1"}, server.Call{}); err != nil || len(out.Send) != 1 {
		t.Error("LogLevel \"\" is not debug", err)
	}
	s, _, err = s.SetCatalog(t0, nil)
	if due, ok := s.NextDeadline(); err != nil || !ok || !due.Equal(t0.Add(100*time.Millisecond)) {
		t.Errorf("ChangeDelay 0: due %v, %v, %v", due, ok, err)
	}
	for _, r := range protocol.Revisions() {
		fresh, err := server.New(server.Config{Info: who}, t0)
		if err != nil {
			t.Fatal(err)
		}
		if fresh, _ = fresh.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"`+r.String()+`","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)); fresh.Revision() != r {
			t.Errorf("Revisions nil: %v is not spoken", r)
		}
		if fresh.Capabilities() != 0 {
			t.Errorf("nothing is offered, and %v declared", fresh.Capabilities())
		}
		if _, ok := fresh.NextDeadline(); ok {
			t.Error("Keepalive 0 and Timeouts.Inbound 0 wait for something")
		}
		for _, method := range []string{"tools/call", "prompts/get", "resources/read", "completion/complete", "logging/setLevel", "x/own"} {
			if _, out := fresh.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":2,"method":"`+method+`"}`)); len(out.Send) != 1 || out.Send[0].Message.Err == nil {
				t.Errorf("Serve nil: %s: %+v", method, out)
			}
		}
	}
	var none server.Handlers
	none.Tool(protocol.Tool{Name: "t", InputSchema: `{"type":"object"}`}, nil)
	if c, err = none.Catalog(); err != nil {
		t.Fatal(err)
	}
	s, _ = open(t, server.Config{Catalog: c, Serve: none.Serve()})
	if _, out := none.Handle(s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t"}}`))); len(out.Events) != 1 || out.Fate != lifecycle.FateAccepted {
		t.Errorf("a nil function: %+v", out)
	}
	if (schema.None{}).Validate("{}", "1") != nil {
		t.Error("None checks something")
	}
}

func make120() (list []protocol.Tool) {
	for i := range 120 {
		list = append(list, protocol.Tool{Name: fmt.Sprintf("t%03d", i), InputSchema: `{"type":"object","properties":{"n":{"type":"integer"}}}`})
	}
	return list
}

// A pointer of an error type that nobody set is no error, wherever an error is taken.
func TestErrorsThatHoldNil(t *testing.T) {
	var rpc *jsonrpc.Error
	var cause *lifecycle.Cause
	var misuse *lifecycle.OpError
	for i, e := range []error{rpc, cause, misuse} {
		var h server.Handlers
		var answer *protocol.CallToolResult
		h.Tool(protocol.Tool{Name: "t", InputSchema: `{"type":"object"}`}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
			return answer, e
		})
		c, err := h.Catalog()
		if err != nil {
			t.Fatal(err)
		}
		s, _ := open(t, server.Config{Catalog: c, Serve: h.Serve()})
		for _, want := range []string{`{"content":[{"type":"text","text":"no result"}],"isError":true}`, `{"content":[{"type":"text","text":"x"}]}`} {
			received, out := s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t"}}`))
			if _, out := h.Handle(received, out); len(out.Send) != 1 || string(out.Send[0].Message.Body) != want {
				t.Errorf("%d: %+v", i, out.Send)
			}
			j, _ := h.Job(out.Events[0])
			if _, out, err := received.Finish(t0, j.Run(context.Background(), nil)); err != nil || string(out.Send[0].Message.Body) != want {
				t.Errorf("%d: %+v, %v", i, out.Send, err)
			}
			answer = protocol.TextResult("x")
		}
		asked, out, err := s.Request(t0, protocol.PingParams{}, server.RequestOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for name, f := range map[string]func() (server.State, server.Output){
			"Disconnected": func() (server.State, server.Output) { return asked.Disconnected(t0, e) },
			"Abort":        func() (server.State, server.Output) { return asked.Abort(t0, e) },
			"SendFailed":   func() (server.State, server.Output) { return asked.SendFailed(t0, out.Req, e) },
			"ResponseLost": func() (server.State, server.Output) { return asked.ResponseLost(t0, out.Req, e) },
		} {
			next, o := f()
			if len(o.Events) == 0 || o.Events[0].Cause == nil || o.Events[0].Cause.Err != nil || o.Events[0].Failure().Error() == "" || len(next.Snapshot()) == 0 {
				t.Errorf("%s, %d: %+v", name, i, o)
			}
		}
	}
}

// The context of a function that is run inline never ends, and its Caller sends at once:
// before the answer, within the call, and refused when the State would.
func TestInlineCaller(t *testing.T) {
	var h server.Handlers
	var kept server.Caller
	h.Tool(protocol.Tool{Name: "t", InputSchema: `{"type":"object"}`}, func(ctx context.Context, c server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
		kept = c
		if ctx.Err() != nil || ctx.Done() != nil {
			t.Error("the context can end")
		}
		if c.State().Status().Inbound != 1 || c.State().Phase() != lifecycle.Ready || c.Call().IsZero() {
			t.Errorf("%v sees %+v", c.Call(), c.State().Status())
		}
		if err := c.Progress(protocol.ProgressParams{Progress: 1}); err != nil {
			t.Error(err)
		}
		if err := c.Progress(protocol.ProgressParams{Progress: 1}); !errors.Is(err, lifecycle.ErrProgress) {
			t.Error(err)
		}
		if err := c.Notify(protocol.LoggingMessageParams{Level: "error", Data: "1"}); err != nil {
			t.Error(err)
		}
		if err := c.Notify(protocol.RawRequest{}); !errors.Is(err, lifecycle.ErrParams) {
			t.Error(err)
		}
		if _, err := c.Request(ctx, protocol.PingParams{}, server.RequestOptions{}); !errors.Is(err, server.ErrInline) {
			t.Error(err)
		}
		return protocol.TextResult("x"), nil
	})
	c, err := h.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	s, _ := open(t, server.Config{Catalog: c, Serve: h.Serve(), Logging: true})
	later := t0.Add(time.Second)
	received, out := s.Receive(later, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t","_meta":{"progressToken":"p"}}}`))
	next, rest := h.Handle(received, out)
	if len(rest.Send) != 3 || rest.Fate != lifecycle.FateAnswered || len(rest.Events) != 0 || next.Status().Inbound != 0 || next.Check() != nil {
		t.Fatalf("%+v", rest)
	}
	for i, want := range []string{"notifications/progress", "notifications/message", ""} {
		o := rest.Send[i]
		if o.Message.Method != want || o.Call != out.Opened || o.Final != (i == 2) || o.Direct != (i == 2) {
			t.Errorf("%d: %+v", i, o)
		}
	}
	if next.Step() < received.Step()+3 {
		t.Errorf("%d steps, then %d", received.Step(), next.Step())
	}
	for _, err := range []error{kept.Progress(protocol.ProgressParams{Progress: 2}), kept.Notify(protocol.LoggingMessageParams{Level: "error", Data: "1"})} {
		if !errors.Is(err, lifecycle.ErrGone) {
			t.Errorf("after the answer: %v", err)
		}
	}
}
