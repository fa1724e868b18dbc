package provider_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/protocol/schema/provider"
)

var update = flag.Bool("update", false, "write the golden files")

var providers = []provider.Provider{provider.OpenAIChat, provider.OpenAIResponses, provider.Azure, provider.Anthropic, provider.Gemini}

// layout writes JSON with a line for each member and element of the outer levels.
func layout(raw string, depth int) string {
	pad := strings.Repeat("  ", depth)
	if len(raw) < 100 {
		return compact(raw)
	}
	var lines []string
	switch raw[0] {
	case '{':
		o, _ := rawjson.Members(raw)
		for {
			name, val, more := o.Next()
			if !more {
				break
			}
			lines = append(lines, pad+"  "+string(rawjson.AppendQuote(nil, name))+": "+layout(val, depth+1))
		}
		return "{\n" + strings.Join(lines, ",\n") + "\n" + pad + "}"
	case '[':
		a, _ := rawjson.Elements(raw)
		for {
			val, more := a.Next()
			if !more {
				break
			}
			lines = append(lines, pad+"  "+layout(val, depth+1))
		}
		return "[\n" + strings.Join(lines, ",\n") + "\n" + pad + "]"
	}
	return raw
}

func compact(raw string) string {
	var b strings.Builder
	for line := range strings.Lines(raw) {
		b.WriteString(strings.TrimSpace(line))
	}
	return b.String()
}

// A16, D16: a realistic list for each provider, strict and not, with what is lost, in golden files;
// the bytes are the same each time.
func TestGolden(t *testing.T) {
	for _, p := range providers {
		for _, strict := range []bool{false, true} {
			x, err := provider.Export(p, realistic, provider.Options{Strict: strict})
			if err != nil {
				t.Fatal(err)
			}
			again, _ := provider.Export(p, realistic, provider.Options{Strict: strict})
			if again.Tools != x.Tools || !slices.Equal(again.Lost, x.Lost) || !rawjson.Valid(string(x.Tools)) {
				t.Errorf("%s: not the same again, or not JSON: %s", p, x.Tools)
			}
			got := layout(string(x.Tools), 0) + "\n"
			for _, l := range x.Lost {
				got += fmt.Sprintf("lost: %s %s %s: %s\n", l.Tool, l.Path, l.Keyword, l.Action)
			}
			name := p.String()
			if strict {
				name += "-strict"
			}
			file := filepath.Join("testdata", name+".txt")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil || string(want) != got {
				t.Errorf("%s: %v\n%s", file, err, got)
			}
		}
	}
}

