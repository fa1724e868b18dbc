package schema_test

import (
	"errors"
	"math"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol/schema"
)

// faults writes the faults of Err: path, kind and want of each.
func faults(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	var all schema.ArgumentErrors
	var first *schema.ArgumentError
	if !errors.As(err, &all) || !errors.As(err, &first) || len(all) == 0 || first != all[0] || len(all.Unwrap()) != len(all) {
		t.Fatalf("%T %v", err, err)
	}
	var list []string
	for _, e := range all {
		list = append(list, strings.TrimSpace(e.Path+" "+e.Kind.String()+" "+e.Want))
	}
	return strings.Join(list, "; ")
}

// Every getter, and what it says of every fault.
func TestArguments(t *testing.T) {
	type A = *schema.Arguments
	str := func(a A) any { return a.String("v") }
	num := func(a A) any { return a.Int("v") }
	flo := func(a A) any { return a.Float("v") }
	boo := func(a A) any { return a.Bool("v") }
	raw := func(a A) any { return a.Raw("v") }
	lis := func(a A) any { return a.Strings("v") }
	obj := func(a A) any { return a.Object("v").String("s") }
	all := func(a A) any {
		var got []string
		for _, in := range a.Objects("v") {
			got = append(got, in.String("s"))
		}
		return got
	}
	for _, c := range []struct {
		name string
		ask  func(A) any
		raw  jsonrpc.Raw
		want any
		err  string
	}{
		{"string", str, `{"v":"x"}`, "x", ""},
		{"string", str, `{"v":"\u00e9\ud83d\ude00\u0000"}`, "é😀\x00", ""},
		{"string", str, `{"\u0076":"x"}`, "x", ""},
		{"string", str, ` {"v" : "" } `, "", ""},
		{"string", str, ``, "", "/v missing"},
		{"string", str, `null`, "", "/v missing"},
		{"string", str, `{}`, "", "/v missing"},
		{"string", str, `{"V":"x"}`, "", "/v missing; /V not expected"},
		{"string", str, `{"v":"x","V":"y"}`, "x", "/V not expected"},
		{"string", str, `{"v":"x","v":"y"}`, "x", "/v given more than once"},
		{"string", str, `{"v":"x","\u0076":"x"}`, "x", "/v given more than once"},
		{"string", str, `{"v":null}`, "", "/v null"},
		{"string", str, `{"v":1}`, "", "/v of another type a string"},
		{"string", str, `{"v":["x"]}`, "", "/v of another type a string"},
		{"string", str, `{"v":"\ud800"}`, "", "/v a string with an unpaired surrogate"},
		{"string", str, `{"v":"\udc00\ud800"}`, "", "/v a string with an unpaired surrogate"},
		{"string", str, `{"v\ud800":"x"}`, "", "/v missing; /v\ufffd not expected"},
		{"string", func(a A) any { return a.String("v\ufffd") }, `{"v\ud800":"x"}`, "", "/v\ufffd missing; /v\ufffd not expected"},
		{"string", str, `[]`, "", "of another type an object"},
		{"string", str, `"v"`, "", "of another type an object"},
		{"string", str, `{`, "", "not valid JSON"},
		{"string", str, ` `, "", "not valid JSON"},
		{"string", str, `{"v":"x"}{}`, "", "not valid JSON"},
		{"string", str, "{\"v\":\"\xff\"}", "", "not valid JSON"},

		{"int", num, `{"v":9007199254740993}`, int64(9007199254740993), ""},
		{"int", num, `{"v":-9223372036854775808}`, int64(math.MinInt64), ""},
		{"int", num, `{"v":9223372036854775807}`, int64(math.MaxInt64), ""},
		{"int", num, `{"v":9223372036854775808}`, int64(0), "/v out of range an integer of 64 bits"},
		{"int", num, `{"v":1e400}`, int64(0), "/v out of range an integer of 64 bits"},
		{"int", num, `{"v":1.20e1}`, int64(12), ""},
		{"int", num, `{"v":-0}`, int64(0), ""},
		{"int", num, `{"v":1.5}`, int64(0), "/v of another type an integer"},
		{"int", num, `{"v":1e-400}`, int64(0), "/v of another type an integer"},
		{"int", num, `{"v":"1"}`, int64(0), "/v of another type an integer"},
		{"int", num, `{"v":true}`, int64(0), "/v of another type an integer"},
		{"int", num, `{}`, int64(0), "/v missing"},

		{"float", flo, `{"v":0.25}`, 0.25, ""},
		{"float", flo, `{"v":3}`, 3.0, ""},
		{"float", flo, `{"v":1e-999}`, 0.0, ""},
		{"float", flo, `{"v":1e308}`, 1e308, ""},
		{"float", flo, `{"v":-1e309}`, 0.0, "/v out of range a number of 64 bits"},
		{"float", flo, `{"v":"NaN"}`, 0.0, "/v of another type a number"},

		{"bool", boo, `{"v":true}`, true, ""},
		{"bool", boo, `{"v":false}`, false, ""},
		{"bool", boo, `{"v":"true"}`, false, "/v of another type a boolean"},
		{"bool", boo, `{"v":1}`, false, "/v of another type a boolean"},
		{"bool", boo, `{"v":null}`, false, "/v null"},

		{"raw", raw, `{"v": {"a":1,"a":2} }`, jsonrpc.Raw(`{"a":1,"a":2}`), ""},
		{"raw", raw, `{"v":null}`, jsonrpc.Raw(`null`), ""},
		{"raw", raw, `{}`, jsonrpc.Raw(""), "/v missing"},

		{"strings", lis, `{"v":[]}`, []string{}, ""},
		{"strings", lis, `{"v":["a","\u0062"]}`, []string{"a", "b"}, ""},
		{"strings", lis, `{"v":["a",1,null]}`, []string{"a", "", ""}, "/v/1 of another type a string; /v/2 of another type a string"},
		{"strings", lis, `{"v":"a"}`, []string(nil), "/v of another type an array of strings"},
		{"strings", lis, `{}`, []string(nil), "/v missing"},

		{"object", obj, `{"v":{"s":"x"}}`, "x", ""},
		{"object", obj, `{"v":{"s":"x","s":"y"}}`, "x", "/v/s given more than once"},
		{"object", obj, `{"v":{"s":"x","t":"y"},"u":1}`, "x", "/u not expected; /v/t not expected"},
		{"object", obj, `{"v":{}}`, "", "/v/s missing"},
		{"object", obj, `{"v":[]}`, "", "/v of another type an object"},
		{"object", obj, `{"v":null}`, "", "/v null"},
		{"object", obj, `{}`, "", "/v missing"},

		{"objects", all, `{"v":[]}`, []string(nil), ""},
		{"objects", all, `{"v":[{"s":"a"},{"s":"b"}]}`, []string{"a", "b"}, ""},
		{"objects", all, `{"v":[{"s":"a"},{"S":"b"},3]}`, []string{"a", "", ""}, "/v/2 of another type an object; /v/1/s missing; /v/1/S not expected"},
		{"objects", all, `{"v":{}}`, []string(nil), "/v of another type an array of objects"},
		{"objects", all, `{"v":[{"s":1}]}`, []string{""}, "/v/0/s of another type a string"},

		{"optional", func(a A) any { return a.StringOr("v", "d") }, `{}`, "d", ""},
		{"optional", func(a A) any { return a.StringOr("v", "d") }, `{"v":null}`, "d", ""},
		{"optional", func(a A) any { return a.StringOr("v", "d") }, `{"v":"x"}`, "x", ""},
		{"optional", func(a A) any { return a.StringOr("v", "d") }, `{"v":2}`, "", "/v of another type a string"},
		{"optional", func(a A) any { return a.IntOr("v", 10) }, `{}`, int64(10), ""},
		{"optional", func(a A) any { return a.IntOr("v", 10) }, `{"v":0}`, int64(0), ""},
		{"optional", func(a A) any { return a.IntOr("v", 10) }, `{"v":1.1}`, int64(0), "/v of another type an integer"},
		{"optional", func(a A) any { return a.FloatOr("v", .5) }, `{}`, .5, ""},
		{"optional", func(a A) any { return a.FloatOr("v", .5) }, `{"v":2}`, 2., ""},
		{"optional", func(a A) any { return a.BoolOr("v", true) }, `{}`, true, ""},
		{"optional", func(a A) any { return a.BoolOr("v", true) }, `{"v":false}`, false, ""},
		{"has", func(a A) any { return a.Has("v") }, `{"v":3}`, true, ""},
		{"has", func(a A) any { return a.Has("v") }, `{"v":null}`, false, ""},
		{"has", func(a A) any { return a.Has("v") }, `{"w":3}`, false, "/w not expected"},
		{"others", func(a A) any { a.AllowOthers(); return a.Int("v") }, `{"v":3,"w":4}`, int64(3), ""},
		{"others", func(a A) any { a.AllowOthers(); return a.Int("v") }, `{"v":3,"v":4}`, int64(3), "/v given more than once"},
		{"nothing", func(A) any { return nil }, ``, nil, ""},
		{"nothing", func(A) any { return nil }, `{"a/b~":1}`, nil, "/a~1b~0 not expected"},
	} {
		a := schema.ReadArguments(c.raw)
		got := c.ask(a)
		err := a.Err()
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s of %s:\n%s", c.name, c.raw, diff)
		}
		if err := faults(t, err); err != c.err {
			t.Errorf("%s of %s: %q, want %q", c.name, c.raw, err, c.err)
		}
		if again := faults(t, a.Err()); again != c.err {
			t.Errorf("%s of %s, done twice: %q, want %q", c.name, c.raw, again, c.err)
		}
	}
}

