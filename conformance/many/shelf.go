package many

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/server"
)

// workTool is the tool for errands; every server has it.
const workTool = "work"

// shelf is the present lists of a server.
type shelf struct {
	server string
	odd    []int // the changing tools
	pages  int
}

// newShelf returns the first lists of a server.
func newShelf(server string, d dice) shelf {
	return shelf{server, []int{0, 1, 2}, 1 + d.IntN(4)}
}

// changed returns another shelf: with one tool more or less, and a resource and a prompt with it.
func (s shelf) changed(d dice) shelf {
	n := d.IntN(6)
	odd := slices.Clone(s.odd)
	if i := slices.Index(odd, n); i >= 0 {
		odd = slices.Delete(odd, i, i+1)
	} else {
		odd = append(odd, n)
	}
	s.odd = odd
	return s
}

// uris returns the uris of the resources.
func (s shelf) uris() []string {
	list := []string{"file:///shared", "own:" + s.server}
	for _, n := range s.odd {
		list = append(list, fmt.Sprintf("own:%s/%d", s.server, n))
	}
	return list
}

// catalog returns the lists. All servers have tools, prompts and resources with the same
// names, and their descriptions name the server.
func (s shelf) catalog() *server.Catalog {
	text := "of " + s.server
	items := server.Items{
		Tools: []protocol.Tool{
			{Name: workTool, Description: text}, {Name: "same", Description: text},
			{Name: "own-" + strings.ReplaceAll(s.server, " ", "-"), Description: text},
		},
		ResourceTemplates: []protocol.ResourceTemplate{{Name: "t", URITemplate: "mark:{+text}", Description: text}},
		Prompts:           []protocol.Prompt{{Name: "ask", Description: text}},
		PageSize:          s.pages,
		Schemas:           schema.Lenient{},
	}
	for _, uri := range s.uris() {
		items.Resources = append(items.Resources, protocol.Resource{URI: uri, Name: uri, Description: text})
	}
	for _, n := range s.odd {
		items.Tools = append(items.Tools, protocol.Tool{Name: fmt.Sprintf("odd-%d", n), Description: text})
		items.Prompts = append(items.Prompts, protocol.Prompt{Name: fmt.Sprintf("odd-%d", n), Description: text})
	}
	c, err := server.NewCatalog(items)
	if err != nil {
		panic(err) // the items are made here
	}
	return c
}

// rubbish are invalid messages, and unexpected ones.
var rubbish = []string{
	"", "garbage", "{", "[]", "null", `"text"`, `{"jsonrpc":"1.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0"}`,
	`{"jsonrpc":"2.0","id":null,"result":{}}`, `{"jsonrpc":"2.0","id":1.5,"result":{}}`, `{"jsonrpc":"2.0","method":5}`,
	`{"jsonrpc":"2.0","id":"x","error":{"code":"y"}}`, "\xff\xfe", `{"jsonrpc":"2.0","method":"notifications/unknown"}`,
	`[{"jsonrpc":"2.0","method":"notifications/unknown"}]`, strings.Repeat("[", 500), strings.Repeat("z", 100_000),
	`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":{}}}`,
}

// strangers are messages about unknown requests, tokens and elicitations.
var strangers = []string{
	`{"jsonrpc":"2.0","id":987654,"result":{}}`, `{"jsonrpc":"2.0","id":"nobody","result":{"content":[]}}`,
	`{"jsonrpc":"2.0","id":-3,"error":{"code":-32603,"message":"no"}}`,
	`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":987654,"progress":1}}`,
	`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"nobody","progress":1}}`,
	`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":987654}}`,
	`{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"nobody"}}`,
	`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`,
	`{"jsonrpc":"2.0","id":"odd","method":"tools/call","params":{"name":"work"}}`,
	`{"jsonrpc":"2.0","id":"unknown","method":"custom/unknown","params":{}}`,
}
