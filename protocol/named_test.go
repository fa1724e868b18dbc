package protocol_test

import (
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	. "github.com/sansmcp/mcp/protocol"
)

// Every error of a form says which field it is about: by name where the form is one's
// own or is being filled in, and by its place where it came from the peer.
func TestErrorsNameTheField(t *testing.T) {
	one := 1.0
	form := ElicitSchema{Required: []string{"need"}, Properties: []Property{{"age", PrimitiveSchema{Type: TypeNumber, Maximum: &one}}}}
	for content, want := range map[string]string{
		`{"age":1}`:               `protocol: ElicitResult.content["need"] is missing`,
		`{"need":0,"age":"x"}`:    `protocol: ElicitResult.content["age"] has the wrong type`,
		`{"need":0,"age":1.0001}`: `protocol: ElicitResult.content["age"] is out of range`,
	} {
		if err := form.CheckJSON(Raw(content)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", content, err, want)
		}
	}
	long := ElicitSchema{Required: []string{strings.Repeat("é", 1000) + "\n"}}
	if err := long.CheckJSON(""); err == nil || len(err.Error()) > 150 || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
	var v ElicitSchema
	err := v.DecodeJSON(`{"type":"object","properties":{"a":{"type":"string"},"secret":{"type":"object"}}}`, jsonrpc.Span{})
	if want := "protocol: ElicitSchema.properties[1].type has no allowed value; want a string, a number, an integer, a boolean, or an array of strings with an enum"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	v = ElicitSchema{Properties: []Property{{"a", PrimitiveSchema{Type: TypeBoolean}}, {"b", PrimitiveSchema{}}}}
	if err := v.Validate(); err == nil || err.Error() != "protocol: ElicitSchema.properties[1].type has no allowed value; want a string, a number, an integer, a boolean, or an array of strings with an enum" {
		t.Errorf("%v", err)
	}
}

// The bounds of a form hold for the value on them and not for the next one.
func TestBoundsOfFields(t *testing.T) {
	f := func(v float64) *float64 { return &v }
	n := func(v int64) *int64 { return &v }
	for _, c := range []struct {
		field PrimitiveSchema
		good  []string
		bad   []string
	}{
		{PrimitiveSchema{Type: TypeNumber, Minimum: f(-1), Maximum: f(2)}, []string{"-1", "-1.0", "2", "2e0", "0.5"}, []string{"-1.0000001", "2.0000001", `"1"`, "null"}},
		{PrimitiveSchema{Type: TypeInteger, Minimum: f(0), Maximum: f(10)}, []string{"0", "10", "1e1", "5.0"}, []string{"-1", "11", "0.5", "true"}},
		{PrimitiveSchema{Type: TypeString, MinLength: n(2), MaxLength: n(3)}, []string{`"ab"`, `"abc"`, `"éé"`, `"😀😀😀"`}, []string{`"a"`, `"abcd"`, `"é"`, `""`, "1"}},
		{PrimitiveSchema{Type: TypeString, Enum: []string{"a", "b"}}, []string{`"a"`, `"b"`, `"\u0061"`}, []string{`"c"`, `"A"`, `""`}},
		{PrimitiveSchema{Type: TypeBoolean}, []string{"true", "false"}, []string{`"true"`, "1", "null"}},
		{PrimitiveSchema{Type: TypeString, Format: FormatDate}, []string{`"2024-02-29"`}, []string{`"2023-02-29"`, `"2024-2-9"`, `"2024-02-29T00:00:00Z"`, `""`}},
		{PrimitiveSchema{Type: TypeString, Format: FormatDateTime}, []string{`"2024-02-29T23:59:59Z"`, `"2024-02-29T00:00:00.5+01:00"`}, []string{`"2024-02-29"`, `"2024-02-29 00:00:00Z"`, `"2024-02-29T24:00:00Z"`, `"2024-02-29T00:00:00"`}},
		{PrimitiveSchema{Type: TypeString, Format: FormatEmail}, []string{`"a@b"`, `"a.b+c@d.example"`}, []string{`"a"`, `"@b"`, `"a@"`, `"a@b@c"`, `"a b@c"`, `""`}},
		{PrimitiveSchema{Type: TypeString, Format: FormatURI}, []string{`"a:b"`, `"https://x.example/?q"`}, []string{`"a b:c"`, `"x"`, `":x"`, `""`}},
	} {
		form := ElicitSchema{Properties: []Property{{"x", c.field}}}
		for _, val := range c.good {
			if err := form.Check(map[string]Raw{"x": Raw(val)}); err != nil {
				t.Errorf("%s: %s: %v", c.field.AppendJSON(nil), val, err)
			}
		}
		for _, val := range c.bad {
			if form.Check(map[string]Raw{"x": Raw(val)}) == nil || form.CheckJSON(Raw(`{"x":`+val+`}`)) == nil {
				t.Errorf("%s takes %s", c.field.AppendJSON(nil), val)
			}
		}
	}
}

