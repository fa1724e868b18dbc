package builtin_test

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/builtin"
	"github.com/sansmcp/mcp/server/registry"
)

func TestCalculate(t *testing.T) {
	long := strings.Repeat("9", 1000)
	for expression, want := range map[string]string{
		"1": "1", " 0.1 + 0.2\n": "0.3", "2+3*4": "14", "(2+3)*4": "20", "-2^2": "-4", "(-2)^2": "4", "2^3^2": "512", "2^-2": "0.25", "10-2-3": "5", "8/4/2": "1",
		"7%3": "1", "-7%3": "-1", "7.5%2": "1.5", "1e3": "1000", "1.50": "1.5", "1E-2": "0.01", "--1": "1", "-+-2": "2", "0^0": "1", "-0": "0", "0.1^3": "0.001",
		"1/3": "~0.33333333333333333333333333333333333333333333333333", "2/3": "~0.66666666666666666666666666666666666666666666666667", "-2/3": "~-0.66666666666666666666666666666666666666666666666667",
		"1/3*3": "~0.99999999999999999999999999999999999999999999999999", "1/2^100": "0.0000000000000000000000000000007888609052210118054117285652827862296732064351090230047702789306640625",
		"abs(-3)": "3", "abs(3)": "3", "max(1,3,2)": "3", "min(1, -3, 2)": "-3", "max(7)": "7", "round(2.5)": "2", "round(3.5)": "4", "round(-2.5)": "-2", "round(2.51)": "3", "round(2.345, 2)": "2.34", "round(2.355, 2)": "2.36",
		"round(1234, -2)": "1200", "round(5)": "5", "round(5,1000)": "5", "round(5,-1000)": "0", "floor(-1.5)": "-2", "floor(1.5)": "1", "ceil(1.2)": "2", "ceil(-1.2)": "-1", "floor(2)": "2", long: long, "-" + long + "+1": "-" + long[:999] + "8",
		strings.Repeat("(", 64) + "1" + strings.Repeat(")", 64): "1",
	} {
		v, err := builtin.Calculate(expression)
		got := v.Text
		if !v.Exact {
			got = "~" + got
		}
		if err != nil || got != want {
			t.Errorf("%s = %s, %v, want %s", expression, got, err, want)
		}
	}
	for expression, want := range map[string]string{
		"": "too early", "1+": "too early", "(1": "too early", "1 2": `'2' at byte 2`, "1)": "')'", "ü": "'ü' at byte 0", "1+ü": "'ü'", "1/0": "division by zero", "1%0": "division by zero", "0^-1": "division by zero", "(1,2)": "a list", "()": "')'",
		"sin(1)": "unknown function", "max": "too early", "max()": "')'", "abs(1,2)": "number of arguments", "round(1,2,3)": "number of arguments", "round(1,0.5)": "places", "round(1,1e9)": "places", "round(1,1001)": "places", "round(1,-1001)": "places", "1..2": "not a number", "01": "not a number", ".5": "not a number", "1e": "not a number",
		"2^0.5": "exponent", "2^1001": "exponent", "2^1e9": "exponent", "9^999^9": "exponent", long + "9": "digits", long + "*" + long: "digits", long + "^2": "digits", "1e1001": "digits", "1e-1001": "digits", "1e999+1e-999": "digits", "1e999999999999999999999": "digits", "1e600^2": "digits",
		"(1e900)^-2": "digits", "1e-900/1e900": "digits", "1e-1000*0.1": "digits", strings.Repeat("(", 65) + "1": "nested", strings.Repeat("-", 4000) + "1": "nested", strings.Repeat("2^", 2000) + "1": "nested", strings.Repeat("1", 4097): "longer", "1\x00": `'\x00'`, "\xff": "'�'",
		"round(1e-1000,-1000)+1/0": "division", "abs(1": "too early", "max(1,": "too early", "2*": "too early", "2^": "too early", "-": "too early",
		strings.Repeat("x", 4000): "unknown function",
	} {
		v, err := builtin.Calculate(expression)
		if err == nil || !strings.Contains(err.Error(), want) || v.Text != "" || len(err.Error()) > 200 {
			t.Errorf("%.40s = %v, %v, want %s", expression, v, err, want)
		}
	}
}

