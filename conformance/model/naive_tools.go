package model

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// tool is what the pool knows of a tool: its schemas, and what satisfies them, said once
// more in Go. A nil function takes all.
type tool struct {
	input, output   string
	takes, promises func(v any) bool
}

// tools are those of toolNames that have schemas.
var tools = map[string]tool{
	"t2": {
		input: `{"type":"object","properties":{"n":{"type":"integer","minimum":1}},"required":["n"],"additionalProperties":false}`,
		takes: func(v any) bool {
			m, _ := v.(map[string]any)
			n, ok := m["n"].(json.Number)
			return ok && len(m) == 1 && rational(n).IsInt() && rational(n).Sign() > 0
		},
	},
	"t3": {output: wantsA, promises: outputs[wantsA]},
	"t4": {output: `{"type":"object"}`, promises: outputs[`{"type":"object"}`]},
}

const wantsA = `{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}`

// outputs are the schemas that the pool has for structured results, with what satisfies
// each. The last two are no schemas that can be used: they demand nothing.
var outputs = map[string]func(v any) bool{
	wantsA: func(v any) bool {
		m, _ := v.(map[string]any)
		n, ok := m["a"].(json.Number)
		return ok && rational(n).IsInt()
	},
	`{"type":"object"}`:                func(v any) bool { return isKind(v, "object") },
	`{"type":"no such type"}`:          func(any) bool { return true },
	`{"type":"object","required":"a"}`: func(any) bool { return true },
}

// unusable reports whether a schema of outputs is one that cannot be used.
func unusable(text string) bool { return text != wantsA && text != `{"type":"object"}` }

var outputTexts = []string{wantsA, wantsA, wantsA, `{"type":"object"}`, `{"type":"no such type"}`, `{"type":"object","required":"a"}`}

// listed completes what tools/list says of a tool.
func listed(o map[string]any) {
	t := tools[o["name"].(string)]
	o["inputSchema"] = map[string]any{"type": "object"}
	if t.input != "" {
		o["inputSchema"], _ = parse(t.input)
	}
	if t.output != "" {
		o["outputSchema"], _ = parse(t.output)
	}
}

// tool returns what this side knows of a tool that it lists by itself.
func (n *Naive) tool(name string) (t tool, listed bool) {
	if n.serves("tools/list") || !slices.Contains(n.offer.Tools, name) {
		return tool{}, false
	}
	return tools[name], true
}

// refused answers a request that asks for what is plainly wrong, whoever would serve it.
func (n *Naive) refused(m *jsonrpc.Message, x *Expect) bool {
	body := string(m.Body)
	params, _ := members(body)
	switch t, _ := n.tool(str(body, "name")); {
	case n.unknownName(m.Method, body):
		n.reply(m, jsonrpc.CodeInvalidParams, nil, x)
	case m.Method == "tools/call" && t.takes != nil && !t.takes(params["arguments"]):
		if n.set.Policy.StrictArguments {
			n.reply(m, jsonrpc.CodeInvalidParams, nil, x)
			break
		}
		n.reply(m, 0, nil, x) // so that the model sees it
		x.Send[len(x.Send)-1].Failed = true
	case ofURI(m.Method) && str(body, "uri") == "":
		n.reply(m, jsonrpc.CodeInvalidParams, nil, x)
		x.blame("RES-035", m)
	case (m.Method == "resources/read" || m.Method == "resources/subscribe") && n.unknownURI(m.Method, str(body, "uri")):
		n.reply(m, protocol.CodeResourceNotFound, nil, x)
	case m.Method == "resources/subscribe" && !n.roomFor(str(body, "uri")):
		n.reply(m, jsonrpc.CodeInternalError, nil, x)
	default:
		if ofURI(m.Method) && !isURI(str(body, "uri")) {
			x.blame("RES-035", m) // and passed on
		}
		return false
	}
	return true
}

// outcome returns the answer to a call as it goes out: a result that breaks what its tool
// promises is a failed one.
func (n *Naive) outcome(body map[string]any, c call, x *Expect) Sent {
	defect := func(rule string) {
		x.Events = append(x.Events, Happening{Kind: lifecycle.LocalViolation, Call: c.seq, Method: c.method, Rule: rule})
	}
	if c.method == "tools/call" {
		structured := body["structuredContent"]
		// The promise is that of the list that the request found, if it is still held.
		if t, _ := n.tool(c.tool); t.promises != nil && body["isError"] != true && (!n.structured(body) || !t.promises(structured)) {
			defect("TOOL-026")
			x.Events[len(x.Events)-1].Cause = Why{Said: true}
			return Sent{Kind: jsonrpc.KindResult, Failed: true}
		}
		blocks, _ := body["content"].([]any)
		embedded := func(b any) bool { return b.(map[string]any)["type"] == "resource" }
		if !slices.Contains(n.caps, "resources") && slices.ContainsFunc(blocks, embedded) {
			defect("TOOL-033")
		}
	}
	n.older(body, c, x)
	return Sent{Kind: jsonrpc.KindResult, Body: body}
}

// structured reports whether a result has structured content. Without a session that may be null.
func (n *Naive) structured(v map[string]any) bool {
	structured, given := v["structuredContent"]
	return structured != nil || given && stateless(n.revision)
}

// failedResult reports whether v is a failed result of a tool that says why, to a request without a session
// if alone.
func failedResult(v any, alone bool) bool {
	m, _ := v.(map[string]any)
	if alone {
		if m["resultType"] != "complete" || !reflect.DeepEqual(m["_meta"], signature()) {
			return false
		}
		m = maps.Clone(m)
		delete(m, "resultType")
		delete(m, "_meta")
	}
	blocks, _ := m["content"].([]any)
	if m["isError"] != true || len(blocks) != 1 || len(m) != 2 {
		return false
	}
	block, _ := blocks[0].(map[string]any)
	text, _ := block["text"].(string)
	return block["type"] == "text" && text != ""
}
