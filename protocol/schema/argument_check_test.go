package schema_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol/schema"
)

const trip = `{"type":"object","properties":{
	"city":{"type":"string","minLength":1,"pattern":"^[A-Z]"},
	"days":{"type":"integer","minimum":1,"maximum":14},
	"unit":{"enum":["C","F"]},"kind":{"const":"trip"},"none":false,
	"tags":{"type":"array","items":{"type":["string","null"]}},
	"pair":{"prefixItems":[{"type":"integer"}]},
	"from":{"$ref":"#/$defs/place"},
	"some":{"anyOf":[{"type":"string"},{"type":"integer"}]},
	"more":{"type":"object","additionalProperties":{"type":"boolean"}}},
	"$defs":{"place":{"type":"object","properties":{"lat":{"type":"number"},"lon":{"type":"number"}},"required":["lat","lon"],"additionalProperties":false}},
	"required":["city","days"],"additionalProperties":false}`

// D14: absent arguments are {} if the schema allows that, and are refused otherwise.
func TestNullArguments(t *testing.T) {
	for _, c := range []struct {
		input, raw jsonrpc.Raw
		want       string
	}{
		{`{"type":"object"}`, ``, ""},
		{`{"type":"object"}`, `null`, ""},
		{`{"type":"object"}`, ` null `, ""},
		{`{"type":"object","required":[]}`, `null`, ""},
		{`{"type":"object","required":null}`, `null`, ""},
		{`{"type":"object","properties":{"a":{}}}`, `null`, ""},
		{trip, ``, "null_parameter city,days"},
		{trip, `null`, "null_parameter city,days"},
		{`{"type":"string"}`, `null`, "null_parameter "},
		{`{}`, `null`, "null_parameter "},
		{`true`, `null`, "null_parameter "},
		{trip, `{}`, "missing_parameter "},
	} {
		a, err := schema.CheckArguments(schema.Lenient{}, c.input, c.raw)
		got := ""
		var e *schema.ArgumentError
		if errors.As(err, &e) {
			got = e.Kind.Code() + " " + strings.Join(e.Names, ",")
		}
		if got != c.want || (a == nil) != (err != nil) {
			t.Errorf("%s for %s: %q, want %q", c.raw, c.input, got, c.want)
		}
	}
}

// D36: Explain says what the schema has against the arguments, for a model to act upon.
func TestExplain(t *testing.T) {
	for raw, want := range map[jsonrpc.Raw]string{
		`{"city":"Kyoto","days":3}`:                                  "",
		`{"city":"Kyoto"}`:                                           `missing_parameter "/days" is missing: want an integer (present: "city")`,
		`{"unit":"C"}`:                                               `missing_parameter "/city" is missing: want a string (present: "unit"); "/days" is missing: want an integer (present: "unit")`,
		`{"city":null,"days":3}`:                                     `null_parameter "/city" is null: want a string`,
		`{"city":3,"days":3}`:                                        `type_mismatch "/city" is not a string but a number`,
		`{"city":"Kyoto","days":0}`:                                  `out_of_range "/days" is out of range: want minimum 1`,
		`{"city":"","days":1}`:                                       `out_of_range "/city" is out of range: want minLength 1`,
		`{"city":"Kyoto","days":1,"unit":"K"}`:                       `enum_mismatch "/unit" is not an allowed value: one of "C", "F"`,
		`{"city":"Kyoto","days":1,"kind":"x"}`:                       `enum_mismatch "/kind" is not an allowed value: "trip"`,
		`{"city":"Kyoto","days":1,"none":1}`:                         `unexpected_parameter "/none" is not expected`,
		`{"city":"Kyoto","days":1,"tags":["a",null,3]}`:              `type_mismatch "/tags/2" is not a string or null but a number`,
		`{"city":"Kyoto","days":1,"pair":["x"]}`:                     `type_mismatch "/pair/0" is not an integer but a string`,
		`{"city":"Kyoto","days":1,"from":{"lat":1}}`:                 `missing_parameter "/from/lon" is missing: want a number (present: "lat")`,
		`{"city":"Kyoto","days":1,"from":{"lat":1,"lon":2,"alt":3}}`: `unexpected_parameter "/from/alt" is not expected (allowed: "lat", "lon")`,
		`{"city":"Kyoto","days":1,"some":true}`:                      `schema_mismatch "/some" is not what the schema allows: anyOf`,
		`{"city":"Kyoto","days":1,"more":{"secret":1}}`:              `type_mismatch "/more/*" is not a boolean`,
		`{"City":"Kyoto","days":1,"city":"K","x":1}`: `unexpected_parameter "/City" is not expected (allowed: "city", "days", "from", "kind", "more", "none", "pair", "some", "tags", "unit"); ` +
			`"/x" is not expected (allowed: "city", "days", "from", "kind", "more", "none", "pair", "some", "tags", "unit")`,
		`{`:                              `invalid_json the value of the arguments is not valid JSON`,
		`[]`:                             `type_mismatch the value of the arguments is not an object but an array`,
		`{"city":"K","days":1,"days":2}`: `repeated_parameter "/days" is given more than once`,
	} {
		a, err := schema.CheckArguments(schema.Basic{}, trip, raw)
		got := ""
		var e *schema.ArgumentError
		if errors.As(err, &e) {
			got = e.Kind.Code() + " " + err.Error()
		}
		if got != want || err == nil && a.String("city") != "Kyoto" {
			t.Errorf("%s:\n%s\nwant\n%s", raw, got, want)
		}
	}
}

