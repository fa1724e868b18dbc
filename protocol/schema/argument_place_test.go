package schema_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol/schema"
)

const placed = `{"s":"x","n":7,"f":1.5,"b":true,"z":null,"a":[1,{"k":"v"},[2,{"deep":3}]],"o":{"p":{"q":"r"},"z":null},"dot.ted":{"a/b":{"m~n":1}}}`

// D28, D29, D30: each getter, required and optional, of each type, for values that are present, absent,
// null, of another type, and behind what cannot be entered.
func TestPlaces(t *testing.T) {
	type get = func(schema.Place) any
	getters := map[string][2]get{
		"text": {func(p schema.Place) any { return p.Text() }, func(p schema.Place) any { return p.TextOr("else") }},
		"int":  {func(p schema.Place) any { return p.Int() }, func(p schema.Place) any { return p.IntOr(-1) }},
		"num":  {func(p schema.Place) any { return p.Float() }, func(p schema.Place) any { return p.FloatOr(-1) }},
		"bool": {func(p schema.Place) any { return p.Bool() }, func(p schema.Place) any { return p.BoolOr(true) }},
		"list": {func(p schema.Place) any { return len(p.Array()) }, func(p schema.Place) any { return len(p.ArrayOr()) }},
		"obj":  {func(p schema.Place) any { return p.Object().Has("p") }, func(p schema.Place) any { o := p.ObjectOr(); return o != nil && o.Has("p") }},
	}
	there := map[string]struct {
		path []string
		want any
	}{
		"text": {[]string{"o", "p", "q"}, "r"}, "int": {[]string{"n"}, int64(7)}, "num": {[]string{"f"}, 1.5},
		"bool": {[]string{"b"}, true}, "list": {[]string{"a"}, 3}, "obj": {[]string{"o"}, true},
	}
	otherwise := map[string]any{"text": "else", "int": int64(-1), "num": -1.0, "bool": true, "list": 0, "obj": false}
	wants := map[string]string{"text": "a string", "int": "an integer", "num": "a number", "bool": "a boolean", "list": "an array", "obj": "an object"}
	first := func(a *schema.Arguments) (string, string, string) {
		a.AllowOthers()
		var all schema.ArgumentErrors
		if !errors.As(a.Err(), &all) || all[0].Kind == schema.ArgumentUnexpected {
			return "", "", ""
		}
		e := all[0]
		return e.Path + " " + e.Kind.Code(), e.Want, e.Got
	}
	for name, g := range getters {
		for i, get := range g {
			at := func(path ...string) (any, string, string, string) {
				a := schema.ReadArguments(placed)
				got := get(a.At(path...))
				e, want, is := first(a)
				return got, e, want, is
			}
			if got, e, _, _ := at(there[name].path...); got != there[name].want || strings.Contains(e, "mismatch") {
				t.Errorf("%s %d: %v, %q", name, i, got, e)
			}
			absent, gone, null := "/o/none missing_parameter", "/none missing_parameter", "/o/z null_parameter"
			if i == 1 {
				absent, gone, null = "", "", ""
			}
			for path, want := range map[string]string{"o/none": absent, "none/x/y": gone, "o/z": null} {
				got, e, expected, _ := at(strings.Split(path, "/")...)
				if e != want || i == 1 && got != otherwise[name] {
					t.Errorf("%s %d %s: %v, %q, want %q", name, i, path, got, e, want)
				}
				if path == "none/x/y" && i == 0 && expected != "an object" {
					t.Errorf("%s: the parent has to be %q", name, expected)
				}
			}
			wrong := []string{"o", "p"}
			if name == "obj" {
				wrong = []string{"a"}
			}
			if _, e, want, is := at(wrong...); !strings.HasSuffix(e, "type_mismatch") || want != wants[name] || is != "object" && is != "array" {
				t.Errorf("%s %d: %q %q %q", name, i, e, want, is)
			}
			if _, e, _, is := at("z", "x"); e != "/z invalid_nesting" || is != "null" {
				t.Errorf("%s %d: %q %q", name, i, e, is)
			}
			if _, e, _, is := at("s", "x", "y"); e != "/s invalid_nesting" || is != "string" {
				t.Errorf("%s %d: %q %q", name, i, e, is)
			}
		}
	}
}

