package exportcheck_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/protocol/schema/provider"
)

// values draws values that mostly fit a schema.
type values struct {
	*rapid.T
	root any
}

func (d values) draw(s any, depth int) any {
	of, _ := s.(map[string]any)
	if depth == 0 || len(of) == 0 || rapid.IntRange(0, 14).Draw(d.T, "other") == 0 {
		return rapid.SampledFrom([]any{nil, 1.0, 2.5, "a", "", []any{}, map[string]any{}, true, []any{1.0, "a"}, map[string]any{"p0": "a"}}).Draw(d.T, "any")
	}
	if ref, ok := of["$ref"].(string); ok && strings.HasPrefix(ref, "#") {
		at := d.root
		for _, part := range strings.Split(strings.TrimPrefix(ref[1:], "/"), "/") {
			if in, ok := at.(map[string]any); ok && part != "" {
				at = in[part]
			}
		}
		return d.draw(at, depth-1)
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		if list, ok := of[key].([]any); ok && len(list) > 0 && of["properties"] == nil {
			return d.draw(list[rapid.IntRange(0, len(list)-1).Draw(d.T, key)], depth-1)
		}
	}
	if list, ok := of["enum"].([]any); ok && len(list) > 0 {
		return list[rapid.IntRange(0, len(list)-1).Draw(d.T, "enum")]
	}
	if c, ok := of["const"]; ok {
		return c
	}
	t, _ := of["type"].(string)
	if list, ok := of["type"].([]any); ok && len(list) > 0 {
		t, _ = list[rapid.IntRange(0, len(list)-1).Draw(d.T, "type")].(string)
	}
	if t == "" {
		for key, implied := range map[string]string{"properties": "object", "items": "array", "prefixItems": "array", "pattern": "string", "minimum": "number"} {
			if of[key] != nil {
				t = implied
			}
		}
	}
	switch t {
	case "object":
		o := map[string]any{}
		properties, _ := of["properties"].(map[string]any)
		required, _ := of["required"].([]any)
		for _, name := range slices.Sorted(func(yield func(string) bool) {
			for name := range properties {
				if !yield(name) {
					return
				}
			}
		}) {
			if slices.Contains(required, any(name)) || rapid.Bool().Draw(d.T, "member") {
				o[name] = d.draw(properties[name], depth-1)
			}
		}
		if rapid.IntRange(0, 9).Draw(d.T, "more") == 0 {
			o["zz"] = 1.0
		}
		return o
	case "array":
		list := []any{}
		prefix, _ := of["prefixItems"].([]any)
		for i := range rapid.IntRange(0, 3).Draw(d.T, "elements") {
			if i < len(prefix) {
				list = append(list, d.draw(prefix[i], depth-1))
			} else {
				list = append(list, d.draw(of["items"], depth-1))
			}
		}
		return list
	case "string":
		return rapid.SampledFrom([]string{"", "a", "aa", "b", "ab", "x", "A", "2024-02-29T10:00:00Z", "/x.x"}).Draw(d.T, "text")
	case "null":
		return nil
	case "boolean":
		return rapid.Bool().Draw(d.T, "truth")
	}
	return rapid.SampledFrom([]float64{0, 1, -1, 2, 2.5, 7, 1000}).Draw(d.T, "number")
}

// schemaOf returns the schema of the one tool of an export.
func schemaOf(t fataler, x *provider.Exported) string {
	var tools []map[string]json.RawMessage
	if err := json.Unmarshal([]byte(x.Tools), &tools); err != nil {
		t.Fatalf("%v", err)
	}
	for _, key := range []string{"function", "functionDeclarations"} {
		if in := tools[0][key]; in != nil {
			if err := json.Unmarshal([]byte("["+strings.Trim(string(in), "[]")+"]"), &tools); err != nil {
				return ""
			}
		}
	}
	for _, key := range []string{"parameters", "input_schema", "parametersJsonSchema"} {
		if in := tools[0][key]; in != nil {
			return string(in)
		}
	}
	return ""
}

// call is a call of the one tool, as the provider would send it.
func call(t fataler, m mode, x *provider.Exported, arguments string) protocol.CallToolParams {
	name, _ := x.Names.Provider("t")
	raw := `{"id":"i","call_id":"i","name":"` + name + `","arguments":` + arguments + `,"input":` + arguments + `,"args":` + arguments + `}`
	if m.p == provider.OpenAIChat || m.p == provider.Azure {
		raw = `{"id":"i","function":` + raw + `}`
	}
	c, err := x.Call(protocol.Raw(raw))
	if err != nil {
		t.Fatalf("%v", err)
	}
	return c.Params
}

