package scan

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

func number(b []byte, i int) int {
	if i < len(b) && b[i] == '-' {
		i++
	}
	switch {
	case i >= len(b):
		return -1
	case b[i] == '0':
		i++
	case b[i]-'1' < 9:
		for i < len(b) && b[i]-'0' < 10 {
			i++
		}
	default:
		return -1
	}
	if i < len(b) && b[i] == '.' {
		i++
		j := i
		for i < len(b) && b[i]-'0' < 10 {
			i++
		}
		if i == j {
			return -1
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		j := i
		for i < len(b) && b[i]-'0' < 10 {
			i++
		}
		if i == j {
			return -1
		}
	}
	return i
}

const (
	rep01 = 0x0101010101010101
	rep20 = 0x2020202020202020
	rep80 = 0x8080808080808080
	repQt = 0x2222222222222222 // '"'
	repBs = 0x5c5c5c5c5c5c5c5c // '\\'
)

// special marks the high bit of the lowest byte of x that is a quote, a
// backslash, a control character or not ASCII. Higher bytes may be marked
// wrongly, so only the lowest mark counts.
func special(x uint64) uint64 {
	return ((x - rep20) | ((x ^ repQt) - rep01) | ((x ^ repBs) - rep01) | x) & rep80
}

// tail continues in a string at the byte where the wide loop stopped, or near the
// end of b. It returns the index to continue from, and whether
// the string has ended there; -1 for an invalid string.
func tail(b []byte, i int) (next int, done bool) {
	if i >= len(b) {
		return -1, true
	}
	switch c := b[i]; {
	case c == '"':
		return i + 1, true
	case c == '\\':
		if i+1 >= len(b) {
			return -1, true
		}
		switch b[i+1] {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			return i + 2, false
		case 'u':
			if i+6 > len(b) || !hex4(b[i+2:i+6]) {
				return -1, true
			}
			return i + 6, false
		}
		return -1, true
	case c < ' ':
		return -1, true
	case c < utf8.RuneSelf:
		return i + 1, false
	default:
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n <= 1 {
			return -1, true
		}
		return i + n, false
	}
}

func hex4(b []byte) bool {
	for _, c := range b[:4] {
		if c-'0' >= 10 && c|0x20-'a' >= 6 {
			return false
		}
	}
	return true
}

// str returns the index after the closing quote of the string whose content
// starts at b[i], or -1. It looks at eight bytes at a time.
func str(b []byte, i int) int {
	for {
		for i+8 <= len(b) {
			m := special(binary.LittleEndian.Uint64(b[i:]))
			if m == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(m) >> 3
			if b[i] == '"' {
				return i + 1
			}
			if b[i] == '\\' && i+1 < len(b) && simpleEscape[b[i+1]] {
				i += 2
				continue
			}
			break
		}
		if i < len(b) && b[i] == '"' {
			return i + 1
		}
		var done bool
		if i, done = tail(b, i); done {
			return i
		}
	}
}

var simpleEscape = [256]bool{'"': true, '\\': true, '/': true, 'b': true, 'f': true, 'n': true, 'r': true, 't': true}
