package protocol

import (
	"cmp"
	"strconv"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// AppendJSON appends the schema as JSON to dst.
func (v PrimitiveSchema) AppendJSON(dst []byte) []byte {
	w := rawjson.Writer{Dst: rawjson.AppendQuote(append(dst, `{"type":`...), v.Type)}
	count := func(name string, n *int64) {
		if n != nil {
			w.Name(name)
			w.Dst = strconv.AppendInt(w.Dst, *n, 10)
		}
	}
	bound := func(name string, f *float64) {
		if f != nil {
			w.Name(name)
			w.Dst = rawjson.AppendFloat(w.Dst, *f)
		}
	}
	w.Text("title", v.Title)
	w.Text("description", v.Description)
	count("minLength", v.MinLength)
	count("maxLength", v.MaxLength)
	w.Text("format", string(v.Format))
	w.Text("pattern", v.Pattern)
	bound("minimum", v.Minimum)
	bound("maximum", v.Maximum)
	w.Raw("default", string(v.Default))
	if v.Type == TypeArray {
		w.Dst = v.appendItems(append(w.Dst, `,"items":`...))
	} else {
		if v.Enum != nil {
			w.Dst = appendStrings(append(w.Dst, `,"enum":`...), v.Enum)
		}
		if v.EnumNames != nil {
			w.Dst = appendStrings(append(w.Dst, `,"enumNames":`...), v.EnumNames)
		}
		if v.Choices != nil {
			w.Dst = appendChoices(append(w.Dst, `,"oneOf":`...), v.Choices)
		}
	}
	count("minItems", v.MinItems)
	count("maxItems", v.MaxItems)
	return append(w.Dst, '}')
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
	var kind, title, description, format, pattern, preset, enum, names, choices, items, ref string
	var minLength, maxLength, minimum, maximum, minItems, maxItems string
	err := scan(typ, raw, span, want{"type", &kind}, want{"title", &title}, want{"description", &description},
		want{"minLength", &minLength}, want{"maxLength", &maxLength}, want{"format", &format}, want{"pattern", &pattern},
		want{"minimum", &minimum}, want{"maximum", &maximum}, want{"default", &preset}, want{"enum", &enum}, want{"enumNames", &names},
		want{"oneOf", &choices}, want{"items", &items}, want{"minItems", &minItems}, want{"maxItems", &maxItems}, want{"$ref", &ref})
	if err == nil && ref != "" {
		return fault(typ, "$ref", ReasonValue)
	}
	err = cmp.Or(
		err,
		fault(typ, "type", setString(&v.Type, kind, true)),
		fault(typ, "title", setString(&v.Title, title, false)),
		fault(typ, "description", setString(&v.Description, description, false)),
	)
	if err != nil {
		return err
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
		err = cmp.Or(
			fault(typ, "enum", setStrings(into(&v.Enum, how.skim), enum, true)),
			fault(typ, "enumNames", setStrings(into(&v.EnumNames, how.skim), names, false)),
		)
	case v.Type == TypeString && given(choices): // ELIC-122
		err = setList(&v.Choices, typ, "oneOf", choices, true, how)
	case v.Type == TypeArray && late: // else it is no type (ELIC-127)
		err = cmp.Or(
			v.readItems(items, how),
			fault(typ, "minItems", setIntPtr(&v.MinItems, minItems)),
			fault(typ, "maxItems", setIntPtr(&v.MaxItems, maxItems)),
		)
	case v.Type == TypeString:
		err = cmp.Or(
			fault(typ, "pattern", setString(&v.Pattern, pattern, false)),
			fault(typ, "minLength", setIntPtr(&v.MinLength, minLength)),
			fault(typ, "maxLength", setIntPtr(&v.MaxLength, maxLength)),
			fault(typ, "format", setString((*string)(&v.Format), format, false)),
		)
		if err == nil && given(format) && !v.Format.Valid() {
			return fault(typ, "format", ReasonValue)
		}
	case v.Type == TypeNumber || v.Type == TypeInteger:
		err = cmp.Or(
			fault(typ, "minimum", setFloatPtr(&v.Minimum, minimum)),
			fault(typ, "maximum", setFloatPtr(&v.Maximum, maximum)),
		)
	case v.Type == TypeBoolean:
	default:
		return fault(typ, "type", ReasonValue)
	}
	return cmp.Or(err, fault(typ, "default", v.setDefault(preset)))
}

// readItems reads the values of an array: an enum of strings (ELIC-123) or an anyOf of
// choices (ELIC-124).
func (v *PrimitiveSchema) readItems(raw string, how mode) error {
	const typ = "PrimitiveSchema"
	if !given(raw) {
		return fault(typ, "items", lack(raw, true))
	}
	var kind, enum, choices, name string
	if scan(typ, Raw(raw), jsonrpc.Span{}, want{"type", &kind}, want{"enum", &enum}, want{"anyOf", &choices}) != nil {
		return fault(typ, "items", ReasonType)
	}
	if !given(enum) && given(choices) {
		return setList(&v.Choices, typ, "items.anyOf", choices, true, how)
	}
	if r := setString(&name, kind, true); r != 0 || name != TypeString {
		return fault(typ, "items.type", cmp.Or(r, ReasonValue))
	}
	return fault(typ, "items.enum", setStrings(into(&v.Enum, how.skim), enum, true))
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
	if !selects && v.Type != TypeBoolean && !isNumber {
		return fault(typ, "type", ReasonValue)
	}
	for _, m := range [...]struct {
		name     string
		set, may bool
	}{
		{"minLength", v.MinLength != nil, isString},
		{"maxLength", v.MaxLength != nil, isString},
		{"format", v.Format != "", isString},
		{"minimum", v.Minimum != nil, isNumber},
		{"maximum", v.Maximum != nil, isNumber},
		{"pattern", v.Pattern != "", isString},
		{"enum", v.Enum != nil, selects},
		{"oneOf", v.Choices != nil, selects && v.Enum == nil},
		{"minItems", v.MinItems != nil, isArray},
		{"maxItems", v.MaxItems != nil, isArray},
		{"enumNames", v.EnumNames != nil, v.Type == TypeString && len(v.EnumNames) == len(v.Enum)},
	} {
		if m.set && !m.may {
			return fault(typ, m.name, ReasonConflict)
		}
	}
	switch {
	case v.Format != "" && !v.Format.Valid():
		return fault(typ, "format", ReasonValue)
	case isArray && v.Enum == nil && v.Choices == nil:
		return fault(typ, "items", ReasonMissing)
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
	return cmp.Or(
		fault(typ, "minimum", verifyFloatPtr(v.Minimum)),
		fault(typ, "maximum", verifyFloatPtr(v.Maximum)),
		fault(typ, "default", v.checkDefault()),
	)
}
