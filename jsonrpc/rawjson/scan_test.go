package rawjson_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

func TestCheck(t *testing.T) {
	const deep = 4
	for _, c := range []struct {
		text string
		want rawjson.Fault
	}{
		{`null`, rawjson.OK},
		{" \t\r\n true \t\r\n ", rawjson.OK},
		{`false`, rawjson.OK},
		{`0`, rawjson.OK},
		{`-0`, rawjson.OK},
		{`-0.0e-0`, rawjson.OK},
		{`10.50E+05`, rawjson.OK},
		{`1e400`, rawjson.OK},
		{strings.Repeat("9", 1000), rawjson.OK},
		{`""`, rawjson.OK},
		{`"\"\\\/\b\f\n\r\t\u00e9\uABCD\uabcd"`, rawjson.OK},
		{`"\ud800"`, rawjson.OK},
		{"\"\u007f\u0080\u2028é漢😀\"", rawjson.OK},
		{`[]`, rawjson.OK},
		{`[ ]`, rawjson.OK},
		{`{}`, rawjson.OK},
		{`{ }`, rawjson.OK},
		{`[1 , "a" , [ ] , { } , null]`, rawjson.OK},
		{`{ "a" : 1 , "a" : { "b" : [ ] } }`, rawjson.OK},
		{`[[[[]]]]`, rawjson.OK},
		{`{"a":{"b":[{}]}}`, rawjson.OK},

		{``, rawjson.Syntax},
		{` `, rawjson.Syntax},
		{`nul`, rawjson.Syntax},
		{`tru`, rawjson.Syntax},
		{`fals`, rawjson.Syntax},
		{`True`, rawjson.Syntax},
		{`+1`, rawjson.Syntax},
		{`-`, rawjson.Syntax},
		{`.5`, rawjson.Syntax},
		{`1.`, rawjson.Syntax},
		{`1.e5`, rawjson.Syntax},
		{`1e`, rawjson.Syntax},
		{`1e+`, rawjson.Syntax},
		{`-a`, rawjson.Syntax},
		{`NaN`, rawjson.Syntax},
		{`"`, rawjson.Syntax},
		{`"a`, rawjson.Syntax},
		{`"\`, rawjson.Syntax},
		{`"\"`, rawjson.Syntax},
		{`"\x"`, rawjson.Syntax},
		{`"\u12"`, rawjson.Syntax},
		{`"\u12g4"`, rawjson.Syntax},
		{`"\u`, rawjson.Syntax},
		{`'a'`, rawjson.Syntax},
		{"\"a\nb\"", rawjson.Syntax},
		{"\"\x00\"", rawjson.Syntax},
		{"\"\x1f\"", rawjson.Syntax},
		{`[`, rawjson.Syntax},
		{`[1`, rawjson.Syntax},
		{`[1,`, rawjson.Syntax},
		{`[1,]`, rawjson.Syntax},
		{`[,1]`, rawjson.Syntax},
		{`[1 2]`, rawjson.Syntax},
		{`[1}`, rawjson.Syntax},
		{`[01]`, rawjson.Syntax},
		{`{`, rawjson.Syntax},
		{`{"a"`, rawjson.Syntax},
		{`{"a":`, rawjson.Syntax},
		{`{"a": `, rawjson.Syntax},
		{`{"a":}`, rawjson.Syntax},
		{`{"a" 1}`, rawjson.Syntax},
		{`{"a":1`, rawjson.Syntax},
		{`{"a":1,`, rawjson.Syntax},
		{`{"a":1,}`, rawjson.Syntax},
		{`{"a":1]`, rawjson.Syntax},
		{`{a:1}`, rawjson.Syntax},
		{`{1:1}`, rawjson.Syntax},
		{`{,}`, rawjson.Syntax},
		{`]`, rawjson.Syntax},
		{"\ufeff{}", rawjson.Syntax},
		{"\v1", rawjson.Syntax},
		{"\u00a01", rawjson.Syntax},
		{"/*x*/1", rawjson.Syntax},
		{"\xff", rawjson.Syntax},

		{"\"\xff\"", rawjson.UTF8},
		{"\"\x80\"", rawjson.UTF8},
		{"\"\xc0\xaf\"", rawjson.UTF8},
		{"\"\xc3\"", rawjson.UTF8},
		{"\"\xe2\x82\"", rawjson.UTF8},
		{"\"\xe0\x80\xaf\"", rawjson.UTF8},
		{"\"\xed\xa0\x80\"", rawjson.UTF8},
		{"\"\xf0\x9f\x98\"", rawjson.UTF8},
		{"\"\xf4\x90\x80\x80\"", rawjson.UTF8},
		{"\"\xf5\x80\x80\x80\"", rawjson.UTF8},
		{"{\"a\xff\":1}", rawjson.UTF8},
		{"{\"a\":[\"long enough, long enough \xe9t\xe9\"]}", rawjson.UTF8},

		{`[[[[[]]]]]`, rawjson.Depth},
		{`{"a":{"b":[{"c":[]}]}}`, rawjson.Depth},
		{strings.Repeat("[", 1000), rawjson.Depth},

		{`1 2`, rawjson.Trailing},
		{`01`, rawjson.Trailing},
		{`-01`, rawjson.Trailing},
		{`1x`, rawjson.Trailing},
		{`nullx`, rawjson.Trailing},
		{`{}{}`, rawjson.Trailing},
		{`{}]`, rawjson.Trailing},
		{`"a""b"`, rawjson.Trailing},
		{"{}\x00", rawjson.Trailing},
	} {
		if got := rawjson.Check(c.text, deep); got != c.want {
			t.Errorf("Check(%q) = %v, want %v", c.text, got, c.want)
		}
		if got, want := rawjson.Valid(c.text), c.want == rawjson.OK || c.text == `[[[[[]]]]]` || strings.HasPrefix(c.text, `{"a":{"b":[{"c"`); got != want {
			t.Errorf("Valid(%q) = %v", c.text, got)
		}
	}
}

func TestFaultString(t *testing.T) {
	seen := map[string]bool{}
	for f := rawjson.OK; f <= rawjson.Trailing+1; f++ {
		if s := f.String(); s == "" || seen[s] {
			t.Errorf("fault %d is called %q", f, s)
		} else {
			seen[s] = true
		}
	}
}

// Skip takes the limit literally, also far beyond the default.
func TestDepth(t *testing.T) {
	for _, n := range []int{0, 1, 2, 63, 64, 65, 511, 512, 513, 1000, 100_000} {
		for _, text := range []string{
			strings.Repeat("[", n) + strings.Repeat("]", n),
			strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n),
			strings.Repeat(`[{"a":`, n/2) + "1" + strings.Repeat("}]", n/2),
		} {
			levels := strings.Count(text, "[") + strings.Count(text, "{")
			if levels == 0 {
				continue
			}
			if got := rawjson.Skip(text, 0, levels); got != len(text) {
				t.Errorf("%d levels of %.10s…: Skip = %d of %d", levels, text, got, len(text))
			}
			if got := rawjson.Check(text, levels-1); got != rawjson.Depth {
				t.Errorf("%d levels of %.10s… under %d: %v", levels, text, levels-1, got)
			}
		}
	}
	if got := rawjson.Skip("12", 0, 0); got != 2 {
		t.Errorf("a scalar at depth 0: Skip = %d", got)
	}
}

