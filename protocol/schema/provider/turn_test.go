package provider_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema/provider"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// turns has a response of each provider: a thought, a text, a call, a call of an unknown tool,
// and another text.
var turns = map[provider.Provider]struct {
	response string
	history  []string
	keep     string
	results  []string
}{
	provider.OpenAIChat: {
		response: `{"choices":[{"message":{"role":"assistant","content":"one\ntwo","tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"ping","arguments":"{\"x\":1}"},"extra_content":{"s":"sig"}},{"id":"b","type":"function","function":{"name":"none","arguments":"{}"}}]}},{"message":{"role":"assistant","content":"other"}}]}`,
		history:  []string{`{"role":"assistant","content":"one\ntwo","tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"ping","arguments":"{\"x\":1}"},"extra_content":{"s":"sig"}},{"id":"b","type":"function","function":{"name":"none","arguments":"{}"}}]}`},
		keep:     `{"extra_content":{"s":"sig"}}`,
		results:  []string{`{"role":"tool","tool_call_id":"a","content":"pong"}`, `{"role":"tool","tool_call_id":"b","content":"Error: `},
	},
	provider.OpenAIResponses: {
		response: `{"output":[{"type":"reasoning","id":"r","summary":[]},{"type":"message","content":[{"type":"output_text","text":"one"}]},{"type":"function_call","id":"fc","call_id":"a","status":"completed","name":"ping","arguments":"{\"x\":1}"},{"type":"function_call","call_id":"b","name":"none","arguments":"{}"},{"type":"message","content":[{"type":"refusal","refusal":"two"}]}]}`,
		history: []string{`{"type":"reasoning","id":"r","summary":[]}`, `{"type":"message","content":[{"type":"output_text","text":"one"}]}`, `{"type":"function_call","id":"fc","call_id":"a","status":"completed","name":"ping","arguments":"{\"x\":1}"}`,
			`{"type":"function_call","call_id":"b","name":"none","arguments":"{}"}`, `{"type":"message","content":[{"type":"refusal","refusal":"two"}]}`},
		keep:    `{"id":"fc","status":"completed"}`,
		results: []string{`{"type":"function_call_output","call_id":"a","output":"pong"}`, `{"type":"function_call_output","call_id":"b","output":"Error: `},
	},
	provider.Anthropic: {
		response: `{"id":"m","role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"one"},{"type":"tool_use","id":"a","name":"ping","input":{"x":1},"caller":{"type":"direct"}},{"type":"tool_use","id":"b","name":"none","input":{}},{"type":"text","text":"two"}]}`,
		history:  []string{`{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"one"},{"type":"tool_use","id":"a","name":"ping","input":{"x":1},"caller":{"type":"direct"}},{"type":"tool_use","id":"b","name":"none","input":{}},{"type":"text","text":"two"}]}`},
		keep:     `{"caller":{"type":"direct"}}`,
		results:  []string{`{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"pong"}]},{"type":"tool_result","tool_use_id":"b","content":[{"type":"text","text":`},
	},
	provider.Gemini: {
		response: `{"candidates":[{"content":{"role":"model","parts":[{"text":"hm","thought":true},{"text":"one"},{"functionCall":{"id":"a","name":"ping","args":{"x":1}},"thoughtSignature":"sig"},{"functionCall":{"name":"none","args":{}}},{"text":"two"}]}},{"content":{"parts":[]}}]}`,
		history:  []string{`{"role":"model","parts":[{"text":"hm","thought":true},{"text":"one"},{"functionCall":{"id":"a","name":"ping","args":{"x":1}},"thoughtSignature":"sig"},{"functionCall":{"name":"none","args":{}}},{"text":"two"}]}`},
		keep:     `{"thoughtSignature":"sig"}`,
		results:  []string{`{"role":"user","parts":[{"functionResponse":{"id":"a","name":"ping","response":{"output":"pong"}}},{"functionResponse":{"name":"none","response":{"error":`},
	},
}

