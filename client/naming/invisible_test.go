package naming

import (
	"testing"
	"unicode"
)

// Names that look like others are refused: by Default_Ignorable_Code_Point of Unicode 15.0, written
// down here once more, and by blanks (E24).
func TestInvisible(t *testing.T) {
	for _, r := range [][2]rune{
		{0xad, 0xad}, {0x34f, 0x34f}, {0x61c, 0x61c}, {0x115f, 0x1160}, {0x17b4, 0x17b5}, {0x180b, 0x180f}, {0x200b, 0x200f},
		{0x202a, 0x202e}, {0x2060, 0x206f}, {0x3164, 0x3164}, {0xfe00, 0xfe0f}, {0xfeff, 0xfeff}, {0xffa0, 0xffa0}, {0xfff0, 0xfff8},
		{0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
		{0x2800, 0x2800}, {0x13441, 0x13442}, {0x16fe4, 0x16fe4}, {0x1d159, 0x1d159},
	} {
		for c := r[0]; c <= r[1]; c++ {
			for _, name := range []string{"read" + string(c), string(c), string(c) + "read", "re" + string(c) + "ad"} {
				if Valid(name, 256) {
					t.Errorf("%+q is valid", name)
				}
			}
		}
	}
	if unicode.Version != "15.0.0" {
		t.Errorf("package unicode is of %s: compare the ranges of this test with DerivedCoreProperties.txt of that", unicode.Version)
	}
}

// Nothing else that is printed is refused: no letter, number, mark, sign or symbol.
func TestVisible(t *testing.T) {
	refused := 0
	for c := rune(0x21); c <= unicode.MaxRune; c++ {
		if unicode.IsPrint(c) && !Valid(string(c), 256) {
			refused++
		}
	}
	if want := 267 + 5; refused != want {
		t.Errorf("%d characters that are printed are refused, want %d", refused, want)
	}
}
