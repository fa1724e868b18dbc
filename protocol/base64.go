package protocol

import "strings"

// encoding/base64 would do, but it links reflect into every program, which small
// WebAssembly hosts feel.

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// encodeBase64 returns data in standard base64 with padding (RFC 4648, section 4).
func encodeBase64(data []byte) string {
	var b strings.Builder
	b.Grow((len(data) + 2) / 3 * 4)
	for len(data) > 0 {
		var in [3]byte
		n := copy(in[:], data)
		data = data[n:]
		x := uint(in[0])<<16 | uint(in[1])<<8 | uint(in[2])
		for i := range 4 {
			if i > n {
				b.WriteByte('=')
			} else {
				b.WriteByte(base64Digits[x>>(18-6*i)&63])
			}
		}
	}
	return b.String()
}

func base64Value(c byte) (uint, bool) {
	switch {
	case c-'A' < 26:
		return uint(c - 'A'), true
	case c-'a' < 26:
		return uint(c-'a') + 26, true
	case digit(c):
		return uint(c-'0') + 52, true
	case c == '+':
		return 62, true
	case c == '/':
		return 63, true
	}
	return 0, false
}

// validBase64 reports whether s is standard base64 with padding.
func validBase64(s string) bool {
	t := trimPadding(s)
	for i := range len(t) {
		if _, ok := base64Value(t[i]); !ok {
			return false
		}
	}
	return len(s)%4 == 0 && len(t)%4 != 1
}

// trimPadding cuts off the one or two signs that fill the last group.
func trimPadding(s string) string {
	t := strings.TrimSuffix(s, "=")
	if len(t) < len(s) && len(t)%4 == 3 {
		return strings.TrimSuffix(t, "=") // a second one is right only before a first
	}
	return t
}

// decodeBase64 reads standard base64 with padding, and nothing else.
func decodeBase64(s string) ([]byte, bool) {
	if !validBase64(s) {
		return nil, false
	}
	s = trimPadding(s)
	data := make([]byte, 0, len(s)*3/4)
	var x uint
	bits := 0
	for i := range len(s) {
		v, _ := base64Value(s[i])
		x = x<<6 | v
		if bits += 6; bits >= 8 {
			bits -= 8
			data = append(data, byte(x>>bits))
		}
	}
	return data, true
}
