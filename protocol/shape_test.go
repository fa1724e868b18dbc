package protocol_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/model/values"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	. "github.com/sansmcp/mcp/protocol"
)

// member describes a member of a type as JSON sees it. kinds has a letter for
// every JSON type that it takes: s string, i integral number, f other number,
// b boolean, o object, a array, n null.
type member struct {
	wire     string
	required bool
	kinds    string
}

// shape is a type, or one form of a union, with all its members present.
type shape struct {
	name    string // as the official schema has it, where it has one
	value   codec
	text    string
	members []member
}

func req(wire, kinds string) member { return member{wire, true, kinds} }
func opt(wire, kinds string) member { return member{wire, false, kinds} }

const (
	annotated = `"annotations":{"audience":["user"],"priority":0.5,"lastModified":"2025-01-12T15:00:58Z"},"_meta":{"com.x/y":1}`
	titled    = `"title":"t","description":"d"`
)

var (
	annotationsAndMeta  = []member{opt("annotations", "o"), opt("_meta", "o")}
	titleAndDescription = []member{opt("title", "s"), opt("description", "s")}
)

// unions are the forms of the types whose codec is written by hand.
var unions = []shape{
	{"TextContent", &Content{}, `{"type":"text","text":"x",` + annotated + `}`,
		append([]member{req("type", "s"), req("text", "s")}, annotationsAndMeta...)},
	{"ImageContent", &Content{}, `{"type":"image","data":"QQ==","mimeType":"image/png",` + annotated + `}`,
		append([]member{req("type", "s"), req("data", "s"), req("mimeType", "s")}, annotationsAndMeta...)},
	{"AudioContent", &Content{}, `{"type":"audio","data":"QQ==","mimeType":"audio/ogg",` + annotated + `}`,
		append([]member{req("type", "s"), req("data", "s"), req("mimeType", "s")}, annotationsAndMeta...)},
	{"ResourceLink", &Content{}, `{"type":"resource_link","uri":"u:1","name":"n",` + titled + `,"mimeType":"m/n","size":5,"icons":[],` + annotated + `}`,
		append([]member{req("type", "s"), req("uri", "s"), req("name", "s"), opt("title", "s"), opt("description", "s"), opt("mimeType", "s"), opt("size", "i"), opt("icons", anything)}, annotationsAndMeta...)},
	{"EmbeddedResource", &Content{}, `{"type":"resource","resource":{"uri":"u:1","text":""},` + annotated + `}`,
		append([]member{req("type", "s"), req("resource", "o")}, annotationsAndMeta...)},
	{"ToolUseContent", &Content{}, `{"type":"tool_use","id":"i","name":"n","input":{"a":1},"_meta":{}}`,
		[]member{req("type", "s"), req("id", "s"), req("name", "s"), req("input", "o"), opt("_meta", "o")}},
	{"ToolResultContent", &Content{}, `{"type":"tool_result","toolUseId":"i","content":[{"type":"text","text":""}],"structuredContent":{},"isError":true,"_meta":{}}`,
		[]member{req("type", "s"), req("toolUseId", "s"), req("content", "a"), opt("structuredContent", anything), opt("isError", "b"), opt("_meta", "o")}},
	{"TextResourceContents", &ResourceContents{}, `{"uri":"u:1","mimeType":"m/n","text":"x","_meta":{}}`,
		[]member{req("uri", "s"), opt("mimeType", "s"), req("text", "s"), opt("_meta", "o")}},
	{"BlobResourceContents", &ResourceContents{}, `{"uri":"u:1","mimeType":"m/n","blob":"QQ==","_meta":{}}`,
		[]member{req("uri", "s"), opt("mimeType", "s"), req("blob", "s"), opt("_meta", "o")}},
	{"PromptReference", &Reference{}, `{"type":"ref/prompt","name":"n","title":"t"}`,
		[]member{req("type", "s"), req("name", "s"), opt("title", "s")}},
	{"ResourceTemplateReference", &Reference{}, `{"type":"ref/resource","uri":"u:{x}"}`,
		[]member{req("type", "s"), req("uri", "s")}},
	{"ElicitSchema", &ElicitSchema{}, `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"a":{"type":"boolean"}},"required":["a"]}`,
		[]member{opt("$schema", "s"), req("type", "s"), req("properties", "o"), opt("required", "a")}},
	{"ElicitRequestFormParams", &ElicitParams{}, `{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{}},"_meta":{"com.x/y":1}}`,
		[]member{opt("mode", "s"), req("message", "s"), req("requestedSchema", "o"), opt("_meta", "o")}},
	{"ElicitRequestURLParams", &ElicitParams{}, `{"mode":"url","message":"m","url":"u:1","elicitationId":"e","_meta":{"com.x/y":1}}`,
		[]member{req("mode", "s"), req("message", "s"), req("url", "s"), req("elicitationId", "s"), opt("_meta", "o")}},
	{"StringSchema", &PrimitiveSchema{}, `{"type":"string",` + titled + `,"minLength":1,"maxLength":3,"format":"email","default":"a@b"}`,
		append([]member{req("type", "s"), opt("minLength", "i"), opt("maxLength", "i"), opt("format", "s"), opt("default", "s")}, titleAndDescription...)},
	{"NumberSchema", &PrimitiveSchema{}, `{"type":"integer",` + titled + `,"minimum":-0.5,"maximum":2,"default":1}`,
		append([]member{req("type", "s"), opt("minimum", "if"), opt("maximum", "if"), opt("default", "if")}, titleAndDescription...)},
	{"BooleanSchema", &PrimitiveSchema{}, `{"type":"boolean",` + titled + `,"default":false}`,
		append([]member{req("type", "s"), opt("default", "b")}, titleAndDescription...)},
	{"LegacyTitledEnumSchema", &PrimitiveSchema{}, `{"type":"string",` + titled + `,"enum":["a"],"enumNames":["A"],"default":"a"}`,
		append([]member{req("type", "s"), req("enum", "a"), opt("enumNames", "a"), opt("default", "s")}, titleAndDescription...)},
	{"UntitledSingleSelectEnumSchema", &PrimitiveSchema{}, `{"type":"string",` + titled + `,"enum":["a"],"default":"a"}`,
		append([]member{req("type", "s"), req("enum", "a"), opt("default", "s")}, titleAndDescription...)},
	{"TitledSingleSelectEnumSchema", &PrimitiveSchema{}, `{"type":"string",` + titled + `,"default":"a","oneOf":[{"const":"a","title":"A"}]}`,
		append([]member{req("type", "s"), req("oneOf", "a"), opt("default", "s")}, titleAndDescription...)},
	{"UntitledMultiSelectEnumSchema", &PrimitiveSchema{}, `{"type":"array",` + titled + `,"default":["a"],"items":{"type":"string","enum":["a"]},"minItems":1,"maxItems":1}`,
		append([]member{req("type", "s"), req("items", "o"), opt("minItems", "i"), opt("maxItems", "i"), opt("default", "a")}, titleAndDescription...)},
	{"TitledMultiSelectEnumSchema", &PrimitiveSchema{}, `{"type":"array",` + titled + `,"default":["a"],"items":{"anyOf":[{"const":"a","title":"A"}]},"minItems":1,"maxItems":1}`,
		append([]member{req("type", "s"), req("items", "o"), opt("minItems", "i"), opt("maxItems", "i"), opt("default", "a")}, titleAndDescription...)},
}

