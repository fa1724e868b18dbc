package schema_test

import (
	"runtime"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/conformance/cputime"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol/schema"
)

// Each limit admits itself or one less, and rejects one more.
func TestLimitsAtTheBrim(t *testing.T) {
	nest := func(n int, open, in, end string) string {
		return strings.Repeat(open, n) + in + strings.Repeat(end, n)
	}
	chain := func(n int) string { // n nested schemas
		var b strings.Builder
		for i := range n - 2 {
			b.WriteString(`"` + strconv.Itoa(i) + `":{"$ref":"#/$defs/` + strconv.Itoa(i+1) + `"},`)
		}
		return `{"$ref":"#/$defs/0","$defs":{` + b.String() + `"` + strconv.Itoa(n-2) + `":{"type":"null"}}}`
	}
	for _, c := range []struct {
		name          string
		limit         int
		schema, value func(n int) string
		below, above  string
	}{
		{"schemas", schema.MaxDepth, chain, func(int) string { return `null` }, "", " limit"},
		{"schemas within branches", schema.MaxDepth, func(n int) string {
			return `{"anyOf":[` + chain(n - 1)[:len(chain(n-1))-1] + `}],` + chain(n - 1)[strings.Index(chain(n-1), `"$defs"`):]
		}, func(int) string { return `null` }, "", " limit"},
		{"value", rawjson.DefaultDepth, func(int) string { return `{}` }, func(n int) string { return nest(n, "[", "", "]") }, "", " limit"},
		{"schema", rawjson.DefaultDepth, func(n int) string { return nest(n-1, `{"not":`, "{}", "}") }, func(int) string { return `1` }, [2]string{"", " not"}[(rawjson.DefaultDepth-1)%2], " limit"},
		{"digits of multipleOf", 19, func(n int) string { return `{"multipleOf":` + strings.Repeat("9", n) + `}` }, func(n int) string { return strings.Repeat("9", n) }, "", "/multipleOf schema"},
	} {
		for n := c.limit - 1; n <= c.limit+1; n++ {
			want := c.below
			if n > c.limit {
				want = c.above
			} else if c.name == "schema" && n%2 != rawjson.DefaultDepth%2 {
				want = ""
			}
			t.Run(c.name+" "+strconv.Itoa(n), func(t *testing.T) { check(t, c.schema(n), c.value(n), want) })
		}
	}
	// Exponents beyond 10^18 are not distinguished, smaller ones are.
	check(t, `{"maximum":1e1000000000000000000}`, `1e1000000000000000001`, " maximum")
	check(t, `{"maximum":1e4000000000000000000}`, `1e4000000000000000001`, "")
	// A schema that refers to itself, with enough steps to exhaust any stack.
	check(t, `{"$ref":"#"}`, `[`+strings.Repeat("1,", 1<<19)+`1]`, " limit")
	check(t, `{"not":{"$ref":"#"}}`, `[`+strings.Repeat("1,", 1<<19)+`1]`, " limit")
}

// The faults that CompileLenient tells apart.
func TestFaultsAtTheBrim(t *testing.T) {
	for n := schema.MaxFaults - 1; n <= schema.MaxFaults+1; n++ {
		_, faults := schema.CompileLenient(jsonrpc.Raw(`{"type":"object","allOf":[` + strings.Repeat(`{"minimum":""},`, n) + `true]}`))
		if len(faults) != min(n, schema.MaxFaults) {
			t.Errorf("%d of %d faults", len(faults), n)
		}
	}
}