// The tool reads what the schema checked.
func TestArgumentsAreExact(t *testing.T) {
	const input = `{"type":"object","properties":{"path":{"enum":["/public"]}},"required":["path"]}`
	for args, want := range map[jsonrpc.Raw]string{
		`{"path":"/public"}`:                         "",
		`{"path":"/public","PATH":"/etc/passwd"}`:    "/PATH not expected",
		`{"PATH":"/etc/passwd","path":"/public"}`:    "/PATH not expected",
		`{"path":"/etc","pa\u0074h":"/public"}`:      "/path given more than once",
		`{"path":"/etc","path":"/public"}`:           "/path given more than once",
		`{"path":"/public","\u017fpath":"/x"}`:       "/ſpath not expected",
		`{"path":"/public","path\ud800":"/x","z":1}`: "/path\ufffd not expected; /z not expected",
	} {
		if err := (schema.Basic{}).Validate(input, args); err != nil {
			t.Errorf("%s: %v", args, err)
		}
		a := schema.ReadArguments(args)
		path := a.String("path")
		if got := faults(t, a.Err()); got != want || want == "" && path != "/public" {
			t.Errorf("%s: path %q, %q, want %q", args, path, got, want)
		}
	}
}

func TestArgumentErrors(t *testing.T) {
	a := schema.ReadArguments(jsonrpc.Raw(`{"n":1.5,"big":1e99,"` + strings.Repeat("é", 40) + `":1,"o":{"x":1,"x":2}}`))
	a.Int("n")
	a.Int("big")
	a.String("s")
	a.Object("o").Int("x")
	err := a.Err()
	long := strings.Repeat("é", 32) + "…"
	want := `"/n" is not an integer but a number; "/big" is out of range: want an integer of 64 bits; "/s" is missing (present: "big", "n", "o", "` + long +
		`"); "/o/x" is given more than once; "/` + long + `" is not expected (allowed: "big", "n", "o", "s")`
	if err == nil || err.Error() != want {
		t.Errorf("%v\nwant %s", err, want)
	}
	if got := schema.ReadArguments(`3`).Err().Error(); got != "the value of the arguments is not an object but a number" {
		t.Error(got)
	}
	if got := schema.ArgumentKind(99).String() + schema.ArgumentKind(0).String(); got != "wrongwrong" {
		t.Error(got)
	}
	var zero schema.Arguments
	if got := faults(t, zero.Err()); got != "" || zero.Has("x") || len(zero.Strings("x")) != 0 || zero.Object("o").Int("n") != 0 {
		t.Error("the zero Arguments has members")
	}
	if got := faults(t, zero.Err()); got != "/x missing; /o missing" {
		t.Error(got)
	}
}

