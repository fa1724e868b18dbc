package jsonrpc_test

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/jsonrpc"
)

func parse(t *testing.T, raw string) jsonrpc.ID {
	t.Helper()
	id, _, ok := jsonrpc.ParseID(raw)
	if !ok {
		t.Fatalf("%s is no id", raw)
	}
	return id
}

func TestParseID(t *testing.T) {
	for _, c := range []struct {
		raw       string
		want      jsonrpc.ID
		text      string // what Append writes
		canonical bool
	}{
		{`0`, jsonrpc.Int(0), `0`, true},
		{`7`, jsonrpc.Int(7), `7`, true},
		{`-1`, jsonrpc.Int(-1), `-1`, true},
		{`9007199254740993`, jsonrpc.Int(1<<53 + 1), `9007199254740993`, true},
		{`9223372036854775807`, jsonrpc.Int(math.MaxInt64), `9223372036854775807`, true},
		{`-9223372036854775808`, jsonrpc.Int(math.MinInt64), `-9223372036854775808`, true},
		{`-0`, jsonrpc.Int(0), `0`, false},
		{`0.0`, jsonrpc.Int(0), `0`, false},
		{`1.0`, jsonrpc.Int(1), `1`, false},
		{`1e3`, jsonrpc.Int(1000), `1000`, false},
		{`-1E+2`, jsonrpc.Int(-100), `-100`, false},
		{`9007199254740993.0`, jsonrpc.Int(1<<53 + 1), `9007199254740993`, false},
		{`""`, jsonrpc.String(""), `""`, true},
		{`"abc"`, jsonrpc.String("abc"), `"abc"`, true},
		{`"1"`, jsonrpc.String("1"), `"1"`, true},
		{`"é<&>"`, jsonrpc.String("é<&>"), `"é<&>"`, true},
		{`"a\nb\u0000\"\\"`, jsonrpc.String("a\nb\x00\"\\"), `"a\nb\u0000\"\\"`, true},
		{`"\u0061b"`, jsonrpc.String("ab"), `"ab"`, false},
		{`"a\/b"`, jsonrpc.String("a/b"), `"a/b"`, false},
		{`"\u000a"`, jsonrpc.String("\n"), `"\n"`, false},
		{`"\ud83d\ude00"`, jsonrpc.String("😀"), `"😀"`, false},
	} {
		id, canonical, ok := jsonrpc.ParseID(c.raw)
		if !ok || id != c.want || canonical != c.canonical {
			t.Errorf("ParseID(%s) = %v, %v, %v", c.raw, id, canonical, ok)
		}
		if got := string(id.Append([]byte("x"))); got != "x"+c.text || id.String() != c.text {
			t.Errorf("%s is written as %s and %v, want %s", c.raw, got, id, c.text)
		}
		if id.IsZero() || id.Clone() != id {
			t.Errorf("%s: zero %v, clone %v", c.raw, id.IsZero(), id.Clone())
		}
	}
}

// Append adds to what it is given, whatever the id, also none.
func TestIDAppends(t *testing.T) {
	for want, id := range map[string]jsonrpc.ID{
		"": {}, "null": jsonrpc.Null, "0": jsonrpc.Int(0), "-7": jsonrpc.Int(-7), `""`: jsonrpc.String(""), `"a"`: jsonrpc.String("a"),
		"1e30": parse(t, "1e30"), "9223372036854775808": parse(t, "9223372036854775808"),
	} {
		for _, dst := range []string{"", "x"} {
			if got := string(id.Append([]byte(dst))); got != dst+want {
				t.Errorf("%q is %q, want %q", dst, got, dst+want)
			}
		}
		if got := id.String(); got != want && (want != "" || got != "absent") {
			t.Errorf("%q is called %q", want, got)
		}
	}
}

func TestParseIDRefuses(t *testing.T) {
	for _, raw := range []string{
		``, ` `, `null`, `true`, `false`, `{}`, `[]`, `[1]`, `{"a":1}`, `1.5`, `1e-1`, `-0.5`, `1e-400`, `1e1000001`, `-1e1000001`, `10e1000000`,
		`1e99999999999999999999`, `"\ud800"`, `"\ude00\ud83d"`, `"a`, `"`, `01`, `1 `, ` 1`, `1x`, `nul`, "\"\xff\"", "\"\xfe1\"", "\"\n\"", `"a"b"`,
	} {
		if id, _, ok := jsonrpc.ParseID(raw); ok || !id.IsZero() {
			t.Errorf("%q is the id %v", raw, id)
		}
	}
}