// Calls returns the text and the calls of a whole response in order, and the history; Messages
// answers all of them, including faulty ones.
func TestTurns(t *testing.T) {
	for p, c := range turns {
		x, err := provider.Export(p, []protocol.Tool{{Name: "ping"}}, provider.Options{})
		if err != nil {
			t.Fatal(err)
		}
		turn, err := x.Calls(protocol.Raw(" " + c.response + "\n"))
		if err != nil || turn.Text != "one\ntwo" || len(turn.Calls) != 2 {
			t.Errorf("%s: %+v, %v", p, turn, err)
			continue
		}
		first, second := turn.Calls[0], turn.Calls[1]
		if first.ID != "a" || first.Params.Name != "ping" || first.Params.Arguments != `{"x":1}` || string(first.Keep) != c.keep || first.Err != nil {
			t.Errorf("%s: %+v", p, first)
		}
		if second.Name != "none" || !errors.Is(second.Err, toolerror.UnknownTool) || second.Keep != "" {
			t.Errorf("%s: %+v", p, second)
		}
		var history []string
		for _, h := range turn.History {
			history = append(history, string(h))
		}
		if !slices.Equal(history, c.history) {
			t.Errorf("%s: %q", p, history)
		}
		// 33: a single call returns with its extra members.
		text, ok := x.AppendCall([]byte("x"), first)
		again, err := x.Call(protocol.Raw(text[1:]))
		if !ok || err != nil || again != first {
			t.Errorf("%s: %s: %+v, %v", p, text, again, err)
		}
		for _, results := range [][]*protocol.CallToolResult{{protocol.TextResult("pong")}, {protocol.TextResult("pong"), nil}} {
			list, lost := x.Messages(turn.Calls, results)
			if len(list) != len(c.results) || len(lost) > 0 {
				t.Errorf("%s: %q, %v", p, list, lost)
				continue
			}
			for i, m := range list {
				if !rawjson.Valid(string(m)) || !strings.HasPrefix(string(m), c.results[i]) || i == len(list)-1 && !strings.Contains(string(m), "none") {
					t.Errorf("%s: %s", p, m)
				}
			}
		}
		if list, lost := x.Messages(nil, nil); list != nil || lost != nil {
			t.Errorf("%s: %v, %v", p, list, lost)
		}
		// Other forms than a whole response.
		inner := protocol.Raw(c.history[0])
		if p == provider.OpenAIResponses {
			inner = protocol.Raw("[" + strings.Join(c.history, ",") + "]")
		}
		if again, err := x.Calls(inner); err != nil || len(again.Calls) != 2 || again.Text != turn.Text {
			t.Errorf("%s: %+v, %v", p, again, err)
		}
	}
}

// Texts are read where each provider may have them, and losses of any result are listed.
func TestTurnTexts(t *testing.T) {
	for raw, p := range map[string]provider.Provider{
		`{"role":"assistant","content":[{"type":"text","text":"one"},{"type":"refusal","refusal":"two"}]}`:                                                                     provider.OpenAIChat,
		`{"role":"assistant","content":"one","refusal":"two"}`:                                                                                                                 provider.Azure,
		`{"role":"assistant","content":"one\ntwo"}`:                                                                                                                            provider.Anthropic,
		`{"parts":[{"text":"one"},{"text":""},{"text":"no","thought":true},{"text":"two","thought":false}]}`:                                                                   provider.Gemini,
		`[{"type":"message","content":[{"type":"output_text","text":"one"},{"type":"other","text":"no"}]},{"type":"message","content":[{"type":"output_text","text":"two"}]}]`: provider.OpenAIResponses,
	} {
		turn, err := export(t, p, false).Calls(protocol.Raw(raw))
		if err != nil || turn.Text != "one\ntwo" || turn.Calls != nil || len(turn.History) == 0 {
			t.Errorf("%s: %+v, %v", raw, turn, err)
		}
	}
	odd := &protocol.CallToolResult{Content: []protocol.Content{{Type: "odd"}}}
	for _, p := range providers {
		x := export(t, p, false)
		calls := []provider.Call{{ID: "i", Name: "ping", Params: protocol.CallToolParams{Name: "ping"}}, {ID: "j", Name: "n", Params: protocol.CallToolParams{Name: "n"}}}
		list, lost := x.Messages(calls, []*protocol.CallToolResult{odd, odd})
		if len(lost) != 2 || lost[0].Tool != "ping" || lost[1] != (provider.Loss{Tool: "n", Path: "/content/0", Keyword: "odd", Action: provider.LeftOut}) || len(list) == 0 {
			t.Errorf("%s: %v, %v", p, list, lost)
		}
	}
}