// Each weight counts for its own value, and no other.
func TestWeightsOfModels(t *testing.T) {
	models := []Model{{"none", 0, 0, 0}, {"cheap", 1, 0, 0}, {"fast", 0, 1, 0}, {"clever", 0, 0, 1}}
	for _, c := range []struct {
		p    ModelPreferences
		want string
	}{
		{ModelPreferences{CostPriority: Ptr(1.0)}, "cheap"},
		{ModelPreferences{SpeedPriority: Ptr(1.0)}, "fast"},
		{ModelPreferences{IntelligencePriority: Ptr(1.0)}, "clever"},
		{ModelPreferences{CostPriority: Ptr(0.5), SpeedPriority: Ptr(0.6)}, "fast"},
		{ModelPreferences{CostPriority: Ptr(0.7), SpeedPriority: Ptr(0.6), IntelligencePriority: Ptr(0.6)}, "cheap"},
		{ModelPreferences{CostPriority: Ptr(0.0), IntelligencePriority: Ptr(0.1)}, "clever"},
		{ModelPreferences{}, "none"}, // equal ones: the first
		{ModelPreferences{Hints: []ModelHint{{""}, {"x"}, {"fast"}}, CostPriority: Ptr(1.0)}, "fast"},
	} {
		if got := models[c.p.Choose(models)].Name; got != c.want {
			t.Errorf("%s: %s, want %s", c.p.AppendJSON(nil), got, c.want)
		}
	}
}

// Null stands for absent in contents: a text or a blob has to be there all the same.
func TestNullContents(t *testing.T) {
	for text, want := range map[string]string{
		`{"uri":"u:1","text":"","blob":null}`:    `{"uri":"u:1","text":""}`,
		`{"uri":"u:1","text":null,"blob":""}`:    `{"uri":"u:1","blob":""}`,
		`{"uri":"u:1","text":"a","blob":"YQ=="}`: `{"uri":"u:1","text":"a"}`,
		`{"uri":"u:1","blob":null}`:              "protocol: ResourceContents.text is missing",
		`{"uri":"u:1","text":null}`:              "protocol: ResourceContents.text has the wrong type",
		`{"uri":"u:1","text":null,"blob":null}`:  "protocol: ResourceContents.text has the wrong type",
		`{"uri":"u:1","text":null,"blob":5}`:     "protocol: ResourceContents.blob has the wrong type",
		`{"uri":null,"text":""}`:                 "protocol: ResourceContents.uri has the wrong type",
	} {
		var v ResourceContents
		got := ""
		if err := v.DecodeJSON(Raw(text), jsonrpc.Span{}); err != nil {
			got = err.Error()
		} else {
			got = string(v.AppendJSON(nil))
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// A server that was told no revision over HTTP assumes the one before the header was
// required (transports, Protocol Version Header).
func TestAssumedRevision(t *testing.T) {
	if AssumedRevision() != Revision20250326 {
		t.Error(AssumedRevision())
	}
}