func TestSkipStartsAnywhere(t *testing.T) {
	const text = `[1,"a",{"b":null}] x`
	for i, want := range map[int]int{0: 18, 1: 2, 3: 6, 7: 17, 8: 11, 12: 16, 17: -1, 19: -1, 20: -1, 99: -1, -1: -1} {
		if got := rawjson.Skip(text, i, 9); got != want {
			t.Errorf("Skip at %d = %d, want %d", i, got, want)
		}
	}
}

func TestKey(t *testing.T) {
	for _, c := range []struct {
		text     string
		end, val int
	}{
		{`"a":1`, 3, 4},
		{"\"\\u0061b\" \t: \n1", 9, 14},
		{`"a":`, 3, 4},
		{`"a"`, 3, -1},
		{`"a" x`, 3, -1},
		{`"a`, 0, -1},
		{"\"\xff\":1", 0, -1},
		{`a:1`, 0, -1},
		{``, 0, -1},
	} {
		if end, val := rawjson.Key(c.text, 0); end != c.end || val != c.val {
			t.Errorf("Key(%q) = %d, %d, want %d, %d", c.text, end, val, c.end, c.val)
		}
	}
}

// The string scanner looks at eight bytes at a time: every kind of byte at every
// place of strings of all short lengths.
func TestStringScan(t *testing.T) {
	for n := range 40 {
		for at := range n {
			for c := range 256 {
				b := []byte(strings.Repeat("x", n))
				b[at] = byte(c)
				// Text after the string must not matter, nor its absence.
				for _, tail := range []string{"", ",", `,"y":12345678}`} {
					text := `"` + string(b) + `"` + tail
					want := -1
					switch {
					case c == '"':
						want = at + 2
					case c == '\\' && at == n-1 && tail == `,"y":12345678}`:
						want = n + 4 // the escaped quote opens nothing: the next one ends
					case c >= ' ' && c < utf8.RuneSelf && c != '\\':
						want = n + 2
					}
					if got := rawjson.Skip(text, 0, 1); got != want {
						t.Fatalf("%q: Skip = %d, want %d", text, got, want)
					}
				}
			}
		}
	}
}