// The limits are those of the documentation, and the last allowed step is taken.
func TestStepsAtTheBrim(t *testing.T) {
	for _, c := range []struct{ bytes, want int }{
		{0, 131072}, {1, 131088}, {1000, 147072}, {516095, 8388592}, {516096, 8388608}, {516097, 8388608}, {24 << 20, 8388608},
	} {
		if _, allowed := schema.Steps(strings.Repeat(" ", c.bytes), ""); allowed != c.want {
			t.Errorf("%d bytes allow %d steps, want %d", c.bytes, allowed, c.want)
		}
	}
	// One more part of the schema is too many, in reading and in applying it.
	for _, c := range []struct {
		name, part, value string
		most              int
	}{
		{"compile", `{"not":false},`, `1`, 1 << 16},
		{"validate", `{"maxLength":99999},`, `"` + strings.Repeat("x", 50000) + `"`, 1 << 10},
	} {
		s := func(n int) string { return `{"allOf":[` + strings.Repeat(c.part, n) + `true]}` }
		n := sort.Search(c.most, func(n int) bool { // the first that is rejected
			taken, allowed := schema.Steps(s(n), c.value)
			return taken > allowed
		})
		if n == 0 || n == c.most {
			t.Fatalf("%s: %d", c.name, n)
		}
		for k := n - 2; k <= n; k++ {
			want := ""
			if k == n {
				want = " limit"
			}
			if err := (schema.Basic{}).Validate(jsonrpc.Raw(s(k)), jsonrpc.Raw(c.value)); fault(err) != want {
				t.Errorf("%s of %d: %v, want %q", c.name, k, err, want)
			}
		}
	}
}

// Each byte of the schema and of the value allows as many steps as the documentation says,
// and no more: with enough white space in either the same call passes.
func TestStepsOfEachByte(t *testing.T) {
	value := `"` + strings.Repeat("x", 50000) + `"`
	parts := func(n int) string { return `{"allOf":[` + strings.Repeat(`{"maxLength":99999},`, n) + `true]}` }
	least := sort.Search(1<<10, func(n int) bool { // just too many
		taken, allowed := schema.Steps(parts(n), value)
		return taken > allowed
	})
	for _, in := range []string{"schema", "value"} {
		taken, allowed := schema.Steps(parts(least), value)
		from, last := max((taken-allowed)/schema.ByteSteps-9, 0), " limit"
		for n := from; n < from+99 && last != ""; n++ {
			s, v := parts(least), value
			if in == "schema" {
				s += strings.Repeat(" ", n)
			} else {
				v += strings.Repeat(" ", n)
			}
			taken, allowed := schema.Steps(s, v)
			if last = ""; taken > allowed {
				last = " limit"
			}
			if err := (schema.Basic{}).Validate(jsonrpc.Raw(s), jsonrpc.Raw(v)); fault(err) != last || n == from && err == nil {
				t.Errorf("%d bytes more of the %s: %v with %d of %d steps", n, in, err, taken, allowed)
			}
		}
		if last != "" {
			t.Errorf("%s: no number of bytes is enough", in)
		}
	}
}

// The last allowed step is taken, and none after it.
func TestLastStep(t *testing.T) {
	for _, c := range [][2]string{
		{`true`, `1`}, {`{"type":"object","required":["a"]}`, `{"a":1}`}, {`{"items":{"enum":[1,{"a":2}]},"uniqueItems":true}`, `[1,{"a":2}]`},
		{`{"dependentRequired":{"a":["bbbbbbbb","c"]},"dependentSchemas":{"c":{"minProperties":3}},"propertyNames":{"maxLength":9}}`, `{"a":1,"bbbbbbbb":2,"c":3}`},
		{`{"properties":{"a":{"const":{"b":"\n\n\n\n","aaaaaaaaaaaaaaaaaaaa":[1,{}]}}}}`, `{"a":{"b":"\n\n\n\n","aaaaaaaaaaaaaaaaaaaa":[1,{}]}}`},
		{`{"properties":{"a":{"contains":{"const":1},"maxContains":2}},"allOf":[{"$ref":"#x"},{"$anchor":"x"}]}`, `{"a":[1,2,1]}`},
		{`{"$ref":"#/d","d":{"anyOf":[{"minLength":9},{"multipleOf":3}]}}`, `333`},
		{`{"patternProperties":{"^a":{"pattern":"^\\n+$"}},"propertyNames":{"pattern":"^a?b?$"},"additionalProperties":{"pattern":"^x"}}`, `{"ab":"\n\n\n\n\n\n\n\n","b":"xy"}`},
		{`{"anyOf":[{"properties":{"a":true}},{"properties":{"b":{"pattern":"(?i)x"}}}],"unevaluatedProperties":{"type":["null","string"]}}`, `{"a":1,"b":"x","c":null}`},
		{`{"allOf":[{"prefixItems":[true]}],"contains":{"type":"null"},"unevaluatedItems":{"type":"string"}}`, `[1,null,"x"]`},
		{`{"$id":"http://h/r","$ref":"a","$dynamicAnchor":"d","$defs":{"a":{"$id":"a","$anchor":"x","items":{"$dynamicRef":"#d","$ref":"#x"},"$defs":{"b":{"$dynamicAnchor":"d"}}}}}`, `[[],[1]]`},
	} {
		taken, _ := schema.Steps(c[0], c[1])
		for steps := range taken + 2 {
			want := ""
			if steps < taken {
				want = " limit"
			}
			if _, err := schema.Within(steps, c[0], c[1]); fault(err) != want {
				t.Errorf("%s on %s with %d of %d steps: %v", c[0], c[1], steps, taken, err)
			}
		}
	}
}

