package protocol_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/memory"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// many is a hostile body: open, an item as often as fits into a megabyte, shut.
func many(open, item, shut string) jsonrpc.Raw {
	const size = 1 << 20
	return jsonrpc.Raw(open + item + strings.Repeat(","+item, (size-len(open))/(len(item)+1)) + shut)
}

// hostile are bodies whose items are as small as they can be.
var hostile = []struct {
	name string
	m    string
	kind protocol.BodyKind
	body jsonrpc.Raw
}{
	{"tools", protocol.MethodToolsList, protocol.BodyResult, many(`{"tools":[`, `{"name":"","inputSchema":{"type":"object"}}`, `]}`)},
	{"prompts", protocol.MethodPromptsList, protocol.BodyResult, many(`{"prompts":[`, `{"name":""}`, `]}`)},
	{"prompts, null in place of absent", protocol.MethodPromptsList, protocol.BodyResult, many(`{"prompts":[`, `{"name":"","title":null}`, `]}`)},
	{"prompt arguments", protocol.MethodPromptsList, protocol.BodyResult, many(`{"prompts":[{"name":"","arguments":[`, `{"name":""}`, `]}]}`)},
	{"resources", protocol.MethodResourcesList, protocol.BodyResult, many(`{"resources":[`, `{"uri":"","name":""}`, `]}`)},
	{"audience", protocol.MethodResourcesList, protocol.BodyResult, many(`{"resources":[{"uri":"","name":"","annotations":{"audience":[`, `"user"`, `]}}]}`)},
	{"templates", protocol.MethodResourceTemplatesList, protocol.BodyResult, many(`{"resourceTemplates":[`, `{"uriTemplate":"","name":""}`, `]}`)},
	{"contents", protocol.MethodResourcesRead, protocol.BodyResult, many(`{"contents":[`, `{"uri":"","text":""}`, `]}`)},
	{"content", protocol.MethodToolsCall, protocol.BodyResult, many(`{"content":[`, `{"type":"text","text":""}`, `]}`)},
	{"content of odd kinds", protocol.MethodToolsCall, protocol.BodyResult, many(`{"content":[`, `{"type":""}`, `]}`)},
	{"links", protocol.MethodToolsCall, protocol.BodyResult, many(`{"content":[`, `{"type":"resource_link","uri":"","name":""}`, `]}`)},
	{"messages", protocol.MethodPromptsGet, protocol.BodyResult, many(`{"messages":[`, `{"role":"user","content":{"type":"text","text":""}}`, `]}`)},
	{"values", protocol.MethodCompletionComplete, protocol.BodyResult, many(`{"completion":{"values":[`, `""`, `]}}`)},
	{"roots", protocol.MethodRootsList, protocol.BodyResult, many(`{"roots":[`, `{"uri":""}`, `]}`)},
	{"form content", protocol.MethodElicitationCreate, protocol.BodyResult, many(`{"action":"accept","content":{`, `"":1`, `}}`)},
	{"experimental", protocol.MethodInitialize, protocol.BodyResult, many(`{"protocolVersion":"","serverInfo":{"name":"","version":""},"capabilities":{"experimental":{`, `"":{}`, `}}}`)},
	{"prompt values", protocol.MethodPromptsGet, protocol.BodyParams, many(`{"name":"","arguments":{`, `"":""`, `}}`)},
	{"completion context", protocol.MethodCompletionComplete, protocol.BodyParams, many(`{"ref":{"type":"ref/prompt","name":""},"argument":{"name":"","value":""},"context":{"arguments":{`, `"":""`, `}}}`)},
	{"sampling messages", protocol.MethodSamplingCreateMessage, protocol.BodyParams, many(`{"maxTokens":1,"messages":[`, `{"role":"user","content":{"type":"text","text":""}}`, `]}`)},
	{"stop sequences", protocol.MethodSamplingCreateMessage, protocol.BodyParams, many(`{"maxTokens":1,"messages":[],"stopSequences":[`, `""`, `]}`)},
	{"hints", protocol.MethodSamplingCreateMessage, protocol.BodyParams, many(`{"maxTokens":1,"messages":[],"modelPreferences":{"hints":[`, `{}`, `]}}`)},
	{"form required", protocol.MethodElicitationCreate, protocol.BodyParams, many(`{"message":"","requestedSchema":{"type":"object","properties":{},"required":[`, `""`, `]}}`)},
	{"icons", protocol.MethodInitialize, protocol.BodyResult, many(`{"protocolVersion":"","capabilities":{},"serverInfo":{"name":"","version":"","icons":[`, `{"src":""}`, `]}}`)},
	{"blocks of a message", protocol.MethodSamplingCreateMessage, protocol.BodyParams, many(`{"maxTokens":1,"messages":[{"role":"user","content":[`, `{"type":"text","text":""}`, `]}]}`)},
	{"results of tools", protocol.MethodSamplingCreateMessage, protocol.BodyParams, many(`{"maxTokens":1,"messages":[{"role":"user","content":{"type":"tool_result","toolUseId":"","content":[`, `{"type":"text","text":""}`, `]}}]}`)},
	{"form choices", protocol.MethodElicitationCreate, protocol.BodyParams, many(`{"message":"","requestedSchema":{"type":"object","properties":{"a":{"type":"string","oneOf":[`, `{"const":"","title":""}`, `]}}}}`)},
	{"form list", protocol.MethodElicitationCreate, protocol.BodyParams, many(`{"message":"","requestedSchema":{"type":"object","properties":{"a":{"type":"array","items":{"type":"string","enum":[`, `""`, `]}}}}}`)},
	{"form enum", protocol.MethodElicitationCreate, protocol.BodyParams, many(`{"message":"","requestedSchema":{"type":"object","properties":{"a":{"type":"string","enum":[`, `""`, `]}}}}`)},
}