// If nothing is lost, what fits the exported schema fits the tool's, after Call has
// removed what the provider added. If nothing is narrower, what fits the tool's schema
// fits the exported one, unless that is strict.
func TestNothingIsLostInSilence(t *testing.T) {
	fits, misfits := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		input := generator{t}.root()
		in, faults := schema.CompileLenient(jsonrpc.Raw(input))
		m := rapid.SampledFrom([]mode{modes[0], modes[1], modes[5], modes[6], modes[7], modes[9]}).Draw(t, "mode")
		x, err := provider.Export(m.p, []protocol.Tool{{Name: "t", InputSchema: protocol.Raw(input)}}, m.o)
		if err != nil {
			t.Fatal(err)
		}
		text := schemaOf(t, x)
		if text == "" || strings.Contains(text, `"OBJECT"`) {
			return // in the dialect of Gemini
		}
		out, err := schema.Compile(jsonrpc.Raw(text))
		if err != nil {
			if strings.Contains(text, `"pattern`) || strings.Contains(text, "dependencies") || strings.Contains(text, `"$ref":`) {
				return // unchecked by package schema
			}
			t.Fatalf("%v\n%s\nof %s", err, text, input)
		}
		is := func(a ...provider.Action) func(provider.Loss) bool {
			return func(l provider.Loss) bool { return slices.Contains(a, l.Action) }
		}
		lossless := !slices.ContainsFunc(x.Lost, is(provider.LeftOut, provider.Widened))
		wider := len(faults) == 0 && len(schema.Ignored(jsonrpc.Raw(input))) == 0 && !strings.Contains(text, `"additionalProperties":false`) && !slices.ContainsFunc(x.Lost, is(provider.Narrowed))
		var from, to any
		_, _ = json.Unmarshal([]byte(input), &from), json.Unmarshal([]byte(text), &to)
		if root, _ := from.(map[string]any); root["type"] != "object" {
			return // it is one all the same
		}
		for i := range 6 {
			d := values{t, to}
			if i%2 == 1 {
				d.root = from
			}
			v, ok := d.draw(d.root, 5).(map[string]any)
			if !ok {
				continue
			}
			b, _ := json.Marshal(v)
			if i%2 == 0 && lossless && out.Validate(jsonrpc.Raw(b)) == nil {
				arguments := call(t, m, x, string(b)).Arguments
				if err := in.Validate(arguments); err != nil {
					t.Fatalf("%s %+v: %s is given as %s: %v\n%s\nof %s\n%v", m.p, m.o, b, arguments, err, text, input, x.Lost)
				}
				fits++
			}
			if i%2 == 1 && wider && in.Validate(jsonrpc.Raw(b)) == nil {
				c := provider.Call{ID: "i", Params: protocol.CallToolParams{Name: "t", Arguments: protocol.Raw(b)}}
				c.Params.Arguments = sent(t, m, x, c)
				if err := out.Validate(c.Params.Arguments); err != nil {
					t.Fatalf("%s %+v: %s is not taken: %v\n%s\nof %s\n%v", m.p, m.o, b, err, text, input, x.Lost)
				}
				misfits++
			}
		}
	})
	t.Log(strconv.Itoa(fits) + " values that fit what went out, " + strconv.Itoa(misfits) + " that fit the tool")
}

// sent returns arguments as in a history.
func sent(t fataler, m mode, x *provider.Exported, c provider.Call) protocol.Raw {
	text, ok := x.AppendCall(nil, c)
	if !ok {
		t.Fatalf("no call of %s", c.Params.Arguments)
	}
	var v struct {
		Function, FunctionCall struct{ Arguments, Args json.RawMessage }
		Input, Arguments       json.RawMessage
	}
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%v", err)
	}
	for _, raw := range []json.RawMessage{v.Function.Arguments, v.FunctionCall.Args, v.Input, v.Arguments} {
		if raw == nil {
			continue
		}
		var s string
		if json.Unmarshal(raw, &s) == nil {
			return protocol.Raw(s)
		}
		return protocol.Raw(raw)
	}
	return ""
}
