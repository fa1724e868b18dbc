// Package values draws random values of the types of package protocol that may be sent:
// params and results of every method and their parts.
package values

import (
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// Source is where random choices come from.
type Source interface {
	// Intn returns a number from 0 to n-1; n is at least 1.
	Intn(n int) int
}

// Drawer draws values that survive encoding and decoding.
type Drawer struct {
	Source
	// Narrow omits values that Validate accepts although the official schema does not:
	// content of unknown types, and text that violates the format of the schema
	// where a peer may have chosen it. It also omits schemas that nothing can be
	// checked against.
	Narrow bool
}

// Of returns a value of the type T.
func Of[T any](d Drawer) T {
	var v T
	d.Fill(&v)
	return v
}

// Fill draws the value that p points to, which is zero.
func (d Drawer) Fill(p any) { d.fill(reflect.ValueOf(p).Elem(), "", "", false) }

// Enums are the values of the enumerations.
var Enums = map[reflect.Type][]string{
	reflect.TypeFor[protocol.Role]():           {"user", "assistant"},
	reflect.TypeFor[protocol.LoggingLevel]():   {"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"},
	reflect.TypeFor[protocol.IncludeContext](): {"none", "thisServer", "allServers"},
	reflect.TypeFor[protocol.ElicitAction]():   {"accept", "decline", "cancel"},
	reflect.TypeFor[protocol.StringFormat]():   {"email", "uri", "date", "date-time"},
	reflect.TypeFor[protocol.IconTheme]():      {"light", "dark"},
	reflect.TypeFor[protocol.TaskSupport]():    {"forbidden", "optional", "required"},
	reflect.TypeFor[protocol.ToolChoiceMode](): {"auto", "required", "none"},
	reflect.TypeFor[protocol.ElicitMode]():     {"form", "url"},
}

var (
	texts   = []string{"", "a", "null", `"\/<>&`, "\u2028é\x00\n", "𝄞"}
	objects = []string{"{}", `{"a":1}`, `{"a":null,"b":[1.50,"<"],"a":2}`, `{"x":{"y":{}},"progressToken":3}`, `{ "n" : 1E400 }`}
	anyJSON = []string{"null", "0", "-0.10", `"s"`, "[]", "[ {} ]", "true", `{"a":1}`, "123456789012345678901234567890"}
	schemas = []string{
		`{"type":"object"}`, `{"type":"object","properties":{},"required":[]}`,
		`{"type":"object","properties":{"a":{"type":"integer","default":null}},"additionalProperties":true,"x":null}`,
		`{"$schema":"http://x","type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false,"$defs":{"b":true},"oneOf":[1]}`,
	}
	results    = []string{`{}`, `{"type":"array","items":true}`, `{"oneOf":[{"type":"null"},{"type":["object","integer"]}]}`}
	primitives = []string{`"x"`, `""`, "1.5", "-0", "1e999", "true", "false", "12345678901234567890"}
	base64s    = []string{"", "QQ==", "QUI=", "QUJD", "+/+/"}
	uris       = []string{"u:1", "file:///é", "x-y+z.1:abc"}
	icons      = []string{"https://x.example/i.png", "http://x", "data:image/png;base64,QQ=="}
	sizes      = []string{"48x48", "any", "1x2"}
	roots      = []string{"file:///", "file:///a..b/%20", "FILE://h/c"}
	templates  = []string{"file:///{x}", "u:{+a,b}{?c*}", "u:"}
	formats    = map[string][]string{"uri": uris, "websiteUrl": uris, "uriTemplate": templates}
)

func pick[T any](d Drawer, list []T) T { return list[d.Intn(len(list))] }

func (d Drawer) yes() bool { return d.Intn(2) == 1 }

// Text returns any text.
func (d Drawer) Text() string {
	if d.yes() {
		return pick(d, texts)
	}
	var b strings.Builder
	for range d.Intn(6) {
		b.WriteRune(pick(d, []rune{' ', 'a', '~', '\u007f', '\u00fc', '\ufffd', '\uffff', '\U0010ffff'}) - rune(d.Intn(30)))
	}
	return b.String()
}

func (d Drawer) int64() int64 {
	return pick(d, []int64{0, 1, -1, math.MaxInt64, math.MinInt64, 1 << 53, int64(d.Intn(1 << 30))})
}

func (d Drawer) float64() float64 {
	return pick(d, []float64{0, 1, -0.5, 0.1, 1e21, 1e-7, math.MaxFloat64, math.SmallestNonzeroFloat64, float64(d.int64()) / 3})
}

// fill draws v, a member of the wire name with the mcp rule.
func (d Drawer) fill(v reflect.Value, wire, rule string, optional bool) {
	if optional && !d.yes() {
		return
	}
	set := func(x any) { v.Set(reflect.ValueOf(x).Convert(v.Type())) }
	switch v.Addr().Interface().(type) {
	case *protocol.Content:
		set(d.content(strings.Contains(rule, "sampling")))
	case *protocol.ResourceContents:
		set(d.contents())
	case *protocol.Reference:
		set(d.reference())
	case *protocol.PrimitiveSchema:
		set(d.primitive())
	case *protocol.ElicitParams:
		set(d.question())
	case *protocol.ElicitSchema:
		set(d.form())
	case *jsonrpc.ID:
		if d.yes() {
			set(jsonrpc.Int(d.int64()))
		} else {
			set(jsonrpc.String(d.Text()))
		}
	case *protocol.Raw:
		list := map[string][]string{
			"object": objects, "schema": schemas, "output": append(results, schemas...), "primitive": primitives, "any": anyJSON[1:], "": anyJSON,
		}[rule]
		switch {
		case rule == "any" && d.Narrow:
			list = objects // in the form of older revisions
		case (rule == "schema" || rule == "output") && d.Narrow:
			list = schemas[:3]
		}
		set(pick(d, list))
	case *protocol.Meta:
		set(pick(d, objects))
	default:
		d.fillKind(v, wire, rule, set)
	}
}

func (d Drawer) fillKind(v reflect.Value, wire, rule string, set func(any)) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		d.fill(v.Elem(), wire, rule, false)
	case reflect.String:
		switch list := Enums[v.Type()]; {
		case list != nil:
			set(pick(d, list))
		case rule == "root":
			set(pick(d, roots))
		case rule == "icon":
			set(pick(d, icons))
		case rule == "sizes":
			set(pick(d, sizes))
		case rule == "uri" || d.Narrow && formats[wire] != nil:
			set(pick(d, formats[wire]))
		default:
			set(d.Text())
		}
	case reflect.Bool:
		v.SetBool(d.yes())
	case reflect.Int64:
		v.SetInt(d.int64())
	case reflect.Float64:
		if strings.HasPrefix(rule, "min") {
			v.SetFloat(pick(d, []float64{0, 1, 0.5, float64(d.Intn(1000)) / 999}))
		} else {
			v.SetFloat(d.float64())
		}
	case reflect.Slice:
		n := d.Intn(4)
		if d.Narrow && strings.HasPrefix(rule, "one") {
			n = 1 // in the form of older revisions
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			d.fill(v.Index(i), "", rule, false)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range d.Intn(4) {
			e := reflect.New(v.Type().Elem()).Elem()
			d.fill(e, "", rule, false)
			v.SetMapIndex(reflect.ValueOf(d.Text()), e)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			tag := v.Type().Field(i).Tag
			wire, rest, _ := strings.Cut(tag.Get("json"), ",")
			if wire != "-" {
				d.fill(v.Field(i), wire, tag.Get("mcp"), rest == "omitzero")
			}
		}
	default:
		panic(fmt.Sprint("no values for ", v.Type()))
	}
}

