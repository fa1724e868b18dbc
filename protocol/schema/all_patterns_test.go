package schema_test

import (
	"testing"

	"github.com/sansmcp/mcp/conformance/texts"
	"github.com/sansmcp/mcp/protocol/schema"
)

// Of all short texts of what a pattern can be made of, the same ones are taken.
func TestAllShortPatterns(t *testing.T) {
	fits := func(p string) string { return texts.If(schema.WellFormed(p)) }
	texts.Same(t, "21448 of 37449, a5ab8ef4", texts.Every(5, "a", "é", "-", "[", "]", "^", `\`, "b"), fits)
	texts.Same(t, "7092 of 66430, ab7878fc", texts.Every(5, "a", "(", ")", "?", "(?", ":", "<", "*", "|"), fits)
	texts.Same(t, "27127 of 37449, 5f9f27ec", texts.Every(5, "a", "{", "}", ",", "1", "2", "+", "?"), fits)
	texts.Same(t, "12013 of 15482, cc8a84b8", texts.Near(`^(?:a|[^b-y\]]{2,13}?)+(?<n>x)\k<n>$`, `[a-c-e\--[]{02,3}(?(1)a)`), fits)
}

// Of each short text that a pattern is matched by, the same expression is made.
func TestAllShortExpressions(t *testing.T) {
	texts.Same(t, "20095 of 37449, 04c973d7", texts.Every(5, "a", "é", "-", "[", "]", "^", `\`, "d"), schema.Expression)
	texts.Same(t, "1278 of 37449, 520d5ad9", texts.Every(5, "a", "(", ")", "?", "(?:", "(?<n>", "*", "|"), schema.Expression)
	texts.Same(t, "20689 of 37449, f6215451", texts.Every(5, "a", "{", "}", ",", "1", "2", "+", "?"), schema.Expression)
	texts.Same(t, "6470 of 8421, 711f3790", texts.Every(3, `\`, "u", "x", "0041", "{", "}", "1F600", "d83d", "de00", "c", "j", "p{", "L", "Script=", "Greek", "gc=", "[", "]", "^", "-"), schema.Expression)
	texts.Same(t, "6370 of 26319, 098da0a6", texts.Near(`^(?:a|[^b-y\]]{2,13}?)+(?<n>x)$`, `\u0041\x7a\cA[\b\0]\w\W\s\S\D\d\b\B`, `\p{L}\P{Lu}\u{1F600}\ud83d\ude00\/\-`), schema.Expression)
}
