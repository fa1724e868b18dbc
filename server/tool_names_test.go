package server_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// A tool can be called whatever its name is, and the catalog tells which names are not what
// they should be: of 1 to 128 letters, digits, underscores, hyphens and dots.
//
// revisions: 2025-11-25..
// rows: TOOL-104 TOOL-105
func TestNamesOfTools(t *testing.T) {
	good := []string{
		"a", "9", "_", "-", ".", "getUser", "DATA_EXPORT_v2", "admin.tools.list", "a-b", "Z", strings.Repeat("a", 127), strings.Repeat("a", 128),
	}
	odd := []string{
		strings.Repeat("a", 129), strings.Repeat("é", 64), "a b", "a,b", "a/b", "a:b", "a@b", "é", " a", "a ", "a\n", "a\x00", "a\x7f", "{a}", "[", "`", "a+b",
	}
	var items server.Items
	for _, name := range slices.Concat(good, odd) {
		items.Tools = append(items.Tools, protocol.Tool{Name: name})
		if protocol.ValidToolName(name) != slices.Contains(good, name) {
			t.Errorf("ValidToolName of %q: %v", name, protocol.ValidToolName(name))
		}
	}
	c, err := server.NewCatalog(items)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(odd)
	names := c.NonstandardNames()
	if !slices.Equal(names, odd) {
		t.Errorf("odd are %q, want %q", names, odd)
	}
	names[0] = "changed"
	if again := c.NonstandardNames(); !slices.Equal(again, odd) {
		t.Errorf("then odd are %q", again)
	}
	s := offer(t, items, server.Config{}, "2025-11-25")
	for i, tool := range items.Tools {
		call := protocol.CallToolParams{Name: tool.Name}
		var out server.Output
		s, out = s.Receive(t0, jsonrpc.Message{Kind: jsonrpc.KindRequest, ID: jsonrpc.Int(int64(i + 1)), Method: "tools/call", Body: jsonrpc.Raw(call.AppendJSON(nil))})
		if len(out.Events) != 1 || out.Events[0].Kind != lifecycle.RequestReceived {
			t.Errorf("%q cannot be called: %+v", tool.Name, out)
		}
	}
	if _, err := server.NewCatalog(server.Items{Tools: []protocol.Tool{{}}}); err == nil || protocol.ValidToolName("") {
		t.Error("a tool may have no name")
	}
	if (*server.Catalog)(nil).NonstandardNames() != nil || new(server.Catalog).NonstandardNames() != nil {
		t.Error("names of nothing")
	}
}

// Names in another case are names of other tools.
//
// revisions: all 2026-07-28
// rows: TOOL-106 TOOL-107
func TestCaseOfNames(t *testing.T) {
	anywhere(t, func(t *testing.T) {
		s := offer(t, server.Items{Tools: []protocol.Tool{{Name: "get"}, {Name: "GET"}, {Name: "Get", Description: "this"}}}, server.Config{}, spoken.String())
		_, out := s.Receive(t0, said(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
		out = plain(out)
		const want = `{"tools":[{"name":"GET","inputSchema":{"type":"object"}},{"name":"Get","description":"this","inputSchema":{"type":"object"}},{"name":"get","inputSchema":{"type":"object"}}]}`
		if string(out.Send[0].Message.Body) != want {
			t.Error(out.Send[0].Message.Body)
		}
		for name, there := range map[string]bool{"get": true, "GET": true, "Get": true, "gET": false, "geT": false} {
			_, out := callTool(s, 2, name, "")
			if reached := len(out.Events) == 1 && strings.Contains(string(out.Events[0].Body), `"`+name+`"`); reached != there {
				t.Errorf("%s: %+v", name, out)
			}
		}
	})
	if _, err := server.NewCatalog(server.Items{Tools: []protocol.Tool{{Name: "get"}, {Name: "GET"}, {Name: "get"}}}); err == nil {
		t.Error("two tools of one name")
	}
}
