package uritemplate_test

import (
	"testing"

	. "github.com/sansmcp/mcp/protocol/uritemplate"
)

// The characters that RFC 3987 calls ucschar and iprivate, as its section 2.2 lists them.
var iriRanges = [][2]rune{
	{0xA0, 0xD7FF}, {0xF900, 0xFDCF}, {0xFDF0, 0xFFEF},
	{0x10000, 0x1FFFD}, {0x20000, 0x2FFFD}, {0x30000, 0x3FFFD}, {0x40000, 0x4FFFD}, {0x50000, 0x5FFFD},
	{0x60000, 0x6FFFD}, {0x70000, 0x7FFFD}, {0x80000, 0x8FFFD}, {0x90000, 0x9FFFD}, {0xA0000, 0xAFFFD},
	{0xB0000, 0xBFFFD}, {0xC0000, 0xCFFFD}, {0xD0000, 0xDFFFD}, {0xE1000, 0xEFFFD},
	{0xE000, 0xF8FF}, {0xF0000, 0xFFFFD}, {0x100000, 0x10FFFD},
}

// A template may have these characters as they are, and no others: both ends of
// each range and their neighbours.
func TestInternationalCharacters(t *testing.T) {
	allowed := func(r rune) bool {
		for _, x := range iriRanges {
			if x[0] <= r && r <= x[1] {
				return true
			}
		}
		return false
	}
	check := func(r rune) {
		if r < 0x80 || r > 0x10FFFF || r >= 0xD800 && r < 0xE000 {
			return
		}
		if _, err := Parse("a" + string(r)); (err == nil) != allowed(r) {
			t.Errorf("%U: %v", r, err)
		}
	}
	for _, x := range iriRanges {
		for _, r := range x {
			check(r - 1)
			check(r)
			check(r + 1)
		}
	}
}