// Reading, hashing, comparing and copying take the documented steps: a and b differ in one
// thing, by so many steps.
func TestSteps(t *testing.T) {
	x := func(unit string, n int) string { return strings.Repeat(unit, n) }
	in := func(s, v string) [2]string { return [2]string{s, v} }
	for _, c := range []struct {
		name string
		a, b [2]string
		want int
	}{
		{"a schema", in(`{"allOf":[true]}`, `1`), in(`{"allOf":[true,{}]}`, `1`), 64 + 1 + 1 + 1},
		{"160 bytes of a schema", in(`{"x":""}`, `1`), in(`{"x":"`+x("x", 160)+`"}`, `1`), 10},
		{"a name of the schema", in(`{"xx":1}`, `1`), in(`{"xx`+x("x", 160)+`":1}`, `1`), 10 + 40},
		{"a required name", in(`{"required":["aa"],"type":"null"}`, `1`), in(`{"required":["aa","`+x("b", 157)+`"],"type":"null"}`, `1`), 10 + 10 + 1 + 5 + 39},
		{"a required name that is there", in(`{"required":["a"]}`, `{"a":1}`), in(`{"required":["a","a"]}`, `{"a":1}`), 1 + 5},
		{"each required name again", in(`{"required":["a"]}`, `[]`), in(`{"required":["a"]}`, `{}`), 1 + 1},
		{"a member of enum", in(`{"enum":[1]}`, `1`), in(`{"enum":[1,"`+x("x", 157)+`"]}`, `1`), 10 + 10 + 1 + 10 + 5},
		{"const", in(`{"const":""}`, `1`), in(`{"const":"`+x("x", 160)+`"}`, `1`), 10 + 10},
		{"const with escapes", in(`{"const":""}`, `1`), in(`{"const":"`+x(`\u0001`, 27)[2:]+`"}`, `1`), 10 + 10 + 20},
		{"a value for const", in(`{"const":1}`, `""`), in(`{"const":1}`, `"`+x("x", 160)+`"`), 10 + 10},
		{"a value with escapes for const", in(`{"const":1}`, `""`), in(`{"const":1}`, `"`+x(`\n`, 80)+`"`), 10 + 10 + 20},
		{"a value for a second const", in(`{"allOf":[{"not":{"const":1}}]}`, `"`+x(`\n`, 79)+`"`), in(`{"allOf":[{"not":{"const":1}},{"not":{"const":1}}]}`, `"`+x(`\n`, 79)+`"`), 2*64 + 24},
		{"a string that is measured", in(`{"maxLength":1}`, `""`), in(`{"maxLength":1}`, `"`+x(`\n`, 80)+`"`), 10},
		{"a number", in(`{"minimum":1}`, `11`), in(`{"minimum":1}`, `11`+x("1", 160)), 10},
		{"digits divided", in(`{"multipleOf":1}`, `11`), in(`{"multipleOf":1}`, `11`+x("1", 160)), 10 + 160},
		{"a value that nothing looks at", in(`{"type":"string"}`, `""`), in(`{"type":"string"}`, `"`+x("x", 160)+`"`), 0},
		{"a member", in(`{"minProperties":1}`, `{"a":1}`), in(`{"minProperties":1}`, `{"a":1,"b":"`+x("x", 154)+`"}`), 10 + 1},
		{"a member of many", in(`{"minProperties":1}`, `{`+x(`"":1,`, 3)+names(17)+`}`), in(`{"minProperties":1}`, `{`+x(`"":1,`, 3)+names(18)+`}`), 5},
		{"the name of a member", in(`{"minProperties":1}`, `{"a":1}`), in(`{"minProperties":1}`, `{"a`+x("a", 160)+`":1}`), 10 + 40},
		{"an element", in(`{"minItems":1}`, `[1]`), in(`{"minItems":1}`, `[1,"`+x("x", 157)+`"]`), 10 + 1},
		{"an element that is unique", in(`{"uniqueItems":true}`, `[1]`), in(`{"uniqueItems":true}`, `[1,"`+x("x", 157)+`"]`), 10 + 1 + 2*(1+9) + 5},
		{"a sorted object", in(`{"const":1}`, `{"a":1}`), in(`{"const":1}`, `{"a`+x("a", 160)+`":1}`), 10 + 10 + 10 + 40 + 5},
		{"a reference", in(`{"d":{}}`, `1`), in(`{"d":{},"$ref":"#/d"}`, `1`), 64 + 5 + 10},
	} {
		a, _ := schema.Steps(c.a[0], c.a[1])
		b, _ := schema.Steps(c.b[0], c.b[1])
		if b-a != c.want {
			t.Errorf("%s takes %d steps, want %d", c.name, b-a, c.want)
		}
	}
}

