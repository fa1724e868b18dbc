package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/texts"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol/schema"
)

// keywords are members of schemas, each with a comma behind it.
var keywords = []string{
	`"type":"string",`, `"type":["integer","null"],`, `"type":"object",`, `"type":["array","number"],`, `"type":"odd",`, `"const":"x",`, `"const":{"a":1,"b":[1.0]},`, `"enum":[1,"x",null],`, `"enum":[{"b":[1],"a":1e0}],`,
	`"properties":{"a":{"type":"integer"},"b":false},`, `"required":["a","b"],`, `"additionalProperties":false,`, `"additionalProperties":{"type":"array"},`, `"patternProperties":{"^a":{"minimum":2}},`, `"propertyNames":{"maxLength":1},`, `"minProperties":1,`, `"maxProperties":1,`, `"dependentRequired":{"a":["c"]},`, `"dependentSchemas":{"b":{"required":["a"]}},`,
	`"items":{"type":"integer"},`, `"items":false,`, `"prefixItems":[{"type":"string"},{"minimum":1}],`, `"minItems":1,`, `"maxItems":1,`, `"uniqueItems":true,`, `"contains":{"const":1},`, `"minContains":2,`, `"maxContains":1,`, `"unevaluatedItems":false,`, `"unevaluatedProperties":false,`,
	`"minimum":1,`, `"maximum":1,`, `"exclusiveMinimum":1,`, `"exclusiveMaximum":1,`, `"multipleOf":0.5,`, `"minLength":2,`, `"maxLength":1,`, `"pattern":"^a+$",`, `"format":"date",`, `"contentMediaType":"application/json",`,
	`"anyOf":[{"type":"string"},{"properties":{"a":true}}],`, `"oneOf":[{"minimum":1},{"maximum":1}],`, `"allOf":[{"properties":{"b":{}}},{"minLength":1}],`, `"not":{"type":"null"},`, `"if":{"minimum":1},`, `"then":{"maximum":1},`, `"else":{"type":"null"},`,
	`"$ref":"#/$defs/d",`, `"$ref":"#",`, `"$defs":{"d":{"type":"integer"}},`, `"$anchor":"a",`, `"$ref":"#a",`, `"$id":"http://x/",`, `"$dynamicRef":"#a",`, `"title":1,`, `"default":1,`, `"x":{},`,
}

var values = []string{`1`, `0`, `1.25`, `null`, `true`, `"x"`, `"aa"`, `"2024-02-30"`, `[]`, `[1]`, `["a",1]`, `[1,1.0]`, `{}`, `{"a":1}`, `{"b":[1],"a":1}`, `{"a":1,"b":2,"c":3}`, `{"cc":[]}`, ``, `{"a":1,"a":2}`, `[`}

// Each pair of keywords says of each value what it said, in as many steps; of arguments all faults
// are told as they were, by a schema that is read as it is and by one that is read leniently.
func TestAllPairsOfKeywords(t *testing.T) {
	texts.Same(t, "3307 of 3307, 2ea2f9ad", texts.Members(2, keywords...), func(s string) string {
		var b strings.Builder
		raw := jsonrpc.Raw(s)
		_, _ = fmt.Fprint(&b, schema.Check(raw), schema.Ignored(raw), ";")
		for _, v := range values {
			_, _ = fmt.Fprint(&b, schema.Basic{Formats: schema.AllFormats}.Validate(raw, jsonrpc.Raw(v)), ";")
		}
		taken, most := schema.Steps(s, values[14])
		_, _ = fmt.Fprint(&b, taken, " ", most)
		return b.String()
	})
	texts.Same(t, "3307 of 3307, a7128104", texts.Members(2, keywords...), func(s string) string {
		var b strings.Builder
		whole := jsonrpc.Raw(`{"type":"object","properties":{"n":` + s + `,"m":{}},"required":["m"],"additionalProperties":false,"$defs":{"d":{"type":"integer"}}}`)
		lenient, faults := schema.CompileLenient(whole)
		strict, err := schema.Compile(whole)
		_, _ = fmt.Fprint(&b, faults, err)
		for _, v := range []string{`1.25`, `"aa"`, `[1,1.0]`, `{"b":[1],"a":1}`, `{"a":1,"a":2}`} {
			args := jsonrpc.Raw(`{"n":` + v + `,"o":1}`)
			_, _ = fmt.Fprint(&b, lenient.CheckArguments(whole, args), ";", strict.ValidateDecoded(args), ";")
			_, err := schema.CheckArguments(schema.Lenient{}, whole, args)
			_, _ = fmt.Fprint(&b, err, ";")
		}
		return b.String()
	})
}

// What near arguments are read as, and what is told of them, is what it was.
func TestAllNearArguments(t *testing.T) {
	texts.Same(t, "23221 of 23221, b0bf7583", texts.Near(`{"i":-12,"f":1.5e3,"b":true,"s":"aé\n","l":["x","y"],"o":{"i":3},"os":[{"s":""}],"r":[1]}`), func(s string) string {
		a := schema.ReadArguments(jsonrpc.Raw(s))
		out := fmt.Sprint(a.Int("i"), a.IntOr("j", 7), a.Float("f"), a.FloatOr("g", 2.5), a.Bool("b"), a.BoolOr("c", true), a.StringOr("t", "z"), a.Strings("l"), a.Raw("r"), a.Has("i"))
		out += a.String("s")
		if o := a.Object("o"); o != nil {
			out += fmt.Sprint(o.Int("i"))
		}
		for _, o := range a.Objects("os") {
			out += fmt.Sprint(o.StringOr("s", "none"))
		}
		return out + fmt.Sprint(a.Err())
	})
	const input = `{"type":"object","properties":{"i":{"type":"integer","minimum":1,"maximum":9},"s":{"type":"string","enum":["ab","cd"]},"l":{"type":"array","items":{"type":"number"},"minItems":1,"maxItems":2},"o":{"type":"object","properties":{"x":{"type":["boolean","null"]}},"required":["x"],"additionalProperties":false}},"required":["i","s"],"additionalProperties":false}`
	texts.Same(t, "10579 of 10579, a228a500", texts.Near(`{"i":3,"s":"ab","l":[1,2],"o":{"x":null}}`), func(s string) string {
		_, err := schema.CheckArguments(schema.Basic{}, input, jsonrpc.Raw(s))
		return fmt.Sprint(err, schema.Explain(input, jsonrpc.Raw(s), schema.Basic{}.Validate(input, jsonrpc.Raw(s))))
	})
	texts.Same(t, "30445 of 30445, 80bb96ae", texts.Near(`{"type":"object","properties":{"i":{"minimum":1,"enum":[3,"\u00e9"]},"l":{"items":{"pattern":"^a"}}},"required":["i"]}`), func(s string) string {
		return fmt.Sprint(schema.Check(jsonrpc.Raw(s)), schema.Basic{}.Validate(jsonrpc.Raw(s), `{"i":3,"s":"ab","l":[1,2],"o":{"x":null}}`))
	})
}
