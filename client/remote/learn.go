package remote

import (
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
)

// Where there is no session a tool may want arguments of its calls in headers (HTTP-206). Which those are stands in
// the list of tools, which passes here.

// maxLearned is how many tools with arguments in headers are remembered. Calls of others are refused by the server.
const maxLearned = 1000

// annotation is in a list where a tool wants such arguments (headers.Params).
const annotation = "x-mcp-header"

// learn reads the answer to a request for tools.
func (t *Transport) learn(asked, answer jsonrpc.Message) {
	if answer.Kind != jsonrpc.KindResult || asked.Method != protocol.ToolList.Method {
		return
	}
	tools, _ := rawjson.Get(string(answer.Body), protocol.ToolList.Member)
	list, ok := rawjson.Elements(tools)
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.learned) == 0 && !strings.Contains(tools, annotation) {
		return
	}
	for ok {
		tool, more := list.Next()
		if !more {
			break
		}
		schema, _ := rawjson.Get(tool, "inputSchema")
		name := rawjson.Text(tool, "name")
		switch params, _ := headers.Params(jsonrpc.Raw(strings.Clone(schema))); {
		case len(params) == 0:
			delete(t.learned, name)
		case len(t.learned) < maxLearned || t.learned[name] != nil:
			if t.learned == nil {
				t.learned = map[string][]headers.Param{}
			}
			t.learned[strings.Clone(name)] = params
		}
	}
}

// params returns the arguments that a call of a tool repeats in headers. The lock is held.
func (t *Transport) params(m jsonrpc.Message) []headers.Param {
	if len(t.learned) == 0 || m.Method != protocol.ToolList.Use {
		return nil
	}
	return t.learned[rawjson.Text(string(m.Body), protocol.ToolList.Key)]
}