func names(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(`"` + strconv.Itoa(10+i) + `":1,`)
	}
	return strings.TrimSuffix(b.String(), ",")
}

// hostile returns schemas and values of about n bytes together that cause as much work as
// possible for their size.
func hostile(n int) map[string][2]string {
	branches := func(s string) string { return `{"anyOf":[` + strings.Repeat(s+`,`, 1000) + `false]}` }
	text := func(unit string, n int) string { return `"` + strings.Repeat(unit, n/len(unit)) + `"` }
	list := func(n int, f func(i int) string) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			b.WriteString(f(i) + `,`)
		}
		return strings.TrimSuffix(b.String(), ",")
	}
	key := func(i int) string { return `"k` + strconv.Itoa(i*7919%1000003) + `"` }
	long := func(i int) string { return `"` + strings.Repeat("k", 500) + strconv.Itoa(i*7919%1000003) + `"` }
	objects := "[" + list(n/2, func(int) string { return `{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1}` }) + "]"
	members := "{" + list(n, func(i int) string { return key(i) + ":1" }) + "}"
	return map[string][2]string{
		"required name":  {`{"$defs":{"a":{"required":[` + text("n", n/2) + `]}},"items":{"anyOf":[` + strings.Repeat(`{"$ref":"#/$defs/a"},`, 20) + `true]}}`, objects},
		"property name":  {`{"$defs":{"a":{"properties":{` + text("n", n/2) + `:{}},"minProperties":99}},"items":{"anyOf":[` + strings.Repeat(`{"$ref":"#/$defs/a"},`, 20) + `true]}}`, objects},
		"required names": {`{"$defs":{"a":{"required":[` + list(n/2, key) + `]}},"items":{"anyOf":[` + strings.Repeat(`{"$ref":"#/$defs/a"},`, 20) + `true]}}`, objects},
		"member names":   {branches(`{"required":["a"]}`), members},
		"escaped names":  {branches(`{"required":["a"]}`), "{" + text(`\n`, n/2) + ":1," + text(`\t`, n/2) + ":1}"},
		"long names":     {branches(`{"required":["a"]}`), "{" + list(n, func(i int) string { return long(i) + ":1" }) + "}"},
		"same names":     {branches(`{"required":["a"]}`), "{" + list(n, func(int) string { return `"a\u0062":1` }) + "}"},
		"enum":           {`{"allOf":[` + strings.Repeat(`{"not":{"enum":["a"]}},`, 1000) + `true]}`, text("x", n)},
		"enum escaped":   {branches(`{"enum":["a"]}`), text(`\u0001`, n)},
		"enum list":      {`{"anyOf":[{"enum":[` + list(n/2, key) + `]},{"enum":[` + list(n/2, long) + `]}]}`, `1`},
		"const members":  {branches(`{"const":{"a":1}}`), members},
		"const long":     {branches(`{"const":{"a":1}}`), "{" + list(n, func(i int) string { return long(i) + ":1" }) + "}"},
		"alternate":      {`{"allOf":[` + strings.Repeat(`{"prefixItems":[{"not":{"const":"a"}},{"not":{"const":"a"}}]},`, 1000) + `true]}`, "[" + text(`\n`, n/2) + "," + text(`\n`, n/2) + "]"},
		"length":         {branches(`{"maxLength":1}`), text(`\n`, n)},
		"unique":         {`{"allOf":[` + strings.Repeat(`{"uniqueItems":true},`, 1000) + `true]}`, "[" + list(n, strconv.Itoa) + "]"},
		"unique long":    {`{"allOf":[` + strings.Repeat(`{"uniqueItems":true},`, 1000) + `true]}`, "[" + list(n, long) + "]"},
		"digits":         {branches(`{"maximum":1}`), strings.Repeat("3", n/2) + "." + strings.Repeat("3", n/2)},
		"divisor":        {branches(`{"multipleOf":7}`), strings.Repeat("3", n)},
		"pointers":       {`{"anyOf":[` + list(n/2, func(i int) string { return `{"$ref":"#/a/` + strconv.Itoa(i) + `"}` }) + `],"a":[` + list(n/2, func(int) string { return `{}` }) + `]}`, `1`},
		"anchors":        {`{"anyOf":[` + list(n/2, func(i int) string { return `{"$ref":"#a` + strconv.Itoa(i) + `"}` }) + `],"allOf":[` + list(n/2, func(i int) string { return `{"$anchor":"a` + strconv.Itoa(i) + `"}` }) + `]}`, `1`},
		"ids":            {`{"anyOf":[` + list(n/2, func(i int) string { return `{"$ref":"#/a/b` + strconv.Itoa(i) + `"}` }) + `],"a":{` + list(n/2, func(i int) string { return `"b` + strconv.Itoa(i) + `":{}` }) + `,"$id":` + text("#", n/2) + `}}`, `1`},
		"patterns":       {`{"allOf":[` + list(n, func(int) string { return `{"pattern":"[(a|b*)]{2,3}(?:[^a-z]|\\d)*"}` }) + `]}`, `"x"`},
		"dependent":      {`{"$defs":{"a":{"dependentRequired":{"z":[` + list(n/2, key) + `]},"dependentSchemas":{"a":true}}},"items":{"anyOf":[` + strings.Repeat(`{"$ref":"#/$defs/a"},`, 20) + `true]}}`, objects},
		"names of names": {branches(`{"propertyNames":{"enum":["a"]}}`), members},
		"contains":       {branches(`{"contains":{"enum":["a"]}}`), "[" + list(n, strconv.Itoa) + "]"},
		"redos":          {branches(`{"pattern":"^(?:(a+)+)+$"}`), text("a", n)},
		"redos names":    {`{"patternProperties":{` + list(n/2, func(i int) string { return `"^(a|a)*b` + strconv.Itoa(i) + `$":{}` }) + `}}`, "{" + list(n/2, func(i int) string { return text("a", 30+i%9) + ":1" }) + "}"},
		"programs":       {`{"allOf":[` + list(n, func(i int) string { return `{"pattern":"(?:x` + strconv.Itoa(i) + `{1,99}|[^a-z]){9}"}` }) + `]}`, `"x"`},
		"large programs": {`{"allOf":[` + list(n, func(i int) string { return `{"pattern":".{1,1000}` + strconv.Itoa(i) + `"}` }) + `]}`, text("x", n)},
		"classes":        {`{"allOf":[` + list(n, func(i int) string { return `{"pattern":"` + strings.Repeat(`\p{L}`, 32) + strconv.Itoa(i) + `"}` }) + `]}`, `"x"`},
		"no programs":    {`{"allOf":[` + list(n, func(i int) string { return `{"pattern":"(((a{99}){99}){99}){99}` + strconv.Itoa(i) + `"}` }) + `]}`, `"x"`},
		"unevaluated":    {`{"$defs":{"a":{"anyOf":[{"properties":{"a":true},"unevaluatedProperties":true},true]}},"unevaluatedProperties":true,"anyOf":[` + strings.Repeat(`{"$ref":"#/$defs/a","maxProperties":1},`, 1000) + `true]}`, members},
		"marks": {`{"$defs":{` + list(n/2, func(i int) string {
			return `"` + strconv.Itoa(i) + `":{"unevaluatedItems":true,"$ref":"#/$defs/` + strconv.Itoa(i+1) + `"}`
		}) + `},"$ref":"#/$defs/0"}`, "[" + list(n/2, strconv.Itoa) + "]"},
		"identifiers": {`{"allOf":[` + list(n, func(i int) string {
			return `{"$id":"http://h/` + strconv.Itoa(i) + `","$ref":"` + strconv.Itoa(i/2) + `"}`
		}) + `]}`, `1`},
		"long base": {strings.Repeat(`{"$id":"x","not":`, 400) + `{"$ref":"y"}` + strings.Repeat(`}`, 399) + `,"$id":"http://h/` + strings.Repeat("x", n) + `/"}`, `1`},
		"dots":      {`{"$id":"` + strings.Repeat("a/", n/4) + `","$ref":"` + strings.Repeat("../", n/6) + `b"}`, `1`},
		"scopes": {`{"$id":"http://h/","$dynamicAnchor":"a","allOf":[` + list(n, func(i int) string {
			return `{"$id":"` + strconv.Itoa(i) + `","$defs":{"d":{"$dynamicAnchor":"b` + strconv.Itoa(i) + `"}},"items":{"$dynamicRef":"#b` + strconv.Itoa(i) + `"}}`
		}) + `]}`, `[1,2,3]`},
		"recursion":   {`{"$recursiveAnchor":true,"anyOf":[{"type":"null"},{"items":{"$recursiveRef":"#"}},{"items":{"$recursiveRef":"#"},"maxItems":0}]}`, strings.Repeat("[", 500) + strings.Repeat("]", 500)},
		"exponential": {doubling(24) + `,"x":` + text("x", n) + `}`, `1`},
		"nested":      {strings.Repeat(`{"not":`, 500) + `{}` + strings.Repeat(`}`, 500), strings.Repeat(`{"a":`, 500) + `1` + strings.Repeat(`}`, 500)},
		"fault far":   {`{"allOf":[` + list(n, func(int) string { return `{}` }) + `,false]}`, `1`},
		"schemas":     {`{"anyOf":[` + list(n, func(int) string { return `{}` }) + `]}`, `1`},
	}
}

