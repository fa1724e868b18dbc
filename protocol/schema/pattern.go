package schema

import "strings"

// wellFormed reports whether a text can be a regular expression. It checks only what every
// dialect of regular expressions forbids: unclosed groups and classes,
// an escape or a quantifier of nothing, a quantifier of a quantifier, and limits and
// ranges in reverse order.
func wellFormed(pattern string) bool {
	open := 0
	atom, counted := false, false // something to repeat precedes, or a quantifier of it
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '\\':
			if i++; i == len(pattern) {
				return false
			}
			atom, counted = true, false
		case '[':
			if i = class(pattern, i+1); i < 0 {
				return false
			}
			atom, counted = true, false
		case '(':
			open++
			atom, counted = false, false
			if strings.HasPrefix(pattern[i+1:], "?") {
				switch i += 2; {
				case i == len(pattern) || strings.IndexByte(groups, pattern[i]) < 0:
					return false
				case pattern[i] == '(' || pattern[i] == ')': // a condition, or no flags
					i--
				}
			}
		case ')':
			if open--; open < 0 {
				return false
			}
			atom, counted = true, false
		case '|':
			atom, counted = false, false
		case '*', '+', '?', '{':
			end, ok := quantifier(pattern, i)
			switch {
			case !ok:
				return false
			case end == i: // a brace like any other character
				atom, counted = true, false
				continue
			case !atom, counted:
				return false
			}
			i = end - 1
			counted = true
			if end < len(pattern) && (pattern[end] == '?' || pattern[end] == '+') {
				i++ // lazy or possessive
			}
		default:
			atom, counted = true, false
		}
	}
	return open == 0
}

// groups is what may follow (? in any dialect: kinds of groups, names, flags.
const groups = "():=!<>#|&'P-^abimnpqsuxJRU0123456789"

// quantifier returns the index after the quantifier at pattern[i], or i for a brace
// that is not a quantifier; ok is false if its maximum is below its minimum.
func quantifier(pattern string, i int) (end int, ok bool) {
	if pattern[i] != '{' {
		return i + 1, true
	}
	least, j := digits(pattern, i+1)
	if least == "" {
		return i, true
	}
	if j < len(pattern) && pattern[j] == '}' {
		return j + 1, true
	}
	if j == len(pattern) || pattern[j] != ',' {
		return i, true
	}
	most, j := digits(pattern, j+1)
	if j == len(pattern) || pattern[j] != '}' {
		return i, true
	}
	if most != "" {
		least, most = strings.TrimLeft(least, "0"), strings.TrimLeft(most, "0")
		if len(least) > len(most) || len(least) == len(most) && least > most {
			return 0, false
		}
	}
	return j + 1, true
}

// digits returns the decimal digits at s[i] and the index after them.
func digits(s string, i int) (text string, end int) {
	end = i
	for end < len(s) && '0' <= s[end] && s[end] <= '9' {
		end++
	}
	return s[i:end], end
}

// class returns the index of the bracket that ends the class whose content starts at
// pattern[i], -1 if it is not closed or a range is in reverse order.
func class(pattern string, i int) int {
	if i < len(pattern) && pattern[i] == '^' {
		i++
	}
	var from byte // the previous character, 0 if it cannot start a range
	for ; i < len(pattern); i++ {
		c := pattern[i]
		switch {
		case c == ']':
			return i
		case c == '\\':
			i++
			from = 0
		case c == '-' && from != 0 && i+1 < len(pattern) && strings.IndexByte(`]\[`, pattern[i+1]) < 0:
			if i++; pattern[i] < from { // the first bytes of non-ASCII letters are ordered too
				return -1
			}
			from = 0
		case c == '[', c >= 0x80:
			from = 0
		default:
			from = c
		}
	}
	return -1
}
