package client_test

import (
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// A result is not held against an output schema in a dialect that is not known. It is
// delivered, and an event says why it was not checked. One without $schema is of 2020-12.
//
// rows: SCHEMA-103 SCHEMA-106
func TestOutputSchemaDialects(t *testing.T) { everywhere(t, outputSchemaDialects) }

func outputSchemaDialects(t *testing.T) {
	if !spoken.Structured() {
		return
	}
	for _, c := range []struct{ schema, cause string }{
		{`{"$schema":"https://example.com/mine","type":"object","required":["a"]}`, `the dialect "https://example.com/mine" is not known`},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{"prefixItems":[{}]}}}`, `the dialect "http://json-schema.org/draft-07/schema#" does not have it`},
	} {
		s := session(t, client.Config{})
		s, _ = request(t, s, protocol.CallToolParams{Name: "t"}, client.RequestOptions{OutputSchema: protocol.Raw(c.schema)})
		_, out := answer(s, 2, `{"content":[],"structuredContent":{"b":1}}`)
		if len(out.Events) != 2 || out.Events[0].Kind != lifecycle.LocalViolation || !strings.Contains(out.Events[0].Cause.Err.Error(), c.cause) || out.Events[1].Kind != lifecycle.ResponseReceived {
			t.Errorf("%s: %+v", c.schema, out.Events)
		}
	}
	s := session(t, client.Config{})
	s, _ = request(t, s, protocol.CallToolParams{Name: "t"}, client.RequestOptions{OutputSchema: `{"type":"object","properties":{"a":{"prefixItems":[{"$ref":"#/$defs/n"}]}},"$defs":{"n":{"type":"null"}}}`})
	if _, out := answer(s, 2, `{"content":[],"structuredContent":{"a":[1]}}`); len(out.Events) == 0 || out.Events[len(out.Events)-1].Failure() == nil {
		t.Errorf("%+v", out.Events)
	}
}