// shapes returns the unions and the shape of every generated type.
func shapes() []shape {
	out := append([]shape{}, unions...)
	for _, v := range types {
		switch v.(type) {
		case *Content, *ResourceContents, *Reference, *ElicitSchema, *PrimitiveSchema, *ElicitParams:
			continue
		}
		s := shape{name: typeName(v), value: fresh(v)}
		full := fresh(v)
		fill(reflect.ValueOf(full).Elem(), "")
		s.text = string(full.AppendJSON(nil))
		for i := range reflect.TypeOf(v).Elem().NumField() {
			f := reflect.TypeOf(v).Elem().Field(i)
			wire, rule, optional := tags(f)
			if wire == "-" {
				continue
			}
			s.members = append(s.members, member{wire, !optional, kinds(f.Type, rule)})
		}
		out = append(out, s)
	}
	return out
}

// anything are the kinds of a member that is left out if it is of the wrong one.
const anything = "sifboan"

func kinds(t reflect.Type, rule string) string {
	switch {
	case rule == "lenient":
		return anything
	case strings.HasPrefix(rule, "one"):
		return "oa"
	}
	switch t {
	case reflect.TypeFor[Raw]():
		if rule == "" || rule == "any" {
			return "sifboan"
		}
		return "o"
	case reflect.TypeFor[Meta]():
		return "o"
	case reflect.TypeFor[jsonrpc.ID]():
		return "si"
	}
	return map[reflect.Kind]func() string{
		reflect.Pointer: func() string { return kinds(t.Elem(), rule) },
		reflect.String:  func() string { return "s" },
		reflect.Bool:    func() string { return "b" },
		reflect.Int64:   func() string { return "i" },
		reflect.Float64: func() string { return "if" },
		reflect.Slice:   func() string { return "a" },
		reflect.Map:     func() string { return "o" },
		reflect.Struct:  func() string { return "o" },
	}[t.Kind()]()
}

