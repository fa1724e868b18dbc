package provider_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema/provider"
)

// 32: exactly the features of a regular expression that a provider refuses are found.
func TestPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern                 string
		openai, anthropic, free bool // kept by strict OpenAI, strict Anthropic, Anthropic not strict
	}{
		{`^[a-z]+$`, true, true, true}, {`^[^/()?=]*(?:a|b)?\.x{1,2}$`, true, true, true}, {`^\d+$`, true, true, true}, {`(a)+(b)*`, true, true, true}, {`[a]{2}`, true, true, true}, {`x|y+`, true, true, true}, {`a{2}{3}`, false, false, false}, {`a{2}b{3,}`, true, true, true}, {`[(?=]`, false, false, true}, {`\(\?=`, true, true, true},
		{`(?=a)b`, false, false, true}, {`(?!a)b`, false, false, true}, {`(?<=a)b`, false, false, true}, {`(?<!a)b`, false, false, true},
		{`(a)\1`, false, false, true}, {`\bx`, false, false, true}, {`x\B`, false, false, true}, {`[\b]`, false, false, true},
		{`\p{L}`, false, false, true}, {`(?<n>a)`, false, false, true}, {`(?i)a`, false, false, true}, {`\u{41}`, false, false, true}, {`\u0041\x41`, true, true, true},
		{`a{1,100}`, true, true, true}, {`a{1,101}`, true, false, true}, {`a{1000,}`, true, false, true}, {`a{0100}`, true, true, true},
		{`(`, false, false, false}, {`)`, false, false, false}, {`[a`, false, false, false}, {`a\`, false, false, false}, {`*a`, false, false, false}, {`a**`, false, false, false},
		{`a|*`, false, false, false}, {`{2}`, false, false, false}, {`a{,3}`, false, false, false}, {`a{x}`, false, false, false}, {`\u00`, false, false, false}, {`\xg0`, false, false, false},
		{`(a)(b)`, true, true, true}, {`(a))`, false, false, false}, {`)(`, false, false, false}, {`\9`, false, false, true}, {`(a)\k<a>`, false, false, true}, {`a+?b*?c??d{2}?`, true, true, true}, {``, true, true, true}, {`[]a]`, false, false, true}, {`[^]`, false, false, true}, {`[^a]]`, true, true, true}, {`\A`, false, false, true},
	} {
		in := `{"type":"string","pattern":` + string(rawjson.AppendQuote(nil, c.pattern)) + `}`
		for i, want := range []bool{c.openai, c.anthropic, c.free} {
			p, strict := []provider.Provider{provider.OpenAIChat, provider.Anthropic, provider.Anthropic}[i], i < 2
			got, _, lost := property(t, p, provider.Options{Strict: strict}, in)
			if kept := strings.Contains(got, `"pattern"`); kept != want || kept != (lost == "") {
				t.Errorf("%q for %s, strict %v: kept %v, lost %q", c.pattern, p, strict, kept, lost)
			}
		}
	}
}

func repeated(format string, n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(format, i))
	}
	return strings.Join(list, ",")
}

// 32: exactly at a limit of one schema a tool is strict, one above it is not, and the Loss says which.
func TestLimitsOfTools(t *testing.T) {
	object := func(properties string) string { return `{"type":"object","properties":{` + properties + `}}` }
	levels := func(n int) string {
		return strings.Repeat(`{"type":"object","properties":{"a":`, n) + `{"type":"string"}` + strings.Repeat(`}}`, n)
	}
	for _, c := range []struct {
		p    provider.Provider
		what string
		at   func(extra int) string
	}{
		{provider.OpenAIChat, "levels", func(x int) string { return levels(10 + x) }},
		{provider.OpenAIResponses, "levels", func(x int) string {
			return object(`"a":{"$ref":"#/$defs/b"}`)[:len(object(`"a":{"$ref":"#/$defs/b"}`))-1] + `,"$defs":{"b":` + levels(9+x) + `}}`
		}},
		{provider.OpenAIChat, "levels", func(x int) string {
			return object(`"a":` + strings.Repeat(`{"type":"array","items":`, 9+x) + `{"type":"string"}` + strings.Repeat("}", 9+x))
		}},
		{provider.OpenAIChat, "levels", func(x int) string {
			return object(`"a":{"type":["object","array"],"properties":{"b":` + levels(8+x) + `},"items":{"type":"array","items":{"type":"null"}}}`)
		}},
		{provider.OpenAIChat, "levels", func(x int) string { // the elements are nested deeper than the members, which are absent
			return object(`"a":{"type":["array","object"],"properties":{},"additionalProperties":false,"items":` + strings.Repeat(`{"type":"array","items":`, 8+x) + `{"type":"null"}` + strings.Repeat("}", 8+x) + `}`)
		}},
		{provider.Azure, "levels", func(x int) string { return levels(5 + x) }},
		{provider.OpenAIChat, "properties", func(x int) string { return object(repeated(`"%d":{"type":"null"}`, 5000+x)) }},
		{provider.Azure, "properties", func(x int) string { return object(repeated(`"%d":{"type":"null"}`, 100+x)) }},
		{provider.OpenAIChat, "enum", func(x int) string {
			return object(`"a":{"type":"integer","enum":[` + repeated("%d", 500) + `]},"b":{"type":["integer","null"],"enum":[` + repeated("%d", 498+x) + `,null]}`)
		}},
		{provider.OpenAIChat, "enum", func(x int) string {
			return object(`"a":{"enum":[` + repeated(`"%03d"`, 249) + `,"` + strings.Repeat("é", 14_249+x) + `",null]}`)
		}},
		{provider.OpenAIChat, "enum", func(x int) string { // within alternatives, elements and definitions
			return `{"type":"object","properties":{"a":{"anyOf":[{"enum":[` + repeated("%d", 300) + `]},{"type":"array","items":{"enum":[` + repeated("%d", 300) + `]}}]},"b":{"$ref":"#/$defs/d"}},"$defs":{"d":{"enum":[` + repeated("%d", 400+x) + `]}}}`
		}},
		{provider.Azure, "properties", func(x int) string {
			return object(`"a":{"anyOf":[` + object(repeated(`"%d":{"type":"null"}`, 50)) + `,{"type":"array","items":` + object(repeated(`"%d":{"type":"null"}`, 49+x)) + `}]}`)
		}},
		{provider.OpenAIChat, "enum", func(x int) string {
			return object(`"a":{"enum":[` + repeated(`"%03d"`, 248+x) + `,"` + strings.Repeat("x", 30_000) + `",null]}`)
		}},
		{provider.Azure, "enum", func(x int) string {
			return object(`"a":{"enum":[` + repeated(`"%03d"`, 249) + `,"` + strings.Repeat("x", 6749+x) + `",null]}`)
		}},
		{provider.Azure, "enum", func(x int) string { return object(`"a":{"enum":[` + repeated("%d", 499+x) + `,null]}`) }},
		{provider.OpenAIChat, "length", func(x int) string {
			return object(`"` + strings.Repeat("é", 120_000-1-4+x) + `":{"type":"null","const":null},"b":{"type":"null"}`)
		}},
		{provider.Azure, "length", func(x int) string { return object(`"` + strings.Repeat("n", 15_000+x) + `":{"type":"null"}`) }},
	} {
		for extra := range 2 {
			_, strict, lost := written(t, c.p, provider.Options{Strict: true}, c.at(extra))
			want := provider.Loss{Tool: "t", Keyword: c.what, Action: provider.NotStrict}
			if strict != (extra == 0) || slices.Contains(lost, want) == strict {
				t.Errorf("%s, %s, %d above: strict %v, lost %v", c.p, c.what, extra, strict, lost)
			}
		}
	}
}

// 32: the strict tools of one request are the first that fit its limits, each
// limit by itself; a tool that needs nothing of an exhausted limit is still strict.
func TestLimitsOfRequests(t *testing.T) {
	strict := func(inputs ...string) (at []int, keywords []string) {
		var tools []protocol.Tool
		for i, in := range inputs {
			tools = append(tools, protocol.Tool{Name: fmt.Sprint("t", i), InputSchema: protocol.Raw(in)})
		}
		x, err := provider.Export(provider.Anthropic, tools, provider.Options{Strict: true})
		if err != nil {
			t.Fatal(err)
		}
		list, _ := rawjson.Elements(string(x.Tools))
		for i := 0; ; i++ {
			tool, more := list.Next()
			if !more {
				break
			}
			if _, is := rawjson.Get(tool, "strict"); is {
				at = append(at, i)
			}
		}
		for _, l := range x.Lost {
			keywords = append(keywords, l.Tool+" "+l.Keyword)
		}
		return at, keywords
	}
	optional := func(n int) string {
		return `{"type":"object","properties":{` + repeated(`"p%d":{"type":"string"}`, n) + `}}`
	}
	union := func(n int) string {
		return `{"type":"object","properties":{` + repeated(`"p%d":{"type":["string","null"]}`, n) + `},"required":[` + repeated(`"p%d"`, n) + `]}`
	}
	plain := optional(0)
	if at, lost := strict(slices.Repeat([]string{plain}, 22)...); len(at) != 20 || !slices.Equal(lost, []string{"t20 strict", "t21 strict"}) {
		t.Error(at, lost)
	}
	if at, lost := strict(optional(20), optional(4), optional(1), plain); !slices.Equal(at, []int{0, 1, 3}) || !slices.Equal(lost, []string{"t2 optional"}) {
		t.Error(at, lost)
	}
	if at, lost := strict(union(9), union(8), union(7), optional(24)); !slices.Equal(at, []int{0, 2, 3}) || !slices.Equal(lost, []string{"t1 anyOf"}) {
		t.Error(at, lost)
	}
}

// 32: tools beyond the maximum of a request are omitted, also from the names; the others keep theirs.
func TestNumberOfTools(t *testing.T) {
	var tools []protocol.Tool
	for i := range 130 {
		tools = append(tools, protocol.Tool{Name: fmt.Sprint("t", i)})
	}
	for p, most := range map[provider.Provider]int{provider.OpenAIChat: 128, provider.OpenAIResponses: 128, provider.Azure: 128, provider.Gemini: 128, provider.Anthropic: 130} {
		for _, n := range []int{128, 130} {
			x, err := provider.Export(p, tools[:n], provider.Options{})
			if err != nil || strings.Count(string(x.Tools), `"name"`) != min(n, most) || len(x.Lost) != max(n-most, 0) {
				t.Errorf("%s, %d: %d, %v, %v", p, n, strings.Count(string(x.Tools), `"name"`), x.Lost, err)
				continue
			}
			_, known := x.Names.Tool("t129")
			if _, first := x.Names.Tool("t127"); !first || known != (n == 130 && most == 130) {
				t.Errorf("%s, %d: names %v %v", p, n, first, known)
			}
			if len(x.Lost) > 0 && x.Lost[0] != (provider.Loss{Tool: "t128", Keyword: "tools", Action: provider.LeftOut}) {
				t.Error(x.Lost)
			}
		}
	}
}

// At most 10,000 schemas are written for one tool; a strict tool with more is not strict.
func TestSchemasAreBounded(t *testing.T) {
	for extra := range 2 {
		input := `{"type":"object","properties":{"a":{"type":"object","properties":{` + repeated(`"%d":{"type":"null"}`, 9998+extra) + `}}}}`
		for _, p := range providers {
			got, _, lost := written(t, p, provider.Options{}, input)
			over := slices.Contains(lost, provider.Loss{Tool: "t", Path: "/properties/a/properties/9998", Keyword: "limit", Action: map[bool]provider.Action{true: provider.Widened, false: provider.LeftOut}[p == provider.Gemini]})
			if over != (extra == 1) || len(lost) != extra || strings.Count(strings.ToLower(got), `:{"type":"null"}`) != 9998 {
				t.Errorf("%s, %d above: %v", p, extra, lost)
			}
		}
		_, strict, lost := written(t, provider.Anthropic, provider.Options{Strict: true}, strings.Replace(input, `{"a":{`, `{"a":{"required":[`+repeated(`"%d"`, 9998+extra)+`],`, 1))
		if strict != (extra == 0) || extra == 1 && lost[0].Keyword != "limit" {
			t.Errorf("strict %v, %v", strict, lost)
		}
	}
}
