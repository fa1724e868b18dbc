package server_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/server"
)

// upper is a Validator of somebody else's: it refuses values with an x.
type upper struct{ asked *[]string }

func (u upper) Validate(s, value jsonrpc.Raw) error {
	*u.asked = append(*u.asked, string(s)+" "+string(value))
	if strings.Contains(string(value), "x") {
		return errors.New("no x")
	}
	return nil
}

// A Validator of one's own is asked about every schema, and schema.None about none.
func TestOwnValidator(t *testing.T) {
	var asked []string
	odd := []protocol.Tool{{Name: "odd", InputSchema: `{"type":"object","minimum":"much"}`, OutputSchema: `{"type":"object","$ref":"http://elsewhere"}`}, {Name: "plain"}}
	s := offer(t, server.Items{Tools: odd, Schemas: upper{&asked}}, server.Config{}, "2025-06-18")
	if _, out := callTool(s, 5, "odd", `{"x":1}`); len(out.Events) != 0 || !strings.Contains(string(out.Send[0].Message.Body), "no x") {
		t.Error(out)
	}
	s, out := callTool(s, 5, "odd", ``)
	if len(out.Events) != 1 {
		t.Fatal(out)
	}
	if _, out, err := s.Respond(t0, out.Opened, jsonrpc.Raw(`{"content":[],"structuredContent":{"x":1}}`)); err != nil || len(out.Events) != 1 {
		t.Error(err, out)
	}
	_, _ = callTool(s, 6, "plain", `{"x":1}`)
	want := []string{`{"type":"object","minimum":"much"} {"x":1}`, `{"type":"object","minimum":"much"} `, `{"type":"object","$ref":"http://elsewhere"} {"x":1}`}
	if strings.Join(asked, "|") != strings.Join(want, "|") {
		t.Errorf("asked %q, want %q", asked, want)
	}

	s = offer(t, server.Items{Tools: append(odd, typed...)[:3], Schemas: schema.None{}}, server.Config{}, "2025-06-18")
	s, out = callTool(s, 5, "typed", `{}`)
	if len(out.Events) != 1 {
		t.Fatal(out)
	}
	if _, out, err := s.Respond(t0, out.Opened, protocol.TextResult("x")); err != nil || len(out.Events) != 0 {
		t.Error(err, out)
	}

	for _, v := range []schema.Validator{nil, schema.Basic{}} {
		if _, err := server.NewCatalog(server.Items{Tools: odd, Schemas: v}); err == nil || !strings.Contains(err.Error(), `"odd"`) {
			t.Errorf("%T: %v", v, err)
		}
	}
}

// A name is there once, in the catalog and in every list.
//
// rows: TOOL-011
func TestReplaceTool(t *testing.T) { anywhere(t, replaceTool) }

func replaceTool(t *testing.T) {
	text := func(s string) server.ToolFunc {
		return func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
			return protocol.TextResult(s), nil
		}
	}
	var h server.Handlers
	h.Tool(protocol.Tool{Name: "a", Description: "first"}, text("first"))
	h.Tool(protocol.Tool{Name: "b"}, text("b"))
	before := h.Items()
	twice := h
	twice.Tool(protocol.Tool{Name: "a", Description: "second"}, text("second"))
	if _, err := twice.Catalog(); err == nil {
		t.Error("two tools of one name")
	}
	h.ReplaceTool(protocol.Tool{Name: "a", Description: "third"}, text("third"))
	h.ReplaceTool(protocol.Tool{Name: "c"}, text("c"))
	if before.Tools[0].Description != "first" || len(before.Tools) != 2 {
		t.Error("what Items returned has changed")
	}
	s := offer(t, h.Items(), server.Config{}, spoken.String())
	_, out := s.Receive(t0, said(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	r, err := protocol.Decode[protocol.ListToolsResult](out.Send[0].Message.Body)
	if err != nil || len(r.Tools) != 3 || r.Tools[0].Description != "third" {
		t.Error(err, r)
	}
	if _, out := h.Handle(callTool(s, 5, "a", "")); len(out.Send) != 1 || !strings.Contains(string(out.Send[0].Message.Body), "third") {
		t.Error(out)
	}
}

// An answer given inline is a step of its own: a store that compares numbers sees it.
func TestFoldsCount(t *testing.T) {
	var h server.Handlers
	h.Tool(protocol.Tool{Name: "a"}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		return protocol.TextResult("a"), nil
	})
	s := offer(t, h.Items(), server.Config{}, "2025-06-18")
	asked, out := callTool(s, 5, "a", "")
	if answered, _ := h.Handle(asked, out); answered.Step() <= asked.Step() {
		t.Errorf("step %d after step %d", answered.Step(), asked.Step())
	}
	if refused, _ := server.RejectUnhandled(asked, out); refused.Step() <= asked.Step() {
		t.Errorf("step %d after step %d", refused.Step(), asked.Step())
	}
}