// jsonish draws texts that are JSON or nearly so.
func jsonish() *rapid.Generator[string] {
	tokens := []string{
		`{`, `}`, `[`, `]`, `,`, `:`, ` `, "\n", `null`, `true`, `false`, `0`, `-1`, `12.50`, `1e5`, `-0`, `01`, `1.`, `"a"`, `""`, `"b":`,
		`"\u00e9"`, `"\ud800"`, `"\`, `"`, `é`, "\xff", "\x00", `"long string of ascii"`, `"漢字かな"`, `{"a":1}`, `[1,2]`, `{"a":[{}]}`,
	}
	loose := rapid.Map(rapid.SliceOfN(rapid.SampledFrom(tokens), 0, 12), func(s []string) string { return strings.Join(s, "") })
	return rapid.OneOf(loose, value(3), rapid.Custom(func(t *rapid.T) string {
		s := value(3).Draw(t, "value")
		i := rapid.IntRange(0, len(s)).Draw(t, "at")
		j := rapid.IntRange(i, min(len(s), i+3)).Draw(t, "to")
		return s[:i] + rapid.SampledFrom(tokens).Draw(t, "token") + s[j:]
	}))
}

// value draws valid JSON of at most that many levels.
func value(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		kinds := 4
		if depth == 0 {
			kinds = 2
		}
		space := rapid.SampledFrom([]string{"", "", "", " ", "\r\n\t"})
		switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
		case 0:
			return rapid.SampledFrom([]string{`null`, `true`, `false`, `0`, `-0`, `1`, `-12`, `1.5e-3`, `1E+2`, `123456789012345678901234567890`}).Draw(t, "scalar")
		case 1:
			return quoted().Draw(t, "string")
		case 2:
			var b strings.Builder
			b.WriteString("[" + space.Draw(t, "s"))
			for i := range rapid.IntRange(0, 3).Draw(t, "n") {
				if i > 0 {
					b.WriteString("," + space.Draw(t, "s"))
				}
				b.WriteString(value(depth-1).Draw(t, "element") + space.Draw(t, "s"))
			}
			return b.String() + "]"
		}
		return object(depth-1).Draw(t, "object")
	})
}

func object(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		space := rapid.SampledFrom([]string{"", "", "", " ", "\r\n\t"})
		var b strings.Builder
		b.WriteString("{" + space.Draw(t, "s"))
		for i := range rapid.IntRange(0, 4).Draw(t, "n") {
			if i > 0 {
				b.WriteString("," + space.Draw(t, "s"))
			}
			b.WriteString(rapid.OneOf(rapid.SampledFrom([]string{`"a"`, `"b"`, `"\u0061"`, `""`}), quoted()).Draw(t, "name"))
			b.WriteString(space.Draw(t, "s") + ":" + space.Draw(t, "s"))
			b.WriteString(value(depth).Draw(t, "value") + space.Draw(t, "s"))
		}
		return b.String() + "}"
	})
}

func quoted() *rapid.Generator[string] {
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{`\"`, `\\`, `\/`, `\n`, `\u0000`, `\u00E9`, `\ud83d\ude00`, `\ud800`, `\udc00x`, "é", "漢", "😀", "\u2028", "plain", "exactly8", "<&>"}),
		rapid.StringMatching(`[ !#-\[\]-~]{0,20}`),
	)
	return rapid.Map(rapid.SliceOfN(piece, 0, 5), func(s []string) string { return `"` + strings.Join(s, "") + `"` })
}

// encoding/json takes bytes that are not UTF-8; else it and Valid agree.
func TestValidAgainstEncodingJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := jsonish().Draw(t, "text")
		want := json.Valid([]byte(text)) && utf8.ValidString(text)
		if got := rawjson.Valid(text); got != want {
			t.Fatalf("Valid(%q) = %v, want %v (%v)", text, got, want, rawjson.Check(text, rawjson.DefaultDepth))
		}
	})
}