// Integers beyond int64 stay exact, are equal by value, and are not expanded.
func TestBigID(t *testing.T) {
	for _, group := range [][]string{
		{"9223372036854775808", "9223372036854775808.0", "0.9223372036854775808e19", "92233720368547758080e-1"},
		{"-9223372036854775809", "-9223372036854775809.0"},
		{"1e19", "10000000000000000000", "10e18", "1.0E+19"},
		{"1e30", "1000000000000000000000000000000", "0.001e33", "1000000000000000000000000000000.000"},
		{"-1e30", "-1000000000000000000000000000000"},
		{"1e400", "10e399", "1" + strings.Repeat("0", 400)},
		{"12345678901234567890123e7", "123456789012345678901230000000"},
		{"1e1000000", "0.1e1000001", "10e999999"},
	} {
		first := parse(t, group[0])
		if got := first.String(); got != group[0] {
			t.Errorf("%s is written as %s", group[0], got)
		}
		for i, raw := range group {
			id, canonical, _ := jsonrpc.ParseID(raw)
			if id != first || canonical != (i == 0) {
				t.Errorf("%.40s is %.40v, canonical %v, want %.40v", raw, id, canonical, first)
			}
			if id.Clone() != id {
				t.Errorf("a clone of %.40v differs", id)
			}
			if n, ok := id.Int64(); ok || n != 0 {
				t.Errorf("%.40s is the int64 %d", raw, n)
			}
			if s, ok := id.Str(); ok || s != "" {
				t.Errorf("%.40s is the string %s", raw, s)
			}
		}
		for _, other := range []string{"9223372036854775807", "1e20", `"1e30"`, `"9223372036854775808"`, "1e401"} {
			if parse(t, other) == first {
				t.Errorf("%s equals %s", other, group[0])
			}
		}
	}
}

func TestIDAccessors(t *testing.T) {
	if n, ok := jsonrpc.Int(5).Int64(); n != 5 || !ok {
		t.Errorf("Int64 of 5 = %d, %v", n, ok)
	}
	if s, ok := jsonrpc.Int(1).Str(); s != "" || ok {
		t.Errorf("Str of the integer 1 = %q, %v", s, ok)
	}
	if s, ok := jsonrpc.String("1").Str(); s != "1" || !ok {
		t.Errorf(`Str of "1" = %q, %v`, s, ok)
	}
	if n, ok := jsonrpc.String("1").Int64(); n != 0 || ok {
		t.Errorf(`Int64 of "1" = %d, %v`, n, ok)
	}
	distinct := []jsonrpc.ID{{}, jsonrpc.Null, jsonrpc.Int(0), jsonrpc.Int(1), jsonrpc.String(""), jsonrpc.String("0"), jsonrpc.String("1"), jsonrpc.String("null")}
	for i, a := range distinct {
		for j, b := range distinct {
			if (a == b) != (i == j) {
				t.Errorf("%v == %v is %v", a, b, a == b)
			}
		}
		if a.Clone() != a || a.IsZero() != (i == 0) {
			t.Errorf("%v: clone %v, zero %v", a, a.Clone(), a.IsZero())
		}
	}
	var zero jsonrpc.ID
	if got := zero.Append(nil); len(got) != 0 || zero.String() != "absent" {
		t.Errorf("the zero ID is written as %q and %v", got, zero)
	}
	if got := jsonrpc.Null.String(); got != "null" {
		t.Errorf("Null is written as %s", got)
	}
	for _, id := range []jsonrpc.ID{zero, jsonrpc.Null} {
		_, isInt := id.Int64()
		if _, isString := id.Str(); isInt || isString {
			t.Errorf("%v: integer %v, string %v", id, isInt, isString)
		}
	}
	// No Go string can pass for another kind of id.
	for _, s := range []string{"\xff", "\xfe1", "\xfd", "a\xffb"} {
		if id := jsonrpc.String(s); id != jsonrpc.String(strings.ToValidUTF8(s, "\ufffd")) || id == jsonrpc.Int(1) {
			t.Errorf("String(%q) = %v", s, id)
		}
	}
}

func TestIDRoundTrip(t *testing.T) {
	raws := rapid.OneOf(
		rapid.StringMatching(`-?(0|[1-9][0-9]{0,25})(\.[0-9]{0,2}0)?([eE][+-]?[0-9]{1,3})?`),
		rapid.Map(rapid.String(), func(s string) string { return jsonrpc.String(s).String() }),
	)
	rapid.Check(t, func(t *rapid.T) {
		raw := raws.Draw(t, "raw")
		id, canonical, ok := jsonrpc.ParseID(raw)
		if !ok {
			return
		}
		text := id.String()
		again, same, ok := jsonrpc.ParseID(text)
		if !ok || !same || again != id || canonical != (text == raw) {
			t.Fatalf("%s is the id %s (canonical %v), which is the id %s, %v, %v", raw, text, canonical, again, same, ok)
		}
	})
}
