package protocol_test

import (
	"errors"
	"maps"
	"testing"

	. "github.com/sansmcp/mcp/protocol"
)

// What a user filled in fits the field, at both sides of each bound; the error names the
// field and the reason.
func TestElicitSchemaCheck(t *testing.T) {
	text := func(s PrimitiveSchema) PrimitiveSchema { s.Type = TypeString; return s }
	bounds := func(kind string) PrimitiveSchema {
		return PrimitiveSchema{Type: kind, Minimum: Ptr(-1.0), Maximum: Ptr(3.0)}
	}
	lengths := text(PrimitiveSchema{MinLength: Ptr(int64(2)), MaxLength: Ptr(int64(3))})
	for _, c := range []struct {
		schema PrimitiveSchema
		good   []string
		bad    []string
		r      Reason
	}{
		{text(PrimitiveSchema{}), []string{`""`, `"x"`}, []string{`1`, `true`, `null`, `{}`, `["x"]`}, ReasonType},
		{lengths, []string{`"ab"`, `"abc"`, `"äöü"`, `"\u00e4\u00f6"`}, []string{`"a"`, `"abcd"`, `""`, `"äöüß"`}, ReasonRange},
		{text(PrimitiveSchema{Enum: []string{"a", "b"}}), []string{`"a"`, `"b"`, `"\u0061"`}, []string{`"A"`, `""`, `"ab"`}, ReasonValue},
		{
			text(PrimitiveSchema{Format: FormatEmail}), []string{`"a@b"`, `"a.b+c@d.example"`},
			[]string{`""`, `"a"`, `"@b"`, `"a@"`, `"a@b@c"`, `"a b@c"`, `"a@b c"`, `"a@b\n"`, `"a\t@b"`, `"a@b\r"`}, ReasonValue,
		},
		{text(PrimitiveSchema{Format: FormatURI}), []string{`"a:b"`, `"https://a.example/b?c#d"`}, []string{`""`, `"a"`, `"/a"`, `"1:b"`}, ReasonValue},
		{
			text(PrimitiveSchema{Format: FormatDate}), []string{`"2025-06-18"`, `"2024-02-29"`},
			[]string{`""`, `"2025-02-29"`, `"2025-6-18"`, `"18.06.2025"`, `"2025-06-18T10:00:00Z"`}, ReasonValue,
		},
		{
			text(PrimitiveSchema{Format: FormatDateTime}), []string{`"2025-06-18T10:00:00Z"`, `"2025-06-18T10:00:00.5+02:00"`},
			[]string{`""`, `"2025-06-18"`, `"2025-06-18 10:00:00Z"`, `"2025-06-18T10:00:00"`, `"2025-02-29T10:00:00Z"`}, ReasonValue,
		},
		{PrimitiveSchema{Type: TypeBoolean}, []string{"true", "false"}, []string{`"true"`, "1", "null", "0"}, ReasonType},
		{PrimitiveSchema{Type: TypeNumber}, []string{"0", "-1.5e3", "1e308"}, []string{`"1"`, "true", "null"}, ReasonType},
		{bounds(TypeNumber), []string{"-1", "3", "0.5", "3.0", "-1e0"}, []string{"-1.0001", "3.0001", "4", "-2"}, ReasonRange},
		{bounds(TypeInteger), []string{"-1", "3", "3.0", "1e0"}, []string{"-2", "4"}, ReasonRange},
		{PrimitiveSchema{Type: TypeInteger}, []string{"7", "-7", "1e3", "1e300", "-1e300", "9223372036854775808", "-9223372036854775808"}, []string{"0.5", "-1.5", "1e-3"}, ReasonInteger},
	} {
		form := ElicitSchema{Properties: []Property{{"other", PrimitiveSchema{Type: TypeBoolean}}, {"f", c.schema}}}
		for _, val := range c.good {
			if err := form.Check(map[string]Raw{"f": Raw(val), "beside": "5"}); err != nil {
				t.Errorf("%+v: %s: %v", c.schema, val, err)
			}
		}
		for _, val := range c.bad {
			err := form.Check(map[string]Raw{"f": Raw(val)})
			var field *FieldError
			var reason *DecodeError
			if !errors.As(err, &field) || field.Field != "f" || !errors.As(err, &reason) || reason.Reason != c.r {
				t.Errorf("%+v: %s: %v", c.schema, val, err)
			}
		}
	}

	form := ElicitSchema{Properties: []Property{{"a", text(PrimitiveSchema{})}, {"b", text(PrimitiveSchema{})}}, Required: []string{"a", "b"}}
	var field *FieldError
	var reason *DecodeError
	err := form.Check(map[string]Raw{"a": `"x"`})
	if !errors.As(err, &field) || field.Field != "b" || !errors.As(err, &reason) || reason.Reason != ReasonMissing {
		t.Errorf("a required field is missing: %v", err)
	}
	if err := form.Check(map[string]Raw{"b": `""`, "a": `""`}); err != nil {
		t.Error(err)
	}
}

// A user who agrees fills in what has no default, and gets to know which field does not fit; there is
// nothing to fill in after a url.
//
// rows: ELIC-129 ELIC-014
func TestElicitAccept(t *testing.T) {
	p := decoded(t, &ElicitParams{}, `{"message":"m","requestedSchema":{"type":"object","required":["name","age"],"properties":{
		"name":{"type":"string","minLength":1},"age":{"type":"integer","default":30},"odd":{"type":"string","minLength":1,"default":""}}}}`).(*ElicitParams)
	given := map[string]Raw{"name": `"x"`}
	r, err := p.Accept(given)
	if err != nil || r.Action != ActionAccept || !maps.Equal(r.Content, map[string]Raw{"name": `"x"`, "age": "30"}) || len(given) != 1 {
		t.Errorf("%+v of %v: %v", r, given, err)
	}
	if r, err = p.Accept(map[string]Raw{"name": `"x"`, "age": "31"}); err != nil || r.Content["age"] != "31" {
		t.Errorf("%+v: %v", r, err)
	}
	for field, content := range map[string]map[string]Raw{"name": {"name": `""`}, "age": {"name": `"x"`, "age": `"y"`}} {
		var fault *FieldError
		if r, err = p.Accept(content); !errors.As(err, &fault) || fault.Field != field || r.Action != "" || r.Content != nil {
			t.Errorf("%v: %+v, %v", content, r, err)
		}
	}
	if _, err = p.Accept(nil); err == nil {
		t.Error("nothing is required")
	}
	page := ElicitParams{Message: "m", Mode: ElicitURL, URL: "https://a.example", ElicitationID: "1"}
	if r, err = page.Accept(given); err != nil || r.Action != ActionAccept || r.Content != nil {
		t.Errorf("by url: %+v, %v", r, err)
	}
}
