package schema

import "strings"

// wellFormed reports whether a regular expression can be one. Patterns are not matched, so
// it refuses what no dialect of regular expressions allows: groups and classes that do not
// end, an escape of nothing, a quantifier of nothing or of a quantifier, and limits and
// ranges whose end comes first.
func wellFormed(pattern string) bool {
	open := 0
	atom, counted := false, false // what is before: something to repeat, a quantifier of it
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
				i++ // as few as possible, or without going back
			}
		default:
			atom, counted = true, false
		}
	}
	return open == 0
}

// groups is what may follow (? in one dialect or other: kinds of groups, names, flags.
const groups = "():=!<>#|&'P-^abimnpqsuxJRU0123456789"

// quantifier returns the index after the quantifier at pattern[i], or i if it is a brace
// that quantifies nothing; ok is false if its end is before its start.
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
// pattern[i], -1 if there is none or a range in it has its end first.
func class(pattern string, i int) int {
	if i < len(pattern) && pattern[i] == '^' {
		i++
	}
	var from byte // the character before, 0 if it can start no range that is looked at
	for ; i < len(pattern); i++ {
		c := pattern[i]
		switch {
		case c == ']':
			return i
		case c == '\\':
			i++
			from = 0
		case c == '-' && from != 0 && i+1 < len(pattern) && strings.IndexByte(`]\[`, pattern[i+1]) < 0:
			if i++; pattern[i] < from { // of letters beyond ASCII the first bytes are in order too
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
