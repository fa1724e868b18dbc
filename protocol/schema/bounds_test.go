package schema_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol/schema"
)

func TestLimits(t *testing.T) {
	nest := func(n int, open, in, end string) string { return strings.Repeat(open, n) + in + strings.Repeat(end, n) }
	const tree = `{"type":"array","items":{"$ref":"#"}}`
	check(t, tree, nest(512, "[", "", "]"), "")
	check(t, tree, nest(513, "[", "", "]"), " limit")
	check(t, tree, nest(511, "[", "1", "]"), strings.Repeat("/0", 511)+" type")
	check(t, nest(513, `{"not":`, "true", "}"), `1`, " limit")
	check(t, nest(511, `{"not":`, "true", "}"), `1`, " not")

	for _, s := range []string{
		// endless
		`{"$ref":"#"}`,
		`{"not":{"$ref":"#"}}`,
		`{"anyOf":[{"$ref":"#"},true]}`,
		`{"oneOf":[{"$ref":"#"},true]}`,
		`{"if":{"$ref":"#"},"then":true}`,
		`{"if":{"pattern":""},"then":{"$ref":"#"}}`,
		`{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"allOf":[{"$ref":"#/$defs/a"}]}}}`,
	} {
		check(t, s, `1`, " limit")
	}

	check(t, doubling(40)+"}", `1`, " limit")

	// Many references to something large are still read.
	var refs strings.Builder
	for i := range 3000 {
		refs.WriteString(`{"$ref":"#/$defs/` + strconv.Itoa(i) + `/items/0"},`)
	}
	var defs strings.Builder
	for i := range 3000 {
		defs.WriteString(`"` + strconv.Itoa(i) + `":{"items":[{"enum":["` + strings.Repeat("x", 300) + `",1]}]},`)
	}
	check(t, `{"type":"object","properties":{"a":{"anyOf":[`+refs.String()+`false]}},"$defs":{`+defs.String()+`"x":{}}}`, `{"a":1}`, "")

	var b strings.Builder
	// The schema alone is too much: many places that contain something large.
	b.WriteString(`{"type":"object","allOf":[`)
	for i := range 400 {
		b.WriteString(`{"$ref":"#/big` + strings.Repeat("/not", i) + `"},`)
	}
	b.WriteString(`true],"big":` + nest(400, `{"not":`, `{"enum":["`+strings.Repeat("x", 3000)+`"]}`, "}") + `}`)
	check(t, b.String(), `1`, " limit")
	if err := schema.Check(jsonrpc.Raw(b.String())); !errors.Is(err, schema.Fault{Keyword: schema.KeywordLimit}) {
		t.Error(err)
	}

	// The value is large, and every part is read often.
	for _, keyword := range []string{
		`"items":{"minimum":0}`, `"items":{"enum":[1]}`, `"not":{"const":0}`, `"maxItems":2e4`, `"not":{"uniqueItems":true}`,
	} {
		check(t, `{"allOf":[`+strings.Repeat(`{`+keyword+`},`, 20000)+`true]}`, "["+strings.Repeat("1,", 15000)+"1]", " limit")
	}
	check(t, `{"allOf":[`+strings.Repeat(`{"required":["b"]},`, 4000)+`true]}`, `{"b":1`+strings.Repeat(`,"a":2`, 4000)+`}`, " limit")
	check(t, `{"allOf":[`+strings.Repeat(`{"maxLength":9999999},`, 1000)+`true]}`, `"`+strings.Repeat("x", 1<<20)+`"`, " limit")
	check(t, `{"allOf":[`+strings.Repeat(`{"maximum":2},`, 1000)+`true]}`, `1.`+strings.Repeat("0", 1<<20), " limit")
}

// Ordinary large values pass.
func TestLarge(t *testing.T) {
	const s = `{"type":"object","properties":{"rows":{"type":"array","uniqueItems":true,"items":{"$ref":"#/$defs/row"}}},
		"$defs":{"row":{"type":"object","properties":{"id":{"type":"integer"},"name":{"type":["string","null"],"maxLength":9}},"required":["id"],"additionalProperties":false}}}`
	var b strings.Builder
	for i := range 20000 {
		b.WriteString(`{"id":` + strconv.Itoa(i) + `,"name":"x"},`)
	}
	check(t, s, `{"rows":[`+b.String()+`{"id":-1}]}`, "")
	check(t, s, `{"rows":[`+b.String()+`{"id":7,"name":"x"}]}`, "/rows/20000 uniqueItems")
	check(t, s, `{"rows":[`+b.String()+`{"id":-1,"id":"x"}]}`, "/rows/20000/id type")

	b.Reset()
	for i := range 5000 {
		b.WriteString(`"k` + strconv.Itoa(i%2500) + `":` + strconv.Itoa(i) + `,`)
	}
	check(t, `{"minProperties":2500,"maxProperties":2500,"required":["k0","k2499"],"additionalProperties":{"minimum":2500}}`, `{`+b.String()+`"k0":2500}`, "")
	check(t, `{"required":["k"]}`, `{`+b.String()+`"k0":2500}`, "/k required")
}

func TestError(t *testing.T) {
	for want, f := range map[string]schema.Fault{
		`schema: the check exceeds its limit`:              {Keyword: schema.KeywordLimit},
		`schema: the value is not valid JSON`:              {Keyword: schema.KeywordSyntax},
		`schema: the keyword at "/pattern" is not checked`: {Path: "/pattern", Keyword: schema.KeywordUnchecked},
		`schema: the schema is not usable`:                 {Keyword: schema.KeywordSchema},
		`schema: the value fails type`:                     {Keyword: "type"},
		`schema: the value at "/a\n\"" fails false`:        {Path: "/a\n\"", Keyword: schema.KeywordFalse},
		`schema: the schema is not usable at "/items/not"`: {Path: "/items/not", Keyword: schema.KeywordSchema},
	} {
		if got := f.Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// An unchecked assertion, such as a format, is neither yes nor no: wherever schemas
// are combined, the result is definite only if the checked part decides it. Otherwise a schema and its
// negation both pass.
func TestWhatNobodyCanTell(t *testing.T) {
	const no, maybe, yes = 0, 1, 2
	leaves := []string{`false`, `{"format":"x"}`, `true`}
	is := func(s string, want int) {
		t.Helper()
		value := jsonrpc.Raw(`"v"`)
		pass := (schema.Basic{}).Validate(jsonrpc.Raw(s), value) == nil
		negated := (schema.Basic{}).Validate(jsonrpc.Raw(`{"not":`+s+`}`), value) == nil
		if pass != (want >= maybe) || negated != (want <= maybe) {
			t.Errorf("%s: passes %v, its negation %v", s, pass, negated)
		}
	}
	for a, x := range leaves {
		is(x, a)
		is(`{"not":`+x+`}`, yes-a)
		for b, y := range leaves {
			list := `":[` + x + `,` + y + `]}`
			is(`{"allOf`+list, min(a, b))
			is(`{"anyOf`+list, max(a, b))
			one := maybe
			switch {
			case a == yes && b == yes || a == no && b == no:
				one = no
			case a+b == yes && a != maybe:
				one = yes
			}
			is(`{"oneOf`+list, one)
			is(`{"oneOf":[`+y+`,`+x+`,false]}`, one)
		}
	}
}
