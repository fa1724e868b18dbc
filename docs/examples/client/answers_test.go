package main

import (
	"log"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// A form that the user sends has the defaults of what was not filled in; nothing else has
// any, and a page is shown only to a user who agrees.
func TestUser(t *testing.T) {
	const (
		form = `{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string","default":"x"},"b":{"type":"array","items":{"type":"string","enum":["p","q"]},"default":["q"]}}}}`
		page = `{"mode":"url","message":"m","url":"https://example.com/p","elicitationId":"1"}`
	)
	for _, tt := range []struct {
		params jsonrpc.Raw
		answer protocol.ElicitResult
		want   string
		shown  bool
	}{
		{form, protocol.ElicitResult{Action: protocol.ActionAccept}, `{"action":"accept","content":{"a":"x","b":["q"]}}`, false},
		{form, protocol.ElicitResult{Action: protocol.ActionAccept, Content: map[string]protocol.Raw{"a": `"y"`}}, `{"action":"accept","content":{"a":"y","b":["q"]}}`, false},
		{form, protocol.ElicitResult{Action: protocol.ActionDecline}, `{"action":"decline"}`, false},
		{form, protocol.ElicitResult{Action: protocol.ActionAccept, Content: map[string]protocol.Raw{"a": `5`}}, `{"action":"cancel"}`, false},
		{page, protocol.ElicitResult{Action: protocol.ActionAccept}, `{"action":"accept"}`, true},
		{page, protocol.ElicitResult{Action: protocol.ActionCancel}, `{"action":"cancel"}`, false},
	} {
		var out strings.Builder
		a := &app{answer: tt.answer, log: log.New(&out, "", 0)}
		got, err := a.user(client.Event{Body: tt.params})
		if text := string(got.AppendJSON(nil)); err != nil || text != tt.want || strings.Contains(out.String(), "https://example.com/p") != tt.shown {
			t.Errorf("%s: %s, %v, printed %q", tt.params, text, err, out.String())
		}
	}
}

// The model uses a tool that it is given, unless it must not, and says what came of it.
func TestModel(t *testing.T) {
	const tools = `,"tools":[{"name":"add","inputSchema":{"type":"object","properties":{"a":{"type":"number"}},"required":["a"]}}]`
	for params, want := range map[jsonrpc.Raw]string{
		`{"maxTokens":1,"messages":[]}`:                                           `{"type":"text","text":"There is no model behind this example."}`,
		`{"maxTokens":1,"messages":[]` + tools + `}`:                              `{"type":"tool_use","id":"use-1","name":"add","input":{"a":1}}`,
		`{"maxTokens":1,"messages":[]` + tools + `,"toolChoice":{"mode":"none"}}`: `{"type":"text","text":"There is no model behind this example."}`,
		`{"maxTokens":1,"messages":[{"role":"user","content":[{"type":"tool_result","toolUseId":"use-1","content":[{"type":"text","text":"2"}]}]}]` + tools + `}`: `A tool says: 2"}`,
	} {
		if got := string(model(client.Event{Body: params}, true).AppendJSON(nil)); !strings.Contains(got, want) {
			t.Errorf("%s: %s", params, got)
		}
		if got := string(model(client.Event{Body: params}, false).AppendJSON(nil)); strings.Contains(got, "tool_use") {
			t.Errorf("without tools, %s: %s", params, got)
		}
	}
}

// Of the images of a server those are named that a program may load.
func TestIcons(t *testing.T) {
	got := icons([]protocol.Icon{{Src: "file:///etc/passwd"}, {Src: "https://example.com/a.png"}, {Src: "javascript:x"}})
	if got != "icon https://example.com/a.png" {
		t.Error(got)
	}
}
