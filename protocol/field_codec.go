package protocol

import (
	"strconv"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// AppendJSON appends the schema as JSON to dst.
func (v PrimitiveSchema) AppendJSON(dst []byte) []byte {
	dst = rawjson.AppendQuote(append(dst, `{"type":`...), v.Type)
	text := func(name, s string) {
		if s != "" {
			dst = rawjson.AppendQuote(append(append(append(dst, `,"`...), name...), `":`...), s)
		}
	}
	count := func(name string, n *int64) {
		if n != nil {
			dst = strconv.AppendInt(append(append(append(dst, `,"`...), name...), `":`...), *n, 10)
		}
	}
	bound := func(name string, f *float64) {
		if f != nil {
			dst = rawjson.AppendFloat(append(append(append(dst, `,"`...), name...), `":`...), *f)
		}
	}
	text("title", v.Title)
	text("description", v.Description)
	count("minLength", v.MinLength)
	count("maxLength", v.MaxLength)
	text("format", string(v.Format))
	text("pattern", v.Pattern)
	bound("minimum", v.Minimum)
	bound("maximum", v.Maximum)
	if v.Default != "" {
		dst = append(append(dst, `,"default":`...), v.Default...)
	}
	if v.Type == TypeArray {
		dst = v.appendItems(append(dst, `,"items":`...))
	} else {
		if v.Enum != nil {
			dst = appendStrings(append(dst, `,"enum":`...), v.Enum)
		}
		if v.EnumNames != nil {
			dst = appendStrings(append(dst, `,"enumNames":`...), v.EnumNames)
		}
		if v.Choices != nil {
			dst = appendChoices(append(dst, `,"oneOf":`...), v.Choices)
		}
	}
	count("minItems", v.MinItems)
	count("maxItems", v.MaxItems)
	return append(dst, '}')
}

func (v PrimitiveSchema) appendItems(dst []byte) []byte {
	if v.Choices != nil {
		return append(appendChoices(append(dst, `{"anyOf":`...), v.Choices), '}')
	}
	return append(appendStrings(append(dst, `{"type":"string","enum":`...), v.Enum), '}')
}

func appendChoices(dst []byte, list []Choice) []byte {
	dst = append(dst, '[')
	for i := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = list[i].AppendJSON(dst)
	}
	return append(dst, ']')
}

// DecodeJSON reads the schema of one field. Nested objects, arrays of anything but
// values to select, references and unknown formats are faults; keywords that the type of
// the field does not have are ignored. The error is a *DecodeError (ELIC-004).
func (v *PrimitiveSchema) DecodeJSON(raw Raw, span jsonrpc.Span) error {
	return v.read(raw, span, mode{})
}

// read is DecodeJSON in the given mode.
func (v *PrimitiveSchema) read(raw Raw, span jsonrpc.Span, how mode) error {
	const typ = "PrimitiveSchema"
	*v = PrimitiveSchema{}
	var o rawjson.Object
	if !members(&o, raw, span) {
		return fault(typ, "", ReasonType)
	}
	var kind, title, description string
	var lengths, bounds, counts [2]string
	var format, pattern, preset, enum, names, choices, items string
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
		case "pattern":
			pattern = val
		case "oneOf":
			choices = val
		case "items":
			items = val
		case "minItems":
			counts[0] = val
		case "maxItems":
			counts[1] = val
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
	late := how.age.in(ages{age20251125, 0})
	if !late {
		choices = ""
		if v.Type != TypeBoolean {
			preset = ""
		}
	}
	switch {
	case v.Type == TypeString && given(enum): // ELIC-121, and with names ELIC-125
		if r := setStrings(into(&v.Enum, how.skim), enum, true); r != 0 {
			return fault(typ, "enum", r)
		}
		if r := setStrings(into(&v.EnumNames, how.skim), names, false); r != 0 {
			return fault(typ, "enumNames", r)
		}
	case v.Type == TypeString && given(choices): // ELIC-122
		if err := setList(&v.Choices, typ, "oneOf", choices, true, how); err != nil {
			return err
		}
	case v.Type == TypeArray && late: // else it is no type (ELIC-127)
		if err := v.readItems(items, how); err != nil {
			return err
		}
		if r := setIntPtr(&v.MinItems, counts[0]); r != 0 {
			return fault(typ, "minItems", r)
		}
		if r := setIntPtr(&v.MaxItems, counts[1]); r != 0 {
			return fault(typ, "maxItems", r)
		}
	case v.Type == TypeString:
		if r := setString(&v.Pattern, pattern, false); r != 0 {
			return fault(typ, "pattern", r)
		}
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
	default:
		return fault(typ, "type", ReasonValue)
	}
	if r := v.setDefault(preset); r != 0 {
		return fault(typ, "default", r)
	}
	return nil
}

