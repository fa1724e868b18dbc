package schema_test

import (
	"regexp/syntax"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol/schema"
)

func accepts(pattern string) bool {
	return schema.Check(jsonrpc.Raw(`{"type":"object","pattern":`+string(rawjson.AppendQuote(nil, pattern))+`}`)) == nil
}

// rows: SCHEMA-108
func TestPatterns(t *testing.T) {
	for _, p := range []string{
		``, `^[a-z0-9_\-]+$`, `^(?!x).*$`, `(?<=a)b`, `(?<name>a)\k<name>`, `(?i)a`, `(?i:a)`, `(?P<n>a)`, `(?#note)a`, `(?>a)`, `(?(1)a|b)`, `(?R)`,
		`a{`, `a{,2}`, `a{1,`, `a{1`, `a{1,2`, `a{1;2}`, `{`, `}`, `]`, `x{a}*`, `{a}`, `\p{L}+`, `\u{1F600}`, `\(`, `\\`,
		`[^]`, `[]`, `[a-\d]`, `[\d-a]`, `[--a]`, `[a-]`, `[-a]`, `[é-z]`, `[a-é]`, `[a-z-9]`, `[[:alpha:]]`, `[(*]`, `[a\]b]`, `[a-[b]`, `[0-9a-fA-F]{8}`,
		`a*?`, `a++`, `a??`, `a{2,}?`, `a{2}`, `a{02,3}`, `a{0,0}`, `a{9,10}`, `a||b`, `()`, `()*`, `(?=a)*`, `(a|b*)+`, `^*`, `é*`,
	} {
		if !accepts(p) {
			t.Errorf("%q is refused", p)
		}
	}
	for _, p := range []string{
		`(`, `)`, `a)(`, `(a`, `(?:a`, `(?`, `(?~a)`, `(*)`, `(|*)`, `[`, `[a`, `[^`, `[\]`, `[a\`, `[z-a]`, `[b-aé]`, `[9-0]`, `[é]b-a`[:3], `\`, `a\`,
		`*`, `+a`, `?`, `{1}`, `{1,2}a`, `a|*`, `a**`, `a+*`, `a{1}{2}`, `a*?*`, `a{2,1}`, `a{10,9}`, `a{1,0}`, `a{099,98}`, `(a))`, `((a)`,
	} {
		if accepts(p) {
			t.Errorf("%q is not refused", p)
		}
	}
}

// What other regular expression engines accept is not refused, except for the few things
// that ECMA-262 reads differently: nested brackets, and limits like {05}.
func TestPatternsOfOthers(t *testing.T) {
	tokens := []string{"a", "Z", "é", "5", "(", "(?:", "(?i)", "(?P<n>", ")", "|", "*", "+", "?", "{", "}", "{1}", "{2,1}", "{1,2}", ",", "[", "[^", "]", "-", "^", "$", ".", `\`, `\d`, `\]`, `\\`}
	taken := 0
	rapid.Check(t, func(t *rapid.T) {
		p := strings.Join(rapid.SliceOfN(rapid.SampledFrom(tokens), 0, 9).Draw(t, "tokens"), "")
		if _, err := syntax.Parse(p, syntax.Perl); err != nil || strings.Contains(p, "[]") || strings.Contains(p, "[^]") {
			return
		}
		taken++
		if !accepts(p) {
			t.Fatalf("%q", p)
		}
	})
	if taken == 0 {
		t.Error("nothing was taken")
	}
}
