package schema_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol/schema"
)

// parts are schemas that use every way to look at members.
var parts = []string{
	`{}`, `{"type":"object"}`, `{"type":["string","number"]}`, `{"minLength":1,"maxLength":2}`, `{"enum":["a",{"b":[1]},1]}`, `{"const":[{"a":1}]}`,
	`{"uniqueItems":true}`, `{"items":{"minLength":1}}`, `{"prefixItems":[{"maximum":1},{"type":"integer"}]}`, `{"multipleOf":2}`,
	`{"properties":{"a":{"maxLength":1}},"required":["b"]}`, `{"additionalProperties":{"minimum":1}}`, `{"minProperties":2}`,
	`{"anyOf":[{"const":1},{"items":{"enum":["a"]}}]}`, `{"not":{"enum":["a",[1]]}}`, `{"if":{"type":"array"},"then":{"uniqueItems":true}}`,
}

func compileAll(t *testing.T) (all []schema.Schema) {
	t.Helper()
	for _, part := range parts {
		s, err := schema.Compile(jsonrpc.Raw(`{"type":"object","additionalProperties":` + part + `}`))
		if err != nil {
			t.Fatal(part, err)
		}
		all = append(all, s)
	}
	return all
}

// A program may write invalid JSON into a message. The check of it ends, and the
// JSON in it is checked as usual.
func TestDecodedByHand(t *testing.T) {
	all := compileAll(t)
	tokens := []string{`"`, `\`, `\u`, `\ud83d`, `\ude00`, "{", "}", "[", "]", ":", ",", "1", "-", "e", "true", "x", `"a"`, `"b":`, `{"a":`, "\xff", " "}
	text := rapid.Map(rapid.SliceOfN(rapid.SampledFrom(tokens), 0, 14), func(s []string) string { return strings.Join(s, "") })
	rapid.Check(t, func(t *rapid.T) {
		value := jsonrpc.Raw(rapid.SampledFrom([]string{"", `{"a":`, `{"a":"`, `{"a":["`}).Draw(t, "start") + text.Draw(t, "text") + rapid.SampledFrom([]string{"", "}", `"}`, `"]}`}).Draw(t, "end"))
		for i, s := range all {
			got, want := s.ValidateDecoded(value), s.Validate(value)
			if rawjson.Valid(string(value)) && !errors.Is(got, want) {
				t.Fatalf("%s on %s: %v, want %v", parts[i], value, got, want)
			}
			if again := s.ValidateDecoded(value); !errors.Is(again, got) {
				t.Fatalf("%s on %s: %v, then %v", parts[i], value, got, again)
			}
		}
	})
	for value, want := range map[string]string{
		``: "", ` `: " syntax", `{`: " syntax", `{"a":`: " syntax", `{"a":1`: " syntax", `{"a":}`: " syntax", `[`: " syntax", `[]`: " type", `"`: " syntax", `{}}`: " syntax", `{"a":1]`: " syntax",
	} {
		s, err := schema.Compile(`{"type":"object","minProperties":0,"additionalProperties":true}`)
		if err != nil {
			t.Fatal(err)
		}
		if got := fault(s.ValidateDecoded(jsonrpc.Raw(value))); got != want {
			t.Errorf("%q: %q, want %q", value, got, want)
		}
	}
	for _, c := range [][3]string{
		{`{"minimum":1}`, `x`, " syntax"}, {`{"items":{"minimum":1}}`, `[x]`, " syntax"}, {`{"items":{"minimum":1}}`, `[1 2]`, " syntax"},
		{`{"uniqueItems":true}`, `[{]`, " syntax"}, {`{"const":1}`, `[1 2]`, " syntax"}, {`{"enum":[1]}`, `{"b"}`, " syntax"},
		{`{"const":0}`, `x`, "/a const"}, // which equals no number
		// Incomplete escapes are ordinary characters.
		{`{"maxLength":1}`, `"\u"`, ""}, {`{"maxLength":1}`, `"\ud83"`, ""}, {`{"maxLength":1}`, `"\ud83d\u"`, "/a maxLength"}, {`{"minLength":2}`, `"\ud83d\udc"`, ""}, {`{"maxLength":2}`, `"\u\"{\\"`, ""},
	} {
		s, err := schema.Compile(jsonrpc.Raw(`{"type":"object","properties":{"a":` + c[0] + `}}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := fault(s.ValidateDecoded(jsonrpc.Raw(`{"a":` + c[1] + `}`))); got != c[2] {
			t.Errorf("%s on %s: %q, want %q", c[0], c[1], got, c[2])
		}
	}
}

// However deep an unmeasured value is, the check descends 512 levels and no
// further, with any keyword.
func TestDecodedDepth(t *testing.T) {
	nest := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for i, s := range compileAll(t) {
		for _, c := range []struct {
			n    int
			want bool // the limit is reached
		}{{510, false}, {511, false}, {512, true}, {513, true}, {1 << 20, true}} {
			for _, value := range []string{`{"a":` + nest(c.n) + `}`, `{"a":[` + nest(c.n-1) + `,1]}`, `{"a":{"b":` + nest(c.n-1) + `}}`} {
				got := fault(s.ValidateDecoded(jsonrpc.Raw(value)))
				if (got == " limit") != c.want {
					t.Errorf("%s, %d levels: %q", parts[i], c.n, got)
				}
				if want := fault(s.Validate(jsonrpc.Raw(value))); got != want {
					t.Errorf("%s, %d levels: %q, Validate %q", parts[i], c.n, got, want)
				}
			}
		}
	}
}

// Checking a valid object of usual size allocates nothing.
func TestDecodedAllocations(t *testing.T) {
	for _, c := range []struct{ schema, value string }{
		{`{"type":"object","properties":{"text":{"type":"string"},"rows":{"type":"array"}},"required":["text"]}`, `{"text":"some words","rows":[1,{"a":[2,3]}]}`},
		{`{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"items":{"minimum":1,"maximum":9}}},"additionalProperties":false},"c":{"minLength":2}}}`, `{"a":{"b":[1,2,3]},"c":"\u00e9é"}`},
		{`{"type":"object","properties":{"a":{"anyOf":[{"type":"null"},{"type":"string"}]}}}`, `{"a":"x"}`},
	} {
		s, err := schema.Compile(jsonrpc.Raw(c.schema))
		if err != nil {
			t.Fatal(err)
		}
		if got := testing.AllocsPerRun(100, func() { sink = s.ValidateDecoded(jsonrpc.Raw(c.value)) }); got != 0 || sink != nil {
			t.Errorf("%s: %v allocations, %v", c.schema, got, sink)
		}
	}
}
