package protocol

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// Check reports whether content is an answer to the form: what is required is there,
// and every field that the form has is filled in as it asks (elicitation, Response
// Actions and Requested Schema). Fields that the form does not have are let pass. The
// error is a *FieldError (ELIC-014, ELIC-024).
func (v ElicitSchema) Check(content map[string]Raw) error {
	for _, name := range v.Required {
		if _, ok := content[name]; !ok {
			return fieldFault(name, ReasonMissing)
		}
	}
	for _, p := range v.Properties {
		if val, ok := content[p.Name]; ok {
			if r := p.Schema.check(string(val)); r != 0 {
				return fieldFault(p.Name, r)
			}
		}
	}
	return nil
}

// CheckJSON is Check for the text of content, "" or null for none. It reads the fields
// that the form has and no others, whatever there is.
func (v ElicitSchema) CheckJSON(content Raw) error {
	asked := make(map[string]bool, len(v.Properties)+len(v.Required))
	for _, p := range v.Properties {
		asked[p.Name] = true
	}
	for _, name := range v.Required {
		asked[name] = true
	}
	fields := map[string]Raw{}
	o, _ := rawjson.Members(string(content))
	for name, val := range o.All {
		if asked[name] {
			fields[name] = Raw(val)
		}
	}
	return v.Check(fields)
}

// FieldError says which field of a form is not filled in as the form asks. Its text names
// the field, which is data of the author of the form. The text of the *DecodeError that it
// wraps has no data.
type FieldError struct {
	// Field is the name of the field, as the form has it.
	Field string
	err   *DecodeError
}

// Error returns the text of the DecodeError with the name of the field, quoted and cut to
// 64 bytes.
func (e *FieldError) Error() string {
	if e.err == nil { // the zero FieldError
		return "protocol: a field of a form"
	}
	return "protocol: " + e.err.Type + ".content[" + string(rawjson.AppendQuote(nil, rawjson.Clip(e.Field, 64))) + "] " + e.err.Reason.String()
}

// Unwrap returns the DecodeError.
func (e *FieldError) Unwrap() error {
	if e.err == nil {
		return nil // and no pointer that is nil in an error that is not
	}
	return e.err
}

func fieldFault(name string, r Reason) error {
	return &FieldError{name, &DecodeError{Type: "ElicitResult", Path: "content.*", Reason: r}}
}

// check returns what is wrong with the value of a field, 0 if nothing is (ELIC-131). A
// pattern is not looked at (ELIC-130).
func (v PrimitiveSchema) check(val string) Reason {
	switch v.Type {
	case TypeString:
		s, ok := rawjson.Unquote(val)
		if !ok {
			return ReasonType
		}
		n := int64(utf8.RuneCountInString(s))
		switch {
		case !v.selectable(s), v.Format != "" && !v.Format.fits(s):
			return ReasonValue
		case v.MinLength != nil && n < *v.MinLength, v.MaxLength != nil && n > *v.MaxLength:
			return ReasonRange
		}
	case TypeArray:
		return v.checkAll(val)
	case TypeBoolean:
		if val != "true" && val != "false" {
			return ReasonType
		}
	default:
		f, ok := rawjson.Float(val)
		switch {
		case !ok:
			return ReasonType
		case v.Type == TypeInteger && f != float64(int64(f)) && f > -1<<63 && f < 1<<63:
			return ReasonInteger
		case v.Minimum != nil && f < *v.Minimum, v.Maximum != nil && f > *v.Maximum:
			return ReasonRange
		}
	}
	return 0
}

// selectable reports whether s is one of the values to choose from, if there are such.
func (v PrimitiveSchema) selectable(s string) bool {
	return (v.Enum == nil && v.Choices == nil) || slices.Contains(v.Enum, s) ||
		slices.ContainsFunc(v.Choices, func(c Choice) bool { return c.Value == s })
}

// checkAll is check for several values of those to choose from, each at most once.
func (v PrimitiveSchema) checkAll(val string) Reason {
	var list []string
	if setStrings(&list, val, true) != 0 {
		return ReasonType
	}
	n := int64(len(list))
	if v.MinItems != nil && n < *v.MinItems || v.MaxItems != nil && n > *v.MaxItems {
		return ReasonRange
	}
	// Both lists are of a peer, and long: what there is to choose from is looked through once.
	open := make(map[string]bool, len(v.Enum)+len(v.Choices)) // true until it is chosen
	for _, s := range v.Enum {
		open[s] = true
	}
	for _, c := range v.Choices {
		open[c.Value] = true
	}
	free := v.Enum == nil && v.Choices == nil
	for _, s := range list {
		switch left, known := open[s]; {
		case !known && !free:
			return ReasonValue
		case known && !left:
			return ReasonConflict
		}
		open[s] = false
	}
	return 0
}

// fits reports whether s has the form of the format; an address may not exist all the same.
func (f StringFormat) fits(s string) bool {
	switch f {
	case FormatEmail:
		local, domain, ok := strings.Cut(s, "@")
		return ok && local != "" && domain != "" && !strings.ContainsAny(s, " \t\r\n") && !strings.Contains(domain, "@")
	case FormatURI:
		return ValidURI(s)
	case FormatDate:
		_, err := time.Parse(time.DateOnly, s)
		return err == nil
	}
	_, err := time.Parse(time.RFC3339, s)
	return err == nil
}
