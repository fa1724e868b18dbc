package server_test

import (
	"testing"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/server"
)

// CheckArguments asks the schema of the tool, and where none is checked for an object alone.
func TestCheckArgumentsWithoutSchemas(t *testing.T) {
	tool := protocol.Tool{Name: "t", InputSchema: `{"type":"object","required":["n"]}`}
	for _, tt := range []struct {
		check     schema.Validator
		arguments protocol.Raw
		good      bool
	}{
		{schema.Basic{}, `{"n":1}`, true}, {schema.Basic{}, `{}`, false}, {schema.None{}, `{}`, true}, {schema.None{}, `[]`, false}, {schema.None{}, `{`, false},
	} {
		c, err := server.NewCatalog(server.Items{Tools: []protocol.Tool{tool}, Schemas: tt.check})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.CheckArguments("t", tt.arguments); (err == nil) != tt.good {
			t.Errorf("%T, %s: %v", tt.check, tt.arguments, err)
		}
		if c.CheckArguments("u", tt.arguments) == nil {
			t.Errorf("%T: arguments of a tool that is not there are good", tt.check)
		}
	}
}
