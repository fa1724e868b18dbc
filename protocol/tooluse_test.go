package protocol_test

import (
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	. "github.com/sansmcp/mcp/protocol"
)

const (
	toolUse    = `{"type":"tool_use","id":"1","name":"t","input":{"a":1.50},"_meta":{ "k" : 1 }}`
	toolResult = `{"type":"tool_result","toolUseId":"1","content":[{"type":"text","text":"x"}],"structuredContent":{},"isError":true,"_meta":{"k":2}}`
)

func sampled(content string) Raw {
	return Raw(`{"messages":[{"role":"user","content":` + content + `}],"maxTokens":1}`)
}

// What a model may be told and may say, in each revision.
//
// rows: SAMP-107 SAMP-108 SAMP-004
func TestSamplingContentByRevision(t *testing.T) {
	for content, late := range map[string][2]bool{ // until 2025-06-18, since 2025-11-25
		`{"type":"text","text":""}`:   {true, true},
		`[{"type":"text","text":""}]`: {false, true}, `[]`: {false, true},
		`[{"type":"text","text":""},{"type":"text","text":""},` + toolUse + `]`: {false, true},
		toolUse: {false, true}, toolResult: {false, true}, `[` + toolResult + `]`: {false, true},
		`{"type":"resource_link","uri":"a:b","name":"n"}`: {false, false}, `[{"type":"resource","resource":{"uri":"a:b","text":""}}]`: {false, false},
		`{"type":"hologram"}`: {false, false}, `5`: {false, false}, `[5]`: {false, false}, `null`: {false, false},
	} {
		for i, r := range every {
			want := late[1]
			if i > 0 {
				want = late[0]
			}
			row := r.Row(MethodSamplingCreateMessage)
			if err := row.CheckParams(sampled(content), jsonrpc.Span{}); (err == nil) != want {
				t.Errorf("%v: params with %s: %v", r, content, err)
			}
			result := Raw(`{"role":"assistant","model":"m","content":` + content + `}`)
			if err := row.CheckResult(result, jsonrpc.Span{}); (err == nil) != want {
				t.Errorf("%v: result with %s: %v", r, content, err)
			}
		}
	}
}

// The members of both blocks, and that they stay byte for byte.
//
// rows: SAMP-109 SAMP-110 SAMP-111 SCHEMA-102
func TestToolBlocks(t *testing.T) {
	for _, text := range []string{toolUse, toolResult} {
		for _, p := range pairs(text) {
			optional := p[0] == "_meta" || p[0] == "isError" || p[0] == "structuredContent"
			if _, r := reason(t, &SamplingMessage{}, `{"role":"user","content":`+with(text, p[0], "")+`}`); (r == 0) != optional {
				t.Errorf("%s without %s: %d", text, p[0], r)
			}
			if _, r := reason(t, &SamplingMessage{}, `{"role":"user","content":`+with(text, p[0], "5")+`}`); (r == 0) != (p[0] == "structuredContent") {
				t.Errorf("%s with %s 5", text, p[0])
			}
		}
		message := `{"role":"user","content":` + text + `,"_meta":{"m":1}}`
		for _, whole := range []string{message, strings.Replace(message, text, "["+text+","+text+"]", 1)} {
			v := decoded(t, &SamplingMessage{}, whole)
			if got := string(v.AppendJSON(nil)); got != whole || v.Validate() != nil {
				t.Errorf("%s reads as %s: %v", whole, got, v.Validate())
			}
		}
	}
	// Inside of a result of a tool, and of a result of tools/call, nobody knows them.
	nested := `{"type":"tool_result","toolUseId":"1","content":[` + toolUse + `,{"type":"resource_link","uri":"a:b","name":"n"},{"type":"audio","data":"","mimeType":"a/b"}]}`
	v := decoded(t, &SamplingMessage{}, `{"role":"user","content":`+nested+`}`).(*SamplingMessage)
	inner := v.Content[0].ToolResult.Content
	if inner[0].Raw != toolUse || inner[1].Link == nil || inner[2].Media == nil {
		t.Errorf("%+v", inner)
	}
	r := decoded(t, &CallToolResult{}, `{"content":[`+toolUse+`]}`).(*CallToolResult)
	if r.Content[0].Raw != toolUse || r.Content[0].ToolUse != nil {
		t.Errorf("%+v", r)
	}
	if err := (CallToolResult{Content: []Content{ToolUseContent("1", "t", "")}}).Validate(); err == nil || err.Error() != "protocol: CallToolResult.content[0].type has no allowed value" {
		t.Error(err)
	}
	for _, c := range []Content{{Type: ContentToolUse}, {Type: ContentToolResult}, ToolUseContent("1", "t", "[]"), ToolResultContent("1", CallToolResult{Content: []Content{{Type: ContentImage}}})} {
		if (SamplingMessage{Role: RoleUser, Content: []Content{c}}).Validate() == nil {
			t.Errorf("%s may be sent", c.AppendJSON(nil))
		}
	}
}