// Work and memory are bounded by the size of schema and value: four times the size takes at
// most about four times the memory, and the steps end at the limit.
func TestHostileIsLinear(t *testing.T) {
	cost := func(s, v string) (bytes uint64) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_ = schema.Basic{}.Validate(jsonrpc.Raw(s), jsonrpc.Raw(v))
		_, _ = schema.CompileLenient(jsonrpc.Raw(s))
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	n := 1 << 16
	if testing.Short() {
		n = 1 << 14
	}
	small, large := hostile(n), hostile(4*n)
	for name, c := range small {
		d := large[name]
		few, many := cost(c[0], c[1]), cost(d[0], d[1])
		if many > 6*few+1<<20 || many > 48*schema.MostSteps {
			t.Errorf("%s: %d bytes take %d bytes of memory, %d take %d", name, n, few, 4*n, many)
		}
	}
}

// The number of steps does not depend on spelling: with longer names in the schema, or
// more members, the steps for each object stay the same, and use no
// memory.
func TestNamesOfTheSchemaAreReadOnce(t *testing.T) {
	const objects = `[{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1},{"a":1}]`
	for _, part := range []string{`{"required":[NAME]}`, `{"properties":{NAME:{}},"minProperties":99}`, `{"enum":[NAME]}`, `{"const":NAME}`} {
		s := func(n int) string {
			return `{"type":"object","properties":{"l":{"items":{"anyOf":[` + strings.Repeat(`{"$ref":"#/d"},`, 20) + `true]}}},"d":` + strings.ReplaceAll(part, "NAME", `"`+strings.Repeat("n", n)+`"`) + `}`
		}
		value := jsonrpc.Raw(`{"l":` + objects + `}`)
		var steps [2]int
		var allocs [2]float64
		for i, n := range []int{10, 1 << 16} {
			c, err := schema.Compile(jsonrpc.Raw(s(n)))
			if err != nil {
				t.Fatal(err)
			}
			allocs[i] = testing.AllocsPerRun(10, func() { _ = c.Validate(value) })
			with, _ := schema.Steps(s(n), string(value))
			without, _ := schema.Steps(s(n), `null`)
			steps[i] = with - without
		}
		if steps[0] != steps[1] || allocs[0] != allocs[1] {
			t.Errorf("%s: %v steps, %v allocations", part, steps, allocs)
		}
	}
}