// readItems reads the values of an array: an enum of strings (ELIC-123) or an anyOf of
// choices (ELIC-124).
func (v *PrimitiveSchema) readItems(raw string, how mode) error {
	const typ = "PrimitiveSchema"
	if !given(raw) {
		return fault(typ, "items", lack(raw, true))
	}
	o, _ := rawjson.Members(raw)
	var kind, enum, choices string
	for {
		key, val, ok := o.Next()
		if !ok {
			break
		}
		switch key {
		case "type":
			kind = val
		case "enum":
			enum = val
		case "anyOf":
			choices = val
		}
	}
	if o.Bad() {
		return fault(typ, "items", ReasonType)
	}
	if !given(enum) && given(choices) {
		return setList(&v.Choices, typ, "items.anyOf", choices, true, how)
	}
	var name string
	if r := setString(&name, kind, true); r != 0 {
		return fault(typ, "items.type", r)
	}
	if name != TypeString {
		return fault(typ, "items.type", ReasonValue)
	}
	if r := setStrings(into(&v.Enum, how.skim), enum, true); r != 0 {
		return fault(typ, "items.enum", r)
	}
	return nil
}

// setDefault sets a default of the type of the schema (ELIC-119).
func (v *PrimitiveSchema) setDefault(raw string) (r Reason) {
	if !given(raw) {
		return 0
	}
	switch v.Type {
	case TypeString:
		r = setString(new(string), raw, true)
	case TypeBoolean:
		r = setBool(new(bool), raw)
	case TypeArray:
		r = setStrings(nil, raw, true)
	default:
		r = setFloat(new(float64), raw, true)
	}
	v.Default = Raw(raw)
	return r
}

// Validate reports whether the schema can be sent: its type is one of the five, nothing of
// another type is set, EnumNames pairs with Enum, and its default is a value of it.
func (v PrimitiveSchema) Validate() error {
	const typ = "PrimitiveSchema"
	isArray := v.Type == TypeArray
	isString := v.Type == TypeString && v.Enum == nil && v.Choices == nil
	selects := v.Type == TypeString || isArray
	isNumber := v.Type == TypeNumber || v.Type == TypeInteger
	switch {
	case !selects && v.Type != TypeBoolean && !isNumber:
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
	case v.Pattern != "" && !isString:
		return fault(typ, "pattern", ReasonConflict)
	case v.Enum != nil && !selects:
		return fault(typ, "enum", ReasonConflict)
	case v.Choices != nil && (!selects || v.Enum != nil):
		return fault(typ, "oneOf", ReasonConflict)
	case isArray && v.Enum == nil && v.Choices == nil:
		return fault(typ, "items", ReasonMissing)
	case v.MinItems != nil && !isArray:
		return fault(typ, "minItems", ReasonConflict)
	case v.MaxItems != nil && !isArray:
		return fault(typ, "maxItems", ReasonConflict)
	case v.EnumNames != nil && (v.Type != TypeString || len(v.EnumNames) != len(v.Enum)):
		return fault(typ, "enumNames", ReasonConflict)
	}
	for i := range v.Choices {
		if err := v.Choices[i].Validate(); err != nil {
			return within(typ, item("oneOf", i), err)
		}
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
	if r := v.checkDefault(); r != 0 {
		return fault(typ, "default", r)
	}
	return nil
}
