package schema_test

import (
	"encoding/json"
	"errors"
	"math/big"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol/schema"
)

func tree(t *rapid.T, raw string) any {
	d := json.NewDecoder(strings.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(raw, err)
	}
	return exact(v)
}

// exact makes numbers comparable with reflect.DeepEqual.
func exact(v any) any {
	switch v := v.(type) {
	case json.Number:
		r, _ := new(big.Rat).SetString(v.String())
		return rat(r.RatString())
	case []any:
		for i := range v {
			v[i] = exact(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = exact(v[k])
		}
	}
	return v
}

// rat is the text of a fraction in lowest terms.
type rat string

func (r rat) big() *big.Rat { b, _ := new(big.Rat).SetString(string(r)); return b }

func length(n int) *big.Rat { return big.NewRat(int64(n), 1) }

// twin says whether v satisfies s, directly from the definitions.
func twin(root, s, v any) bool {
	if b, ok := s.(bool); ok {
		return b
	}
	for key, val := range s.(map[string]any) {
		if !holds(root, s.(map[string]any), key, val, v) {
			return false
		}
	}
	return true
}

func within(key string, val any, n int) bool {
	if key[:3] == "min" {
		return length(n).Cmp(val.(rat).big()) >= 0
	}
	return length(n).Cmp(val.(rat).big()) <= 0
}

func holds(root any, s map[string]any, key string, val, v any) bool {
	arr, isArr := v.([]any)
	obj, isObj := v.(map[string]any)
	str, isStr := v.(string)
	num, isNum := v.(rat)
	switch key {
	case "type":
		return is(val, v)
	case "const":
		return reflect.DeepEqual(val, v)
	case "enum":
		for _, x := range val.([]any) {
			if reflect.DeepEqual(x, v) {
				return true
			}
		}
		return false
	case "minLength", "maxLength":
		return !isStr || within(key, val, utf8.RuneCountInString(str))
	case "minItems", "maxItems":
		return !isArr || within(key, val, len(arr))
	case "minProperties", "maxProperties":
		return !isObj || within(key, val, len(obj))
	case "minimum":
		return !isNum || num.big().Cmp(val.(rat).big()) >= 0
	case "maximum":
		return !isNum || num.big().Cmp(val.(rat).big()) <= 0
	case "exclusiveMinimum":
		return !isNum || num.big().Cmp(val.(rat).big()) > 0
	case "exclusiveMaximum":
		return !isNum || num.big().Cmp(val.(rat).big()) < 0
	case "multipleOf":
		return !isNum || new(big.Rat).Quo(num.big(), val.(rat).big()).IsInt()
	case "required":
		for _, name := range val.([]any) {
			if _, ok := obj[name.(string)]; isObj && !ok {
				return false
			}
		}
	case "properties":
		for name, p := range val.(map[string]any) {
			if x, ok := obj[name]; ok && !twin(root, p, x) {
				return false
			}
		}
	case "pattern":
		return !isStr || regexp.MustCompile(val.(string)).MatchString(str)
	case "patternProperties":
		for pattern, p := range val.(map[string]any) {
			for name, x := range obj {
				if regexp.MustCompile(pattern).MatchString(name) && !twin(root, p, x) {
					return false
				}
			}
		}
	case "additionalProperties":
		named, _ := s["properties"].(map[string]any)
		for name, x := range obj {
			_, ok := named[name]
			patterns, _ := s["patternProperties"].(map[string]any)
			for pattern := range patterns {
				ok = ok || regexp.MustCompile(pattern).MatchString(name)
			}
			if !ok && !twin(root, val, x) {
				return false
			}
		}
	case "prefixItems":
		for i, p := range val.([]any) {
			if i < len(arr) && !twin(root, p, arr[i]) {
				return false
			}
		}
	case "items":
		prefix, _ := s["prefixItems"].([]any)
		for i, x := range arr {
			if i >= len(prefix) && !twin(root, val, x) {
				return false
			}
		}
	case "contains":
		n := 0
		for _, x := range arr {
			if twin(root, val, x) {
				n++
			}
		}
		_, some := s["minContains"]
		return !isArr || (some || n > 0) && (!some || within("minContains", s["minContains"], n)) && (s["maxContains"] == nil || within("maxContains", s["maxContains"], n))
	case "propertyNames":
		for name := range obj {
			if !twin(root, val, name) {
				return false
			}
		}
	case "dependentRequired":
		for name, list := range val.(map[string]any) {
			for _, other := range list.([]any) {
				_, has := obj[name]
				if _, ok := obj[other.(string)]; has && !ok {
					return false
				}
			}
		}
	case "dependentSchemas":
		for name, p := range val.(map[string]any) {
			if _, has := obj[name]; has && !twin(root, p, v) {
				return false
			}
		}
	case "uniqueItems":
		for i, x := range arr {
			for _, y := range arr[:i] {
				if val.(bool) && reflect.DeepEqual(x, y) {
					return false
				}
			}
		}
	case "allOf", "anyOf", "oneOf":
		n := 0
		for _, p := range val.([]any) {
			if twin(root, p, v) {
				n++
			}
		}
		return key == "allOf" && n == len(val.([]any)) || key == "anyOf" && n > 0 || key == "oneOf" && n == 1
	case "not":
		return !twin(root, val, v)
	case "if":
		branch := "else"
		if twin(root, val, v) {
			branch = "then"
		}
		p, ok := s[branch]
		return !ok || twin(root, p, v)
	case "$ref":
		return twin(root, root.(map[string]any)["$defs"].(map[string]any)["d"], v)
	}
	return true
}

func is(typ, v any) bool {
	if list, ok := typ.([]any); ok {
		for _, x := range list {
			if is(x, v) {
				return true
			}
		}
		return false
	}
	switch v := v.(type) {
	case nil:
		return typ == "null"
	case bool:
		return typ == "boolean"
	case string:
		return typ == "string"
	case rat:
		return typ == "number" || typ == "integer" && v.big().IsInt()
	case []any:
		return typ == "array"
	}
	return typ == "object"
}

func pick(t *rapid.T, of ...string) string { return rapid.SampledFrom(of).Draw(t, "pick") }

func some(t *rapid.T, low int, f func() string) string {
	var all []string
	for range rapid.IntRange(low, 3).Draw(t, "n") {
		all = append(all, f())
	}
	return strings.Join(all, ",")
}

func drawValue(t *rapid.T, depth int) string {
	kinds := []string{"number", "number", "string", "word"}
	if depth > 0 {
		kinds = append(kinds, "array", "object", "object")
	}
	switch pick(t, kinds...) {
	case "number":
		return pick(t, "0", "-0.0", "1", "1.0", "10e-1", "2", "3", "0.3", "-1.5", "12e1", "1e30", "9007199254740992", "9007199254740993", "90071992547409.93e2", "7")
	case "string":
		return pick(t, `""`, `"a"`, `"\u0061"`, `"é"`, `"😀b"`, `"\ud83d\ude00b"`)
	case "array":
		return "[ " + some(t, 0, func() string { return drawValue(t, depth-1) }) + "]"
	case "object":
		return "{ " + some(t, 0, func() string { return pick(t, `"a"`, `"\u0061"`, `"b"`, `"c"`) + " : " + drawValue(t, depth-1) }) + "}"
	}
	return pick(t, "null", "true", "false")
}

func drawSchema(t *rapid.T, depth int, ref bool) string {
	if pick(t, "object", "object", "object", "object", "bool") == "bool" {
		return pick(t, "true", "false", "{}")
	}
	return "{" + some(t, 1, func() string { return drawKeyword(t, depth, ref) }) + "}"
}

func drawKeyword(t *rapid.T, depth int, ref bool) string {
	keys := []string{"type", "types", "enum", "const", "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties",
		"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "required", "uniqueItems", "title", "minContains", "maxContains", "dependentRequired", "pattern"}
	if ref {
		keys = append(keys, "$ref")
	}
	if depth > 0 {
		keys = append(keys, "properties", "properties", "additionalProperties", "items", "items", "prefixItems", "allOf", "anyOf", "oneOf", "not", "if", "then", "else",
			"contains", "contains", "propertyNames", "dependentSchemas", "patternProperties")
	}
	key := pick(t, keys...)
	sub := func() string { return drawSchema(t, depth-1, ref) }
	typ := func() string {
		return pick(t, `"null"`, `"boolean"`, `"string"`, `"number"`, `"integer"`, `"array"`, `"object"`)
	}
	var val string
	switch key {
	case "type":
		val = typ()
	case "types":
		key, val = "type", "["+some(t, 1, typ)+"]"
	case "enum":
		val = "[" + some(t, 1, func() string { return drawValue(t, 2) }) + "]"
	case "const":
		val = drawValue(t, 2)
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		val = pick(t, "0", "1", "1.00", "-1.5", "9007199254740993", "0.3", "-1e-3")
	case "multipleOf":
		val = pick(t, "1", "0.1", "3", "20", "0.15", "7e-1", "1e2", "9007199254740993")
	case "required":
		val = "[" + some(t, 0, func() string { return pick(t, `"a"`, `"b"`, `"c"`) }) + "]"
	case "uniqueItems":
		val = pick(t, "true", "true", "false")
	case "$ref":
		val = `"#/$defs/d"`
	case "dependentRequired":
		val = "{" + some(t, 0, func() string {
			return pick(t, `"a"`, `"b"`, `"\u0063"`) + ":[" + some(t, 0, func() string { return pick(t, `"a"`, `"b"`, `"c"`) }) + "]"
		}) + "}"
	case "pattern":
		val = pick(t, `"^a"`, `"b$"`, `"^$"`, `"[^a]"`, `"^(?:a|😀)*b?$"`)
	case "patternProperties":
		val = "{" + some(t, 0, func() string { return pick(t, `"^a"`, `"b$"`, `"^[bc]$"`, `""`) + ":" + sub() }) + "}"
	case "properties", "dependentSchemas":
		val = "{" + some(t, 0, func() string { return pick(t, `"a"`, `"b"`, `"\u0063"`) + ":" + sub() }) + "}"
	case "prefixItems", "allOf", "anyOf", "oneOf":
		val = "[" + some(t, 1, sub) + "]"
	case "items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames":
		val = sub()
	default:
		val = pick(t, "0", "1", "2.0")
	}
	if key != "const" && rapid.IntRange(0, 9).Draw(t, "mark") == 0 {
		val = "\x01" + val + "\x02"
	}
	return `"` + key + `":` + val
}

var marks = strings.NewReplacer("\x01", "", "\x02", "")

// damaged is a schema with nonsense in place of its outermost marks.
func damaged(s string) string {
	var b strings.Builder
	open := 0
	for _, c := range []byte(s) {
		switch c {
		case 1:
			if open++; open == 1 {
				b.WriteString(`"?"`)
			}
		case 2:
			open--
		default:
			if open == 0 {
				b.WriteByte(c)
			}
		}
	}
	return b.String()
}

func TestAgainstTwin(t *testing.T) { rapid.Check(t, againstTwin) }

// FuzzAgainstTwin is TestAgainstTwin with choices that lead to statements not yet run.
func FuzzAgainstTwin(f *testing.F) { f.Fuzz(rapid.MakeFuzz(againstTwin)) }

func againstTwin(t *rapid.T) {
	s := drawSchema(t, 3, true)
	if s[0] != '{' || s == "{}" {
		s = `{"title":0}`
	}
	s = marks.Replace(s[:len(s)-1] + `,"$defs":{"d":` + drawSchema(t, 2, false) + "}}")
	value := drawValue(t, 3)
	root := tree(t, s)
	want := twin(root, root, tree(t, value))
	err := schema.Basic{}.Validate(jsonrpc.Raw(s), jsonrpc.Raw(value))
	if (err == nil) != want {
		t.Fatalf("%s on %s: %v, want %v", s, value, err, want)
	}
	if again := (schema.Basic{}).Validate(jsonrpc.Raw(s), jsonrpc.Raw(value)); !errors.Is(again, err) {
		t.Fatalf("%v, then %v", err, again)
	}
	compiled(t, s, value)
	compiled(t, `{"type":"object","allOf":[`+s+`]}`, value)
	compiled(t, `{"type":"object","properties":{"a":`+marks.Replace(drawSchema(t, 2, false))+`}}`, value)
}

// Any texts get an answer, which contains nothing of the value.
func TestTotal(t *testing.T) {
	names := []string{`"type"`, `"items"`, `"properties"`, `"$ref"`, `"#/$defs/a"`, `"#"`, `"anyOf"`, `"required"`, `"secret"`, `"object"`, `"enum"`,
		`"$defs"`, `"not"`, "{", "}", "[", "]", ":", ",", "1", "true", "-", `"\ud800"`, "\xff", " "}
	text := rapid.Map(rapid.SliceOfN(rapid.SampledFrom(names), 0, 12), func(s []string) string { return strings.Join(s, "") })
	rapid.Check(t, func(t *rapid.T) {
		s := text.Draw(t, "schema")
		if rapid.Bool().Draw(t, "valid") {
			s = marks.Replace(drawSchema(t, 3, false))
		}
		value := text.Draw(t, "value")
		err := schema.Basic{}.Validate(jsonrpc.Raw(s), jsonrpc.Raw(value))
		_ = schema.Check(jsonrpc.Raw(s))
		if err != nil && !strings.Contains(s, "secret") && strings.Contains(err.Error(), "secret") {
			t.Fatalf("%s on %s: %v", s, value, err)
		}
	})
}
