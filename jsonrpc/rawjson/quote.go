package rawjson

import (
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Unquote returns the value of the JSON string raw. It is a substring of raw
// unless raw has escape sequences. ok is false, and s empty, if raw is not a JSON
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
	// One pass checks, resolves and copies: what is plain in runs, from up to i.
	var b strings.Builder
	from := 1
	ok = true
	for {
		if i = plain(raw, i); uint(i) >= uint(len(raw)) {
			return "", false
		}
		c := raw[i]
		switch {
		case c == '"':
			if i != len(raw)-1 {
				return "", false
			}
			if b.Cap() == 0 {
				return raw[1:i], ok
			}
			b.WriteString(raw[from:i])
			if s = b.String(); len(s) < b.Cap()/2 {
				s = strings.Clone(s) // \u takes six bytes for one: they must not stay
			}
			return s, ok
		case c >= utf8.RuneSelf:
			if i = wide(raw, i); uint(i) >= uint(len(raw)) || raw[i] >= utf8.RuneSelf {
				return "", false
			}
			continue
		case c != '\\' || i+1 >= len(raw):
			return "", false
		}
		if b.Cap() == 0 {
			b.Grow(len(raw) - 2)
		}
		b.WriteString(raw[from:i])
		c = raw[i+1]
		i += 2
		switch c {
		case '"', '\\', '/':
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
			r, good := hex4(raw, i)
			if !good {
				return "", false
			}
			i += 4
			if utf16.IsSurrogate(r) {
				low := rune(-1)
				if strings.HasPrefix(raw[i:], `\u`) {
					if low, good = hex4(raw, i+2); !good {
						return "", false
					}
				}
				if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
					ok = false
				} else {
					i += 6
				}
			}
			b.WriteRune(r)
			from = i
			continue
		default:
			return "", false
		}
		b.WriteByte(c)
		from = i
	}
}

// AppendQuote appends s as a JSON string. Only what must be escaped is: the
// quote, the backslash and control characters. Bytes that are not UTF-8 become
// U+FFFD, one for each byte.
func AppendQuote(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	if n := len(s) + len(s)/16 + 2; n > cap(dst)-len(dst) {
		dst = slices.Grow(dst, n)
	}
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

// WriteQuote writes what AppendQuote appends. It goes through a short buffer, so that a long text
// becomes part of a string without an array of its length that is copied and thrown away.
func WriteQuote(b *strings.Builder, s string) {
	const part = 512
	var buf [6*part + 2]byte // a control character takes six bytes
	b.WriteByte('"')
	for s != "" {
		n := between(s, min(len(s), part))
		q := AppendQuote(buf[:0], s[:n])
		b.Write(q[1 : len(q)-1])
		s = s[n:]
	}
	b.WriteByte('"')
}

// between returns n, or the index a little below it at which the character begins that s[n] is part of.
func between(s string, n int) int {
	for end := n; end < len(s) && end > 0 && end >= n-utf8.UTFMax; end-- {
		if utf8.RuneStart(s[end]) {
			return end
		}
	}
	return n
}