// D36: kinds have stable codes, and the length of errors is bounded.
func TestArgumentCodes(t *testing.T) {
	seen := map[string]bool{}
	for k := schema.ArgumentMissing; k <= schema.ArgumentSchema; k++ {
		if c := k.Code(); c == "" || seen[c] || schema.ArgumentKindOf(c) != k || k.String() == "wrong" {
			t.Errorf("%d: %q", k, c)
		}
		seen[k.Code()] = true
	}
	if schema.ArgumentKind(99).Code() != "" || schema.ArgumentKindOf("none") != 0 || schema.ArgumentKindOf("") != 0 {
		t.Error("a code of nothing")
	}
}

// Explain accepts any fault, schema and value.
func TestExplainAnything(t *testing.T) {
	if schema.Explain(trip, `{}`, nil) != nil || schema.Explain(trip, `{}`, schema.Fault{Keyword: schema.KeywordSchema}) != nil {
		t.Error("a fault of nothing")
	}
	if got := schema.Explain(trip, `{}`, errors.New("secret")); len(got) != 1 || strings.Contains(got.Error(), "secret") {
		t.Error(got)
	}
	if _, err := schema.CheckArguments(schema.Basic{}, `{"type":"int"}`, `{}`); !errors.As(err, new(schema.Fault)) {
		t.Error(err)
	}
	keywords := []string{"", "type", "enum", "const", "pattern", "format", "required", "additionalProperties", "propertyNames",
		schema.KeywordFalse, schema.KeywordLimit, schema.KeywordSyntax, "minimum", "maxItems", "contains", "nonsense"}
	schemas := []jsonrpc.Raw{
		"", "null", "3", "{", trip, `{"$ref":"#"}`, `{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/a"}}}`, `{"$ref":"#/~9"}`, `{"$ref":"other"}`,
		jsonrpc.Raw(`{"type":["string","nonsense"],"enum":3,"required":3,"properties":[],"items":[{"type":"string"}],"pattern":"` + strings.Repeat("é", 400) + `"}`),
		`{"type":"object","patternProperties":{"^x":{}},"additionalProperties":false,"properties":{"0":{"minimum":1}}}`,
		jsonrpc.Raw(`{"enum":[` + strings.Repeat(`"0123456789",`, 100) + `0]}`),
	}
	paths := []string{"", "/", "/a", "/0", "/*", "/a/b/0", "x", "/~", strings.Repeat("/a", 600)}
	for _, keyword := range keywords {
		for _, s := range schemas {
			for _, p := range paths {
				for _, v := range []jsonrpc.Raw{"", "null", "[", `{"a":[{"b":[1]}]}`, `[{"a":1}]`} {
					got := schema.Explain(s, v, schema.Fault{Path: p, Keyword: keyword})
					if len(got) == 0 || len(got.Error()) > 8<<10 {
						t.Errorf("%q at %q of %s: %v", keyword, p, s, got)
					}
				}
			}
		}
	}
}

