package rawjson

import "math/bits"

// What is here finds where values end in text that was validated before: it looks at
// quotes, backslashes and brackets alone. Whatever the text is, the index that it returns
// is behind the one it was given and not behind the text.

// zeros sets the high bit of every byte of x that is zero, and no other bit.
func zeros(x uint64) uint64 {
	const low = each01 * 0x7f
	return ^((x&low + low) | x) & each80
}

// count counts the bits of x, of which there are only high bits of bytes.
func count(x uint64) int { return int(x >> 7 * each01 >> 56) }

// end returns the index after the value that starts at s[i].
func end(s string, i, depth int) int {
	if uint(i) >= uint(len(s)) {
		return badSyntax
	}
	switch s[i] {
	case '"':
		i, _ = strEnd(s, i+1)
		return i
	case '{', '[':
		return nestedEnd(s, i, depth)
	case ',', ':', ']', '}':
		return badSyntax
	}
	i++
	for uint(i) < uint(len(s)) && s[i] > ' ' && s[i] != ',' && s[i] != ']' && s[i] != '}' {
		i++
	}
	return i
}

// strEnd returns the index after the closing quote of the string whose content starts at
// s[i], and whether it has escapes.
func strEnd(s string, i int) (end int, escaped bool) {
	for {
		for len(s)-i >= 8 {
			x := load8(s[i:])
			if m := (((x ^ quotes) - each01) | ((x ^ slants) - each01)) &^ x & each80; m != 0 {
				i += bits.TrailingZeros64(m) >> 3 // a borrow marks only bytes behind the first
				break
			}
			i += 8
		}
		if uint(i) >= uint(len(s)) {
			return badSyntax, escaped
		}
		switch s[i] {
		case '"':
			return i + 1, escaped
		case '\\':
			escaped = true
			i++
		}
		i++
	}
}

// nestedEnd returns the index after the array or object that opens at s[i]. Brackets are
// counted eight bytes at a time wherever none of them can be the last one or one too many.
func nestedEnd(s string, i, depth int) int {
	open := 0
	text := uint64(0) // each80 within a string
	for {
		if len(s)-i >= 8 {
			x := load8(s[i:])
			q := zeros(x ^ quotes)
			slant := ((x^slants)-each01)&^x&each80 != 0
			if text != 0 && (q == 0 || slant) {
				if i, _ = strEnd(s, i); i < 0 {
					return i
				}
				text = 0
				continue
			}
			if !slant {
				// A byte is within a string if the quotes up to it are odd in number.
				q ^= q << 8
				q ^= q << 16
				q ^= q<<32 ^ text
				// [ ] { } alone become 7f, of what can stand outside of strings.
				all := zeros(x|each01*0x26^each01*0x7f) &^ q
				down := count(all & (x << 5)) // the bit that ] and } have
				if up := count(all) - down; open > down && open+up <= depth {
					open += up - down
					text = q >> 63 * each80
					i += 8
					continue
				}
			}
		}
		for stop := min(i+8, len(s)); i < stop; i++ {
			switch c := s[i]; {
			case c == '"':
				text ^= each80
			case text != 0:
				if c == '\\' {
					i++
				}
			case c|0x20 == '{':
				if open == depth {
					return badDepth
				}
				open++
			case c|0x20 == '}':
				if open--; open == 0 {
					return i + 1
				}
			}
		}
		if i >= len(s) {
			return badSyntax
		}
	}
}