// The calculator agrees with fractions of any length.
func TestCalculateAgainstFractions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var grow func(depth int) (string, *big.Rat)
		grow = func(depth int) (string, *big.Rat) {
			if depth == 0 || rapid.IntRange(0, 3).Draw(t, "leaf") == 0 {
				text := rapid.SampledFrom([]string{"0", "1", "2", "0.5", "10", "3.25", "0.001", "1e3", "7", "99.99"}).Draw(t, "number")
				r, _ := new(big.Rat).SetString(text)
				return text, r
			}
			a, x := grow(depth - 1)
			b, y := grow(depth - 1)
			if x == nil || y == nil {
				return "1", big.NewRat(1, 1)
			}
			op := rapid.SampledFrom([]string{"+", "-", "*", "/", "%"}).Draw(t, "op")
			z := new(big.Rat)
			switch op {
			case "+":
				z.Add(x, y)
			case "-":
				z.Sub(x, y)
			case "*":
				z.Mul(x, y)
			default:
				if y.Sign() == 0 {
					return a, x
				}
				z.Quo(x, y)
				if op == "%" {
					n := new(big.Int).Quo(z.Num(), z.Denom())
					z.Sub(x, new(big.Rat).Mul(y, new(big.Rat).SetInt(n)))
				}
			}
			return "(" + a + op + b + ")", z
		}
		text, want := grow(4)
		v, err := builtin.Calculate(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		got, ok := new(big.Rat).SetString(v.Text)
		if !ok || v.Exact && got.Cmp(want) != 0 {
			t.Fatalf("%s = %s, want %s", text, v.Text, want.FloatString(60))
		}
	})
}

// The worst that fits into an expression takes a time that nobody notices.
func TestCalculateIsBounded(t *testing.T) {
	for _, expression := range []string{
		strings.Repeat("9", 999) + strings.Repeat("/7", 1500), strings.Repeat("9", 900) + strings.Repeat("*1", 1500), "1e-999" + strings.Repeat("+1e-999", 580),
		"max(" + strings.Repeat("1e-500,", 580) + "1)", strings.Repeat("9^999+", 600) + "1",
	} {
		begun := time.Now()
		_, err := builtin.Calculate(expression)
		if took := time.Since(begun); took > 5*time.Second {
			t.Errorf("%.30s… took %v, %v", expression, took, err)
		}
	}
}

func TestQuery(t *testing.T) {
	const document = ` {"a":{"b":[1.0,{"c":null}]},"":"empty","~/":"odd","~1":"tilde","d":1,"d":2,"e\u0066":"escaped"} `
	for pointer, want := range map[string]protocol.Raw{
		"": protocol.Raw(strings.TrimSpace(document)), "/a/b/0": "1.0", "/a/b/1/c": "null", "/": `"empty"`, "/~0~1": `"odd"`, "/~01": `"tilde"`, "/ef": `"escaped"`, "/a": `{"b":[1.0,{"c":null}]}`,
	} {
		if got, err := builtin.Query(document, pointer); err != nil || got != want {
			t.Errorf("%q: %s, %v, want %s", pointer, got, err, want)
		}
	}
	for pointer, want := range map[string]string{
		"a": "begins", "/x": "no member", "/d": "more than one", "/a/b/2": "no element 2: it has 2", "/a/b/-": "not an array index", "/a/b/00": "not an array index", "/a/b/-1": "not an array index", "/a/b/+1": "not an array index", "/a/b/99999999999999999999": "not an array index",
		"/~2": "followed by", "/~": "followed by", "/~0~": "followed by", "/a/b/0/x": "only objects and arrays", "//": "only objects and arrays", "/a/": "no member", "/" + strings.Repeat("x", 1<<20): "no member",
	} {
		got, err := builtin.Query(document, pointer)
		if err == nil || !strings.Contains(err.Error(), want) || got != "" || len(err.Error()) > 400 {
			t.Errorf("%.40q: %s, %v, want %s", pointer, got, err, want)
		}
	}
	for _, document := range []protocol.Raw{"", "{", "[1]x", "\xff"} {
		if _, err := builtin.Query(document, ""); err == nil {
			t.Errorf("%q is a document", document)
		}
	}
	deep := strings.Repeat("[", 500) + "7" + strings.Repeat("]", 500)
	if got, err := builtin.Query(protocol.Raw(deep), strings.Repeat("/0", 500)); err != nil || got != "7" {
		t.Error(got, err)
	}
}

