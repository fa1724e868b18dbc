package server_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/server"
)

// Schemas are listed byte for byte, whatever dialect they name and whether it is known: the
// vocabulary of 2020-12, draft-07, and a dialect that nobody here has heard of.
//
// rows: SCHEMA-103 SCHEMA-104 TOOL-110 TOOL-115
func TestSchemasAreListedAsTheyAre(t *testing.T) {
	for _, input := range []jsonrpc.Raw{
		`{"type":"object","additionalProperties":false}`, `{"type":"object"}`,
		`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"}}}},
			"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"other":{"$ref":"#addressDef"},"pair":{"type":"array","prefixItems":[{"type":"string"},{"type":"number"}],"items":false}},
			"allOf":[{"anyOf":[{"required":["name"]},{"required":["address"]}]}],"if":{"required":["pair"]},"then":{"required":["name"]},"else":{"not":{"required":["other"]}},"additionalProperties":false}`,
		`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{"$ref":"#/definitions/b","description":"the a"}},"definitions":{"b":{"type":"string","pattern":"^b"}}}`,
		`{ "$schema" : "https://example.com/mine", "type" : "object", "required" : [ "a" ] }`,
	} {
		items := server.Items{Tools: []protocol.Tool{{Name: "t", InputSchema: input, OutputSchema: input}}, Schemas: schema.Lenient{}}
		for _, r := range protocol.Revisions() {
			want := 1
			if r.Structured() {
				want = 2
			}
			s := offer(t, items, server.Config{}, r.String())
			_, out := s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
			if len(out.Send) != 1 || strings.Count(string(out.Send[0].Message.Body), string(input)) != want {
				t.Errorf("%v: %s is listed as %v", r, input, out.Send)
			}
		}
	}
}

// A schema in a dialect that is not known is refused by its name, and so is one that is not
// valid in its dialect.
//
// rows: SCHEMA-106 SCHEMA-108
func TestSchemasThatAreRefused(t *testing.T) {
	for input, want := range map[jsonrpc.Raw]schema.Fault{
		`{"$schema":"https://example.com/mine","type":"object"}`:                                   {Path: "/$schema", Keyword: schema.KeywordSchema, Dialect: "https://example.com/mine"},
		`{"type":"object","properties":{"a":{"properties":5}}}`:                                    {Path: "/properties/a/properties", Keyword: schema.KeywordSchema},
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/missing"}},"$defs":{}}`:               {Path: "/properties/a/$ref", Keyword: schema.KeywordSchema},
		`{"type":"object","properties":{"a":{"type":"string","pattern":"(a"}},"required":["a"]}`:   {Path: "/properties/a/pattern", Keyword: schema.KeywordSchema},
		`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","prefixItems":[{}]}`: {Path: "/prefixItems", Keyword: schema.KeywordSchema, Dialect: schema.DialectDraft07},
	} {
		for _, tool := range []protocol.Tool{{Name: "t", InputSchema: input}, {Name: "t", InputSchema: `{"type":"object"}`, OutputSchema: input}} {
			_, err := server.NewCatalog(server.Items{Tools: []protocol.Tool{tool}})
			if !errors.Is(err, want) || !strings.Contains(err.Error(), want.Dialect) {
				t.Errorf("%s: %v, want %v", input, err, want)
			}
		}
	}
}

// What no tool can have is refused whoever checks its arguments.
//
// rows: SCHEMA-108
func TestSchemasThatNobodyTakes(t *testing.T) {
	for _, v := range []schema.Validator{nil, schema.Basic{}, schema.Lenient{}, schema.None{}} {
		if _, err := server.NewCatalog(server.Items{Tools: []protocol.Tool{{Name: "t", InputSchema: `{"type":"object","properties":5}`}}, Schemas: v}); err == nil {
			t.Errorf("%T takes it", v)
		}
	}
}

// Arguments that break the schema are answered with a result that says so, and no code of
// the application is run.
//
// rows: SCHEMA-103 TOOL-110 TOOL-112
func TestArgumentsByDialect(t *testing.T) {
	items := server.Items{Tools: []protocol.Tool{
		{Name: "none", InputSchema: `{"type":"object","additionalProperties":false}`},
		{Name: "pair", InputSchema: `{"type":"object","properties":{"a":{"prefixItems":[{"$ref":"#/$defs/n"}],"items":false}},"$defs":{"n":{"type":"number"}},"required":["a"]}`},
	}}
	for _, r := range protocol.Revisions() {
		s := offer(t, items, server.Config{}, r.String())
		for _, c := range []struct{ tool, arguments, want string }{
			{"none", `{}`, ""}, {"none", ``, ""}, {"none", `{"a":1}`, `\"/a\" is not expected`},
			{"pair", `{"a":[1]}`, ""}, {"pair", `{"a":[""]}`, `\"/a/0\" is not a number but a string`}, {"pair", `{"a":[1,2]}`, `\"/a/1\" is not what the schema allows: items`}, {"pair", `{}`, `\"/a\" is missing`},
		} {
			_, out := callTool(s, 5, c.tool, c.arguments)
			if c.want == "" && len(out.Events) != 1 || c.want != "" && (len(out.Events) != 0 || len(out.Send) != 1 ||
				!strings.Contains(string(out.Send[0].Message.Body), `"isError":true`) || !strings.Contains(string(out.Send[0].Message.Body), c.want)) {
				t.Errorf("%v: %s %s: %+v", r, c.tool, c.arguments, out)
			}
		}
	}
}