// A missing or mistyped value reads as zero, with one fault.
func TestArgumentsThatAreNot(t *testing.T) {
	for name, read := range map[string]func(*schema.Arguments) bool{
		"string": func(a *schema.Arguments) bool { return a.String("v") == "" }, "int": func(a *schema.Arguments) bool { return a.Int("v") == 0 },
		"float": func(a *schema.Arguments) bool { return a.Float("v") == 0 }, "strings": func(a *schema.Arguments) bool { return len(a.Strings("v")) == 0 },
		"object": func(a *schema.Arguments) bool { a.Object("v"); return true }, "objects": func(a *schema.Arguments) bool { return len(a.Objects("v")) == 0 },
	} {
		for raw, want := range map[string]schema.ArgumentKind{`{}`: schema.ArgumentMissing, `{"v":true}`: schema.ArgumentType} {
			a := schema.ReadArguments(jsonrpc.Raw(raw))
			zero := read(a)
			var all schema.ArgumentErrors
			if errors.As(a.Err(), &all); !zero || len(all) != 1 || all[0].Kind != want || all[0].Path != "/v" {
				t.Errorf("%s of %s: zero %v, %v", name, raw, zero, all)
			}
		}
	}
}

// A name that the peer chose is cut after at most 64 bytes, and not within a character;
// invalid UTF-8 is cut there too.
func TestLongNamesAreCut(t *testing.T) {
	for _, unit := range []string{"x", "é", "€", "😀"} {
		for before := range 4 {
			for n := 50; n < 70; n++ {
				name := strings.Repeat("x", before) + strings.Repeat(unit, n)
				want := name
				if len(name) > 64 {
					want = name[:before+(64-before)/len(unit)*len(unit)] + "…"
				}
				a := schema.ReadArguments(jsonrpc.Raw(`{"` + name + `":1}`))
				var all schema.ArgumentErrors
				if errors.As(a.Err(), &all); len(all) != 1 || all[0].Path != "/"+want || all[0].Kind != schema.ArgumentUnexpected {
					t.Errorf("%s: %v", name, all)
				}
			}
		}
	}
}

