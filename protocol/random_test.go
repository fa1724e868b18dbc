package protocol_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	. "github.com/sansmcp/mcp/protocol"
	"pgregory.net/rapid"
)

var (
	texts   = rapid.OneOf(rapid.SampledFrom([]string{"", "a", "null", `"\/<>&`, "\u2028é\x00\n", "𝄞"}), rapid.String())
	objects = rapid.SampledFrom([]string{
		"{}", `{"a":1}`, `{"a":null,"b":[1.50,"<"],"a":2}`, `{"x":{"y":{}},"progressToken":3}`, `{ "n" : 1E400 }`,
	})
	anyJSON = rapid.SampledFrom([]string{"null", "0", "-0.10", `"s"`, "[]", "[ {} ]", "true", `{"a":1}`, "123456789012345678901234567890"})
	schemas = rapid.SampledFrom([]string{
		`{"type":"object"}`, `{"type":"object","properties":{},"required":[]}`,
		`{"$schema":"http://x","type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false,"$defs":{"b":true},"oneOf":[1]}`,
	})
	primitives = rapid.SampledFrom([]string{`"x"`, `""`, "1.5", "-0", "1e999", "true", "false", "12345678901234567890"})
	base64s    = rapid.SampledFrom([]string{"", "QQ==", "QUI=", "QUJD", "+/+/"})
	enums      = map[reflect.Type][]string{
		reflect.TypeFor[Role]():           {"user", "assistant"},
		reflect.TypeFor[LoggingLevel]():   {"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"},
		reflect.TypeFor[IncludeContext](): {"none", "thisServer", "allServers"},
		reflect.TypeFor[ElicitAction]():   {"accept", "decline", "cancel"},
		reflect.TypeFor[StringFormat]():   {"email", "uri", "date", "date-time"},
	}
)

// draw fills v with a random valid value that the codec gives back as it is.
func draw(t *rapid.T, v reflect.Value, rule string, optional bool) {
	if optional && rapid.Bool().Draw(t, "absent") {
		return
	}
	set := func(x any) { v.Set(reflect.ValueOf(x).Convert(v.Type())) }
	switch v.Addr().Interface().(type) {
	case *Content:
		set(drawContent(t, rule == "sampling"))
		return
	case *ResourceContents:
		set(drawContents(t))
		return
	case *Reference:
		if rapid.Bool().Draw(t, "prompt") {
			set(Reference{Type: RefPrompt, Name: texts.Draw(t, "name"), Title: texts.Draw(t, "title")})
		} else {
			set(ResourceReference(texts.Draw(t, "uri")))
		}
		return
	case *PrimitiveSchema:
		set(drawPrimitive(t))
		return
	case *ElicitSchema:
		set(drawSchema(t))
		return
	case *jsonrpc.ID:
		set(rapid.OneOf(rapid.Map(rapid.Int64(), jsonrpc.Int), rapid.Map(texts, jsonrpc.String)).Draw(t, "id"))
		return
	case *Raw:
		switch rule {
		case "object":
			set(objects.Draw(t, "object"))
		case "schema":
			set(schemas.Draw(t, "schema"))
		case "primitive":
			set(primitives.Draw(t, "primitive"))
		default:
			set(anyJSON.Draw(t, "any"))
		}
		return
	case *Meta:
		set(objects.Draw(t, "meta"))
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		draw(t, v.Elem(), rule, false)
	case reflect.String:
		switch list, isEnum := enums[v.Type()]; {
		case isEnum:
			set(rapid.SampledFrom(list).Draw(t, "enum"))
		case rule == "root":
			set(rapid.SampledFrom([]string{"file:///", "file:///a..b/%20", "FILE://h/c"}).Draw(t, "root"))
		case rule == "uri":
			set(drawURI(t))
		default:
			set(texts.Draw(t, "text"))
		}
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "bool"))
	case reflect.Int64:
		v.SetInt(rapid.Int64().Draw(t, "int"))
	case reflect.Float64:
		if strings.HasPrefix(rule, "min") {
			v.SetFloat(rapid.Float64Range(0, 1).Draw(t, "unit"))
		} else {
			v.SetFloat(rapid.Float64().Draw(t, "float"))
		}
	case reflect.Slice:
		n := rapid.IntRange(0, 3).Draw(t, "length")
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			draw(t, v.Index(i), "", false)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range rapid.IntRange(0, 3).Draw(t, "size") {
			e := reflect.New(v.Type().Elem()).Elem()
			draw(t, e, rule, false)
			v.SetMapIndex(reflect.ValueOf(texts.Draw(t, "key")), e)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			_, rule, optional := tags(v.Type().Field(i))
			draw(t, v.Field(i), rule, optional)
		}
	default:
		panic(fmt.Sprint("no values for ", v.Type()))
	}
}

