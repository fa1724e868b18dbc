package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/server"
)

// Tools as real servers list them, with forms of older drafts of JSON Schema.
var older = []protocol.Tool{
	{Name: "sound", InputSchema: `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`},
	{Name: "exact", InputSchema: `{"id":"x","type":"object","properties":{
		"at":{"type":"array","items":[{"type":"number"},{"type":"number"}],"additionalItems":false},
		"size":{"type":"number","minimum":0,"exclusiveMinimum":true},
		"ref":{"$ref":"#/definitions/s"}},"definitions":{"s":{"type":"string"}},"dependencies":{"at":["size"]}}`},
	{Name: "draft4", InputSchema: `{"$schema":"http://json-schema.org/draft-04/schema#","type":"object","properties":{"a":{"maximum":1,"exclusiveMaximum":true}}}`},
	{Name: "elsewhere", InputSchema: `{"$schema":"https://example.com/schema","type":"object","required":["a"]}`},
	{Name: "limit", InputSchema: jsonrpc.Raw(`{"type":"object","anyOf":[` + strings.Repeat("{},", 1<<18) + `true]}`)},
	{Name: "draft3", InputSchema: `{"type":"object","properties":{"path":{"type":"string","required":true},"any":{"type":"any"},"look":{"pattern":"^(?!x)"}}}`, OutputSchema: `{"type":"object","properties":{"a":{"$ref":"http://x/y"},"b":{"type":"string"}}}`},
}

// A host or relay serves the tools of others, whatever drafts their schemas follow: each
// tool is listed and can be called, what cannot be checked is not, and that is reported.
func TestLenientSchemas(t *testing.T) {
	items := server.Items{Tools: older, Schemas: schema.Lenient{}}
	c, err := server.NewCatalog(items)
	if err != nil {
		t.Fatal(err)
	}
	fault := func(path string) schema.Fault { return schema.Fault{Path: path, Keyword: schema.KeywordSchema} }
	want := []server.Unchecked{
		{Tool: "draft3", Fault: fault("/properties/any/type")},
		{Tool: "draft3", Fault: schema.Fault{Path: "/properties/look/pattern", Keyword: schema.KeywordUnchecked}},
		{Tool: "draft3", Output: true, Fault: fault("/properties/a/$ref")},
		{Tool: "elsewhere", Fault: schema.Fault{Path: "/$schema", Keyword: schema.KeywordSchema, Dialect: "https://example.com/schema"}},
		{Tool: "exact", Fault: schema.Fault{Path: "/dependencies", Keyword: schema.KeywordUnchecked}},
		{Tool: "limit", Fault: schema.Fault{Keyword: schema.KeywordLimit}},
	}
	if diff := cmp.Diff(want, c.Unchecked()); diff != "" {
		t.Error(diff)
	}
	if got, want := fmt.Sprint(c.Unchecked()[1]), `server: tools: "draft3": inputSchema: schema: the keyword at "/properties/look/pattern" is not checked`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := fmt.Sprint(c.Unchecked()[2]), `server: tools: "draft3": outputSchema: schema: the schema is not usable at "/properties/a/$ref"`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	c.Unchecked()[0] = server.Unchecked{}
	if c.Unchecked()[0] != want[0] {
		t.Error("what Unchecked returned is that of the catalog")
	}

	s := offer(t, items, server.Config{}, "2025-06-18")
	_, out := s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	r, err := protocol.Decode[protocol.ListToolsResult](out.Send[0].Message.Body)
	if err != nil || len(r.Tools) != len(older) {
		t.Errorf("%v, %d tools", err, len(r.Tools))
	}
	for _, c := range []struct {
		tool, arguments string
		good            bool
	}{
		{"sound", `{"n":1}`, true}, {"sound", `{}`, false},
		{"exact", `{"at":[1,2],"size":0.1,"ref":""}`, true}, {"exact", `{"at":[1,2,3]}`, false}, {"exact", `{"at":[1,""]}`, false}, {"exact", `{"size":0}`, false}, {"exact", `{"ref":1}`, false},
		{"draft3", `{}`, false}, {"draft3", `{"path":"","any":[]}`, true}, {"draft3", `{"path":1}`, false},
		{"draft4", `{"a":0}`, true}, {"draft4", `{"a":1}`, false}, {"elsewhere", `{}`, true}, {"limit", `{"a":1}`, true}, {"limit", ``, true},
	} {
		_, out := callTool(s, 5, c.tool, c.arguments)
		if good := len(out.Events) == 1; good != c.good {
			t.Errorf("%s(%s): %+v", c.tool, c.arguments, out)
		}
	}
	for result, defects := range map[jsonrpc.Raw]int{
		`{"content":[],"structuredContent":{"a":1,"b":""}}`: 0,
		`{"content":[],"structuredContent":{"b":1}}`:        1,
		`{"content":[]}`: 1,
	} {
		s, out := callTool(s, 5, "draft3", `{"path":""}`)
		if _, out, err := s.Respond(t0, out.Opened, result); err != nil || len(out.Events) != defects {
			t.Errorf("%s: %v %+v", result, err, out)
		}
	}
}

// An author wants to know that a schema of one's own cannot be used, so the default goes on
// to refuse it; what older drafts write and means one thing is accepted.
func TestSchemasOfOnesOwn(t *testing.T) {
	for _, v := range []schema.Validator{nil, schema.Basic{}} {
		for i, tool := range older {
			c, err := server.NewCatalog(server.Items{Tools: older[i : i+1], Schemas: v})
			if want := i < 3; (err == nil) != want {
				t.Errorf("%T: %s: %v", v, tool.Name, err)
			}
			if len(c.Unchecked()) > 0 {
				t.Errorf("%T: %s: %v", v, tool.Name, c.Unchecked())
			}
		}
	}
	var zero server.Catalog
	if len(zero.Unchecked()) > 0 {
		t.Error("the zero Catalog leaves something unchecked")
	}
}

// The formats that a validator names are checked by the catalog too.
func TestSchemasWithFormats(t *testing.T) {
	tools := []protocol.Tool{{Name: "t", InputSchema: `{"type":"object","properties":{"day":{"type":"string","format":"date"}}}`}}
	for _, c := range []struct {
		v    schema.Validator
		good bool
	}{
		{nil, true}, {schema.Basic{}, true}, {schema.Lenient{}, true},
		{schema.Basic{Formats: schema.FormatDate}, false}, {schema.Lenient{Formats: schema.AllFormats}, false}, {schema.Basic{Formats: schema.FormatTime}, true},
	} {
		s := offer(t, server.Items{Tools: tools, Schemas: c.v}, server.Config{}, "2025-06-18")
		_, out := callTool(s, 5, "t", `{"day":"tomorrow"}`)
		if good := len(out.Events) == 1; good != c.good {
			t.Errorf("%+v: %+v", c.v, out)
		}
	}
}