// The number of faults, the depth and the memory are limited.
func TestArgumentLimits(t *testing.T) {
	for n := 15; n <= 17; n++ {
		var b strings.Builder
		for i := range n {
			b.WriteString(`"m` + strconv.Itoa(i) + `":1,`)
		}
		a := schema.ReadArguments(jsonrpc.Raw("{" + b.String() + `"x":1}`))
		a.Int("x")
		var all schema.ArgumentErrors
		if errors.As(a.Err(), &all); len(all) != min(n, 16) {
			t.Errorf("%d of %d faults", len(all), n)
		}
	}
	nest := func(n int) jsonrpc.Raw {
		return jsonrpc.Raw(`{"v":` + strings.Repeat("[", n-1) + strings.Repeat("]", n-1) + `}`)
	}
	for n, want := range map[int]string{511: "", 512: "", 513: "not valid JSON"} {
		a := schema.ReadArguments(nest(n))
		if a.Raw("v"); faults(t, a.Err()) != want {
			t.Errorf("%d deep: %v", n, a.Err())
		}
	}
	cost := func(n int) uint64 {
		var b strings.Builder
		for i := range n {
			b.WriteString(`"\u006d` + strconv.Itoa(i) + `":[{"s":"\n"},{"s":1}],`)
		}
		raw := jsonrpc.Raw("{" + b.String() + `"x":1}`)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		a := schema.ReadArguments(raw)
		for i := range n {
			for _, o := range a.Objects("m" + strconv.Itoa(i)) {
				o.String("s")
			}
		}
		if a.Err() == nil {
			t.Fatal("no fault")
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	if few, many := cost(1000), cost(8000); many > 12*few {
		t.Errorf("8 times the arguments take %d bytes, and not %d", many, few)
	}
}

// Reading twice is like reading once: readers of one object share what was asked for,
// and a fault is reported once.
func TestArgumentsAskedTwice(t *testing.T) {
	a := schema.ReadArguments(`{"at":{"x":1,"y":2},"list":[{"x":3,"y":4},{"x":5,"y":6}]}`)
	sum := a.Object("at").Int("x") + a.Object("at").Int("y")
	for i := range a.Objects("list") {
		sum += a.Objects("list")[i].Int("x") + a.Objects("list")[i].Int("y")
	}
	if got := faults(t, a.Err()); sum != 21 || got != "" {
		t.Errorf("%d, %q", sum, got)
	}
	a = schema.ReadArguments(`{"x":1,"x":2,"x":3,"y":1,"x":4,"y":5}`)
	if got := faults(t, a.Err()); got != "/x given more than once; /y given more than once; /x not expected; /y not expected" {
		t.Error(got)
	}
	a = schema.ReadArguments(`{"at":{"x":1,"y":2},"n":"x"}`)
	for range 2 {
		a.Object("at").Int("x")
		a.Object("none").Int("x")
		a.Objects("at")
		a.Object("n")
		a.Int("n")
		a.String("s")
	}
	want := "/none missing; /at of another type an array of objects; /n of another type an object; /n of another type an integer; /s missing; /at/y not expected"
	if got := faults(t, a.Err()); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
