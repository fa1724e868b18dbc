package schema_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol/schema"
)

func BenchmarkValidate(b *testing.B) {
	const call = `{"type":"object","properties":{"city":{"type":"string","minLength":1},"days":{"type":"integer","minimum":1,"maximum":14},
		"units":{"enum":["metric","imperial"]}},"required":["city"],"additionalProperties":false}`
	var unique strings.Builder
	for i := range 300000 {
		unique.WriteString(strconv.Itoa(i) + ",")
	}
	var members strings.Builder
	for i := range 100000 {
		members.WriteString(`"` + strconv.Itoa(i) + `":1,`)
	}
	for _, c := range []struct{ name, schema, value string }{
		{"call", call, `{"city":"Kyoto","days":3,"units":"metric"}`},
		{"rows", `{"items":` + call + `}`, "[" + strings.Repeat(`{"city":"Kyoto","days":3,"units":"metric"},`, 10000) + `{"city":"x"}]`},
		// The most expensive schema within the limit.
		{"branches", `{"anyOf":[` + strings.Repeat(`{"items":{"anyOf":[false,{"type":["null"]},{"maximum":0},{"not":{}}]}},`, 1000) + `false]}`, `[` + strings.Repeat("0,", 200000) + "1]"},
		{"doubling", doubling(24) + `,"x":"` + strings.Repeat("x", 1<<19) + `"}`, `1`},
		{"unique", `{"allOf":[` + strings.Repeat(`{"uniqueItems":true},`, 1000) + `true]}`, "[" + unique.String() + "-1]"},
		{"members", `{"allOf":[` + strings.Repeat(`{"minProperties":1},`, 1000) + `true]}`, "{" + members.String() + `"x":1}`},
		{"schemas", `{"anyOf":[` + strings.Repeat("{},", 1<<20) + "true]}", "1"},
		{"escapes", `{"allOf":[` + strings.Repeat(`{"maxLength":9999999},`, 1000) + `true]}`, `"` + strings.Repeat(`\ud83d\ude00`, 1<<17) + `"`},
		{"digits", `{"allOf":[` + strings.Repeat(`{"multipleOf":0.3},`, 1000) + `true]}`, strings.Repeat("3", 1<<20)},
		{"wide", `{"allOf":[` + strings.Repeat(`{"not":{"enum":["x"]}},`, 1000) + `true]}`, `"` + strings.Repeat("é", 1<<19) + `"`},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sink = schema.Basic{}.Validate(jsonrpc.Raw(c.schema), jsonrpc.Raw(c.value))
			}
		})
	}
}

var sink error

// doubling is a schema, without its end, whose work doubles with each of
// n definitions.
func doubling(n int) string {
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/0","$defs":{"` + strconv.Itoa(n) + `":false`)
	for i := range n {
		ref := `{"$ref":"#/$defs/` + strconv.Itoa(i+1) + `"}`
		b.WriteString(`,"` + strconv.Itoa(i) + `":{"anyOf":[` + ref + "," + ref + `]}`)
	}
	return b.String() + "}"
}
