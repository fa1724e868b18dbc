package provider_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema/provider"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

func export(t interface{ Fatal(...any) }, p provider.Provider, strict bool) *provider.Exported {
	x, err := provider.Export(p, realistic, provider.Options{Strict: strict})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// A16: a call survives the way to the provider's form and back.
func TestCallRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := export(t, rapid.SampledFrom(providers).Draw(t, "provider"), rapid.Bool().Draw(t, "strict"))
		tool := rapid.SampledFrom(realistic).Draw(t, "tool").Name
		name, _ := x.Names.Provider(tool)
		args := `{"a":` + string(rawjson.AppendQuote(nil, rapid.String().Draw(t, "text"))) + `,"n":9007199254740993,"o":{"z":null}}`
		call := provider.Call{ID: "i" + rapid.String().Draw(t, "id"), Name: name, Params: protocol.CallToolParams{Name: tool, Arguments: protocol.Raw(args)}}
		text, ok := x.AppendCall(nil, call)
		back, err := x.Call(protocol.Raw(text))
		if diff := cmp.Diff(call, back); !ok || err != nil || diff != "" {
			t.Fatalf("%v %v %s of %s", ok, err, diff, text)
		}
	})
}

// Calls are read with arguments as string or object; faults are tool errors.
func TestCalls(t *testing.T) {
	for _, c := range []struct {
		p         provider.Provider
		raw       protocol.Raw
		id, args  string
		kind      toolerror.Kind
		ofUnknown bool
	}{
		{p: provider.OpenAIChat, raw: `{"id":"c1","type":"function","function":{"name":"ping","arguments":"{\"a\":1}"}}`, id: "c1", args: `{"a":1}`},
		{p: provider.OpenAIChat, raw: `{"id":"c1","type":"function","function":{"name":"ping","arguments":""}}`, id: "c1"},
		{p: provider.OpenAIChat, raw: `{"id":"c1","function":{"name":"ping","arguments":"{\"a\":"}}`, id: "c1", kind: toolerror.InvalidArguments},
		{p: provider.OpenAIChat, raw: `{"id":"c1","function":{"name":"ping","arguments":"[1]"}}`, id: "c1", kind: toolerror.InvalidArguments},
		{p: provider.OpenAIChat, raw: `{"id":"c1","function":{"name":"ping","arguments":true}}`, id: "c1", kind: toolerror.InvalidArguments},
		{p: provider.OpenAIChat, raw: `{"id":"c1","function":{"name":"ping","arguments":"\"x\""}}`, id: "c1", kind: toolerror.InvalidArguments},
		{p: provider.OpenAIChat, raw: `{"id":"c1","function":{"name":"pong"}}`, id: "c1", kind: toolerror.UnknownTool},
		{p: provider.Azure, raw: `{"id":"c1","function":{"name":"ping","arguments":{"a":1}}}`, id: "c1", args: `{"a":1}`},
		{p: provider.OpenAIResponses, raw: `{"type":"function_call","id":"fc","call_id":"c2","name":"ping","arguments":"{}"}`, id: "c2", args: `{}`},
		{p: provider.Anthropic, raw: `{"type":"tool_use","id":"u","name":"ping","input":{"a":{"b":2}}}`, id: "u", args: `{"a":{"b":2}}`},
		{p: provider.Anthropic, raw: `{"type":"tool_use","id":"u","name":"ping","input":null}`, id: "u"},
		{p: provider.Anthropic, raw: `{"type":"tool_use","id":"u","name":"ping","input":7}`, id: "u", kind: toolerror.InvalidArguments},
		{p: provider.Gemini, raw: `{"functionCall":{"name":"ping","args":{"a":1}}}`, args: `{"a":1}`},
		{p: provider.Gemini, raw: `{"id":"g","name":"ping","args":{"a":1}}`, id: "g", args: `{"a":1}`},
		{p: provider.Gemini, raw: `{"name":3}`, kind: toolerror.UnknownTool},
		{p: provider.Gemini, raw: `nonsense`, kind: toolerror.InvalidArguments},
		{p: provider.Gemini, raw: ``, kind: toolerror.InvalidArguments},
		{p: provider.Gemini, raw: `[]`, kind: toolerror.InvalidArguments},
		{p: provider.Gemini, raw: protocol.Raw(`{"name":"` + strings.Repeat("é", 1<<16) + `"}`), kind: toolerror.UnknownTool},
		{p: provider.Anthropic, raw: protocol.Raw(`{"id":"u","name":"ping","input":` + strings.Repeat(`[`, 600) + strings.Repeat(`]`, 600) + `}`), kind: toolerror.InvalidArguments},
	} {
		x := export(t, c.p, false)
		got, err := x.Call(c.raw)
		if got.ID != c.id || string(got.Params.Arguments) != c.args || (err == nil) != (c.kind == 0) || c.kind != 0 && !errors.Is(err, c.kind) {
			t.Errorf("%s %.100s: %+v, %v", c.p, c.raw, got, err)
		}
		if err != nil {
			if len(err.Error()) > 1000 {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
			m, lost := x.Message(got, toolerror.From(got.Name, err).ToolResult())
			answered := rawjson.Valid(string(m)) && len(lost) == 0
			if unknown := got.ID == "" && c.p != provider.Gemini; answered == unknown || unknown && (m != "" || lost[0].Keyword != "id") {
				t.Errorf("%s, %v", m, lost)
			}
		}
	}
	if _, ok := export(t, provider.Gemini, false).AppendCall(nil, provider.Call{Params: protocol.CallToolParams{Name: "none"}}); ok {
		t.Error("a call of nothing")
	}
	if _, ok := export(t, provider.Gemini, false).AppendCall(nil, provider.Call{Params: protocol.CallToolParams{Name: "ping", Arguments: "[]"}}); ok {
		t.Error("arguments that are no object")
	}
	text, _ := export(t, provider.Anthropic, false).AppendCall(nil, provider.Call{ID: "u", Params: protocol.CallToolParams{Name: "ping"}})
	if string(text) != `{"type":"tool_use","id":"u","name":"ping","input":{}}` {
		t.Errorf("%s", text)
	}
	if _, err := new(provider.Exported).Call(`{"name":"x"}`); !errors.Is(err, toolerror.UnknownTool) {
		t.Error(err)
	}
}

// D16: nulls that stand for absent values, because everything is required, are removed
// again; those that the schema allows stay.
func TestStrictNulls(t *testing.T) {
	x := export(t, provider.OpenAIChat, true)
	for args, want := range map[string]string{
		`{"city":"Kyoto","days":null,"unit":null,"lang":null,"tags":null}`: `{"city":"Kyoto","lang":null}`,
		`{"city":null,"other":null,"days":3}`:                              `{"city":null,"other":null,"days":3}`,
	} {
		c, err := x.Call(protocol.Raw(`{"id":"c","function":{"name":` + quote(x, "weather.forecast") + `,"arguments":` + args + `}}`))
		if err != nil || string(c.Params.Arguments) != want {
			t.Errorf("%s: %s, %v", args, c.Params.Arguments, err)
		}
	}
	for args, want := range map[string]string{
		`{"filter":{"name":"a","not":{"name":"b","not":null,"all":null},"all":[{"name":"c","not":null}]},"limit":null,"sort":null,"where":null}`: `{"filter":{"name":"a","not":{"name":"b"},"all":[{"name":"c"}]},"limit":null}`,
	} {
		c, err := x.Call(protocol.Raw(`{"id":"c","function":{"name":` + quote(x, "файлы/найти") + `,"arguments":` + args + `}}`))
		if err != nil || string(c.Params.Arguments) != want {
			t.Errorf("%s: %s, %v", args, c.Params.Arguments, err)
		}
	}
	deep := strings.Repeat(`{"name":"x","not":`, 200) + "null" + strings.Repeat(`}`, 200)
	if c, err := x.Call(protocol.Raw(`{"function":{"name":` + quote(x, "файлы/найти") + `,"arguments":{"filter":` + deep + `}}}`)); err != nil || !rawjson.Valid(string(c.Params.Arguments)) {
		t.Error(err)
	}
	if c, err := export(t, provider.Anthropic, true).Call(`{"id":"c","name":"ping","input":{"a":null}}`); err != nil || c.Params.Arguments != `{"a":null}` {
		t.Error(c, err)
	}
}

func quote(x *provider.Exported, tool string) string {
	name, _ := x.Names.Provider(tool)
	return string(rawjson.AppendQuote(nil, name))
}

// A result in the provider's form: texts, images if accepted, structured content and
// failures; what the provider does not accept is listed.
func TestMessages(t *testing.T) {
	failed := protocol.ErrorResult("no such city")
	rich := &protocol.CallToolResult{
		Content: []protocol.Content{
			protocol.TextContent("see:"), protocol.ImageContent("image/png", []byte{1, 2, 3}), protocol.AudioContent("audio/wav", []byte{1}),
			protocol.LinkContent(protocol.Resource{URI: "a:b", Name: "b"}), protocol.EmbeddedContent(protocol.TextResource("a:c", "", "inner")),
			protocol.EmbeddedContent(protocol.BlobResource("a:d", "", []byte{1})), {Type: "odd"}, protocol.TextContent(""),
		},
		StructuredContent: `{"n":1}`,
	}
	twin := &protocol.CallToolResult{Content: []protocol.Content{protocol.TextContent(`{"n":1}`)}, StructuredContent: ` {"n":1} `}
	text := `see:\n[image image/png left out]\n[audio audio/wav left out]\n[b](a:b)\ninner\n[resource a:d left out]\n[content of type odd left out]\n\n{\"n\":1}`
	for _, c := range []struct {
		p    provider.Provider
		r    *protocol.CallToolResult
		want string
		lost int
	}{
		{provider.OpenAIChat, failed, `{"role":"tool","tool_call_id":"i","content":"Error: no such city"}`, 0},
		{provider.Azure, nil, `{"role":"tool","tool_call_id":"i","content":""}`, 0},
		{provider.OpenAIChat, rich, `{"role":"tool","tool_call_id":"i","content":"` + text + `"}`, 4},
		{provider.OpenAIChat, twin, `{"role":"tool","tool_call_id":"i","content":"{\"n\":1}"}`, 0},
		{provider.OpenAIResponses, failed, `{"type":"function_call_output","call_id":"i","output":"Error: no such city"}`, 0},
		{provider.OpenAIResponses, &protocol.CallToolResult{IsError: true, Content: rich.Content[:2]},
			`{"type":"function_call_output","call_id":"i","output":[{"type":"input_text","text":"Error: "},{"type":"input_text","text":"see:"},{"type":"input_image","image_url":"data:image/png;base64,AQID"}]}`, 0},
		{provider.Anthropic, failed, `{"type":"tool_result","tool_use_id":"i","content":[{"type":"text","text":"no such city"}],"is_error":true}`, 0},
		{provider.Anthropic, nil, `{"type":"tool_result","tool_use_id":"i"}`, 0},
		{provider.Anthropic, &protocol.CallToolResult{Content: append(rich.Content[:2:2], protocol.TextContent(""))},
			`{"type":"tool_result","tool_use_id":"i","content":[{"type":"text","text":"see:"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AQID"}}]}`, 0},
		{provider.Gemini, failed, `{"functionResponse":{"id":"i","name":"n","response":{"error":"no such city"}}}`, 0},
		{provider.Gemini, twin, `{"functionResponse":{"id":"i","name":"n","response":{"output":{"n":1}}}}`, 0},
		{provider.Gemini, &protocol.CallToolResult{Content: append(rich.Content[:2:2], rich.Content[1]), StructuredContent: `{"n":1}`},
			`{"functionResponse":{"id":"i","name":"n","response":{"output":{"n":1},"text":"see:"},"parts":[{"inlineData":{"mimeType":"image/png","data":"AQID"}},{"inlineData":{"mimeType":"image/png","data":"AQID"}}]}}`, 0},
	} {
		got, lost := export(t, c.p, false).Message(provider.Call{ID: "i", Name: "n"}, c.r)
		if string(got) != c.want || len(lost) != c.lost {
			t.Errorf("%s: %s\nwant %s\n%v", c.p, got, c.want, lost)
		}
	}
	_, lost := export(t, provider.Gemini, false).Message(provider.Call{}, rich)
	if len(lost) != 3 || lost[0].Path != "/content/2" || lost[0].Keyword != "audio" {
		t.Error(lost)
	}
	many := &protocol.CallToolResult{Content: make([]protocol.Content, 5000)}
	if m, lost := export(t, provider.Gemini, false).Message(provider.Call{}, many); len(lost) != 1000 || !rawjson.Valid(string(m)) {
		t.Error(len(lost))
	}
}
