package schemasuite_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/conformance/schemasuite"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/server"
)

type listed struct{ Input, Output json.RawMessage }

func toolLists(t *testing.T, file string) (lists [][]listed) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var tools []listed
		if err := json.Unmarshal([]byte(line), &tools); err != nil {
			t.Fatal(err)
		}
		lists = append(lists, tools)
	}
	return lists
}

// A catalog with Lenient accepts every list of a public server; what Basic refuses is
// listed, and so is everything unchecked. Checks are correct: the values
// that a schema suggests, and similar ones, have the verdict of a complete implementation.
func TestToolLists(t *testing.T) {
	var unchecked strings.Builder
	public := toolLists(t, "testdata/tools/lists.jsonl")
	if len(public) < 70 {
		t.Errorf("%d lists", len(public))
	}
	tools, refused, compared := 0, 0, 0
	for i, list := range append(public, toolLists(t, "testdata/tools/forms.jsonl")...) {
		items := server.Items{Schemas: schema.Lenient{}}
		for k, tool := range list {
			tools++
			items.Tools = append(items.Tools, protocol.Tool{Name: "t" + strconv.Itoa(k), InputSchema: jsonrpc.Raw(tool.Input)})
			for side, raw := range map[string]json.RawMessage{"input": tool.Input, "output": tool.Output} {
				if raw == nil {
					continue
				}
				where := fmt.Sprintf("list %d, tool %d, %s", i+1, k+1, side)
				lenient, faults := schema.CompileLenient(jsonrpc.Raw(raw))
				for _, f := range faults {
					if f.Keyword == schema.KeywordLimit {
						t.Errorf("%s: %v", where, f)
					}
					fmt.Fprintf(&unchecked, "%s: refused: %s%s\n", where, f.Path, reason(f))
				}
				if len(faults) > 0 {
					refused++
				}
				ignored := schema.Ignored(jsonrpc.Raw(raw))
				for _, at := range ignored {
					fmt.Fprintf(&unchecked, "%s: ignored: %s\n", where, at)
				}
				compared += compare(t, where, raw, lenient, len(faults)+len(ignored) == 0)
			}
		}
		if _, err := server.NewCatalog(items); err != nil {
			t.Errorf("list %d: %v", i+1, err)
		}
	}
	t.Logf("%d lists, %d tools, %d schemas refused by Basic, %d verdicts compared", len(public), tools, refused, compared)
	if compared < 10*tools {
		t.Error("too few")
	}
	golden(t, "testdata/tools/unchecked.txt", unchecked.String())
}

func reason(f schema.Fault) string {
	if f.Dialect == "" {
		return ""
	}
	return ", dialect " + f.Dialect
}

// compare compares the verdicts on some values with those of a complete implementation, if
// it can use the schema, and returns their number.
func compare(t *testing.T, where string, raw json.RawMessage, s schema.Schema, all bool) (compared int) {
	// The oracle checks formats in drafts before 2019-09, which this package does only on request.
	full, err := schemasuite.Compile(jsonrpc.Raw(strings.ReplaceAll(string(raw), `"format":`, `"x-format":`)), false)
	if err != nil {
		if all && !strings.Contains(string(raw), `"exclusiveM`) && !strings.Contains(string(raw), `"items":[`) && !strings.Contains(string(raw), `"required":true`) {
			t.Errorf("%s: %v", where, err)
		}
		return 0
	}
	var doc any
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	for seed := range 20 {
		value := rapid.Custom(func(t *rapid.T) string { return suggested{t, doc}.value(doc, 5) }).Example(seed)
		got, want := s.Validate(jsonrpc.Raw(value)), full.Validate(jsonrpc.Raw(value))
		var f schema.Fault
		if errors.As(got, &f) && !leads(string(raw), f.SchemaPath) {
			t.Errorf("%s: %q leads nowhere", where, f.SchemaPath)
		}
		if got != nil && want == nil || all && got == nil && want != nil {
			t.Errorf("%s: %s: %v, want %v\n%s", where, value, got, want, raw)
		}
		compared++
	}
	return compared
}

// suggested draws values that mostly satisfy a schema.
type suggested struct {
	*rapid.T
	root any
}

func (d suggested) value(s any, depth int) string {
	of, _ := s.(map[string]any)
	if depth == 0 || rapid.IntRange(0, 19).Draw(d.T, "other") == 0 {
		return rapid.SampledFrom([]string{"null", "1", `"v1"`, "[]", "{}", "-0.5", "true"}).Draw(d.T, "any")
	}
	if ref, ok := of["$ref"].(string); ok && strings.HasPrefix(ref, "#/") {
		at := d.root
		for _, part := range strings.Split(ref[2:], "/") {
			in, _ := at.(map[string]any)
			at = in[part]
		}
		return d.value(at, depth-1)
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		if list, ok := of[key].([]any); ok && len(list) > 0 {
			return d.value(list[rapid.IntRange(0, len(list)-1).Draw(d.T, key)], depth)
		}
	}
	if list, ok := of["enum"].([]any); ok && len(list) > 0 {
		return text(list[rapid.IntRange(0, len(list)-1).Draw(d.T, "enum")])
	}
	if c, ok := of["const"]; ok {
		return text(c)
	}
	switch of["type"] {
	case "object":
		properties, _ := of["properties"].(map[string]any)
		need, _ := of["required"].([]any)
		var members []string
		for i := range len(properties) + 1 {
			name := "m" + strconv.Itoa(i+1)
			for _, n := range need {
				if rapid.IntRange(0, 9).Draw(d.T, "need") > 0 && i == 0 {
					members = append(members, text(n)+":"+d.value(properties[n.(string)], depth-1))
				}
			}
			if p, ok := properties[name]; ok && rapid.Bool().Draw(d.T, "member") {
				members = append(members, `"`+name+`":`+d.value(p, depth-1))
			}
		}
		return "{" + strings.Join(members, ",") + "}"
	case "array":
		var list []string
		for range rapid.IntRange(0, 3).Draw(d.T, "elements") {
			list = append(list, d.value(of["items"], depth-1))
		}
		return "[" + strings.Join(list, ",") + "]"
	case "string":
		return rapid.SampledFrom([]string{`"v1"`, `""`, `"2024-02-29T10:00:00Z"`, `"2024-02-29"`, `"a@example.com"`, `"1.5"`, `"abcdef0123456789"`, `"a b"`, `"123e4567-e89b-12d3-a456-426614174000"`}).Draw(d.T, "text")
	case "boolean":
		return rapid.SampledFrom([]string{"true", "false"}).Draw(d.T, "boolean")
	case "null":
		return "null"
	}
	return rapid.SampledFrom([]string{"1", "0", "-1", "100", "1.5", "9007199254740993"}).Draw(d.T, "number")
}

func text(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}