func (d Drawer) reference() protocol.Reference {
	switch {
	case d.yes():
		return protocol.Reference{Type: protocol.RefPrompt, Name: d.Text(), Title: d.Text()}
	case d.Narrow:
		return protocol.ResourceReference(pick(d, templates))
	}
	return protocol.ResourceReference(d.Text())
}

func (d Drawer) content(sampling bool) protocol.Content {
	kinds := []string{protocol.ContentText, protocol.ContentImage, protocol.ContentAudio, protocol.ContentLink, protocol.ContentEmbedded, "hologram"}
	switch {
	case sampling && d.Narrow:
		kinds = kinds[:3]
	case sampling:
		kinds = append(kinds[:3:3], protocol.ContentToolUse, protocol.ContentToolResult)
	case d.Narrow:
		kinds = kinds[:5]
	}
	c := protocol.Content{Type: pick(d, kinds)}
	switch c.Type {
	case protocol.ContentText:
		c.Text = d.Text()
	case protocol.ContentImage, protocol.ContentAudio:
		c.Media = &protocol.Media{Data: pick(d, base64s), MIMEType: pick(d, []string{"image/png", "a/b;c=d"})}
	case protocol.ContentLink:
		r := Of[protocol.Resource](d)
		c.Link = &r
		return c
	case protocol.ContentEmbedded:
		r := d.contents()
		c.Resource = &r
	case protocol.ContentToolUse, protocol.ContentToolResult:
		if c.Type == protocol.ContentToolUse {
			c.ToolUse = protocol.Ptr(Of[protocol.ToolUse](d))
		} else {
			c.ToolResult = protocol.Ptr(Of[protocol.ToolResult](d))
		}
		if d.yes() {
			c.Meta = protocol.Meta(pick(d, objects))
		}
		return c
	default:
		c.Raw = protocol.Raw(pick(d, []string{`{"type":"hologram"}`, `{ "x":1.0,"type":"hologram" }`}))
		return c
	}
	if d.yes() {
		a := Of[protocol.Annotations](d)
		c.Annotations = &a
		c.Meta = protocol.Meta(pick(d, objects))
	}
	return c
}

