package rawjson

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Unquote returns the value of the JSON string raw. It is a substring of raw
// unless raw has escape sequences. ok is false, and s empty, if raw is no JSON
// string. ok is false too if raw has an unpaired surrogate (\ud800), which no
// UTF-8 can hold: s has U+FFFD in its place.
func Unquote(raw string) (s string, ok bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	i := plain(raw, 1)
	if i == len(raw)-1 && raw[i] == '"' {
		return raw[1:i], true
	}
	if str(raw, i) != len(raw) {
		return "", false
	}
	raw = raw[1 : len(raw)-1]
	i = strings.IndexByte(raw, '\\')
	if i < 0 {
		return raw, true
	}
	return unescape(raw, i)
}

// unescape resolves the escapes of the valid string content s, the first of
// which is at s[i].
func unescape(s string, i int) (string, bool) {
	ok := true
	dst := make([]byte, 0, len(s))
	for i >= 0 {
		dst = append(dst, s[:i]...)
		c := s[i+1]
		s = s[i+2:]
		switch c {
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		case 'u':
			r, _ := hex4(s, 0)
			s = s[4:]
			if utf16.IsSurrogate(r) {
				low := rune(-1)
				if strings.HasPrefix(s, `\u`) {
					low, _ = hex4(s, 2)
				}
				if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
					ok = false
				} else {
					s = s[6:]
				}
			}
			dst = utf8.AppendRune(dst, r)
			i = strings.IndexByte(s, '\\')
			continue
		}
		dst = append(dst, c)
		i = strings.IndexByte(s, '\\')
	}
	return string(append(dst, s...)), ok
}

// AppendQuote appends s as a JSON string. Only what must be escaped is: the
// quote, the backslash and control characters. Bytes that are not UTF-8 become
// U+FFFD, one for each byte.
func AppendQuote(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	from := 0
	for i := 0; ; {
		if i = plain(s, i); i >= len(s) {
			break
		}
		c := s[i]
		if c >= utf8.RuneSelf {
			if j := wide(s, i); j > i {
				i = j
				continue
			}
			dst = append(append(dst, s[from:i]...), "\uFFFD"...)
		} else {
			dst = append(append(dst, s[from:i]...), '\\')
			switch c {
			case '"', '\\':
				dst = append(dst, c)
			case '\b':
				dst = append(dst, 'b')
			case '\f':
				dst = append(dst, 'f')
			case '\n':
				dst = append(dst, 'n')
			case '\r':
				dst = append(dst, 'r')
			case '\t':
				dst = append(dst, 't')
			default:
				dst = append(dst, 'u', '0', '0', hex[c>>4], hex[c&15])
			}
		}
		i++
		from = i
	}
	return append(append(dst, s[from:]...), '"')
}