// A17: providers are found by name in any letter case; the error reports any other name.
// A18: no second function panics instead.
func TestNamed(t *testing.T) {
	for _, p := range providers {
		got, err := provider.Named(strings.ToUpper(p.String()))
		if got != p || err != nil {
			t.Errorf("%s: %v, %v", p, got, err)
		}
	}
	for _, name := range []string{"", "none", "open ai", strings.Repeat("é", 1000)} {
		_, err := provider.Named(name)
		var unsupported *provider.UnsupportedError
		if !errors.As(err, &unsupported) || len(err.Error()) > 300 || !strings.Contains(err.Error(), "gemini") {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, p := range []provider.Provider{0, 6, 255} {
		if x, err := provider.Export(p, nil, provider.Options{}); x != nil || !errors.As(err, new(*provider.UnsupportedError)) || p.String() != "" {
			t.Errorf("%d: %v %v", p, x, err)
		}
	}
}

// A19: no helper changes the options object of an SDK for Azure. The tools are the JSON
// that such an object accepts, in the shape of OpenAI.
func TestAzureIsJSON(t *testing.T) {
	azure, err := provider.Export(provider.Azure, realistic, provider.Options{})
	chat, _ := provider.Export(provider.OpenAIChat, realistic, provider.Options{})
	if err != nil || azure.Tools != chat.Tools {
		t.Error(azure.Tools)
	}
	long := []protocol.Tool{{Name: "t", Description: strings.Repeat("é", 600), InputSchema: `{"type":"object"}`}}
	azure, _ = provider.Export(provider.Azure, long, provider.Options{})
	for extra := range 2 {
		x, _ := provider.Export(provider.Azure, []protocol.Tool{{Name: "t", Description: strings.Repeat("x", 1024+extra)}}, provider.Options{})
		if len(x.Lost) != extra || extra == 1 && x.Lost[0].Action != provider.Shortened {
			t.Error(x.Lost)
		}
	}
	if len(azure.Lost) != 1 || azure.Lost[0].Keyword != "description" || strings.Contains(string(azure.Tools), "\ufffd") {
		t.Errorf("%v", azure.Lost)
	}
}

// D16: in a strict schema for OpenAI every property is required at every depth, every object is closed,
// and optional properties may be null.
func TestStrictRequiresAll(t *testing.T) {
	x, err := provider.Export(provider.OpenAIResponses, realistic, provider.Options{Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	objects := 0
	var look func(raw string)
	look = func(raw string) {
		if typ, _ := rawjson.Get(raw, "type"); strings.Contains(typ, `"object"`) {
			objects++
			properties, _ := rawjson.Get(raw, "properties")
			required, _ := rawjson.Get(raw, "required")
			closed, _ := rawjson.Get(raw, "additionalProperties")
			var names []string
			for name := range members(properties) {
				names = append(names, string(rawjson.AppendQuote(nil, name)))
			}
			if got := "[" + strings.Join(names, ",") + "]"; got != required || closed != "false" {
				t.Errorf("%s requires %s, closed %s", raw, required, closed)
			}
		}
		for _, val := range members(raw) {
			look(val)
		}
		a, _ := rawjson.Elements(raw)
		for {
			val, more := a.Next()
			if !more {
				break
			}
			look(val)
		}
	}
	tools, _ := rawjson.Elements(string(x.Tools))
	for {
		tool, more := tools.Next()
		if !more {
			break
		}
		if strict, _ := rawjson.Get(tool, "strict"); strict == "true" {
			look(tool)
		}
	}
	if objects < 5 {
		t.Errorf("only %d objects", objects)
	}
	tools, _ = rawjson.Elements(string(x.Tools))
	first, _ := tools.Next()
	parameters, _ := rawjson.Get(first, "parameters")
	if err := (schema.Basic{}).Validate(protocol.Raw(parameters), `{"city":"Kyoto","days":null,"unit":null,"at":null,"lang":null,"tags":null}`); err != nil {
		t.Error(err)
	}
}

// first keeps its first argument.
func first(kept *string, s string) string {
	if *kept == "" {
		*kept = s
	}
	return *kept
}

func members(raw string) func(func(string, string) bool) {
	return func(yield func(string, string) bool) {
		o, _ := rawjson.Members(raw)
		for {
			name, val, more := o.Next()
			if !more || !yield(name, val) {
				return
			}
		}
	}
}

// A16: any names are mapped one to one into what the provider allows.
func TestNames(t *testing.T) {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
	odd := rapid.OneOf(rapid.SampledFrom([]string{"", "-", "0", "9tool", "a.b", "a/b", "a_b", "a b", "\xff", "\xfe", "\ufffd", "é", "日本", "mcp.server.tool",
		strings.Repeat("x", 64), strings.Repeat("x", 65), strings.Repeat("x", 66), "tool"}), rapid.String(), rapid.StringMatching(`[a-z_.-]{1,80}`))
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom(providers).Draw(t, "provider")
		list := rapid.SliceOfNDistinct(odd, 0, 20, rapid.ID[string]).Draw(t, "names")
		// Mapped names are names too.
		for _, name := range list {
			one, err := provider.NewNames(p, []string{name})
			if err != nil {
				t.Fatal(err)
			}
			if to, _ := one.Provider(name); rapid.Bool().Draw(t, "taken") && !slices.Contains(list, to) {
				list = append(list, to)
			}
		}
		n, err := provider.NewNames(p, list)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]string{}
		for _, name := range list {
			to, ok := n.Provider(name)
			back, known := n.Tool(to)
			if !ok || !known || back != name || len(to) > 64 || to == "" || strings.Trim(to, letters) != "" && p != provider.Gemini || strings.Trim(to, letters+".") != "" {
				t.Fatalf("%q to %q to %q", name, to, back)
			}
			if p == provider.Gemini && strings.ContainsRune("-.0123456789", rune(to[0])) {
				t.Fatalf("%q starts with what Gemini refuses", to)
			}
			if other, taken := seen[to]; taken {
				t.Fatalf("%q and %q are both %q", name, other, to)
			}
			seen[to] = name
			if _, ok := n.Tool(name + "?"); ok {
				t.Fatal("a name of nothing")
			}
		}
		if _, err := provider.NewNames(p, append(list, list...)); len(list) > 0 && !errors.As(err, new(*provider.NameError)) {
			t.Fatal(err)
		}
	})
	n, _ := provider.NewNames(provider.Anthropic, []string{"mcp.server.tool", "mcp_server_tool"})
	var kept string
	if to, _ := n.Provider("mcp_server_tool"); to != "mcp_server_tool" {
		t.Error(to)
	}
	if to, _ := n.Provider("mcp.server.tool"); !strings.HasPrefix(to, "mcp_server_tool_") || len(to) != len("mcp_server_tool_")+13 {
		t.Error(to)
	}
	// 34: a hash is added only to a conflicting or too long name.
	for _, c := range []struct {
		p          provider.Provider
		name, want string
	}{
		{provider.Anthropic, "mcp.server.tool", "mcp_server_tool"}, {provider.OpenAIChat, "a/b c", "a_b_c"}, {provider.Gemini, "mcp.server.tool", "mcp.server.tool"},
		{provider.Anthropic, "a0-9Zz_", "a0-9Zz_"}, {provider.OpenAIChat, "0", "0"}, {provider.Gemini, "a0-9.Zz_", "a0-9.Zz_"}, {provider.Gemini, "a^b@[`{", "a_b____"}, {provider.Gemini, "9.a", "_9.a"}, {provider.Gemini, strings.Repeat("9", 64), "_" + strings.Repeat("9", 63)}, {provider.OpenAIChat, "9-a", "9-a"}, {provider.Azure, "", "tool"}, {provider.OpenAIResponses, "日本", "tool"},
		{provider.Anthropic, strings.Repeat("a.", 32), strings.Repeat("a_", 32)},
	} {
		n, _ := provider.NewNames(c.p, []string{"other", c.name})
		if to, _ := n.Provider(c.name); to != c.want {
			t.Errorf("%s: %q is %q, want %q", c.p, c.name, to, c.want)
		}
	}
	for _, list := range [][]string{{"a.b", "a/b"}, {"a/b", "a.b"}} { // in any order
		n, _ := provider.NewNames(provider.Anthropic, list)
		one, _ := n.Provider("a.b")
		other, _ := n.Provider("a/b")
		if one != "a_b_"+one[4:] || other != "a_b_"+other[4:] || one == other || len(one) != 17 || one != first(&kept, one) {
			t.Error(one, other)
		}
	}
	if _, err := provider.Export(provider.Gemini, []protocol.Tool{{Name: "a"}, {Name: "a"}}, provider.Options{}); err == nil || !strings.Contains(err.Error(), `"a"`) {
		t.Error(err)
	}
}

// Nothing is left out that Lost does not name: each keyword of a schema is in what goes out, in its
// own or the provider's spelling, or is lost.
func TestNothingIsDroppedSilently(t *testing.T) {
	keywords := map[string]string{
		"minLength": "1", "maxLength": "9", "pattern": `"a"`, "format": `"date"`, "minimum": "1", "exclusiveMaximum": "9", "multipleOf": "2", "minItems": "1",
		"uniqueItems": "true", "contains": "{}", "minProperties": "1", "propertyNames": "{}", "patternProperties": "{}", "not": "{}", "if": "{}",
		"dependentRequired": "{}", "unevaluatedProperties": "false", "examples": "[1]", "title": `"t"`, "default": "1", "deprecated": "true", "x-own": "1",
		"$comment": `"c"`, "oneOf": `[{"type":"string"}]`, "allOf": `[{"minimum":1},{"maximum":2}]`, "prefixItems": "[{}]", "$anchor": `"a"`,
	}
	for keyword, val := range keywords {
		input := protocol.Raw(`{"type":"object","properties":{"a":{"type":["string","number","array"],"items":{"type":"string"},` + string(rawjson.AppendQuote(nil, keyword)) + `:` + val + `}}}`)
		for _, p := range providers {
			x, err := provider.Export(p, []protocol.Tool{{Name: "t", InputSchema: input}}, provider.Options{Strict: true})
			if err != nil {
				t.Fatal(err)
			}
			kept := strings.Contains(string(x.Tools), string(rawjson.AppendQuote(nil, keyword))+":"+val)
			lost := slices.ContainsFunc(x.Lost, func(l provider.Loss) bool {
				return l.Tool == "t" && l.Path == "/properties/a" && l.Keyword == keyword && l.Action != "" && l.Action != provider.NotStrict
			})
			if says := keyword == "$comment" || keyword == "$anchor"; says && !kept && !lost || keyword == "unevaluatedProperties" && !lost && p != provider.Gemini {
				continue // it says nothing of values, or what is there in any case
			}
			if keyword == "allOf" { // it is merged
				kept = strings.Contains(string(x.Tools), `"minimum":1,"maximum":2`)
				lost = slices.ContainsFunc(x.Lost, func(l provider.Loss) bool { return l.Keyword == "minimum" && l.Path == "/properties/a/allOf/0" })
			}
			if kept == lost {
				t.Errorf("%s for %s: kept %v, lost %v: %s", keyword, p, kept, lost, x.Tools)
			}
		}
	}
}