func TestTimesAndUUIDs(t *testing.T) {
	instant := time.Date(2026, 1, 1, 23, 30, 0, 5e8, time.UTC)
	d, err := builtin.At(instant, time.Hour, "+05:30")
	if want := (builtin.DateTime{RFC3339: "2026-01-02T06:00:00.5+05:30", Unix: instant.Unix() + 3600, Weekday: "Friday", YearDay: 2, Week: 1, Year: 2026}); err != nil || d != want {
		t.Errorf("%+v, %v", d, err)
	}
	for _, offset := range []string{"", "Z"} {
		if d, err := builtin.At(instant, 0, offset); err != nil || d.RFC3339 != "2026-01-01T23:30:00.5Z" {
			t.Errorf("%+v, %v", d, err)
		}
	}
	if _, err := builtin.At(instant, 0, "CET"); err == nil {
		t.Error("CET is an offset")
	}
	if _, err := builtin.At(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), 0, ""); err == nil {
		t.Error("a year of five digits is written")
	}
	ff := [16]byte{255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255}
	for got, want := range map[string]string{
		builtin.UUID4([16]byte{}): "00000000-0000-4000-8000-000000000000", builtin.UUID4(ff): "ffffffff-ffff-4fff-bfff-ffffffffffff",
		// the example of RFC 9562, A.6
		builtin.UUID7(time.UnixMilli(0x017F22E279B0), [10]byte{0x0c, 0xc3, 0x18, 0xc4, 0xdc, 0x0c, 0x0c, 0x07, 0x39, 0x8f}): "017f22e2-79b0-7cc3-98c4-dc0c0c07398f",
		builtin.UUID7(time.Time{}, [10]byte{}): "00000000-0000-7000-8000-000000000000",
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if got := builtin.UUID7(time.Date(20000, 1, 1, 0, 0, 0, 0, time.UTC), [10]byte{}); !strings.HasPrefix(got, "ffffffff-ffff-7") {
		t.Error(got)
	}
}

// ask calls a tool over a session and returns what the client gets.
func ask(t *testing.T, opt builtin.Options, tool, arguments string) string {
	t.Helper()
	s, err := builtin.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	r, err := registry.FromGroups(s)
	if err != nil {
		t.Fatal(err)
	}
	state := verbs.NewServer(t, r.View().Config(server.Config{})).Open(protocol.Revision20251125, "{}").Server()
	_, out := r.View().Handlers().Receive(state, verbs.Epoch, jsonrpc.DecodeString(fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, arguments)))
	return verbs.Lines(out)[0]
}

