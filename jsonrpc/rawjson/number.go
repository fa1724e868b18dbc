package rawjson

import (
	"math"
	"strconv"
	"strings"
)

// number validates the number at s[i] and returns the index after it.
func number(s string, i int) int {
	if uint(i) < uint(len(s)) && s[i] == '-' {
		i++
	}
	switch j := digits(s, i); {
	case j == i:
		return badSyntax
	case s[i] == '0' && j > i+1:
		i++ // 01 is a 0 with something after it
	default:
		i = j
	}
	if uint(i) < uint(len(s)) && s[i] == '.' {
		j := digits(s, i+1)
		if j == i+1 {
			return badSyntax
		}
		i = j
	}
	if uint(i) < uint(len(s)) && s[i]|0x20 == 'e' {
		i++
		if uint(i) < uint(len(s)) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		j := digits(s, i)
		if j == i {
			return badSyntax
		}
		i = j
	}
	return i
}

// digits returns the index of the first byte at or after i that is not a digit.
func digits(s string, i int) int {
	for uint(i) < uint(len(s)) && s[i]-'0' < 10 {
		i++
	}
	return i
}

// isNumber reports whether the whole of raw is a JSON number.
func isNumber(raw string) bool { return number(raw, 0) == len(raw) }

// Int reads raw as a number whose value is an integer that fits an int64, in
// any spelling: 1000, 1e3, 1000.0 and 0.1e4 are the same, and -0 is 0. The
// result is exact; ok is false for everything else.
func Int(raw string) (n int64, ok bool) {
	t, neg := raw, false
	if t != "" && t[0] == '-' {
		t, neg = t[1:], true
	}
	if t != "" && len(t) <= 18 && (t[0] != '0' || len(t) == 1) {
		i := 0
		for ; i < len(t) && t[i]-'0' < 10; i++ {
			n = n*10 + int64(t[i]-'0')
		}
		if i == len(t) {
			if neg {
				n = -n
			}
			return n, true
		}
	}
	neg, d, exp, ok := Decimal(raw)
	if !ok || exp < 0 || exp+int64(len(d)) > 19 {
		return 0, false
	}
	d += "0000000000000000000"[:exp]
	if neg {
		d = "-" + d
	}
	if d == "" {
		return 0, true
	}
	n, err := strconv.ParseInt(d, 10, 64)
	if err != nil {
		return 0, false
	}
	return n, true
}

// Decimal takes a number apart: its value is that of the digits, which have no
// zero at either end, times ten to the power exp. Zero has no digits, no sign
// and exp 0. Equal numbers give equal parts, whatever their spelling. The
// exponent saturates far outside of what any use has for it; ok is false if
// raw is not a JSON number.
func Decimal(raw string) (neg bool, digits string, exp int64, ok bool) {
	if !isNumber(raw) {
		return false, "", 0, false
	}
	m := raw
	if e := strings.IndexAny(m, "eE"); e >= 0 {
		// ParseInt returns the nearest int64 for what is out of range.
		exp, _ = strconv.ParseInt(m[e+1:], 10, 64)
		exp = min(max(exp, math.MinInt64/4), math.MaxInt64/4)
		m = m[:e]
	}
	if m[0] == '-' {
		m, neg = m[1:], true
	}
	if dot := strings.IndexByte(m, '.'); dot >= 0 {
		frac := strings.TrimRight(m[dot+1:], "0")
		exp -= int64(len(frac))
		if m = m[:dot]; m == "0" {
			m = frac
		} else if frac != "" {
			m += frac
		}
	}
	m = strings.TrimLeft(m, "0")
	digits = strings.TrimRight(m, "0")
	if digits == "" {
		return false, "", 0, true
	}
	return neg, digits, exp + int64(len(m)-len(digits)), true
}

// Float reads raw as a JSON number; ok is false if it is none or lies beyond
// the range of a float64. What is too small to tell from zero is zero.
func Float(raw string) (f float64, ok bool) {
	if !isNumber(raw) {
		return 0, false
	}
	f, err := strconv.ParseFloat(raw, 64)
	if err != nil {
		return 0, false
	}
	return f, true
}

// AppendFloat appends the shortest JSON number that reads back as f. Integral
// values below 1e21 are written without exponent. NaN and the infinities have
// no JSON form: NaN, Infinity or -Infinity is written, which no reader of JSON
// takes for a number.
func AppendFloat(dst []byte, f float64) []byte {
	a := math.Abs(f)
	switch {
	case a != a:
		return append(dst, "NaN"...)
	case f > math.MaxFloat64:
		return append(dst, "Infinity"...)
	case a > math.MaxFloat64:
		return append(dst, "-Infinity"...)
	case a == 0 || 1e-6 <= a && a < 1e21:
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	// strconv writes at least two digits of exponent: e-07 for e-7.
	if n := len(dst); string(dst[n-4:n-1]) == "e-0" {
		dst = append(dst[:n-2], dst[n-1])
	}
	return dst
}