// A call is written byte for byte as the provider writes it.
func TestAppendCall(t *testing.T) {
	for p, want := range map[provider.Provider]string{
		provider.OpenAIChat:      `{"type":"function","id":"i","function":{"name":"ping","arguments":"{\"a\":1}"},"k":[1]}`,
		provider.Azure:           `{"type":"function","id":"i","function":{"name":"ping","arguments":"{\"a\":1}"},"k":[1]}`,
		provider.OpenAIResponses: `{"type":"function_call","call_id":"i","name":"ping","arguments":"{\"a\":1}","k":[1]}`,
		provider.Anthropic:       `{"type":"tool_use","id":"i","name":"ping","input":{"a":1},"k":[1]}`,
		provider.Gemini:          `{"functionCall":{"id":"i","name":"ping","args":{"a":1}},"k":[1]}`,
	} {
		x := export(t, p, false)
		c := provider.Call{ID: "i", Params: protocol.CallToolParams{Name: "ping", Arguments: ` {"a":1}` + "\n"}, Keep: `{"k":[1]}`}
		if got, ok := x.AppendCall([]byte("before"), c); !ok || string(got) != "before"+want {
			t.Errorf("%s: %s", p, got)
		}
		if m, lost := x.Message(provider.Call{Params: c.Params}, nil); p != provider.Gemini && (m != "" || len(lost) != 1 || lost[0] != provider.Loss{Tool: "ping", Keyword: "id", Action: provider.LeftOut}) {
			t.Errorf("%s: %s, %v", p, m, lost)
		}
		spaced := protocol.Raw(`{"id":"i","call_id":"i","name":"ping","input":{"a": 1, "a":2},"args":{"a": 1, "a":2},"arguments":{"a": 1, "a":2}}`)
		if p == provider.OpenAIChat || p == provider.Azure {
			spaced = `{"id":"i","function":` + spaced + `}`
		}
		if back, err := x.Call(spaced); err != nil || back.Params.Arguments != `{"a": 1, "a":2}` {
			t.Errorf("%s: %s, %v", p, back.Params.Arguments, err)
		}
		c.ID, c.Keep, c.Params.Arguments = "", "no JSON", ""
		got, ok := x.AppendCall(nil, c)
		if ok != (p == provider.Gemini) || ok && string(got) != `{"functionCall":{"name":"ping","args":{}}}` {
			t.Errorf("%s: %s", p, got)
		}
	}
}

