package server_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/server"
)

// whole reports whether a text has all parts in this order, and is no format that was
// given other values than it is for.
func whole(text string, parts ...string) bool {
	if strings.Contains(text, "%!") {
		return false
	}
	for _, p := range parts {
		_, rest, ok := strings.Cut(text, p)
		if !ok {
			return false
		}
		text = rest
	}
	return true
}

// What New and NewCatalog refuse they name: the list, then what is in it.
func TestRefusalsNameWhatIsRefused(t *testing.T) {
	who := protocol.Implementation{Name: "s", Version: "1"}
	for name, cfg := range map[string]server.Config{
		"\"\"": {Serve: []string{""}}, `"initialize"`: {Serve: []string{"initialize"}}, `"ping"`: {Serve: []string{"ping"}},
		`"notifications/message"`: {Serve: []string{"notifications/message"}}, `"roots/list"`: {Serve: []string{"roots/list"}},
		strconv.Quote("x/\xff"):                   {Serve: []string{"x/\xff"}},
		`"elicitation/create"`:                    {Serve: []string{"elicitation/create"}, Revisions: []protocol.Revision{protocol.Revision20241105}},
		"tools.listChanged without tools":         {ListChanged: protocol.CapToolsListChanged},
		"resources.listChanged without resources": {ListChanged: protocol.CapResourcesListChanged},
		"resources.subscribe without resources":   {Subscribe: true},
		"prompts.listChanged without prompts":     {ListChanged: protocol.CapPromptsListChanged},
	} {
		cfg.Info = who
		if s, err := server.New(cfg, t0); !errors.Is(err, lifecycle.ErrConfig) || !whole(err.Error(), name) || s != (server.State{}) {
			t.Errorf("%s: %v", name, err)
		}
	}
	tool := func(name, schema string) protocol.Tool {
		return protocol.Tool{Name: name, InputSchema: jsonrpc.Raw(schema)}
	}
	const object = `{"type":"object"}`
	for _, c := range []struct {
		items server.Items
		names []string
	}{
		{server.Items{Tools: []protocol.Tool{tool("a", object), tool("a", object)}}, []string{"tools", `"a"`, "duplicate"}},
		{server.Items{Tools: []protocol.Tool{tool("", object)}}, []string{"tools", `""`, "not empty"}},
		{server.Items{Tools: []protocol.Tool{tool("a\xff", object)}}, []string{"tools", "Tool.name", "UTF-8"}},
		{server.Items{Tools: []protocol.Tool{tool("a", object), tool("b", `{"type":"object","minProperties":-1}`)}}, []string{"tools", `"b"`, "minProperties"}},
		{server.Items{Resources: []protocol.Resource{{URI: "a:b", Name: "x"}, {URI: "a:b", Name: "y"}}}, []string{"resources", `"a:b"`, "duplicate"}},
		{server.Items{Resources: []protocol.Resource{{URI: "no uri", Name: "x"}}}, []string{"resources", "Resource.uri"}},
		{server.Items{ResourceTemplates: []protocol.ResourceTemplate{{URITemplate: "a:{", Name: "x"}}}, []string{"resourceTemplates", `"a:{"`}},
		{server.Items{ResourceTemplates: []protocol.ResourceTemplate{{URITemplate: "a:{b}", Name: "x"}, {URITemplate: "a:{b}", Name: "y"}}}, []string{"resourceTemplates", `"a:{b}"`, "duplicate"}},
		{server.Items{Prompts: []protocol.Prompt{{Name: "p"}, {Name: "p"}}}, []string{"prompts", `"p"`, "duplicate"}},
	} {
		if cat, err := server.NewCatalog(c.items); err == nil || cat != nil || !whole(err.Error(), c.names...) {
			t.Errorf("%v: %v", c.names, err)
		}
	}
	cat, err := server.NewCatalog(server.Items{Schemas: schema.Lenient{}, Tools: []protocol.Tool{
		{Name: "a", InputSchema: `{"type":"object","minProperties":-1}`, OutputSchema: `{"type":"object","maxProperties":-1}`},
	}})
	if err != nil {
		t.Fatal(err)
	}
	list := cat.Unchecked()
	if len(list) != 2 || !whole(list[0].String(), "server", `"a"`, "inputSchema", "minProperties") || !whole(list[1].String(), "server", `"a"`, "outputSchema", "maxProperties") {
		t.Errorf("%v", list)
	}
}