// The tools answer over a session, with what their output schemas promise; what is wrong is told to
// the model; what has no source is not there.
func TestGroup(t *testing.T) {
	all := builtin.Options{
		Now:     func() time.Time { return time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC) },
		Entropy: func(p []byte) error { clear(p); return nil },
	}
	empty := builtin.Options{Entropy: func([]byte) error { return errors.New("secret state") }}
	for _, c := range []struct {
		opt                   builtin.Options
		tool, arguments, want string
	}{
		{all, "calculate", `{"expression":"0.1+0.2"}`, `"structuredContent":{"value":"0.3","exact":true}`},
		{all, "calculate", `{"expression":"1/0"}`, `"text":"division by zero"}],"isError":true`},
		{all, "calculate", `{"expression":1}`, `isError`}, {all, "calculate", `{}`, `isError`}, {all, "calculate", `{"expression":"1","expression":"2"}`, `isError`},
		{all, "json_query", `{"document":{"a":[1.0]},"pointer":"/a"}`, `"structuredContent":{"value":[1.0]}`},
		{all, "json_query", `{"document":null,"pointer":""}`, `"structuredContent":{"value":null}`},
		{all, "json_query", `{"document":1,"pointer":"/a"}`, `isError`}, {all, "json_query", `{"pointer":"/a","pointer":""}`, `isError`},
		{all, "date_time", `{}`, `{"instant":"2026-02-03T04:05:06Z","unix":1770091506,"weekday":"Tuesday","yearDay":34,"week":6,"weekYear":2026}`},
		{all, "date_time", `{"instant":"2026-03-01","add":"-24h","offset":"-01:00"}`, `"instant":"2026-02-27T23:00:00-01:00"`},
		{all, "date_time", `{"instant":"2026-03-01T00:00:00+02:00"}`, `"instant":"2026-02-28T22:00:00Z"`},
		{all, "date_time", `{"instant":"tomorrow"}`, `isError`}, {all, "date_time", `{"add":"a day"}`, `isError`}, {all, "date_time", `{"offset":"here"}`, `isError`}, {all, "date_time", `{"add":"1h","add":"2h"}`, `isError`},
		{all, "uuid", `{}`, `"uuids":["00000000-0000-4000-8000-000000000000"]`},
		{all, "uuid", `{"version":7,"count":2}`, `"uuids":["019c21ac-e950-7000-8000-000000000000","019c21ac-e950-7000-8000-000000000000"]`},
		{all, "uuid", `{"count":11}`, `isError`}, {all, "uuid", `{"count":0}`, `isError`}, {all, "uuid", `{"version":1}`, `isError`}, {all, "uuid", `{"count":1,"count":1}`, `isError`},
		{empty, "uuid", `{}`, `no randomness available; try again later`}, {empty, "uuid", `{"version":7}`, `use version 4`},
		{empty, "date_time", `{}`, `"error":{"code":-32602`}, {builtin.Options{}, "uuid", `{}`, `"error":{"code":-32602`},
	} {
		got := ask(t, c.opt, c.tool, c.arguments)
		if !strings.Contains(got, c.want) || strings.Contains(got, "secret") || strings.Contains(got, "output schema") {
			t.Errorf("%s %s: %s, want %s", c.tool, c.arguments, got, c.want)
		}
	}
	if _, err := builtin.New(builtin.Options{Name: strings.Repeat("x", 129)}); !errors.Is(err, registry.ErrInvalid) {
		t.Error(err)
	}
	s, err := builtin.New(all)
	if err != nil || s.Name() != "builtin" || len(s.View().Tools()) != 4 || s.View().Catalog().NonstandardNames() != nil {
		t.Error(err)
	}
	for _, offered := range s.View().Tools() {
		tool := offered.Tool
		title := map[string]string{"calculate": "Calculator", "json_query": "JSON query", "date_time": "Date and time", "uuid": "UUID"}[tool.Name]
		if title == "" || tool.Title != title || len(tool.Description) <= len(title) || tool.OutputSchema == "" || !*tool.Annotations.ReadOnlyHint || *tool.Annotations.OpenWorldHint {
			t.Errorf("%+v", tool)
		}
	}
}

func Example() {
	group, err := builtin.New(builtin.Options{Now: time.Now})
	for _, t := range group.View().Tools() {
		fmt.Println(t.Tool.Name)
	}
	fmt.Println(err)
	// Output:
	// calculate
	// json_query
	// date_time
	// <nil>
}
