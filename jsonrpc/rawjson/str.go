package rawjson

import (
	"math/bits"
	"strings"
	"unicode/utf8"
)

const (
	each01 = 0x0101010101010101
	each02 = 0x0202020202020202
	each21 = 0x2121212121212121
	each80 = 0x8080808080808080
	quotes = 0x2222222222222222
	slants = 0x5c5c5c5c5c5c5c5c
)

// marks sets the high bit of every byte of x that is a quote, a backslash, a
// control character or no ASCII. A borrow may set it wrongly in bytes above a
// right one, so only the lowest mark counts.
func marks(x uint64) uint64 {
	// With bit 1 turned a quote is a space and a space is 0x22, so that what is less than 0x21 is a quote or a
	// control character: one comparison for both.
	return (((x ^ each02) - each21) | ((x ^ slants) - each01) | x) & each80
}

// load8 reads the first eight bytes of t; the compiler makes one load of it.
func load8(t string) uint64 {
	_ = t[7]
	return uint64(t[0]) | uint64(t[1])<<8 | uint64(t[2])<<16 | uint64(t[3])<<24 |
		uint64(t[4])<<32 | uint64(t[5])<<40 | uint64(t[6])<<48 | uint64(t[7])<<56
}

// plain returns the index of the first byte at or after i that is a quote, a
// backslash, a control character or no ASCII; len(s) if there is none.
func plain(s string, i int) int {
	// It is never negative: max lets the compiler know it, and a loop without checks of bounds takes a third less time.
	for i = max(i, 0); i <= len(s)-8; i += 8 {
		if m := marks(load8(s[i : i+8])); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	switch {
	case i >= len(s):
		return i
	case len(s) >= 8:
		// The last eight bytes, less those before i: zeros follow, which are marked.
		x := load8(s[len(s)-8:]) >> (uint(8-len(s)+i) * 8 & 63)
		return i + bits.TrailingZeros64(marks(x))>>3
	}
	for i < len(s) && ' ' <= s[i] && s[i] < utf8.RuneSelf && s[i] != '"' && s[i] != '\\' {
		i++
	}
	return i
}

// str validates the rest of the string whose content starts or goes on at s[i]
// and returns the index after its closing quote.
func str(s string, i int) int {
	for {
		if i = plain(s, i); uint(i) >= uint(len(s)) {
			return badSyntax
		}
		switch c := s[i]; {
		case c == '"':
			return i + 1
		case c == '\\':
			i = escape(s, i)
		case c >= utf8.RuneSelf:
			if i = wide(s, i); uint(i) < uint(len(s)) && s[i] >= utf8.RuneSelf {
				return badUTF8
			}
		default:
			return badSyntax
		}
		if i < 0 {
			return i
		}
	}
}

// escape validates the escape sequence at s[i], which is a backslash.
func escape(s string, i int) int {
	if i+1 >= len(s) {
		return badSyntax
	}
	switch s[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2
	case 'u':
		if _, ok := hex4(s, i+2); ok {
			return i + 6
		}
	}
	return badSyntax
}

// wide returns the index after the run of characters beyond ASCII at s[i]; a
// byte beyond ASCII at that index is not UTF-8.
func wide(s string, i int) int {
	for uint(i) < uint(len(s)) && s[i] >= utf8.RuneSelf {
		// Most such characters are three bytes long and no near surrogates.
		if t := s[i:]; len(t) >= 3 && t[0] > 0xe0 && t[0] < 0xf0 && t[0] != 0xed && t[1]^0x80 < 0x40 && t[2]^0x80 < 0x40 {
			i += 3
			continue
		}
		if t := s[i:]; len(t) >= 2 && t[0] >= 0xc2 && t[0] < 0xe0 && t[1]^0x80 < 0x40 {
			i += 2
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n <= 1 {
			break
		}
		i += n
	}
	return i
}

// hex4 reads the four hexadecimal digits at s[i].
func hex4(s string, i int) (r rune, ok bool) {
	if len(s)-i < 4 {
		return 0, false
	}
	for _, c := range []byte(s[i : i+4]) {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// Clip returns s if it has at most that many bytes, and otherwise its beginning, which has, with an
// ellipsis behind it. It cuts between characters. What it has cut stays as it is.
func Clip(s string, most int) string {
	const more = "…"
	if len(s) <= most || len(s) <= most+len(more) && strings.HasSuffix(s, more) {
		return s
	}
	end := most
	for end > 0 && end > most-utf8.UTFMax && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + more
}