func drawURI(t *rapid.T) string {
	return rapid.SampledFrom([]string{"u:1", "file:///é", "x-y+z.1:abc"}).Draw(t, "uri")
}

func drawAs[T any](t *rapid.T) T {
	var v T
	draw(t, reflect.ValueOf(&v).Elem(), "", false)
	return v
}

func drawContent(t *rapid.T, sampling bool) Content {
	kinds := []string{ContentText, ContentImage, ContentAudio, ContentLink, ContentEmbedded, "hologram"}
	if sampling {
		kinds = kinds[:3]
	}
	c := Content{Type: rapid.SampledFrom(kinds).Draw(t, "type")}
	switch c.Type {
	case ContentText:
		c.Text = texts.Draw(t, "text")
	case ContentImage, ContentAudio:
		c.Media = &Media{Data: base64s.Draw(t, "data"), MIMEType: rapid.SampledFrom([]string{"image/png", "a/b;c=d"}).Draw(t, "mime")}
	case ContentLink:
		r := drawAs[Resource](t)
		c.Link = &r
		return c
	case ContentEmbedded:
		r := drawContents(t)
		c.Resource = &r
	default:
		c.Raw = Raw(rapid.SampledFrom([]string{`{"type":"hologram"}`, `{ "x":1.0,"type":"hologram" }`}).Draw(t, "raw"))
		return c
	}
	if rapid.Bool().Draw(t, "annotated") {
		a := drawAs[Annotations](t)
		c.Annotations = &a
		c.Meta = Meta(objects.Draw(t, "meta"))
	}
	return c
}

func drawContents(t *rapid.T) ResourceContents {
	c := ResourceContents{URI: drawURI(t), MIMEType: texts.Draw(t, "mime")}
	if rapid.Bool().Draw(t, "blob") {
		c.Blob = Ptr(base64s.Draw(t, "data"))
	} else {
		c.Text = texts.Draw(t, "text")
	}
	if rapid.Bool().Draw(t, "meta") {
		c.Meta = Meta(objects.Draw(t, "meta"))
	}
	return c
}

func drawPrimitive(t *rapid.T) PrimitiveSchema {
	all := drawAs[struct {
		Title, Description   string
		MinLength, MaxLength *int64       `json:",omitzero"`
		Format               StringFormat `json:",omitzero"`
		Minimum, Maximum     *float64     `json:",omitzero"`
		Default              *bool        `json:",omitzero"`
		Enum                 []string
	}](t)
	s := PrimitiveSchema{Title: all.Title, Description: all.Description}
	switch s.Type = rapid.SampledFrom([]string{TypeString, TypeNumber, TypeInteger, TypeBoolean}).Draw(t, "type"); {
	case s.Type == TypeBoolean:
		s.Default = all.Default
	case s.Type != TypeString:
		s.Minimum, s.Maximum = all.Minimum, all.Maximum
	case rapid.Bool().Draw(t, "is enum"):
		s.Enum = all.Enum
		if rapid.Bool().Draw(t, "names") {
			s.EnumNames = append([]string{}, all.Enum...)
		}
	default:
		s.MinLength, s.MaxLength, s.Format = all.MinLength, all.MaxLength, all.Format
	}
	return s
}

func drawSchema(t *rapid.T) ElicitSchema {
	s := ElicitSchema{Properties: []Property{}}
	for _, name := range rapid.SliceOfNDistinct(texts, 0, 4, rapid.ID).Draw(t, "names") {
		s.Properties = append(s.Properties, Property{Name: name, Schema: drawPrimitive(t)})
		if rapid.Bool().Draw(t, "required") {
			s.Required = append(s.Required, name)
		}
	}
	return s
}