// The same by the clock, since hashing a name for every object would be neither a step
// nor memory: a name of a megabyte costs no more than one of ten bytes.
func TestNamesOfTheSchemaCostNothing(t *testing.T) {
	var object strings.Builder
	for i := range 30 {
		object.WriteString(`"` + strconv.Itoa(i) + `":1,`)
	}
	value := jsonrpc.Raw(`{"l":[` + strings.Repeat(`{`+object.String()+`"x":1},`, 100) + `{}]}`)
	for _, part := range []string{`{"required":[NAME]}`, `{"properties":{NAME:{}},"minProperties":99}`, `{"enum":[NAME]}`, `{"const":NAME}`} {
		once := func(n int) time.Duration {
			c, err := schema.Compile(jsonrpc.Raw(`{"type":"object","properties":{"l":{"items":{"anyOf":[` + strings.Repeat(`{"$ref":"#/d"},`, 10) + `true]}}},"d":` +
				strings.ReplaceAll(part, "NAME", `"`+strings.Repeat("n", n)+`"`) + `}`))
			if err != nil {
				t.Fatal(err)
			}
			start := cputime.Now()
			if err := c.Validate(value); err != nil {
				t.Fatal(err)
			}
			return cputime.Now() - start
		}
		// A busy machine only adds time: the minimum of several rounds counts.
		short, long := time.Hour, time.Hour
		for range 10 {
			short, long = min(short, once(10)), min(long, once(1<<20))
			if long <= 4*short {
				break
			}
		}
		if long > 8*short {
			t.Errorf("%s: %v for a short name, %v for a long one", part, short, long)
		}
	}
}

// A number of five million digits is compared and divided exactly, within the limit.
func TestLongNumbers(t *testing.T) {
	digits := strings.Repeat("3", 5_000_000)
	for s, want := range map[string]string{
		`{"multipleOf":3,"minimum":1,"type":"integer"}`: "", `{"multipleOf":7}`: " multipleOf", `{"maximum":1e4999999}`: " maximum", `{"maximum":1e5000000}`: "",
		`{"const":1}`: " const", `{"allOf":[{"multipleOf":3},{"multipleOf":3}]}`: " limit",
	} {
		check(t, s, digits, want)
	}
	check(t, `{"multipleOf":`+digits+`}`, `1`, "/multipleOf schema")
	check(t, `{"maximum":`+digits+`}`, `1`, "")
	check(t, `{"maxLength":`+digits+`}`, `"x"`, "")
}
