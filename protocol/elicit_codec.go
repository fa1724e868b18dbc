package protocol

import (
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// AppendJSON appends the form as a JSON Schema to dst, with the properties in
// their order.
func (v ElicitSchema) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"type":"object","properties":{`...)
	for i := range v.Properties {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(rawjson.AppendQuote(dst, v.Properties[i].Name), ':')
		dst = v.Properties[i].Schema.AppendJSON(dst)
	}
	dst = append(dst, '}')
	if v.Required != nil {
		dst = appendStrings(append(dst, `,"required":`...), v.Required)
	}
	return append(dst, '}')
}

// DecodeJSON reads a form. Keywords that the specification does not list are
// ignored. The error is a *DecodeError.
func (v *ElicitSchema) DecodeJSON(raw Raw, span jsonrpc.Span) error { return v.read(raw, span, mode{}) }

// read is DecodeJSON in the given mode.
func (v *ElicitSchema) read(raw Raw, span jsonrpc.Span, how mode) error {
	const typ = "ElicitSchema"
	*v = ElicitSchema{}
	o, ok := members(raw, span)
	if !ok {
		return fault(typ, "", ReasonType)
	}
	var kind, properties, required string
	for {
		key, val, ok := o.Next()
		if !ok {
			break
		}
		switch key {
		case "type":
			kind = val
		case "properties":
			properties = val
		case "required":
			required = val
		}
	}
	if o.Bad() {
		return fault(typ, "", ReasonSyntax)
	}
	var name string
	if r := setString(&name, kind, true); r != 0 {
		return fault(typ, "type", r)
	}
	if name != "object" {
		return fault(typ, "type", ReasonValue)
	}
	if !given(properties) {
		return fault(typ, "properties", lack(properties, true))
	}
	if err := v.readProperties(properties, how); err != nil {
		return err
	}
	if r := setStrings(into(&v.Required, how.skim), required, false); r != 0 {
		return fault(typ, "required", r)
	}
	return nil
}

func (v *ElicitSchema) readProperties(raw string, how mode) error {
	o, _ := rawjson.Members(raw)
	list := []Property{}
	seen := map[string]int{}
	for n := 0; ; n++ {
		name, val, ok := o.Next()
		if !ok {
			break
		}
		var one PrimitiveSchema
		if err := one.read(Raw(val), jsonrpc.Span{}, how); err != nil {
			return within("ElicitSchema", item("properties", n), err)
		}
		if how.skim {
			continue
		}
		i, again := seen[name]
		if !again {
			i = len(list)
			seen[name] = i
			list = append(list, Property{Name: name})
		}
		list[i].Schema = one
	}
	if o.Bad() {
		return fault("ElicitSchema", "properties", ReasonType)
	}
	if !how.skim {
		v.Properties = list
	}
	return nil
}

// Validate reports whether the form can be sent: every field is valid, no name
// comes twice, and what is required is there.
func (v ElicitSchema) Validate() error {
	const typ = "ElicitSchema"
	seen := map[string]bool{}
	for i, p := range v.Properties {
		if seen[p.Name] {
			return fault(typ, item("properties", i), ReasonConflict)
		}
		seen[p.Name] = true
		if r := verifyName(p.Name); r != 0 {
			return fault(typ, item("properties", i), r)
		}
		if err := p.Schema.Validate(); err != nil {
			return within(typ, item("properties", i), err)
		}
	}
	for i, name := range v.Required {
		if !seen[name] {
			return fault(typ, item("required", i), ReasonConflict)
		}
	}
	return nil
}

// EnumNamesMatch reports whether every field of a form with enumNames has as many
// of them as values. A form that was received may not; Validate refuses to send one.
func EnumNamesMatch(form Raw) bool {
	properties, _ := rawjson.Get(string(form), "properties")
	o, _ := rawjson.Members(properties)
	for {
		_, field, ok := o.Next()
		if !ok {
			return true
		}
		quoted, _ := rawjson.Get(field, "type")
		if kind, _ := rawjson.Unquote(quoted); kind != TypeString {
			continue // other types have no such keywords
		}
		enum, _ := rawjson.Get(field, "enum")
		names, _ := rawjson.Get(field, "enumNames")
		if given(enum) && given(names) && elements(enum) != elements(names) {
			return false
		}
	}
}

// elements counts the elements of an array.
func elements(raw string) (n int) {
	a, ok := rawjson.Elements(raw)
	for ok {
		if _, ok = a.Next(); ok {
			n++
		}
	}
	return n
}

// DecodeJSON reads the schema of one field. Nested objects, arrays, references
// and unknown formats are faults; keywords that the type of the field does not
// have are ignored. The error is a *DecodeError.
func (v *PrimitiveSchema) DecodeJSON(raw Raw, span jsonrpc.Span) error {
	return v.read(raw, span, mode{})
}

// read is DecodeJSON in the given mode.
func (v *PrimitiveSchema) read(raw Raw, span jsonrpc.Span, how mode) error {
	const typ = "PrimitiveSchema"
	*v = PrimitiveSchema{}
	o, ok := members(raw, span)
	if !ok {
		return fault(typ, "", ReasonType)
	}
	var kind, title, description string
	var lengths, bounds [2]string
	var format, preset, enum, names string
	for {
		key, val, ok := o.Next()
		if !ok {
			break
		}
		switch key {
		case "type":
			kind = val
		case "title":
			title = val
		case "description":
			description = val
		case "minLength":
			lengths[0] = val
		case "maxLength":
			lengths[1] = val
		case "format":
			format = val
		case "minimum":
			bounds[0] = val
		case "maximum":
			bounds[1] = val
		case "default":
			preset = val
		case "enum":
			enum = val
		case "enumNames":
			names = val
		case "$ref":
			return fault(typ, "$ref", ReasonValue)
		}
	}
	if o.Bad() {
		return fault(typ, "", ReasonSyntax)
	}
	if r := setString(&v.Type, kind, true); r != 0 {
		return fault(typ, "type", r)
	}
	if r := setString(&v.Title, title, false); r != 0 {
		return fault(typ, "title", r)
	}
	if r := setString(&v.Description, description, false); r != 0 {
		return fault(typ, "description", r)
	}
	switch {
	case v.Type == TypeString && given(enum):
		if r := setStrings(into(&v.Enum, how.skim), enum, true); r != 0 {
			return fault(typ, "enum", r)
		}
		if r := setStrings(into(&v.EnumNames, how.skim), names, false); r != 0 {
			return fault(typ, "enumNames", r)
		}
	case v.Type == TypeString:
		if r := setIntPtr(&v.MinLength, lengths[0]); r != 0 {
			return fault(typ, "minLength", r)
		}
		if r := setIntPtr(&v.MaxLength, lengths[1]); r != 0 {
			return fault(typ, "maxLength", r)
		}
		if r := setString((*string)(&v.Format), format, false); r != 0 {
			return fault(typ, "format", r)
		}
		if given(format) && !v.Format.Valid() {
			return fault(typ, "format", ReasonValue)
		}
	case v.Type == TypeNumber || v.Type == TypeInteger:
		if r := setFloatPtr(&v.Minimum, bounds[0]); r != 0 {
			return fault(typ, "minimum", r)
		}
		if r := setFloatPtr(&v.Maximum, bounds[1]); r != 0 {
			return fault(typ, "maximum", r)
		}
	case v.Type == TypeBoolean:
		if r := setBoolPtr(&v.Default, preset); r != 0 {
			return fault(typ, "default", r)
		}
	default:
		return fault(typ, "type", ReasonValue)
	}
	return nil
}

// Validate reports whether the schema can be sent: its type is one of the four,
// nothing of another type is set, and EnumNames pairs with Enum.
func (v PrimitiveSchema) Validate() error {
	const typ = "PrimitiveSchema"
	isEnum := v.Type == TypeString && v.Enum != nil
	isString := v.Type == TypeString && v.Enum == nil
	isNumber := v.Type == TypeNumber || v.Type == TypeInteger
	switch {
	case v.Type != TypeString && v.Type != TypeBoolean && !isNumber:
		return fault(typ, "type", ReasonValue)
	case v.MinLength != nil && !isString:
		return fault(typ, "minLength", ReasonConflict)
	case v.MaxLength != nil && !isString:
		return fault(typ, "maxLength", ReasonConflict)
	case v.Format != "" && !isString:
		return fault(typ, "format", ReasonConflict)
	case v.Format != "" && !v.Format.Valid():
		return fault(typ, "format", ReasonValue)
	case v.Minimum != nil && !isNumber:
		return fault(typ, "minimum", ReasonConflict)
	case v.Maximum != nil && !isNumber:
		return fault(typ, "maximum", ReasonConflict)
	case v.Default != nil && v.Type != TypeBoolean:
		return fault(typ, "default", ReasonConflict)
	case v.Enum != nil && !isEnum:
		return fault(typ, "enum", ReasonConflict)
	case v.EnumNames != nil && (!isEnum || len(v.EnumNames) != len(v.Enum)):
		return fault(typ, "enumNames", ReasonConflict)
	}
	for i := range v.Enum {
		if r := verifyName(v.Enum[i]); r != 0 {
			return fault(typ, item("enum", i), r)
		}
	}
	if r := verifyFloatPtr(v.Minimum); r != 0 {
		return fault(typ, "minimum", r)
	}
	if r := verifyFloatPtr(v.Maximum); r != 0 {
		return fault(typ, "maximum", r)
	}
	return nil
}