// The codec of every type appends what the oracle says, and decodes it to the
// same value; encoding/json users get the same bytes (2025-06-18, schema.ts).
//
// rows: META-002 TOOL-006 RES-033
func TestCodecAgainstOracle(t *testing.T) {
	for _, typ := range types {
		t.Run(typeName(typ), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				v := fresh(typ)
				draw(t, reflect.ValueOf(v).Elem(), "", false)
				want := oracle(v)
				got := string(v.AppendJSON([]byte("before")))
				if got != "before"+want {
					t.Fatalf("appended %s\n    want %s", got, "before"+want)
				}
				if err := v.Validate(); err != nil {
					t.Fatalf("%s: Validate: %v", want, err)
				}
				w := fresh(typ)
				if err := w.DecodeJSON(Raw(want), jsonrpc.Span{}); err != nil {
					t.Fatalf("%s: %v", want, err)
				}
				if !reflect.DeepEqual(v, w) {
					t.Fatalf("%s reads back as %s", want, oracle(w))
				}
				u := fresh(typ)
				if err := json.Unmarshal([]byte(" "+want), u); err != nil || !reflect.DeepEqual(v, u) {
					t.Fatalf("%s: unmarshals as %s: %v", want, oracle(u), err)
				}
				if b, err := v.MarshalJSON(); err != nil || string(b) != want {
					t.Fatalf("marshalled %s\n    want %s: %v", b, want, err)
				}
				if !json.Valid([]byte(want)) {
					t.Fatalf("not JSON: %s", want)
				}
			})
		})
	}
}

// What is left zero is absent, or written as the empty value of its type: never
// as null but for data of any type, and always as valid JSON. Slices that are
// required are never null (case 3 of the bugs of other SDKs; 53: nor is what is
// optional).
func TestZeroValues(t *testing.T) {
	for _, v := range types {
		got := string(v.AppendJSON(nil))
		if !json.Valid([]byte(got)) {
			t.Errorf("%T: %s is not JSON", v, got)
		}
		switch v.(type) {
		case *LoggingMessageParams, *CancelledParams, *ProgressParams: // data; an id, which Validate demands
		default:
			if strings.Contains(got, "null") {
				t.Errorf("%T: %s", v, got)
			}
		}
	}
	for _, c := range []struct {
		v    codec
		want string
	}{
		{&ListToolsResult{}, `{"tools":[]}`},
		{&ListPromptsResult{}, `{"prompts":[]}`},
		{&ListResourcesResult{}, `{"resources":[]}`},
		{&ListResourceTemplatesResult{}, `{"resourceTemplates":[]}`},
		{&ListRootsResult{}, `{"roots":[]}`},
		{&CallToolResult{}, `{"content":[]}`},
		{&ReadResourceResult{}, `{"contents":[]}`},
		{&GetPromptResult{}, `{"messages":[]}`},
		{&CompleteResult{}, `{"completion":{"values":[]}}`},
		{&CreateMessageParams{}, `{"messages":[],"maxTokens":0}`},
		{&Tool{}, `{"name":"","inputSchema":{"type":"object"}}`},
		{&LoggingMessageParams{}, `{"level":"","data":null}`},
		{&ElicitSchema{}, `{"type":"object","properties":{}}`},
		{&InitializeParams{}, `{"protocolVersion":"","capabilities":{},"clientInfo":{"name":"","version":""}}`},
		{&ClientCapabilities{Roots: &RootsCapability{}, Experimental: map[string]Raw{"x": ""}}, `{"experimental":{"x":{}},"roots":{}}`},
		{&ElicitResult{Content: map[string]Raw{}}, `{"action":"","content":{}}`},
		{&GetPromptParams{Arguments: map[string]string{"b": "", "a": "1"}}, `{"name":"","arguments":{"a":"1","b":""}}`},
		{&Prompt{Arguments: []PromptArgument{}}, `{"name":"","arguments":[]}`},
	} {
		if got := string(c.v.AppendJSON(nil)); got != c.want {
			t.Errorf("%T: %s, want %s", c.v, got, c.want)
		}
	}
}
