package client_test

import (
	"errors"
	"math"
	"testing"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// What names something has to be UTF-8, and a number one that JSON can express: the
// verb is refused, sends nothing and changes nothing.
func TestTextsAndNumbersThatAreRefused(t *testing.T) {
	const bad = "a\xff"
	who := protocol.Implementation{Name: "c", Version: "1"}
	s, err := client.New(client.Config{Info: who, Serve: []string{"elicitation/create", "sampling/createMessage"}, Roots: []protocol.Root{}, RootsListChanged: true}, t0)
	if err != nil {
		t.Fatal(err)
	}
	if s, _, err = s.Initialize(t0); err != nil {
		t.Fatal(err)
	}
	s, _ = s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"prompts":{},"resources":{"subscribe":true},"completions":{}},"serverInfo":{"name":"s","version":"1"}}}`))
	s, out := s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"","requestedSchema":{"type":"object","properties":{"n":{"type":"number"}}}}}`))
	form := out.Opened
	s, out = s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":2,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`))
	sample := out.Opened
	if form.IsZero() || sample.IsZero() {
		t.Fatal(form, sample)
	}
	inf := protocol.NumberValue(math.Inf(1))
	request := func(p protocol.Params) func() (client.State, client.Output, error) {
		return func() (client.State, client.Output, error) { return s.Request(t0, p, client.RequestOptions{}) }
	}
	respond := func(call client.Call, r protocol.Result) func() (client.State, client.Output, error) {
		return func() (client.State, client.Output, error) { return s.Respond(t0, call, r) }
	}
	cursor := protocol.Cursor(bad)
	for name, do := range map[string]func() (client.State, client.Output, error){
		"tool":          request(protocol.CallToolParams{Name: bad}),
		"arguments":     request(protocol.CallToolParams{Name: "a", Arguments: jsonrpc.Raw(`{"` + bad + `":1}`)}),
		"number":        request(protocol.CallToolParams{Name: "a", Arguments: `{"a":` + inf + `}`}),
		"prompt":        request(protocol.GetPromptParams{Name: bad}),
		"argument":      request(protocol.GetPromptParams{Name: "a", Arguments: map[string]string{bad: ""}}),
		"uri":           request(protocol.ReadResourceParams{URI: "x:" + bad}),
		"subscription":  request(protocol.SubscribeParams{URI: "x:" + bad}),
		"unsubscribe":   request(protocol.UnsubscribeParams{URI: "x:" + bad}),
		"cursor":        request(protocol.ListToolsParams{Cursor: &cursor}),
		"reference":     request(protocol.CompleteParams{Ref: protocol.PromptReference(bad)}),
		"reference uri": request(protocol.CompleteParams{Ref: protocol.ResourceReference("x:" + bad)}),
		"completed":     request(protocol.CompleteParams{Ref: protocol.PromptReference("a"), Argument: protocol.CompleteArgument{Name: bad}}),
		"context":       request(protocol.CompleteParams{Ref: protocol.PromptReference("a"), Context: &protocol.CompleteContext{Arguments: map[string]string{bad: ""}}}),
		"method":        request(protocol.RawRequest{Name: "x/" + bad}),
		"notification": func() (client.State, client.Output, error) {
			return s.Notify(t0, protocol.RawRequest{Name: "x/" + bad}, client.Call{})
		},
		"root": func() (client.State, client.Output, error) {
			return s.SetRoots(t0, []protocol.Root{{URI: "file:///" + bad}})
		},
		"field":    respond(form, protocol.ElicitResult{Action: protocol.ActionAccept, Content: map[string]jsonrpc.Raw{bad: "1"}}),
		"infinite": respond(form, protocol.ElicitResult{Action: protocol.ActionAccept, Content: map[string]jsonrpc.Raw{"n": inf}}),
		"model":    respond(sample, protocol.CreateMessageResult{Role: protocol.RoleUser, Content: []protocol.Content{protocol.TextContent("")}, Model: bad}),
	} {
		next, out, err := do()
		if !errors.Is(err, lifecycle.ErrParams) || len(out.Send) > 0 || string(next.Snapshot()) != string(s.Snapshot()) {
			t.Errorf("%s: %v, sends %v", name, err, out.Send)
		}
	}
	for name, cfg := range map[string]client.Config{
		"served":       {Info: who, Serve: []string{"x/" + bad}},
		"name":         {Info: protocol.Implementation{Name: bad, Version: "1"}},
		"root":         {Info: who, Roots: []protocol.Root{{URI: "file:///" + bad}}},
		"experimental": {Info: who, Experimental: map[string]jsonrpc.Raw{bad: "{}"}},
	} {
		if _, err := client.New(cfg, t0); !errors.Is(err, lifecycle.ErrConfig) {
			t.Errorf("Config, %s: %v", name, err)
		}
	}
}