// D31: names are segments and are not split; a pointer leads to the same place; no segments mean
// the arguments themselves; hints are sorted and capped.
func TestPaths(t *testing.T) {
	a := schema.ReadArguments(placed)
	if a.At("dot.ted", "a/b", "m~n").Int() != 1 || a.Pointer("/dot.ted/a~1b/m~0n").Int() != 1 {
		t.Error("dots and slashes in names")
	}
	for pointer, name := range map[string]string{"/~01": "~1", "/~00": "~0", "/~10": "/0", "/~0~1": "~/", "/~1~0": "/~"} { // RFC 6901, 4: ~01 is no /
		text, _ := json.Marshal(map[string]int{name: 5})
		if b := schema.ReadArguments(jsonrpc.Raw(text)); b.Pointer(pointer).Int() != 5 {
			t.Errorf("%s does not lead to %q", pointer, name)
		}
	}
	if a.At("a", "1", "k").Text() != "v" || a.Pointer("/a/2/1/deep").Int() != 3 || a.At("a", "2", "0").Int() != 2 {
		t.Error("elements of arrays")
	}
	if a.At().Object() != a || a.Pointer("").Raw() != placed || a.At("z").Raw() != "null" {
		t.Error("the arguments themselves")
	}
	for _, p := range []string{"/a/3", "/a/01", "/a/-", "/a/-1", "/a/99999999999999999999", "/none"} {
		if a.Pointer(p).Has() {
			t.Error(p)
		}
	}
	for _, p := range []string{"x", "/a~", "/~2"} {
		if b := schema.ReadArguments(placed); b.Pointer(p).Has() || b.Pointer(p).Text() != "" || b.Err() == nil {
			t.Error(p)
		}
	}
	var zero schema.Arguments
	if zero.At().Object() != &zero || zero.At("x").Has() || zero.Err() != nil {
		t.Error("the zero Arguments")
	}
	for _, root := range []jsonrpc.Raw{`null`, ``} {
		if b := schema.ReadArguments(root); b.At().Object() != b || b.At().Raw() != "{}" || b.Err() != nil {
			t.Errorf("%q", root)
		}
	}
	// A root that cannot be entered is one fault.
	for _, root := range []jsonrpc.Raw{`3`, `[1]`, `"x"`, `nonsense`} {
		b := schema.ReadArguments(root)
		b.At("0").Int()
		b.At("x", "y").Text()
		b.At().Object()
		if got := faults(t, b.Err()); strings.Contains(got, ";") || got == "" {
			t.Errorf("%s: %s", root, got)
		}
	}

	var b strings.Builder
	for i := range 30 {
		fmt.Fprintf(&b, `,"k%02d":%d`, 29-i, i)
	}
	a = schema.ReadArguments(jsonrpc.Raw(`{"` + strings.Repeat("y", 100) + `":1` + b.String() + `}`))
	a.At("none").Text()
	var e *schema.ArgumentError
	if !errors.As(a.Err(), &e) || len(e.Names) != 20 || !slices.IsSorted(e.Names) || e.Names[0] != "k00" {
		t.Errorf("%v", e)
	}
	if got := schema.Hints([]string{"b", "a", "b", strings.Repeat("é", 100)}); len(got) != 3 || got[0] != "a" || len(got[2]) != 67 {
		t.Errorf("%q", got)
	}
}

// D32: no number is rounded, clamped or converted.
func TestPlacesOfNumbers(t *testing.T) {
	for raw, want := range map[string]string{
		`1.5`: "type_mismatch", `9223372036854775808`: "out_of_range", `1e400`: "out_of_range", `"7"`: "type_mismatch",
		`1e3`: "", `1000.0`: "", `9223372036854775807`: "", `-0`: "",
	} {
		a := schema.ReadArguments(jsonrpc.Raw(`{"o":{"n":` + raw + `}}`))
		a.At("o", "n").Int()
		got := ""
		var e *schema.ArgumentError
		if errors.As(a.Err(), &e) {
			got = e.Kind.Code()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", raw, got, want)
		}
	}
	a := schema.ReadArguments(`{"n":11,"f":1e999,"c":"blue"}`)
	a.At("n").IntBetween(1, 10)
	a.At("f").Float()
	a.At("c").OneOf("red", "green")
	a.At("n").OneOf("red")
	a.At("none").IntBetween(1, 2)
	a.At("none").OneOf("red")
	want := `/n out of range an integer from 1 to 10; /f out of range a number of 64 bits; ` +
		`/c not an allowed value one of "red", "green"; /n of another type a string; /none missing`
	if got := faults(t, a.Err()); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	a = schema.ReadArguments(`{"n":5,"c":"red"}`)
	if a.At("n").IntBetween(5, 5) != 5 || a.At("c").OneOf("red") != "red" || a.Err() != nil {
		t.Error(a.Err())
	}
}