// JSON that is neither a response nor a call is ErrForm, without a panic.
func TestForeignForms(t *testing.T) {
	for p, c := range turns {
		x := export(t, p, false)
		for _, raw := range []string{"", "x", "3", `"x"`, "null", "[", "{}", `{"choices":[]}`, `{"choices":3}`, `{"output":{}}`, `{"content":3}`, `{"candidates":[]}`, `{"candidates":[{"finishReason":"SAFETY"}]}`, `{"error":{"message":"no"}}`, `{"role":"user","content":"x"}`} {
			if turn, err := x.Calls(protocol.Raw(raw)); !errors.Is(err, provider.ErrForm) || turn.History != nil {
				t.Errorf("%s of %s: %+v, %v", p, raw, turn, err)
			}
		}
		for q, other := range turns {
			if related := p == provider.OpenAIChat && q == provider.Anthropic || q == provider.OpenAIChat && p == provider.Anthropic; q != p && !related {
				if _, err := x.Calls(protocol.Raw(other.response)); !errors.Is(err, provider.ErrForm) {
					t.Errorf("%s of %s: %v", p, q, err)
				}
			}
		}
		for _, raw := range []string{`{"type":"text","text":"ping"}`, `{"text":"ping"}`, `{}`, `{"type":"server_tool_use","text":"x"}`,
			`{"type":"server_tool_use","id":"i","call_id":"i","name":"ping","input":{},"arguments":"{}","function":{"name":"ping"}}`} {
			if p == provider.Gemini && strings.Contains(raw, `"name"`) {
				continue // it has no types
			}
			call, err := x.Call(protocol.Raw(raw))
			if !errors.Is(err, provider.ErrForm) || !errors.Is(call.Err, err) || errors.Is(err, toolerror.UnknownTool) {
				t.Errorf("%s of %s: %+v, %v", p, raw, call, err)
			}
		}
		_ = c
		if _, err := x.Calls(`{"type":"error","error":{"type":"overloaded_error","message":"Over\n"}}`); err == nil || err.Error() != "provider: JSON is not a call or a response of the provider "+p.String()+`; it is an error: "Over\n"` {
			t.Error(err)
		}
	}
	for _, p := range []provider.Provider{0, 99} {
		x := &provider.Exported{Provider: p}
		if _, err := x.Calls(`{"choices":[]}`); !errors.Is(err, provider.ErrForm) {
			t.Error(err)
		}
		if _, ok := x.AppendCall(nil, provider.Call{}); ok {
			t.Error("a call of nothing")
		}
		if m, _ := x.Message(provider.Call{ID: "i"}, nil); !rawjson.Valid(string(m)) {
			t.Error(m)
		}
	}
}

// 33: at most 1 MiB is kept of a call's extra members; more is an error that leaves the call usable.
func TestKeepIsBounded(t *testing.T) {
	x := export(t, provider.Gemini, false)
	for extra := range 2 {
		signature := strings.Repeat("s", 1<<20-len(`,"thoughtSignature":""`)+extra)
		c, err := x.Call(protocol.Raw(`{"functionCall":{"name":"ping","args":{"a":1}},"thoughtSignature":"` + signature + `"}`))
		if (err == nil) != (extra == 0) || (c.Keep == "") != (extra == 1) || c.Params.Arguments != `{"a":1}` || c.Params.Name != "ping" {
			t.Errorf("%d above: %d kept, %s, %v", extra, len(c.Keep), c.Params.Arguments, err)
		}
		if err != nil && (len(err.Error()) > 200 || !strings.Contains(err.Error(), "1048576")) {
			t.Error(err)
		}
		if list, _ := x.Messages([]provider.Call{c}, []*protocol.CallToolResult{nil}); !strings.Contains(string(list[0]), `"output":""`) {
			t.Error(list) // the call is answered as if without a fault
		}
	}
}