func (d Drawer) contents() protocol.ResourceContents {
	c := protocol.ResourceContents{URI: pick(d, uris), MIMEType: d.Text()}
	if d.yes() {
		c.Blob = protocol.Ptr(pick(d, base64s))
	} else {
		c.Text = d.Text()
	}
	if d.yes() {
		c.Meta = protocol.Meta(pick(d, objects))
	}
	return c
}

func (d Drawer) primitive() protocol.PrimitiveSchema {
	all := Of[struct {
		Title, Description   string
		MinLength, MaxLength *int64                `json:",omitzero"`
		Format               protocol.StringFormat `json:",omitzero"`
		Minimum, Maximum     *float64              `json:",omitzero"`
		Default              *bool                 `json:",omitzero"`
		Items                *int64                `json:",omitzero"`
		Enum                 []string
	}](d)
	s := protocol.PrimitiveSchema{Title: all.Title, Description: all.Description}
	types := []string{protocol.TypeString, protocol.TypeNumber, protocol.TypeInteger, protocol.TypeBoolean, protocol.TypeArray}
	if d.Narrow {
		types = types[:4] // in the form of older revisions
	}
	s.Type = pick(d, types)
	choices := []protocol.Choice{}
	for _, v := range all.Enum {
		choices = append(choices, protocol.Choice{Value: v, Title: all.Title})
	}
	switch {
	case s.Type == protocol.TypeBoolean && all.Default != nil:
		s.Default = protocol.BoolValue(*all.Default)
	case s.Type == protocol.TypeBoolean:
	case s.Type == protocol.TypeArray:
		if s.Enum, s.MaxItems = all.Enum, all.Items; d.yes() {
			s.Enum, s.Choices, s.Default = nil, choices, "[]"
			s.MaxItems = nil
		}
	case s.Type != protocol.TypeString:
		s.Minimum, s.Maximum = all.Minimum, all.Maximum
	case d.Intn(4) == 0:
		if s.Choices = choices; len(choices) > 0 {
			s.Default = protocol.StringValue(choices[0].Value)
		}
	case d.yes():
		s.Enum = all.Enum
		if d.yes() {
			s.EnumNames = append([]string{}, all.Enum...)
		}
	default:
		s.MinLength, s.MaxLength, s.Format = all.MinLength, all.MaxLength, all.Format
	}
	return s
}

func (d Drawer) question() protocol.ElicitParams {
	p := protocol.ElicitParams{Message: d.Text()}
	if d.yes() {
		p.Meta = protocol.Meta(pick(d, objects))
	}
	switch {
	case d.Narrow, d.yes():
		p.RequestedSchema = d.form()
	default:
		p.Mode, p.URL, p.ElicitationID = protocol.ElicitURL, pick(d, uris), "x"+d.Text()
	}
	return p
}

func (d Drawer) form() protocol.ElicitSchema {
	s := protocol.ElicitSchema{Properties: []protocol.Property{}}
	names := map[string]bool{}
	for range d.Intn(5) {
		name := d.Text()
		if names[name] {
			continue
		}
		names[name] = true
		s.Properties = append(s.Properties, protocol.Property{Name: name, Schema: d.primitive()})
		if d.yes() {
			s.Required = append(s.Required, name)
		}
	}
	return s
}