// D33: Require checks all, including their types, and keeps their order in the faults.
func TestRequire(t *testing.T) {
	needs := []schema.Need{
		{Path: []string{"none"}, Type: "string"}, {Path: []string{"z"}}, {Path: []string{"z"}, Type: "null"},
		{Path: []string{"s"}, Type: "integer"}, {Path: []string{"f"}, Type: "integer"}, {Path: []string{"n"}, Type: "integer"},
		{Path: []string{"f"}, Type: "number"}, {Path: []string{"n"}, Type: "number"}, {Path: []string{"o", "p"}, Type: "object"},
		{Path: []string{"a"}, Type: "array"}, {Path: []string{"b"}}, {Path: []string{"s", "x"}},
	}
	a := schema.ReadArguments(placed)
	a.AllowOthers()
	if a.Require(needs...) {
		t.Error("nothing was wrong")
	}
	want := `/none missing; /z null; /s of another type an integer; /f of another type an integer; /s not an object an object`
	a.At("o").Object().AllowOthers()
	a.At("o", "p").Object().AllowOthers()
	if got := faults(t, a.Err()); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if b := schema.ReadArguments(`{"n":1e30}`); !b.Require(schema.Need{Path: []string{"n"}, Type: "integer"}) || b.Err() != nil {
		t.Error(b.Err())
	}
}

// D34: every way to ask leads to one reader: places and members share faults and what was
// asked for.
func TestPlacesShareWithMembers(t *testing.T) {
	a := schema.ReadArguments(`{"o":{"a":1,"b":2},"l":[{"a":1,"b":2},{"c":3}]}`)
	a.At("o", "a").Int()
	a.Object("o").Int("b")
	a.At("l", "0", "a").Int()
	list := a.Objects("l")
	list[0].Int("b")
	list[1].Int("c")
	if a.At("l", "1").Object() != list[1] || a.Err() != nil {
		t.Error(a.Err())
	}
	a = schema.ReadArguments(`{"l":[{"x":1},{"y":1}],"n":{"m":1}}`)
	for _, p := range a.At("l").Array() {
		p.Object().IntOr("x", 0)
	}
	a.At("n").Object()
	if got, want := faults(t, a.Err()), "/l/1/y not expected; /n/m not expected"; got != want && got != "/n/m not expected; /l/1/y not expected" {
		t.Errorf("%s, want %s", got, want)
	}
	var none schema.Place
	if none.Has() || none.Text() != "" || none.IntOr(3) != 3 || none.Array() != nil || none.ObjectOr() != nil || none.Raw() != "" ||
		none.IntBetween(1, 2) != 0 || none.OneOf("x") != "" || none.Object().Has("x") {
		t.Error("the zero Place")
	}
}

// D29: a path reads the value that stands there, in any object.
func TestPathsAreExact(t *testing.T) {
	name := rapid.SampledFrom([]string{"", ".", "a", "a.b", "0", "1", "/", "~", "é", "ſ", "A", `"`})
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.SliceOfN(name, 1, 6).Draw(t, "path")
		n := rapid.Int64Range(math.MinInt64, math.MaxInt64).Draw(t, "n")
		text := strconv.FormatInt(n, 10)
		for _, key := range slices.Backward(path) {
			if i, err := strconv.Atoi(key); err == nil && key != path[0] && rapid.Bool().Draw(t, "array") {
				text = "[" + strings.Repeat("null,", i) + text + "]"
				continue
			}
			text = string(rawjson.AppendQuote([]byte{'{'}, key)) + ":" + text + "}"
		}
		if text[0] != '{' {
			t.Skip("the root is an array")
		}
		a := schema.ReadArguments(jsonrpc.Raw(text))
		if got := a.At(path...).Int(); got != n || a.Err() != nil {
			t.Fatalf("%s at %q: %d, %v", text, path, got, a.Err())
		}
	})
}

// Repeated questions cost little, however long the arguments are.
func TestPlacesOfHugeArguments(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 500) + `1` + strings.Repeat(`}`, 500)
	path := slices.Repeat([]string{"a"}, 500)
	a := schema.ReadArguments(jsonrpc.Raw(deep))
	if a.At(path...).Int() != 1 || a.Err() != nil {
		t.Error(a.Err())
	}
	long := schema.ReadArguments(jsonrpc.Raw(`{"l":[` + strings.Repeat("0,", 200_000) + `7]}`))
	if long.At("l", "200000").Int() != 7 {
		t.Error("an element far behind")
	}
	many := schema.ReadArguments(`{}`)
	for i := range 1000 {
		many.At(strconv.Itoa(i)).Text()
	}
	var all schema.ArgumentErrors
	if !errors.As(many.Err(), &all) || len(all) != 16 {
		t.Error(len(all))
	}
}

func ExampleArguments_At() {
	a := schema.ReadArguments(`{"from":{"city":"Kyoto","zip":6008216},"stops":[{"city":"Nara"}]}`)
	city := a.At("from", "city").Text()
	zip := a.At("from", "zip").Text()
	stop := a.Pointer("/stops/0/city").Text()
	speed := a.At("train", "speed").IntOr(320)
	fmt.Println(city, zip, stop, speed)
	fmt.Println(a.Err())
	// Output:
	// Kyoto  Nara 320
	// "/from/zip" is not a string but a number
}