// fill sets every field to a valid value that is not zero.
func fill(v reflect.Value, rule string) {
	switch p := v.Addr().Interface().(type) {
	case *Content:
		*p = TextContent("x")
		return
	case *ResourceContents:
		*p = TextResource("u:1", "", "x")
		return
	case *Reference:
		*p = PromptReference("x")
		return
	case *ElicitParams:
		*p = ElicitParams{Message: "x", RequestedSchema: ElicitSchema{Properties: []Property{{"k", PrimitiveSchema{Type: TypeBoolean}}}}, Meta: `{"com.x/y":1}`}
		return
	case *ElicitSchema:
		*p = ElicitSchema{Properties: []Property{{"k", PrimitiveSchema{Type: TypeBoolean}}}}
		return
	case *jsonrpc.ID:
		*p = jsonrpc.Int(7)
		return
	case *Raw:
		*p = map[string]Raw{"schema": `{"type":"object"}`, "object": `{"a":1}`, "output": `{"type":"object"}`, "primitive": "1.5", "any": `{"a":1}`, "": "[1]"}[rule]
		return
	case *Meta:
		*p = `{"com.x/y":1}`
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), rule)
	case reflect.String:
		text := map[string]string{"root": "file:///r", "uri": "u:1", "icon": "data:,", "sizes": "any", "name": "x", "": "x"}[rule]
		if list := values.Enums[v.Type()]; list != nil {
			text = list[0]
		}
		v.SetString(text)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int64:
		v.SetInt(3)
	case reflect.Float64:
		v.SetFloat(0.5)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), rule)
	case reflect.Map:
		e := reflect.New(v.Type().Elem()).Elem()
		fill(e, rule)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("k"), e)
	case reflect.Struct:
		for i := range v.NumField() {
			if wire, rule, _ := tags(v.Type().Field(i)); wire != "-" {
				fill(v.Field(i), rule)
			}
		}
	}
}

// pairs takes the object text apart.
func pairs(text string) (out [][2]string) {
	o, _ := rawjson.Members(text)
	for {
		key, val, ok := o.Next()
		if !ok {
			return out
		}
		out = append(out, [2]string{key, val})
	}
}

// with returns text with the member set to val, or removed if val is "".
func with(text, wire, val string) string { return rawjson.Set(text, wire, val) }

// Every shape lists exactly the members of its text, and decodes to a value with
// all of them.
func TestShapesComplete(t *testing.T) {
	for _, s := range shapes() {
		names := map[string]bool{}
		for _, p := range pairs(s.text) {
			names[p[0]] = true
		}
		for _, m := range s.members {
			if !names[m.wire] {
				t.Errorf("%s: %s is not in %s", s.name, m.wire, s.text)
			}
		}
		if len(names) != len(s.members) {
			t.Errorf("%s: %s has %d members, listed are %d", s.name, s.text, len(names), len(s.members))
		}
		v := decoded(t, s.value, s.text)
		if err := v.Validate(); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
		if got := pairs(string(v.AppendJSON(nil))); len(got) != len(names) {
			t.Errorf("%s: %s loses members: %s", s.name, s.text, got)
		}
		if strings.Contains(s.text, "null") {
			t.Errorf("%s: null in %s", s.name, s.text)
		}
	}
}
