package protocol

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// Check reports whether content is an answer to the form: what is required is there,
// and every field that the form has is filled in as it asks (elicitation, Response
// Actions and Requested Schema). Fields that the form does not have are let pass. The
// error is a *FieldError.
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
	for {
		name, val, ok := o.Next()
		if !ok {
			break
		}
		if asked[name] {
			fields[name] = Raw(val)
		}
	}
	return v.Check(fields)
}

// FieldError says which field of a form is not filled in as the form asks. Its text names
// the field, which is data of whoever made the form; that of the *DecodeError that it
// wraps does not.
type FieldError struct {
	// Field is the name of the field, as the form has it.
	Field string
	err   *DecodeError
}

// Error returns the text of the DecodeError with the name of the field, quoted and cut to
// 64 bytes.
func (e *FieldError) Error() string {
	name := e.Field
	if len(name) > maxNamed {
		name = strings.ToValidUTF8(name[:maxNamed], "") + "…"
	}
	return "protocol: " + e.err.Type + ".content[" + string(rawjson.AppendQuote(nil, name)) + "] " + e.err.Reason.String()
}

// maxNamed bounds the name of a field in a text, in bytes.
const maxNamed = 64

// Unwrap returns the DecodeError.
func (e *FieldError) Unwrap() error { return e.err }

func fieldFault(name string, r Reason) error {
	return &FieldError{name, &DecodeError{Type: "ElicitResult", Path: "content.*", Reason: r}}
}

// check returns what is wrong with the value of a field, 0 if nothing is.
func (v PrimitiveSchema) check(val string) Reason {
	switch v.Type {
	case TypeString:
		s, ok := rawjson.Unquote(val)
		if !ok {
			return ReasonType
		}
		n := int64(utf8.RuneCountInString(s))
		switch {
		case v.Enum != nil && !slices.Contains(v.Enum, s), v.Format != "" && !v.Format.fits(s):
			return ReasonValue
		case v.MinLength != nil && n < *v.MinLength, v.MaxLength != nil && n > *v.MaxLength:
			return ReasonRange
		}
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

// fits reports whether s looks like the format. It is no proof that an address exists.
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

// formTerms: what the answer is held against is the form (elicitation, Requested Schema).
// One that goes out is checked more strictly than one that comes.
func formTerms(a Ask) Terms {
	form, _ := rawjson.Get(string(a.Params), "requestedSchema")
	switch t := (Terms{Subject: form}); {
	case a.Received && !EnumNamesMatch(Raw(form)):
		t.Rule = "ELIC-010"
		return t
	case a.Received || form == "":
		return t
	default:
		var v ElicitSchema
		if t.Err = v.DecodeJSON(Raw(form), jsonrpc.Span{}); t.Err == nil {
			t.Err = v.Validate()
		}
		return t
	}
}

// possibleForm reports whether a form that is kept can be read when its answer comes.
func possibleForm(form string, _ bool) bool {
	var v ElicitSchema
	return v.DecodeJSON(Raw(form), jsonrpc.Span{}) == nil
}

// acceptForm checks what a user filled in against the form that was sent (elicitation,
// Response Actions). Content without accept does not count.
func acceptForm(_ *Row, a Reply) Reply {
	action, _ := rawjson.Get(string(a.Body), "action")
	if text, _ := rawjson.Unquote(action); ElicitAction(text) != ActionAccept {
		a.mend(Raw(rawjson.Set(string(a.Body), "content", "")))
		return a
	}
	var form ElicitSchema
	if form.DecodeJSON(Raw(a.Subject), jsonrpc.Span{}) == nil {
		content, _ := rawjson.Get(string(a.Body), "content")
		a.Err = form.CheckJSON(Raw(content))
	}
	return a
}

// completeForm is acceptForm for an answer that goes out.
func completeForm(r *Row, a Reply) Reply { return acceptForm(r, a) }
