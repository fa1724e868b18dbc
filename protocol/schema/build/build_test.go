package build_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/protocol/schema/build"
)

// verdict is whether a schema accepts a value.
func verdict(t *testing.T, s build.Schema, value jsonrpc.Raw) bool {
	t.Helper()
	text, err := s.JSON()
	if err != nil {
		t.Fatal(err)
	}
	err = schema.Basic{}.Validate(text, value)
	var f schema.Fault
	if errors.As(err, &f) && (f.Keyword == schema.KeywordSchema || f.Keyword == schema.KeywordSyntax) {
		t.Fatalf("%s: %s: %v", text, value, err)
	}
	return err == nil
}

// The text of each kind, and what it accepts and refuses: strings (D18), numbers
// (D19), integers (D20), booleans (D21), arrays (D22), objects (D23), nullable ones (D24) and
// properties (D25).
func TestKinds(t *testing.T) {
	yes := build.Boolean()
	for _, c := range []struct {
		name   string
		s      build.Schema
		text   string
		accept string // separated by spaces
		refuse string
	}{
		{"any", build.Any(), `{}`, `null 1 "a" []`, ``},
		{"zero", build.Schema{}.Description("d"), `{"description":"d"}`, `null 1`, ``},
		// D18: a string with its constraints; lengths count code points.
		{"D18 string", build.String().Title("T").Description("d").MinLength(1).MaxLength(2), `{"type":"string","title":"T","description":"d","minLength":1,"maxLength":2}`, `"a" "üü" "😀😀"`, `"" "abc" 1 null`},
		{"D18 enum", build.Enum("b", "a", `"`), `{"type":"string","enum":["b","a","\""]}`, `"a" "\u0061" "\""`, `"c" 1`},
		{"D18 format", build.String().Pattern("^a").Format("uri").Encoding("base64"), `{"type":"string","pattern":"^a","format":"uri","contentEncoding":"base64"}`, `"a"`, `1`},
		// D19: numbers are exact decimals.
		{"D19 number", build.Number().Min("0.1").Max("1e2").MultipleOf("0.1"), `{"type":"number","minimum":0.1,"maximum":1e2,"multipleOf":0.1}`, `0.1 0.3 100 1.0e2`, `0.09 100.1 0.35 "1"`},
		{"D19 exclusive", build.Number().Above("0").Below("9007199254740993"), `{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":9007199254740993}`, `0.000000000000000000000001 9007199254740992`, `0 -0 9007199254740993`},
		// D20: an integer in any spelling.
		{"D20 integer", build.Integer().Min("-1").Max("10"), `{"type":"integer","minimum":-1,"maximum":10}`, `1 1.0 1e1 -1`, `1.5 11 -2 true`},
		{"D21 boolean", yes.Description("d"), `{"type":"boolean","description":"d"}`, `true false`, `0 null "true"`},
		{"null", build.Null(), `{"type":"null"}`, `null`, `0`},
		// D22: arrays; elements are compared as JSON values.
		{"D22 array", build.Array(build.Any()).MinItems(1).MaxItems(2).Unique(), `{"type":"array","items":{},"minItems":1,"maxItems":2,"uniqueItems":true}`, `[1] [1,2] ["1",1] [{"a":1},{"a":2}]`, `[] [1,1.0] [1,2,3] [{"a":1,"b":2},{"b":2,"a":1}]`},
		{"D22 items", build.Array(yes).Items(build.Integer()), `{"type":"array","items":{"type":"integer"}}`, `[] [1]`, `[true]`},
		// D23: objects in the order of declaration, closed by default.
		{"D23 object", build.Object(build.Prop("z", yes), build.Optional("a", yes), build.Prop("m", yes)), `{"type":"object","properties":{"z":{"type":"boolean"},"a":{"type":"boolean"},"m":{"type":"boolean"}},"required":["z","m"],"additionalProperties":false}`, `{"z":true,"m":true} {"m":true,"a":true,"z":true}`, `{"z":true} {"z":true,"m":true,"M":true} {"z":true,"m":null}`},
		{"D23 empty", build.Object(), `{"type":"object","properties":{},"additionalProperties":false}`, `{}`, `{"a":1}`},
		{"D23 open", build.Object(build.Prop("a", yes)).Open(), `{"type":"object","properties":{"a":{"type":"boolean"}},"required":["a"]}`, `{"a":true,"b":1}`, `{"b":1}`},
		{"D23 others", build.Map(yes).MinProps(1).MaxProps(2).Names(build.String().MaxLength(1)), `{"type":"object","additionalProperties":{"type":"boolean"},"propertyNames":{"type":"string","maxLength":1},"minProperties":1,"maxProperties":2}`, `{"a":true}`, `{} {"aa":true} {"a":1} {"a":true,"b":true,"c":true}`},
		// D24: nullable widens the enum too, and is idempotent.
		{"D24 nullable", build.Nullable(build.Nullable(build.Enum("a"))), `{"type":["string","null"],"enum":["a",null]}`, `"a" null`, `"b" 1`},
		{"D24 const", build.Nullable(build.Const("1")), `{"enum":[1,null]}`, `1 1.0 null`, `2`},
		{"D24 any", build.Nullable(build.Any()), `{}`, `null 1`, ``},
		{"D24 any enum", build.Nullable(build.Any().Enum("1")), `{"enum":[1,null]}`, `null 1`, `2`},
		{"D24 null", build.Nullable(build.Null()), `{"type":"null"}`, `null`, `1`},
		{"D24 anyOf", build.Nullable(build.AnyOf(yes, build.String())), `{"anyOf":[{"type":"boolean"},{"type":"string"},{"type":"null"}]}`, `null true "a"`, `1`},
		{"D24 anyOf null", build.Nullable(build.AnyOf(yes, build.Null())), `{"anyOf":[{"type":"boolean"},{"type":"null"}]}`, `null`, `1`},
		{"D24 oneOf", build.Nullable(build.OneOf(build.Nullable(yes), build.Null()).Description("d").Default("true")), `{"description":"d","anyOf":[{"oneOf":[{"type":["boolean","null"]},{"type":"null"}]},{"type":"null"}],"default":true}`, `null true`, `1`},
		{"D24 oneOf null", build.Nullable(build.OneOf(yes, build.Null())), `{"oneOf":[{"type":"boolean"},{"type":"null"}]}`, `null true`, `1`},
		{"D24 oneOf ref", build.Nullable(build.OneOf(build.Null(), build.Ref("a"))).Def("a", build.Null()), `{"anyOf":[{"oneOf":[{"type":"null"},{"$ref":"#/$defs/a"}]},{"type":"null"}],"$defs":{"a":{"type":"null"}}}`, `null`, `1`},
		// D25: required when added, or named later.
		{"D25 property", build.Object().Props(build.Optional("b", yes), build.Optional("a", yes)).Required("a"), `{"type":"object","properties":{"b":{"type":"boolean"},"a":{"type":"boolean"}},"required":["a"],"additionalProperties":false}`, `{"a":true}`, `{"b":true}`},
		{"union", build.OneOf(build.Integer(), build.Number().Min("5")), `{"oneOf":[{"type":"integer"},{"type":"number","minimum":5}]}`, `1 5.5`, `5 4.5`},
		{"const", build.Const(`{"a":1}`), `{"const":{"a":1}}`, `{"a":1.0}`, `{"a":2}`},
		{"words", yes.Default("true").Examples("false").Examples("true"), `{"type":"boolean","default":true,"examples":[false,true]}`, `true`, `1`},
		{"recursive", build.Ref("no de/~").Def("no de/~", build.Object(build.Optional("next", build.Ref("no de/~")))), `{"$ref":"#/$defs/no%20de~1~0","$defs":{"no de/~":{"type":"object","properties":{"next":{"$ref":"#/$defs/no%20de~1~0"}},"additionalProperties":false}}}`, `{} {"next":{"next":{}}}`, `{"next":{"next":1}} {"nex":{}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, err := c.s.JSON()
			if err != nil {
				t.Fatal(err)
			}
			if string(text) != c.text {
				t.Errorf("got  %s\nwant %s", text, c.text)
			}
			for _, v := range strings.Fields(c.accept) {
				if !verdict(t, c.s, jsonrpc.Raw(v)) {
					t.Errorf("refuses %s", v)
				}
			}
			for _, v := range strings.Fields(c.refuse) {
				if verdict(t, c.s, jsonrpc.Raw(v)) {
					t.Errorf("accepts %s", v)
				}
			}
			if again, err := build.Nullable(build.Nullable(c.s)).JSON(); err != nil || again != must(build.Nullable(c.s).JSON()) {
				t.Errorf("Nullable is not idempotent: %s, %v", again, err)
			}
		})
	}
}

func must(text jsonrpc.Raw, err error) jsonrpc.Raw {
	if err != nil {
		return jsonrpc.Raw(err.Error())
	}
	return text
}

// D26: fluent methods return copies, and a contradiction is refused with its place.
func TestContradictions(t *testing.T) {
	yes := build.Boolean()
	for _, c := range []struct {
		s    build.Schema
		path string
	}{
		{build.String().MinLength(3).MaxLength(2), "/minLength"},
		{build.String().MinLength(-1), "/minLength"},
		{build.String().MaxLength(-1), "/maxLength"},
		{build.Array(yes).MinItems(3).MaxItems(2), "/minItems"},
		{build.Map(yes).MinProps(3).MaxProps(2), "/minProperties"},
		{build.Object(build.Prop("a", yes)).MaxProps(0), "/maxProperties"},
		{build.Object(build.Prop("a", yes)).MinProps(2), "/minProperties"},
		{build.Number().Min("2").Max("1.9"), "/minimum"},
		{build.Number().Min("9007199254740993").Max("9007199254740992"), "/minimum"},
		{build.Number().Above("1").Below("1.0"), "/exclusiveMinimum"},
		{build.Number().Above("1").Max("1"), "/exclusiveMinimum"},
		{build.Number().Min("1").Below("1"), "/minimum"},
		{build.Number().Min("-1").Below("-2"), "/minimum"},
		{build.Number().Min("x"), "/minimum"},
		{build.Number().Max(""), "/maximum"},
		{build.Number().MultipleOf("0"), "/multipleOf"},
		{build.Number().MultipleOf("-0.1"), "/multipleOf"},
		{build.Number().MultipleOf("0.12345678901234567890123"), "/multipleOf"},
		{build.Enum(), "/enum"},
		{build.Any().Enum(), "/enum"},
		{build.Integer().Enum("1", "1.5"), "/enum/1"},
		{build.Integer().Enum("1", "1.0"), "/enum/1"},
		{build.Integer().Enum("1", "{"), "/enum/1"},
		{build.Integer().Max("1").Enum("2"), "/enum/0"},
		{build.Const("x"), "/const"},
		{build.Object(build.Prop("a", yes), build.Optional("a", build.String())), "/properties/a"},
		{build.Object(build.Prop("a/b", yes.Default("1"))), "/properties/a~1b/default"},
		{build.Object().Required("a"), "/required"},
		{build.Object(build.Prop("a", yes)).Required("a", "a"), "/required"},
		{build.Boolean().Default("null"), "/default"},
		{build.Boolean().Default("maybe"), "/default"},
		{build.Enum("a").Default(`"b"`), "/default"},
		{build.Boolean().Examples("true", "1"), "/examples/1"},
		{build.String().Pattern("(a"), "/pattern"},
		{build.Boolean().MinLength(1), ""},
		{build.Any().Pattern("a"), ""},
		{build.String().Min("1"), ""},
		{build.String().Unique(), ""},
		{build.Array(yes).Required("a"), ""},
		{build.Ref("a"), "/$ref"},
		{build.Ref("a").Default("1").Def("a", yes), "/default"},
		{build.Array(build.Ref("a").Def("a", yes)), "/items/$defs"},
		{yes.Def("a", yes).Def("a", yes), "/$defs/a"},
		{yes.Def("a/b", build.String().Pattern("[")), "/$defs/a~1b"},
		{build.AnyOf(), ""},
		{build.OneOf(yes, build.String().MaxLength(-1)), "/oneOf/1/maxLength"},
		{build.AnyOf(build.AnyOf(build.Enum())), "/anyOf/0/anyOf/0/enum"},
		{build.Map(build.Enum()), "/additionalProperties/enum"},
		{build.Map(yes).Names(build.Enum()), "/propertyNames/enum"},
	} {
		text, err := c.s.JSON()
		var e *build.Error
		if !errors.As(err, &e) || text != "" {
			t.Errorf("%s is not refused", c.s.AppendJSON(nil))
			continue
		}
		if e.Path != c.path || e.Text == "" || !strings.Contains(err.Error(), e.Error()) {
			t.Errorf("%s: %v, want it at %q", c.s.AppendJSON(nil), err, c.path)
		}
	}
	many := make([]build.Property, 100)
	var e interface{ Unwrap() []error }
	if err := build.Object(many...).Check(); !errors.As(err, &e) || len(e.Unwrap()) != 16 {
		t.Errorf("%v", err)
	}
}

// D26: a schema does not change with schemas made from it, or with slices that it was given.
func TestSchemasDoNotChange(t *testing.T) {
	values := []jsonrpc.Raw{"1", "2"}
	props := []build.Property{build.Optional("a", build.Integer().Enum(values...))}
	s := build.Object(props...).Required("a").Def("d", build.Null()).Examples(`{"a":1}`)
	want := string(must(s.JSON()))
	values[0], props[0] = "x", build.Property{}
	for _, other := range []build.Schema{
		s.Props(build.Prop("b", build.Null())), s.Props(build.Prop("c", build.Null())), s.Required("b"), s.Required("c"), s.Def("e", build.Null()),
		s.Examples("1"), s.Examples("2"), s.Open(), s.Title("x"), build.Nullable(s), s.MinProps(1), s.Enum("1"),
	} {
		if got := string(s.AppendJSON(nil)); got != want || string(other.AppendJSON(nil)) == want {
			t.Errorf("%s became %s", want, got)
		}
	}
	if p := props[0]; p.Name() != "" || p.IsOptional() || string(p.Schema().AppendJSON(nil)) != "{}" {
		t.Errorf("%+v", p)
	}
	if _, err := s.Strict(); err != nil || string(s.AppendJSON(nil)) != want {
		t.Errorf("%v", err)
	}
}

// D17, D23: in strict mode every property is required, all the way down, and optional ones
// accept null.
func TestStrict(t *testing.T) {
	inner := build.Object(build.Optional("x", build.Enum("a")), build.Optional("y", build.Ref("n")), build.Prop("z", build.Integer()))
	s := build.Object(
		build.Prop("in", inner),
		build.Optional("list", build.Array(inner).MaxItems(1)),
		build.Optional("named", build.Integer()),
		build.Prop("either", build.OneOf(inner, build.Null())),
		build.Prop("or", build.AnyOf(build.Object(), build.Schema{})),
	).Required("named").Def("n", build.Object(build.Optional("next", build.Ref("n"))))
	strict, err := s.Strict()
	if err != nil {
		t.Fatal(err)
	}
	const in = `{"type":"object","properties":{"x":{"type":["string","null"],"enum":["a",null]},"y":{"anyOf":[{"$ref":"#/$defs/n"},{"type":"null"}]},"z":{"type":"integer"}},"required":["x","y","z"],"additionalProperties":false}`
	want := `{"type":"object","properties":{"in":` + in + `,"list":{"type":["array","null"],"items":` + in + `,"maxItems":1},"named":{"type":"integer"},` +
		`"either":{"oneOf":[` + in + `,{"type":"null"}]},"or":{"anyOf":[{"type":"object","properties":{},"required":[],"additionalProperties":false},{}]}},` +
		`"required":["in","list","named","either","or"],"additionalProperties":false,` +
		`"$defs":{"n":{"type":"object","properties":{"next":{"anyOf":[{"$ref":"#/$defs/n"},{"type":"null"}]}},"required":["next"],"additionalProperties":false}}}`
	if got := string(must(strict.JSON())); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if again, err := strict.Strict(); err != nil || string(must(again.JSON())) != want {
		t.Errorf("Strict is not idempotent: %v", err)
	}
	for path, s := range map[string]build.Schema{
		"/additionalProperties":                      build.Map(build.Null()),
		"/items/anyOf/0/additionalProperties":        build.Array(build.AnyOf(build.Object().Open())),
		"/properties/a/oneOf/0/additionalProperties": build.Object(build.Prop("a", build.OneOf(build.Object().Open()))),
		"/$defs/a~0/additionalProperties":            build.Null().Def("a~", build.Object().Open()),
	} {
		var e *build.Error
		if _, err := s.Strict(); !errors.As(err, &e) || e.Path != path {
			t.Errorf("%v, want it at %q", err, path)
		}
	}
	if s, err := build.Any().Strict(); err != nil || string(must(s.JSON())) != "{}" {
		t.Errorf("%v", err)
	}
}
