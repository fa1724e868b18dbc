package naming

import "unicode"

// invisible are characters that are invisible or blank in a name, although unicode.IsPrint accepts
// them: Default_Ignorable_Code_Point, as far as package unicode has it, at its version
// (unicode.Version), and blanks that are not white space by their properties.
var invisible = []*unicode.RangeTable{
	unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, blank,
}

// blank are characters of Unicode 15 whose glyphs are blank, according to their names.
var blank = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x2800, Hi: 0x2800, Stride: 1}, // BRAILLE PATTERN BLANK
	},
	R32: []unicode.Range32{
		{Lo: 0x13441, Hi: 0x13442, Stride: 1}, // EGYPTIAN HIEROGLYPH FULL BLANK, HALF BLANK
		{Lo: 0x16fe4, Hi: 0x16fe4, Stride: 1}, // KHITAN SMALL SCRIPT FILLER
		{Lo: 0x1d159, Hi: 0x1d159, Stride: 1}, // MUSICAL SYMBOL NULL NOTEHEAD
	},
}
