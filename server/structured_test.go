package server_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/server"
)

// anyTool returns a server of both eras with one tool, whose arguments are its structured result.
func anyTool(t *testing.T, output protocol.Raw, schemas schema.Validator) (server.State, *server.Handlers) {
	t.Helper()
	h := &server.Handlers{}
	h.Tool(protocol.Tool{Name: "t", OutputSchema: output}, func(_ context.Context, _ server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
		of := strings.TrimSuffix(strings.TrimPrefix(string(p.Arguments), `{"of":`), "}")
		return &protocol.CallToolResult{StructuredContent: protocol.Raw(of)}, nil
	})
	items := h.Items()
	items.Schemas = schemas
	catalog, err := server.NewCatalog(items)
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(server.Config{
		Info: protocol.Implementation{Name: "s", Version: "1"}, Catalog: catalog, Serve: h.Serve(), Revisions: protocol.AllRevisions(),
	}, began)
	if err != nil {
		t.Fatal(err)
	}
	return s, h
}

// What of an output schema cannot be used is left out under Lenient, and the rest is kept to, also where it promises no
// object.
//
// revisions: 2026-07-28
// rows: TOOL-205
func TestStructuredLeniently(t *testing.T) {
	s, h := anyTool(t, `{"type":"string","pattern":"("}`, schema.Lenient{})
	for body, want := range map[string]string{`"x"`: `"structuredContent":"x"`, `5`: `"isError":true`} {
		_, out := h.Receive(s, began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"of":`+body+`},`+modern(`{}`)+`}}`))
		if got := string(jsonrpc.Append(nil, out.Send[0].Message)); !strings.Contains(got, want) {
			t.Errorf("%s: %s", body, got)
		}
	}
}

// A tool may promise anything by its output schema and is held to it, and its result is in a text block
// too. A session has neither the schema nor the result of a tool that promises no object.
//
// revisions: all 2026-07-28
// rows: TOOL-203 TOOL-204 TOOL-205 TOOL-206
func TestStructuredAnything(t *testing.T) {
	for _, c := range []struct{ output, good, bad string }{
		{`{"type":"array","items":{"type":"number"}}`, `[1,2]`, `["x"]`},
		{`{"type":"string"}`, `"x"`, `5`},
		{`{"oneOf":[{"type":"null"},{"type":"boolean"}]}`, `null`, `{}`},
		{`{"type":"null"}`, `null`, `0`},
		{`{"$ref":"#/$defs/x","$defs":{"x":{"type":"integer"}}}`, `5`, `null`},
		{`{"type":"object","required":["a"]}`, `{"a":null}`, `{}`},
	} {
		for i, r := range append(protocol.AllRevisions(), protocol.AllRevisions()...) {
			schemas := schema.Validator(schema.Basic{})
			if i >= len(protocol.AllRevisions()) {
				schemas = schema.Lenient{}
			}
			first, h := anyTool(t, protocol.Raw(c.output), schemas)
			s, envelope := first, modern(`{}`)
			if r.Handshake() {
				envelope = `"_meta":{}`
				s, _ = s.Receive(began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"`+r.String()+`","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`))
				s, _ = s.Receive(began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
			}
			serve := func(method, params string) string {
				_, out := h.Receive(s, began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{`+params+envelope+`}}`))
				return string(jsonrpc.Append(nil, out.Send[0].Message))
			}
			object := c.good[0] == '{'
			if got := serve("tools/list", ""); strings.Contains(got, `"outputSchema":`+c.output) != (r.Stateless() || object && r.Structured()) {
				t.Errorf("%v: listed %s", r, got)
			}
			text, has := `"content":[`+string(protocol.TextContent(c.good).AppendJSON(nil))+`]`, r.Stateless() || object && r.Structured()
			if got := serve("tools/call", `"name":"t","arguments":{"of":`+c.good+`},`); !strings.Contains(got, text) || strings.Contains(got, `"structuredContent":`+c.good) != has || strings.Contains(got, "structured") != has {
				t.Errorf("%v: %s: %s", r, c.good, got)
			}
			if got := serve("tools/call", `"name":"t","arguments":{"of":`+c.bad+`},`); strings.Contains(got, `"isError":true`) != r.Structured() || r.Stateless() && strings.Count(got, "resultType") != 1 {
				t.Errorf("%v: %s: %s", r, c.bad, got)
			}
		}
	}
}

// A schema that needs another one from somewhere else is refused: nothing is fetched, and nothing is
// taken for granted. Nor is one taken that costs too much.
//
// revisions: 2026-07-28
// rows: TOOL-207 TOOL-208 TOOL-209
func TestSchemasFromElsewhere(t *testing.T) {
	for _, output := range []string{
		`{"$ref":"https://example.com/s"}`, `{"type":"array","items":{"$ref":"https://example.com/s"}}`,
		`{"oneOf":[{"$ref":"other.json#/x"}]}`, strings.Repeat(`{"allOf":[`, 2000) + `true` + strings.Repeat(`]}`, 2000),
	} {
		_, err := server.NewCatalog(server.Items{Tools: []protocol.Tool{{Name: "t", OutputSchema: protocol.Raw(output)}}})
		if err == nil {
			t.Errorf("%.60s is taken", output)
		}
		if f := (schema.Fault{}); len(output) < 100 && (!errors.As(err, &f) || !strings.HasSuffix(f.Path, "/$ref")) {
			t.Errorf("%s: %v", output, err)
		}
	}
}

// A result that breaks its promise is replaced by one that says so once, in a session and without.
func TestBrokenPromiseOnce(t *testing.T) {
	h := &server.Handlers{}
	h.Tool(protocol.Tool{Name: "t", OutputSchema: `{"type":"object"}`}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		return protocol.TextResult("and nothing else"), nil
	})
	catalog, err := h.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(server.Config{
		Info: protocol.Implementation{Name: "s", Version: "1"}, Catalog: catalog, Serve: h.Serve(), Revisions: protocol.AllRevisions(),
	}, began)
	if err != nil {
		t.Fatal(err)
	}
	_, out := h.Receive(s, began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t",`+modern(`{}`)+`}}`))
	got := string(jsonrpc.Append(nil, out.Send[0].Message))
	if strings.Count(got, `"resultType"`) != 1 || strings.Count(got, `"isError":true`) != 1 || strings.Contains(got, "nothing else") {
		t.Error(got)
	}
}

