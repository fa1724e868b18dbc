package rawjson_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/conformance/memory"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

func TestUnquote(t *testing.T) {
	for _, c := range []struct {
		raw, want string
		ok        bool
	}{
		{`""`, "", true},
		{`"a"`, "a", true},
		{`"abcdefghijklmnop"`, "abcdefghijklmnop", true},
		{`"é漢😀"`, "é漢😀", true},
		{`"\"\\\/\b\f\n\r\t"`, "\"\\/\b\f\n\r\t", true},
		{`"a\u0000b"`, "a\x00b", true},
		{`"\u00e9\u00E9\u6f22"`, "éé漢", true},
		{`"\ud83d\ude00!"`, "😀!", true},
		{`"\\ud800"`, `\ud800`, true},

		{`"\ud800"`, "\ufffd", false},
		{`"x\ud800y"`, "x\ufffdy", false},
		{`"\ude00\ud83d"`, "\ufffd\ufffd", false},
		{`"\ud83d\ud83d\ude00"`, "\ufffd😀", false},
		{`"\ud83d\n"`, "\ufffd\n", false},
		{`"\ud83d\u0041"`, "\ufffdA", false},
		{`"\ud83dude00"`, "\ufffdude00", false},
		{`"\ud800\n\ud83d\ude00"`, "\ufffd\n😀", false},
		{`"\ud800\uzzzz"`, "", false},
		{`"\ud800\u12"`, "", false},
		{`"\u12"`, "", false},
		{`"\x"`, "", false},
		{`"x\`, "", false},
		{`"\ufffd"`, "\ufffd", true},

		{``, "", false},
		{`"`, "", false},
		{`"a`, "", false},
		{`a"`, "", false},
		{`null`, "", false},
		{`"a"b"`, "", false},
		{`"a" `, "", false},
		{` "a"`, "", false},
		{`"\x"`, "", false},
		{`"\"`, "", false},
		{`"\u12"`, "", false},
		{"\"\x01\"", "", false},
		{"\"\xff\"", "", false},
	} {
		if got, ok := rawjson.Unquote(c.raw); got != c.want || ok != c.ok {
			t.Errorf("Unquote(%s) = %q, %v, want %q, %v", c.raw, got, ok, c.want, c.ok)
		}
	}
}

func TestAppendQuote(t *testing.T) {
	for _, c := range []struct{ s, want string }{
		{"", `""`},
		{"plain <&> text", `"plain <&> text"`},
		{"\"\\/", `"\"\\/"`},
		{"\b\f\n\r\t", `"\b\f\n\r\t"`},
		{"\x00\x1f\x7f", "\"\\u0000\\u001f\x7f\""},
		{"é漢😀\u2028", "\"é漢😀\u2028\""},
		{"a\xffb\xc3(\xe2\x82", "\"a\ufffdb\ufffd(\ufffd\ufffd\""},
		{"\xed\xa0\x80", "\"\ufffd\ufffd\ufffd\""},
		{"\ufffd", "\"\ufffd\""},
	} {
		if got := string(rawjson.AppendQuote([]byte("x"), c.s)); got != "x"+c.want {
			t.Errorf("AppendQuote(%q) = %s, want %s", c.s, got, c.want)
		}
	}
}

func TestQuoteRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "s")
		raw := string(rawjson.AppendQuote(nil, s))
		want := string([]rune(s)) // U+FFFD for each bad byte
		if got, ok := rawjson.Unquote(raw); !ok || got != want {
			t.Fatalf("%q was written as %s and read as %q, %v", s, raw, got, ok)
		}
		var oracle string
		if err := json.Unmarshal([]byte(raw), &oracle); err != nil || oracle != want {
			t.Fatalf("encoding/json reads %s as %q, %v", raw, oracle, err)
		}
	})
}

func TestUnquoteAgainstEncodingJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := quoted().Draw(t, "raw")
		var want string
		if err := json.Unmarshal([]byte(raw), &want); err != nil {
			t.Fatal(err)
		}
		got, ok := rawjson.Unquote(raw)
		if got != want || !utf8.ValidString(got) {
			t.Fatalf("Unquote(%s) = %q, want %q", raw, got, want)
		}
		if !ok && !strings.Contains(got, "\ufffd") {
			t.Fatalf("Unquote(%s) refuses without reason", raw)
		}
	})
}

// A value that its escapes made much shorter than its text does not keep the room for the
// text.
func TestUnquoteKeepsLittle(t *testing.T) {
	const n = 1 << 20
	raw := `"` + strings.Repeat(`\u0061`, n) + `"`
	var s string
	if kept := memory.Retained(func() any { s, _ = rawjson.Unquote(raw); return &s }); kept > 2*n || len(s) != n {
		t.Errorf("%d bytes stay for %d", kept, len(s))
	}
}

// WriteQuote writes what AppendQuote appends, wherever the parts of a long text end.
func TestWriteQuote(t *testing.T) {
	parts := []string{"a", "é", "漢", "😀", "\"", "\n", "\x01", "\xff", "\x80", "\xf0\x9f", "plain text "}
	rapid.Check(t, func(t *rapid.T) {
		long := strings.Repeat(rapid.SampledFrom(parts).Draw(t, "what"), rapid.SampledFrom([]int{0, 1, 100, 127, 128, 129, 170, 171, 256, 511, 512, 513}).Draw(t, "times"))
		s := strings.Join(rapid.SliceOfN(rapid.SampledFrom(append(parts, long)), 0, 9).Draw(t, "text"), "")
		var b strings.Builder
		if rawjson.WriteQuote(&b, s); b.String() != string(rawjson.AppendQuote(nil, s)) {
			t.Fatalf("%q is written as %s", s, b.String())
		}
	})
}
