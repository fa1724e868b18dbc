package schema_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/protocol/schema"
)

// Patterns match as ECMA-262 says, text by text.
func TestMatchPattern(t *testing.T) {
	for _, c := range []struct {
		pattern string
		yes, no []string
	}{
		{``, []string{"", "a"}, nil},
		{`^a*$`, []string{"", "a", "aaa"}, []string{"b", "ab", "a\n"}},
		{`a+`, []string{"xxaxx"}, []string{"", "xx"}},
		{`^.$`, []string{"a", "é", "😀"}, []string{"", "ab", "\n", "\r", "\u2028", "\u2029"}},
		{`^[^]$`, []string{"a", "\n"}, []string{""}},
		{`[]`, nil, []string{"", "a"}},
		{`^\d+$`, []string{"0123456789"}, []string{"٣", "a"}},
		{`^\D$`, []string{"٣", "a"}, []string{"1"}},
		{`^\w$`, []string{"_", "a", "Z", "0"}, []string{"é", "-"}},
		{`^\s$`, []string{" ", "\t", "\v", "\u00a0", "\ufeff", "\u2029", "\u1680", "\u3000"}, []string{"\u200b", "\u180e", "a", "\u0085"}},
		{`^\S$`, []string{"a", "\u200b"}, []string{" ", "\ufeff"}},
		{`\bé`, nil, []string{"é"}},
		{`a\bé`, []string{"aé"}, nil},
		{`^\B$`, []string{""}, []string{"a"}},
		{`\b`, []string{"a", " a", "a "}, []string{"", " "}},
		{`^a{2,3}$`, []string{"aa", "aaa"}, []string{"a", "aaaa"}},
		{`^(?:ab|c){2}$`, []string{"abab", "abc", "cc"}, []string{"ab", "abcc"}},
		{`^(?:a{0}|b{1,})$`, []string{"", "b", "bb"}, []string{"a"}},
		{`^a{0,0}b$`, []string{"b"}, []string{"ab"}},
		{`^(a*)*b$`, []string{"b", "aab"}, []string{"a", ""}},
		{`^(|a)+$`, []string{"", "aa"}, []string{"b"}},
		{`(?<n>a)b`, []string{"ab"}, []string{"a"}},
		{`^\u00e9\x41\cJ\0\t\v\f\r\n$`, []string{"éA\n\x00\t\v\f\r\n"}, nil},
		{`^\ud83d\ude00\u{1F600}$`, []string{"😀😀"}, nil},
		{`^[\ud83d\ude00-\u{1F610}]$`, []string{"😅"}, []string{"x"}},
		{`^\p{L}+$`, []string{"aÉλ"}, []string{"1"}},
		{`^\P{Lu}$`, []string{"a", "1"}, []string{"A"}},
		{`^\p{Letter}\p{Script=Greek}\p{gc=Nd}\p{Connector_Punctuation}$`, []string{"aλ1_"}, []string{"aa1_", "aλ1-"}},
		{`^[\p{L}\d_-]+$`, []string{"é-_1"}, []string{" "}},
		{`^[^\w.]$`, []string{"-", "é"}, []string{"a", "."}},
		{`^[\b]$`, []string{"\b"}, []string{"b"}},
		{`^[[]$`, []string{"["}, nil},
		{`^[a\]\-b]$`, []string{"]", "-", "a"}, []string{`\`}},
		{`^[a-]$`, []string{"a", "-"}, []string{"b"}},
		{`^[-a]$`, []string{"a", "-"}, nil},
		{`^[^^]$`, []string{"a"}, []string{"^"}},
		{`^\-\_\@\/\é$`, []string{"-_@/é"}, nil},
		{`^{a}]$`, []string{"{a}]"}, nil},
		{`^${x}$`, nil, []string{"", "{x}"}},
		{`$^`, []string{""}, []string{"a"}},
		{`(?:^a)+b`, []string{"ab"}, []string{"aab"}},
		{`(^|b)a`, []string{"a", "ba"}, []string{"ca"}},
	} {
		for i, texts := range [][]string{c.no, c.yes} {
			for _, text := range texts {
				if got, read := schema.MatchPattern(c.pattern, text); !read || got != (i == 1) {
					t.Errorf("%q on %q: %v, read %v", c.pattern, text, got, read)
				}
			}
		}
	}
}

// Patterns that are not read are ignored.
func TestPatternsThatAreNotRead(t *testing.T) {
	for _, p := range []string{
		`\1`, `(a)\1`, `(?<n>a)\k<n>`, `(?i)a`, `(?i:a)`, `(?P<n>a)`, `(?#x)`, `(?>a)`, `(?R)`, `(?(1)a|b)`, `a++`, `a*+`, `a{,2}`, `a{1,`, `a{1`, `(?=a)*`, `(?<=a)+`, `^*`, `\b+`,
		`(?=a)`, `^(?!x).*$`, `(?<=a)b`, `(?<!a)b`, `\p{Any}`, `\A`, `\Z`, `\z`, `\h`, `\a`, `\e`, `\8`, `\01`, `\c1`, `\c`, `\xg1`, `\x1`, `\u12`, `\ud83d`, `\ud83d\u0041`, `[\ud800-\udbff]`, `\u{110000}`, `\u{}`, `\u{12`, `\u{d800}`,
		`\p{Nope}`, `\p{}`, `\p`, `\pL`, `\p{L`, `\p{Script=L}`, `\p{gc=Greek}`, `\p{Greek}`,
		`[[:alpha:]]`, `[[.a.]]`, `[[=a=]]`, `[a-z&&[^b]]`, `[a-\d]`, `[\d-z]`, `[\B]`, `[\1]`, `[z-a]`, `[é-a]`, `(?<1>a)`, `(?<>a)`, `(?<a`, `\`, `[a`, `(a`, `a)`, `*`, `(?~a)`, `[a-`, `[\`,
		"\xff", strings.Repeat("a", 2048), strings.Repeat("|", 2047), strings.Repeat("|", 4097), strings.Repeat("(", 65) + strings.Repeat(")", 65), strings.Repeat(`\p{L}`, 63), `((a{99}){99}){99}`, strings.Repeat("(", 50) + "a" + strings.Repeat("{999})", 50), `(a{11}){99}`, `(){1001}`, `((){999}){999}`, `.{1001}`, `.{1,1001}`, `(?:abc){999}`, `a{99999999999999999999}`,
	} {
		if _, read := schema.MatchPattern(p, "a"); read {
			t.Errorf("%q is read", p)
		}
	}
	for _, p := range []string{strings.Repeat("a", 2047), strings.Repeat("(", 64) + strings.Repeat(")", 64), strings.Repeat(`\p{L}`, 61), `.{1000}`, `.{1,1000}`, `(a{9}){99}`} {
		if _, read := schema.MatchPattern(p, "a"); !read {
			t.Errorf("%q is not read", p)
		}
	}
}

// Package regexp matches the translation as ECMA-262 matches the pattern.
func TestMatchPatternAgainstTwin(t *testing.T) {
	tokens := []string{"a", "b", "é", "-", "(", "(?:", "(?<n>", ")", "|", "*", "+", "?", "{2}", "{1,2}", "{0,1}", "{0}", "??", "[ab]", "[^a]", "[a-é]", "[^]", "[]", "^", "$", ".", `\b`, `\B`, `\w`, `\W`, `\d`, `\s`, `\S`,
		`[\S\d]`, `[^\W-]`, `\.`, `\p{Lu}`, `[^\p{L}1]`, `[\P{L}a]`, `\x61`, `\ud83d\ude00`, "{", "]"}
	text := rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "é", "-", "1", "A", "😀", ".", "\n", "\u2028", "\u00a0", "{", "]"}), 0, 8), func(s []string) string { return strings.Join(s, "") })
	compared := 0
	rapid.Check(t, func(t *rapid.T) {
		p := strings.Join(rapid.SliceOfN(rapid.SampledFrom(tokens), 0, 9).Draw(t, "tokens"), "")
		for range 4 {
			s := text.Draw(t, "text")
			got, read := schema.MatchPattern(p, s)
			if !read {
				return
			}
			compared++
			if want := schema.MatchTwin(p, s); got != want {
				t.Fatalf("%q on %q: %v, want %v", p, s, got, want)
			}
		}
	})
	if compared == 0 {
		t.Error("nothing was compared")
	}
}