// Only an embedded resource in the result of a tool is reported where resources are not
// declared, and not the word.
func TestEmbeddedResources(t *testing.T) {
	const block = `{"type":"resource","resource":{"uri":"a:b","text":"t"}}`
	for _, tt := range []struct {
		method, result string
		serve          []string
		want           int
	}{
		{"tools/call", `{"content":[{"type":"text","text":"a"},` + block + `]}`, nil, 1},
		{"tools/call", `{"content":[` + block + `]}`, []string{"resources/read"}, 0},
		{"tools/call", `{"content":[{"type":"text","text":"a"}],"structuredContent":{"kind":"resource"}}`, nil, 0},
		{"tools/call", `{"content":[],"_meta":{"resource":[` + block + `]}}`, nil, 0},
		{"x/own", `{"content":[` + block + `]}`, nil, 0},
	} {
		s := offer(t, server.Items{Tools: typed}, server.Config{Serve: append(tt.serve, "x/own"), Unlisted: true}, "2025-06-18")
		s, out := s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"`+tt.method+`","params":{"name":"plain"}}`))
		_, out, err := s.Respond(t0, out.Opened, protocol.Raw(tt.result))
		if err != nil || len(out.Send) != 1 || len(out.Events) != tt.want {
			t.Errorf("%s %s: %v, events %v", tt.method, tt.result, err, out.Events)
		}
		if tt.want == 1 && (out.Events[0].Kind != lifecycle.LocalViolation || out.Events[0].Rule != "TOOL-033") {
			t.Errorf("%s %s: %v", tt.method, tt.result, out.Events)
		}
	}
}

// What an answer given inline reports stays, also beside a request that is left.
func TestFoldsKeepWhatTheyReport(t *testing.T) {
	var h server.Handlers
	h.Tool(protocol.Tool{Name: "a"}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		r := protocol.TextResult("a")
		r.StructuredContent = `{}` // not in the old revision
		return r, nil
	})
	h.Tool(protocol.Tool{Name: "b"}, nil)
	s := offer(t, h.Items(), server.Config{}, "2025-03-26")
	_, out := h.Handle(s.Receive(t0, jsonrpc.DecodeString(`[
		{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"a"}},
		{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"b"}}]`)))
	if len(out.Send) != 1 || len(out.Events) != 2 || out.Events[0].Kind != lifecycle.Downgraded ||
		out.Events[1].Kind != lifecycle.RequestReceived || out.Events[1].ID != jsonrpc.Int(6) {
		t.Errorf("%+v", out)
	}
}

// Structured content alone gets its twin in a text block, however its empty content is
// spelled.
func TestTwinOfStructuredContent(t *testing.T) {
	for _, tt := range []struct{ result, want string }{
		{`{"content":[],"structuredContent":{"a":1}}`, `{"content":[{"type":"text","text":"{\"a\":1}"}],"structuredContent":{"a":1}}`},
		{`{ "content" : [ ] , "structuredContent" : {"a":1} }`, `{ "content" : [{"type":"text","text":"{\"a\":1}"}] , "structuredContent" : {"a":1} }`},
		{`{"content":[ {"type":"text","text":"b"} ],"structuredContent":{"a":1}}`, `{"content":[ {"type":"text","text":"b"} ],"structuredContent":{"a":1}}`},
		{`{"content":[ ]}`, `{"content":[ ]}`},
	} {
		s, out := callTool(offer(t, server.Items{Tools: typed}, server.Config{}, "2025-06-18"), 5, "plain", "")
		_, out, err := s.Respond(t0, out.Opened, jsonrpc.Raw(tt.result))
		if err != nil || len(out.Send) != 1 || string(out.Send[0].Message.Body) != tt.want {
			t.Errorf("%s became %v %v, want %s", tt.result, out.Send, err, tt.want)
		}
	}
}

// Of the nulls in schemas of a catalog those go that stand in place of absent members,
// on whichever page, unless the policy keeps them.
func TestNullsInCatalogs(t *testing.T) {
	items := server.Items{PageSize: 1, Schemas: schema.None{}, Tools: []protocol.Tool{
		{Name: "a", InputSchema: `{"type":"object","default":null}`}, {Name: "b", InputSchema: `{"type":"object","properties":null,"default":null}`},
	}}
	for _, keep := range []bool{false, true} {
		s := offer(t, items, server.Config{Policy: lifecycle.Policy{KeepNulls: keep}}, "2025-06-18")
		_, out := s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
		r, err := protocol.Decode[protocol.ListToolsResult](out.Send[0].Message.Body)
		if err != nil || r.Tools[0].InputSchema != items.Tools[0].InputSchema {
			t.Error(err, r.Tools)
		}
		_, out = s.Receive(t0, jsonrpc.DecodeString(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":%q}}`, string(*r.NextCursor))))
		r, err = protocol.Decode[protocol.ListToolsResult](out.Send[0].Message.Body)
		want := jsonrpc.Raw(`{"type":"object","default":null}`)
		if keep {
			want = items.Tools[1].InputSchema
		}
		if err != nil || len(r.Tools) != 1 || r.Tools[0].InputSchema != want {
			t.Error(err, r.Tools)
		}
	}
}
