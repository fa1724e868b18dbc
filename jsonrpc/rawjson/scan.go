package rawjson

import "math/bits"

// DefaultDepth is how many arrays and objects may be open at a time where the
// caller sets no other limit.
const DefaultDepth = 512

// Skip validates the value that starts at s[i] and returns the index after it,
// or -1 if there is none. At most depth arrays and objects may be open at a
// time within the value; scalars need none.
func Skip(s string, i, depth int) int { return max(skip(s, i, depth), -1) }

// Space returns the index of the first byte at or after i that is not JSON
// white space, len(s) if there is none.
func Space(s string, i int) int {
	for uint(i) < uint(len(s)) && (s[i] == ' ' || s[i] == '\n' || s[i] == '\t' || s[i] == '\r') {
		i++
	}
	return i
}

// Key validates a member name and the colon after it, starting at the quote
// s[i]. It returns the index after the name's closing quote and the index at
// which the value has to start; val is -1 if the text is not valid up to there.
func Key(s string, i int) (end, val int) {
	end, val, _ = key(s, i)
	return end, max(val, -1)
}

// key is Key with the fault in place of -1. bare says that the name is its own value: it
// has neither escapes nor characters beyond ASCII.
func key(s string, i int) (end, val int, bare bool) {
	if uint(i) >= uint(len(s)) || s[i] != '"' {
		return i, badSyntax, false
	}
	if t := s[i:]; len(t) > 8 { // most names are short
		m := marks(load8(t[1:]))
		if end = i + 1 + bits.TrailingZeros64(m)>>3; m == 0 {
			end = plain(s, end)
		}
	} else {
		end = plain(s, i+1)
	}
	if bare = uint(end) < uint(len(s)) && s[end] == '"'; bare {
		end++
	} else if end = str(s, end); end < 0 {
		return i, end, false
	}
	if val = end; uint(val) < uint(len(s)) && s[val] <= ' ' {
		val = Space(s, val)
	}
	if uint(val) >= uint(len(s)) || s[val] != ':' {
		return end, badSyntax, bare
	}
	val++
	if uint(val) < uint(len(s)) && s[val] <= ' ' {
		val = Space(s, val)
	}
	return end, val, bare
}

// skip is Skip with the fault in place of -1.
func skip(s string, i, depth int) int {
	if uint(i) >= uint(len(s)) {
		return badSyntax
	}
	switch s[i] {
	case '"':
		return str(s, i+1)
	case '{', '[':
		return nested(s, i, depth)
	}
	return scalar(s, i)
}

// scalar validates the literal or number at s[i], which exists.
func scalar(s string, i int) int {
	switch t := s[i:]; t[0] {
	case 't':
		if len(t) >= 4 && t[:4] == "true" {
			return i + 4
		}
	case 'f':
		if len(t) >= 5 && t[:5] == "false" {
			return i + 5
		}
	case 'n':
		if len(t) >= 4 && t[:4] == "null" {
			return i + 4
		}
	default:
		return number(s, i)
	}
	return badSyntax
}

// nested validates the array or object that opens at s[i]. It keeps one bit
// for each open level, so hostile nesting costs an eighth of a byte a level.
func nested(s string, i, depth int) int {
	var near [DefaultDepth / 64]uint64
	objects := near[:] // bit set: that level is an object
	open := 0
	object := false // what the innermost level is
	for {
		// A value is due at s[i].
		if uint(i) >= uint(len(s)) {
			return badSyntax
		}
		switch c := s[i]; c {
		case '"':
			i = str(s, i+1)
		case '{', '[':
			if open >= depth {
				return badDepth
			}
			if open>>6 == len(objects) {
				objects = append(objects, 0)
			}
			object = c == '{'
			bit := uint64(1) << (open & 63)
			objects[open>>6] &^= bit
			if object {
				objects[open>>6] |= bit
			}
			open++
			i++
			if uint(i) < uint(len(s)) && s[i] <= ' ' {
				i = Space(s, i)
			}
			if uint(i) >= uint(len(s)) {
				return badSyntax
			}
			if object && s[i] != '}' {
				if _, i, _ = key(s, i); i < 0 {
					return i
				}
				continue
			}
			if !object && s[i] != ']' {
				continue
			}
		default:
			i = scalar(s, i)
		}
		if i < 0 {
			return i
		}
		// A value has ended: close levels until a comma asks for the next one.
		for {
			if uint(i) < uint(len(s)) && s[i] <= ' ' {
				i = Space(s, i)
			}
			if uint(i) >= uint(len(s)) {
				return badSyntax
			}
			c := s[i]
			i++
			if c == ',' {
				if uint(i) < uint(len(s)) && s[i] <= ' ' {
					i = Space(s, i)
				}
				if object {
					if _, i, _ = key(s, i); i < 0 {
						return i
					}
				}
				break
			}
			if object && c != '}' || !object && c != ']' {
				return badSyntax
			}
			if open--; open == 0 {
				return i
			}
			object = objects[(open-1)>>6]>>((open-1)&63)&1 != 0
		}
	}
}

// Check reads s as one JSON value with optional white space around it, in
// which at most depth arrays and objects are open at a time. It names the
// first fault in reading order.
func Check(s string, depth int) Fault {
	i := skip(s, Space(s, 0), depth)
	if i >= 0 && Space(s, i) < len(s) {
		return Trailing
	}
	return faultOf(i)
}

// Valid reports whether s is one JSON value, not deeper than DefaultDepth,
// with optional white space around it.
func Valid(s string) bool { return Check(s, DefaultDepth) == OK }