// distinct numbers the empty names of a body, so that a map has them all.
func distinct(body jsonrpc.Raw) jsonrpc.Raw {
	var b strings.Builder
	n := 0
	for part := range strings.SplitAfterSeq(string(body), `"":`) {
		if rest, ok := strings.CutSuffix(part, `"":`); ok {
			fmt.Fprintf(&b, `%s"%d":`, rest, n)
			n++
			continue
		}
		b.WriteString(part)
	}
	return jsonrpc.Raw(b.String())
}

// What is only checked is not built: a check costs less than the body, whatever it
// holds, and so does all that is done with it in its multiple.
func TestChecksBuildNothing(t *testing.T) {
	var kept any
	for _, c := range hostile {
		body := distinct(c.body)
		row := protocol.Revision20251125.Row(c.m)
		measure := func(what string, factor float64, f func() error) {
			t.Helper()
			var err error
			if got := float64(memory.Allocated(func() { err = f() })) / float64(len(body)); got > factor || err != nil {
				t.Errorf("%s: %s: %.2f times the body, at most %.2f are allowed; %v", c.name, what, got, factor, err)
			}
		}
		if c.kind == protocol.BodyParams {
			measure("ReadParams", 0.05, func() error { _, err := row.ReadParams(body, jsonrpc.Span{}); return err })
		} else {
			measure("Accept", 0.05, func() error { return row.Accept(protocol.Reply{Body: body}).Err })
			measure("CheckResult", 0.05, func() error { return row.CheckResult(body, jsonrpc.Span{}) })
		}
		measure("WithoutNulls", 3, func() error { kept = row.WithoutNulls(c.kind, body); return nil })
		measure("Downgrade", 8, // items become longer text
			func() error { kept, _ = protocol.Revision20241105.Downgrade(c.m, c.kind, body); return nil })
	}
	_ = kept
}

// One odd item does not make a list costly.
func TestDropOddBuildsNothing(t *testing.T) {
	for _, c := range hostile {
		open := strings.Index(string(c.body), "[") + 1
		if c.kind == protocol.BodyParams || open == 0 {
			continue
		}
		body := c.body[:open] + "5," + c.body[open:]
		dropped := 0
		got := float64(memory.Allocated(func() { _, dropped, _ = protocol.Revision20250618.Row(c.m).DropInvalidItems(body) })) / float64(len(body))
		if got > 3.2 || dropped == 0 && c.m != protocol.MethodPromptsGet && c.m != protocol.MethodResourcesRead && c.m != protocol.MethodRootsList && c.m != protocol.MethodCompletionComplete && c.m != protocol.MethodInitialize {
			t.Errorf("%s: DropInvalidItems takes %.2f times the body and drops %d", c.name, got, dropped)
		}
	}
}
