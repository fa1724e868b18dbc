package schemasuite_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/schemasuite"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema/provider"
)

// Exports for OpenAI and Anthropic are schemas of 2020-12 to a complete implementation too,
// whatever their draft was.
func TestExportsAreSchemas(t *testing.T) {
	var tools []protocol.Tool
	for _, list := range append(toolLists(t, "testdata/tools/lists.jsonl"), toolLists(t, "testdata/tools/forms.jsonl")...) {
		for _, tool := range list {
			tools = append(tools, protocol.Tool{Name: "t" + strconv.Itoa(len(tools)), InputSchema: jsonrpc.Raw(tool.Input)})
		}
	}
	for _, strict := range []bool{false, true} {
		x, err := provider.Export(provider.Anthropic, tools, provider.Options{Strict: strict})
		if err != nil {
			t.Fatal(err)
		}
		compiled(t, x, "input_schema", len(tools))
		for rest := tools; len(rest) > 128; rest = rest[128:] {
			if x, err = provider.Export(provider.OpenAIResponses, rest[:128], provider.Options{Strict: strict}); err != nil {
				t.Fatal(err)
			}
			compiled(t, x, "parameters", 128)
		}
	}
}

func compiled(t *testing.T, x *provider.Exported, member string, want int) {
	t.Helper()
	var list []map[string]json.RawMessage
	if err := json.Unmarshal([]byte(x.Tools), &list); err != nil || len(list) != want {
		t.Fatalf("%d tools, want %d: %v", len(list), want, err)
	}
	for _, tool := range list {
		text := string(tool[member])
		if x.Provider == provider.Anthropic { // it allows lookarounds, which the oracle cannot read
			text = strings.ReplaceAll(text, `"pattern":`, `"x-pattern":`)
		}
		if _, err := schemasuite.Compile(jsonrpc.Raw(text), false); err != nil {
			t.Errorf("%s: %s: %v", x.Provider, text, err)
		}
	}
}