// 34: the same JSON is sent once, whatever its spelling; a result without a call is not sent.
func TestSameJSONOnce(t *testing.T) {
	for _, text := range []string{`{"n":1,"s":"<é"}`, "{\n  \"n\": 1,\n  \"s\": \"\\u003cé\"\n}", ` {"s":"<\u00e9","n":1.0} `, "{\"n\":10e-1,\"s\":\"<é\"}\n"} {
		r := &protocol.CallToolResult{Content: []protocol.Content{protocol.TextContent(text)}, StructuredContent: `{"n":1,"s":"<é"}`}
		for _, p := range providers {
			m, lost := export(t, p, false).Message(provider.Call{ID: "i", Name: "n"}, r)
			if n := strings.Count(string(m), "é") + strings.Count(string(m), `u00e9`); n != 1 || len(lost) > 0 {
				t.Errorf("%s: %q: %s", p, text, m)
			}
		}
	}
	for _, text := range []string{`{"n":1}`, `{"n":1,"s":"é"}`, `{"n":2,"s":"<é"}`, `[{"n":1,"s":"<é"}]`, `{"n":1,"s":"<é","o":null}`, `x`, `{"n":"1","s":"<é"}`, `{"n":-1,"s":"<é"}`} {
		r := &protocol.CallToolResult{Content: []protocol.Content{protocol.TextContent(text)}, StructuredContent: `{"n":1,"s":"<é"}`}
		for _, p := range providers {
			if m, _ := export(t, p, false).Message(provider.Call{ID: "i", Name: "n"}, r); strings.Count(string(m), "n") < 3 || !strings.Contains(string(m), "<é") || len(m) < len(text)+15 {
				t.Errorf("%s: %q: %s", p, text, m)
			}
		}
	}
}

// Property names that a provider refuses are changed one to one, and calls have the original
// ones: into the history and back.
func TestRenamedProperties(t *testing.T) {
	in := protocol.Raw(`{"type":"object","properties":{"$top":{"type":"integer"},"filter[x]":{"$ref":"#/$defs/f"},"filter_x_":{"type":"string"},"a.b":{"type":"string"},"é":{"type":"string"}},"required":["$top","é"],"$defs":{"f":{"type":"object","properties":{"$top":{"type":"integer"}}}}}`)
	for p, want := range map[provider.Provider][]string{provider.Anthropic: {"_top", "filter_x_", "a.b", "tool"}, provider.Gemini: {"_top", "filter_x_", "a_b", "tool"}, provider.OpenAIChat: {"$top", "filter[x]", "filter_x_", "a.b", "é"}} {
		for _, strict := range []bool{false, true} {
			x, err := provider.Export(p, []protocol.Tool{{Name: "t", InputSchema: in}}, provider.Options{Strict: strict})
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range want {
				if !strings.Contains(string(x.Tools), string(rawjson.AppendQuote(nil, name))+":") {
					t.Errorf("%s: %q is not in %s", p, name, x.Tools)
				}
			}
			if p != provider.OpenAIChat && !strings.Contains(string(x.Tools), `"required":["_top","tool"]`) {
				t.Errorf("%s: %s", p, x.Tools)
			}
			arguments := protocol.Raw(`{"$top":1,"filter[x]":{"$top":2},"filter_x_":"y","a.b":"z","é":"v","other":null}`)
			call := provider.Call{ID: "i", Name: "t", Params: protocol.CallToolParams{Name: "t", Arguments: arguments}}
			text, ok := x.AppendCall(nil, call)
			if back, err := x.Call(protocol.Raw(text)); !ok || err != nil || back != call || strings.Contains(string(text), "filter[x]") != (p == provider.OpenAIChat) {
				t.Errorf("%s: %s\n%+v, %v", p, text, back, err)
			}
		}
	}
}

// 34: faults name the tool as the model knows it.
func TestFaultsNameTheModelsTool(t *testing.T) {
	x, _ := provider.Export(provider.Anthropic, []protocol.Tool{{Name: "mcp.server.tool"}}, provider.Options{})
	for _, input := range []string{`7`, `"x"`} {
		_, err := x.Call(protocol.Raw(`{"type":"tool_use","id":"i","name":"mcp_server_tool","input":` + input + `}`))
		var e *toolerror.Error
		if !errors.As(err, &e) || e.Tool != "mcp_server_tool" {
			t.Errorf("%s: %v", input, err)
		}
	}
	_, err := x.Call(`{"type":"tool_use","id":"i","name":"mcp.server.tool","input":{}}`)
	if !errors.Is(err, toolerror.UnknownTool) || !strings.Contains(err.Error(), "mcp_server_tool") {
		t.Error(err)
	}
}
