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

const (
	// maxLearned is how many tools with arguments in headers are remembered. Calls of others are refused by the server.
	maxLearned = 1000
	// maxTold is how many tools that are left out of one page the log names.
	maxTold = 10
	// maxToldName is how much of such a name it has, in bytes.
	maxToldName = 64
)

// annotation is in a list where a tool wants such arguments (headers.Params).
const annotation = "x-mcp-header"

// learn reads the answer to a request for tools. It returns the answer without the tools whose annotations are
// invalid, which cannot be called as they want to be (TOOL-213), and tells the log of them.
func (t *transport) learn(asked, answer jsonrpc.Message) jsonrpc.Message {
	if answer.Kind != jsonrpc.KindResult || asked.Method != protocol.ToolList.Method {
		return answer
	}
	tools, _ := rawjson.Get(string(answer.Body), protocol.ToolList.Member)
	t.mu.Lock()
	idle := len(t.learned) == 0
	t.mu.Unlock()
	if idle && !strings.Contains(tools, annotation) && strings.IndexByte(tools, '\\') < 0 {
		return answer
	}
	var kept []string
	out := 0
	list, _ := rawjson.Elements(tools)
	for tool := range list.All {
		schema, _ := rawjson.Get(tool, "inputSchema")
		name := rawjson.Text(tool, protocol.ToolList.Key)
		params, err := headers.Params(jsonrpc.Raw(strings.Clone(schema)))
		t.keep(name, params)
		if err == nil {
			kept = append(kept, tool)
		} else if out++; out <= maxTold {
			t.opt.Log.Warn("tool removed from the list of the server", "tool", rawjson.Clip(name, maxToldName), "err", err)
		}
	}
	if out == 0 {
		return answer
	}
	if out > maxTold {
		t.opt.Log.Warn("more tools removed from the list of the server", "more", out-maxTold)
	}
	answer.Body = jsonrpc.Raw(rawjson.Set(string(answer.Body), protocol.ToolList.Member, "["+strings.Join(kept, ",")+"]"))
	answer.Span = jsonrpc.Span{} // it was of the whole list
	return answer
}

// keep remembers the arguments that a tool wants in headers.
func (t *transport) keep(name string, params []headers.Param) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case len(params) == 0:
		delete(t.learned, name)
	case len(t.learned) < maxLearned || t.learned[name] != nil:
		t.learned[strings.Clone(name)] = params
	}
}

// params returns the arguments that a call of a tool repeats in headers. The lock is held.
func (t *transport) params(m jsonrpc.Message) []headers.Param {
	if len(t.learned) == 0 || m.Method != protocol.ToolList.Use {
		return nil
	}
	return t.learned[rawjson.Text(string(m.Body), protocol.ToolList.Key)]
}
