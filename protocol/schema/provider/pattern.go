package provider

import (
	"strconv"
	"strings"
)

// features are the parts of regular expressions that some providers refuse.
type features uint8

const (
	lookaround    features = 1 << iota // (?= (?! (?<= (?<!
	backreference                      // \1 \k
	boundary                           // \b \B
	foreign                            // not supported by all engines: named groups, flags, \p, \u{}
	counted                            // {n,m} above maxCount
	malformed                          // not a regular expression
)

const maxCount = 100 // of {n,m}; Anthropic refuses large ones

// featuresOf reads a regular expression of ECMA-262.
func featuresOf(s string) (f features) {
	for _, around := range [...]string{"(?=", "(?!", "(?<=", "(?<!"} {
		if strings.Contains(s, around) { // even in a class, where simple checks find it
			f |= lookaround
		}
	}
	groups, class, repeatable := 0, false, false
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '\\':
			i++
			if i == len(s) {
				return f | malformed
			}
			f |= escape(s[i:])
			if end := strings.IndexByte(s[i:], '}'); end > 0 && strings.IndexByte("pPu", s[i]) >= 0 && s[i+1] == '{' {
				i += end
			}
			repeatable = true
		case class:
			class = c != ']'
			repeatable = true
		case c == '[':
			class = true
			if strings.HasPrefix(s[i+1:], "^") {
				i++
			}
			if strings.HasPrefix(s[i+1:], "]") { // empty, or first in the class
				f |= foreign
			}
		case c == '(':
			groups++
			if rest, special := strings.CutPrefix(s[i+1:], "?"); special {
				f |= group(rest)
				i++
			}
			repeatable = false
		case c == ')':
			groups--
			repeatable = true
			if groups < 0 {
				return f | malformed
			}
		case c == '{':
			n, ok := quantifier(s[i:])
			if !ok || !repeatable {
				f |= malformed
				break
			}
			if f |= large(s[i : i+n]); i+n < len(s) && s[i+n] == '?' {
				n++
			}
			i += n - 1
			repeatable = false
		case strings.IndexByte("*+?", c) >= 0:
			if !repeatable {
				f |= malformed
			}
			if i+1 < len(s) && s[i+1] == '?' {
				i++
			}
			repeatable = false
		case c == '|' || c == '^':
			repeatable = false
		default:
			repeatable = true
		}
	}
	if groups != 0 || class {
		f |= malformed
	}
	return f
}

// escape reads what follows a backslash.
func escape(s string) features {
	switch c := s[0]; {
	case '1' <= c && c <= '9' || c == 'k':
		return backreference
	case c == 'b' || c == 'B':
		return boundary
	case c == 'p' || c == 'P' || c == 'c' || c == 'u' && strings.HasPrefix(s, "u{"):
		return foreign
	case c == 'u':
		return hexadecimal(s[1:], 4)
	case c == 'x':
		return hexadecimal(s[1:], 2)
	case strings.IndexByte("dDwWsStnrfv0", c) >= 0:
		return 0
	case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z':
		return foreign
	}
	return 0
}

func hexadecimal(s string, n int) features {
	if len(s) < n || strings.Trim(s[:n], "0123456789abcdefABCDEF") != "" {
		return malformed
	}
	return 0
}

// group reads what follows "(?".
func group(s string) features {
	switch {
	case strings.HasPrefix(s, ":"):
		return 0
	case strings.HasPrefix(s, "="), strings.HasPrefix(s, "!"), strings.HasPrefix(s, "<="), strings.HasPrefix(s, "<!"):
		return 0 // found already
	}
	return foreign
}

// quantifier returns the length of {n}, {n,} or {n,m}.
func quantifier(s string) (n int, ok bool) {
	end := strings.IndexByte(s, '}')
	if end < 2 {
		return 0, false
	}
	low, high, _ := strings.Cut(s[1:end], ",")
	return end + 1, low != "" && strings.Trim(low+high, "0123456789") == ""
}

func large(s string) features {
	for n := range strings.SplitSeq(strings.Trim(s, "{}"), ",") {
		if n = strings.TrimLeft(n, "0"); len(n) > 3 || len(n) == 3 && n > strconv.Itoa(maxCount) {
			return counted
		}
	}
	return 0
}
