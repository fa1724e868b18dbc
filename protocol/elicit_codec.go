package protocol

import (
	"cmp"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// AppendJSON appends the form as a JSON Schema to dst, with the properties in
// their order.
func (v ElicitSchema) AppendJSON(dst []byte) []byte {
	dst = append(dst, '{')
	if v.Dialect != "" {
		dst = append(rawjson.AppendQuote(append(dst, `"$schema":`...), v.Dialect), ',')
	}
	dst = append(dst, `"type":"object","properties":{`...)
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
	var kind, properties, required, dialect, name string
	if err := scan(typ, raw, span, want{"type", &kind}, want{"properties", &properties}, want{"required", &required}, want{"$schema", &dialect}); err != nil {
		return err
	}
	if !how.age.in(ages{age20251125, 0}) {
		dialect = ""
	}
	err := cmp.Or(fault(typ, "$schema", setString(&v.Dialect, dialect, false)), fault(typ, "type", setString(&name, kind, true)))
	switch {
	case err != nil:
		return err
	case name != "object":
		return fault(typ, "type", ReasonValue)
	case !given(properties):
		return fault(typ, "properties", lack(properties, true))
	}
	return cmp.Or(v.readProperties(properties, how), fault(typ, "required", setStrings(into(&v.Required, how.skim), required, false)))
}

func (v *ElicitSchema) readProperties(raw string, how mode) error {
	o, _ := rawjson.Members(raw)
	list := []Property{}
	seen := map[string]int{}
	n := 0
	for name, val := range o.All {
		var one PrimitiveSchema
		if err := one.read(Raw(val), jsonrpc.Span{}, how); err != nil {
			return within("ElicitSchema", item("properties", n), err)
		}
		n++
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
	if r := verifyName(v.Dialect); r != 0 {
		return fault(typ, "$schema", r)
	}
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
	for _, field := range o.All {
		if rawjson.Text(field, "type") != TypeString {
			continue // other types have no such keywords
		}
		enum, _ := rawjson.Get(field, "enum")
		names, _ := rawjson.Get(field, "enumNames")
		if given(enum) && given(names) && elements(enum) != elements(names) {
			return false
		}
	}
	return true
}

// elements counts the elements of an array.
func elements(raw string) (n int) {
	a, _ := rawjson.Elements(raw)
	for range a.All {
		n++
	}
	return n
}