// A schema with ten thousand names does not cause ten thousand faults.
func TestExplainHuge(t *testing.T) {
	var names, members strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&names, `"need%d",`, i)
		fmt.Fprintf(&members, `"have%d":0,`, i)
	}
	input := jsonrpc.Raw(`{"type":"object","required":[` + strings.TrimSuffix(names.String(), ",") + `]}`)
	raw := jsonrpc.Raw(`{` + strings.TrimSuffix(members.String(), ",") + `}`)
	_, err := schema.CheckArguments(schema.Basic{}, input, raw)
	var all schema.ArgumentErrors
	if !errors.As(err, &all) || len(all) != 16 || len(all[0].Names) != 20 {
		t.Error(len(all))
	}
	_, err = schema.CheckArguments(schema.Basic{}, `{"type":"object","additionalProperties":false}`, raw)
	if !errors.As(err, &all) || len(all) != 16 {
		t.Error(len(all))
	}
	_, err = schema.CheckArguments(schema.Basic{}, input, `null`)
	if !errors.As(err, &all) || len(all) != 1 || len(all[0].Names) != 20 {
		t.Error(all)
	}
}

// Explaining huge, deeply nested arguments and long chains of references costs no more than
// checking them.
func TestExplainIsBounded(t *testing.T) {
	const deep = 500
	raw := jsonrpc.Raw(strings.Repeat(`{"a":`, deep) + `{"b":"` + strings.Repeat("x", 8<<20) + `"}` + strings.Repeat(`}`, deep))
	path := strings.Repeat("/a", deep)
	for keyword, p := range map[string]string{"type": path + "/b", "required": path + "/c", "additionalProperties": path} {
		got := schema.Explain(trip, raw, schema.Fault{Path: p, Keyword: keyword})
		if len(got) != 1 || got[0].Got != "" {
			t.Errorf("%s: %v", keyword, got)
		}
	}
	var defs strings.Builder
	for i := range 63 {
		fmt.Fprintf(&defs, `"d%d":{"$ref":"#/$defs/d%d"},`, i, i+1)
	}
	input := jsonrpc.Raw(`{"type":"object","properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{"long":"` + strings.Repeat("x", 4<<20) + `",` + defs.String() + `"d63":{"type":"string"}}}`)
	if got := schema.Explain(input, `{"a":1}`, schema.Fault{Path: "/a", Keyword: "type"}); len(got) != 1 || got[0].Want != "" {
		t.Error(got)
	}
	short := jsonrpc.Raw(`{"type":"object","properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{` + defs.String() + `"d63":{"type":"string"}}}`)
	if got := schema.Explain(short, `{"a":1}`, schema.Fault{Path: "/a", Keyword: "type"}); len(got) != 1 || got[0].Want != "" {
		t.Error(got) // 64 references are one too many
	}
}

// CheckArguments checks and reads the arguments of a call; its errors are for the model.
func ExampleCheckArguments() {
	const input = `{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer","maximum":14}},"required":["city"]}`
	for _, raw := range []jsonrpc.Raw{`{"city":"Kyoto","days":3}`, `{"town":"Kyoto"}`, `{"city":"Kyoto","days":15}`, `null`} {
		a, err := schema.CheckArguments(schema.Basic{}, input, raw)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(a.String("city"), a.IntOr("days", 1))
	}
	// Output:
	// Kyoto 3
	// "/city" is missing: want a string (present: "town")
	// "/days" is out of range: want maximum 14
	// the value of the arguments is null: want an object (required: "city")
}
