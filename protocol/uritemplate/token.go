package uritemplate

import (
	"unicode/utf8"
)

// kinds is a set of classes of URI characters (RFC 3986, section 2). A token belongs to
// exactly one of them.
type kinds uint16

const (
	unreserved kinds = 1 << iota // letters, digits, - _ ~
	dot
	encoded // a triplet, or a character that URIs cannot contain
	comma
	equals
	slash
	semicolon
	ampersand
	question
	hash
	segment // the other characters that a path segment may have: ! $ ' ( ) * + : @
	bracket

	anything = 1<<iota - 1
	plain    = unreserved | dot | encoded
)

// token is one character of a URI, decoded. Triplets of unreserved characters are
// the same tokens as those characters: both spell the same URI (RFC 3986, section
// 6.2.2.2).
type token struct {
	kind kinds
	b    byte
	lead bool // begins a Unicode character
}

// kindOf has the classes of bytes in a URI.
var kindOf = func() (of [256]kinds) {
	for b := range of {
		of[b] = encoded
	}
	for _, class := range [...]struct {
		kind  kinds
		chars string
	}{
		{unreserved, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_~"},
		{segment, "!$'()*+:@"}, {dot, "."}, {comma, ","}, {equals, "="}, {slash, "/"}, {semicolon, ";"}, {ampersand, "&"}, {question, "?"}, {hash, "#"}, {bracket, "[]"},
	} {
		for _, b := range []byte(class.chars) {
			of[b] = class.kind
		}
	}
	return of
}()

// scan reads a URI. It reports false for a % that begins no triplet.
func scan(s string) ([]token, bool) {
	tokens := make([]token, 0, len(s))
	ascii := true
	for i := 0; i < len(s); i++ {
		t := token{kind: kindOf[s[i]], b: s[i], lead: true}
		if s[i] == '%' {
			b, ok := triplet(s, i)
			if !ok {
				return nil, false
			}
			i += 2
			t.b = b
			if k := kindOf[b]; k == unreserved || k == dot {
				t.kind = k
			}
		}
		ascii = ascii && t.b < utf8.RuneSelf
		tokens = append(tokens, t)
	}
	if !ascii {
		markRunes(tokens)
	}
	return tokens, true
}

// markRunes clears lead where a token continues a character. A byte outside of any
// character counts as one.
func markRunes(tokens []token) {
	for i := 0; i < len(tokens); {
		var buf [utf8.UTFMax]byte
		n := 0
		for ; n < len(buf) && i+n < len(tokens); n++ {
			buf[n] = tokens[i+n].b
		}
		_, size := utf8.DecodeRune(buf[:n])
		for j := i + 1; j < i+size; j++ {
			tokens[j].lead = false
		}
		i += size
	}
}

// triplet returns the byte that the triplet at s[i] encodes.
func triplet(s string, i int) (byte, bool) {
	if i+2 >= len(s) || s[i] != '%' {
		return 0, false
	}
	hi, lo := unhex(s[i+1]), unhex(s[i+2])
	return byte(hi<<4 | lo&15), hi >= 0 && lo >= 0
}

func unhex(b byte) int {
	switch {
	case '0' <= b && b <= '9':
		return int(b - '0')
	case 'a' <= b && b <= 'f':
		return int(b-'a') + 10
	case 'A' <= b && b <= 'F':
		return int(b-'A') + 10
	}
	return -1
}

func appendTriplet(dst []byte, b byte) []byte {
	const digits = "0123456789ABCDEF"
	return append(dst, '%', digits[b>>4], digits[b&15])
}

// appendEncoded writes s by sections 1.6 and 3.2.1 of RFC 6570: unreserved
// characters as they are, the others as triplets. With reserved, it also leaves
// reserved characters and triplets as they are.
func appendEncoded(dst []byte, s string, reserved bool) []byte {
	for i := 0; i < len(s); i++ {
		k := kindOf[s[i]]
		switch _, ok := triplet(s, i); {
		case k == unreserved, k == dot, reserved && (ok || k != encoded):
			dst = append(dst, s[i])
		default:
			dst = appendTriplet(dst, s[i])
		}
	}
	return dst
}

// decode returns the value that the tokens spell. If expansion leaves reserved
// characters as they are, a triplet of one must stay, because it does not mean
// the character.
func decode(tokens []token, reserved bool) string {
	dst := make([]byte, 0, len(tokens))
	for i, t := range tokens {
		if reserved && t.kind == encoded && (kindOf[t.b] != encoded || t.b == '%' && hexAt(tokens, i+1) && hexAt(tokens, i+2)) {
			dst = appendTriplet(dst, t.b)
		} else {
			dst = append(dst, t.b)
		}
	}
	return string(dst)
}

func hexAt(tokens []token, i int) bool {
	return i < len(tokens) && unhex(tokens[i].b) >= 0
}

// truncate returns the first n characters of s. With reserved, a character may be
// spelled with triplets, which are not split.
func truncate(s string, n int, reserved bool) string {
	for i := 0; i < len(s); n-- {
		if n == 0 {
			return s[:i]
		}
		i += character(s[i:], reserved)
	}
	return s
}

// character returns the length of the first character of s, which is not empty.
func character(s string, reserved bool) int {
	var buf [utf8.UTFMax]byte
	var ends [utf8.UTFMax]int
	n, i := 0, 0
	for ; n < len(buf) && i < len(s); n++ {
		buf[n] = s[i]
		if b, ok := triplet(s, i); ok && reserved {
			buf[n] = b
			i += 2
		}
		i++
		ends[n] = i
	}
	_, size := utf8.DecodeRune(buf[:n])
	return ends[size-1]
}