// A schema is read once and not for each result, whatever it is of.
func TestOutputSchemaIsReadOnce(t *testing.T) {
	const of = `"items":{"type":"number"},"properties":{"a":{"type":"number"}},"required":["a"],"anyOf":[{"minimum":0},{"maximum":9},{"multipleOf":2}]`
	for _, schemas := range []schema.Validator{schema.Basic{}, schema.Lenient{}} {
		var allocs [2]float64
		for i, c := range [...]struct{ typ, value string }{{"object", `{"a":12}`}, {"array", `[1,22,3]`}} {
			s, h := anyTool(t, protocol.Raw(`{"type":"`+c.typ+`",`+of+`}`), schemas)
			m := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"of":` + c.value + `},` + modern(`{}`) + `}}`)
			if _, out := h.Receive(s, began, m); strings.Contains(string(out.Send[0].Message.Body), "isError") {
				t.Fatal(string(out.Send[0].Message.Body))
			}
			allocs[i] = testing.AllocsPerRun(100, func() { h.Receive(s, began, m) })
		}
		if allocs[1] > allocs[0] {
			t.Errorf("%T: %v allocations for an array, %v for an object", schemas, allocs[1], allocs[0])
		}
	}
}

// A schema of any object is one of nothing else.
//
// revisions: all 2026-07-28
// rows: TOOL-205 TOOL-026
func TestStructuredIsAnObject(t *testing.T) {
	for _, schemas := range []schema.Validator{nil, schema.Basic{}, schema.Lenient{}} {
		s, h := anyTool(t, `{"type":"object"}`, schemas)
		for body, failed := range map[string]bool{`{"a":1}`: false, `5`: true, `[{}]`: true, `"x"`: true} {
			for _, envelope := range []string{"", "," + modern("{}")} {
				_, out := h.Receive(inSession(s), began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"of":`+body+`}`+envelope+`}}`))
				if got := string(jsonrpc.Append(nil, out.Send[0].Message)); strings.Contains(got, `"isError":true`) != failed {
					t.Errorf("%T, %s: %s", schemas, body, got)
				}
			}
		}
	}
}