// rows: SAMP-101 SAMP-116 SAMP-121
func TestSamplingTools(t *testing.T) {
	base := string(sampled(`{"type":"text","text":""}`))
	for text, want := range map[string]Reason{
		with(base, "tools", `[]`): 0, with(base, "tools", `{}`): ReasonType, with(base, "tools", `[{"name":"t"}]`): ReasonMissing,
		with(base, "tools", `[{"name":"t","inputSchema":{"type":"object"}}]`): 0,
		with(base, "toolChoice", `{}`):                                        0, with(base, "toolChoice", `{"mode":"any"}`): ReasonValue, with(base, "toolChoice", `"auto"`): ReasonType,
		with(base, "toolChoice", `{"mode":"required"}`): 0, with(base, "toolChoice", `{"mode":"none"}`): 0, with(base, "toolChoice", `{"mode":"auto"}`): 0,
	} {
		if _, r := reason(t, &CreateMessageParams{}, text); r != want {
			t.Errorf("%s: %d, want %d", text, r, want)
		}
		if err := Revision20250618.Row(MethodSamplingCreateMessage).CheckParams(Raw(text), jsonrpc.Span{}); err != nil {
			t.Errorf("%s in 2025-06-18, which does not know it: %v", text, err)
		}
	}
	if v, err := Decode[CreateMessageResult](`{"role":"assistant","model":"m","content":` + toolUse + `,"stopReason":"toolUse"}`); err != nil || v.StopReason != StopToolUse {
		t.Errorf("%+v, %v", v, err)
	}
}

// Each character is a block: u and v use the tools 1 and 2, 1 and 2 are their results, t is
// text. Messages are separated by blanks, those of the assistant in capitals.
//
// rows: SAMP-112 SAMP-113 SAMP-114 SAMP-115 SAMP-120
func TestToolUseIsAnswered(t *testing.T) {
	for talk, want := range map[string]string{
		"": "", "t": "", "t T t": "", "t U 1": "", "t TU 1 T t": "", "UV 12": "", "UV 21": "", "U 1 V 2": "", "U 1 U 1": "",
		"U 1t":    "messages[1].content[1] conflicts with another member",
		"U t1":    "messages[1].content[0] conflicts with another member",
		"U t 1":   "messages[1].content[0] conflicts with another member",
		"U T 1":   "messages[1].content[0] conflicts with another member",
		"U":       "messages is missing",
		"t UV":    "messages is missing",
		"UV 1":    "messages[1].content is missing",
		"U -":     "messages[1].content is missing",
		"U 12":    "messages[1].content[1] conflicts with another member",
		"U 11":    "messages[1].content[1] conflicts with another member",
		"1":       "messages[0].content[0] conflicts with another member",
		"t 1 U":   "messages[1].content[0] conflicts with another member",
		"U 1 2":   "messages[2].content[0] conflicts with another member",
		"UU 1":    "messages[0].content[1] conflicts with another member",
		"UV 1 2":  "messages[1].content is missing",
		"u 1":     "messages[0].content[0] conflicts with another member",
		"U UV 12": "messages[1].content[0] conflicts with another member",
	} {
		var messages []SamplingMessage
		for _, word := range strings.Fields(talk) {
			m := SamplingMessage{Role: RoleUser}
			if word == strings.ToUpper(word) && strings.ContainsAny(word, "TUV") {
				m.Role = RoleAssistant
			}
			for _, c := range strings.ToLower(word) {
				switch c {
				case 't':
					m.Content = append(m.Content, TextContent(""))
				case 'u', 'v':
					m.Content = append(m.Content, ToolUseContent(string(c-'u'+'1'), "tool", ""))
				case '1', '2':
					m.Content = append(m.Content, ToolResultContent(string(c), *TextResult("")))
				}
			}
			messages = append(messages, m)
		}
		got := ""
		if err := CheckToolUse(messages); err != nil {
			got = strings.TrimPrefix(err.Error(), "protocol: CreateMessageParams.")
		}
		if got != want {
			t.Errorf("%q: %q, want %q", talk, got, want)
		}
	}
}

// A cancellation without an id is one since 2025-11-25, and nothing before; none is sent.
//
// rows: CANC-101 CANC-102
func TestCancelledWithoutID(t *testing.T) {
	for i, r := range every {
		for _, text := range []Raw{`{"reason":"x"}`, `{"requestId":null}`, `{}`, ""} {
			if err := r.Row(MethodCancelled).CheckParams(text, jsonrpc.Span{}); (err == nil) != (i == 0) {
				t.Errorf("%v: %q: %v", r, text, err)
			}
		}
		if r.Row(MethodCancelled).CheckParams(`{"requestId":[]}`, jsonrpc.Span{}) == nil {
			t.Errorf("%v: an array is an id", r)
		}
	}
	if (CancelledParams{}).Validate() == nil {
		t.Error("one without an id may be sent")
	}
}
