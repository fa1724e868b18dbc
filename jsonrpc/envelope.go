package jsonrpc

import (
	"math"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// field is a member of an object that JSON-RPC names.
type field uint8

const (
	fieldVersion field = iota
	fieldID
	fieldMethod
	fieldParams
	fieldResult
	fieldFailure
	fieldOther // all that JSON-RPC does not name; ignored (JRPC-038)
)

// envelope holds the texts of the members of one object that JSON-RPC names;
// "" for a member that is absent, the last for one that is repeated.
type envelope struct {
	text     [fieldOther]string
	span     [fieldOther]Span // of params and result
	repeated bool
	twoIDs   bool
}

// minSpan is the length of the shortest value worth noting in a Span.
const minSpan = 32

// scan validates the object at s[i] and returns the index after it, or a
// negative number. It reads the whole object whatever it finds, for the shape
// of a malformed message decides how it is answered. The object is one of the
// depth levels that may be open, of which there is at least one.
func (e *envelope) scan(s string, i, depth int) int {
	depth--
	i = space(s, i+1)
	if i < len(s) && s[i] == '}' {
		return i + 1
	}
	for {
		f, v := usual(s, i)
		if v < 0 {
			var name int
			if name, v = rawjson.Key(s, i); v < 0 {
				return -1
			}
			f = named(s[i:name])
		}
		if v >= len(s) {
			return -1
		}
		end := -1
		switch {
		case f == fieldID:
			end = number(s, v)
		case f == fieldVersion && strings.HasPrefix(s[v:], `"2.0"`):
			end = v + len(`"2.0"`)
		case f == fieldParams || f == fieldResult:
			e.span[f] = Span{}
			if s[v] == '{' {
				end, e.span[f] = object(s, v, depth)
			}
		}
		if end < 0 {
			if end = rawjson.Skip(s, v, depth); end < 0 {
				return -1
			}
		}
		if f < fieldOther {
			if e.text[f] != "" {
				e.repeated = true
				e.twoIDs = e.twoIDs || f == fieldID
			}
			e.text[f] = s[v:end]
		}
		if i = space(s, end); i >= len(s) {
			return -1
		}
		switch s[i] {
		case '}':
			return i + 1
		case ',':
			i = space(s, i+1)
		default:
			return -1
		}
	}
}

// usual tells which field has the name at s[i] and returns the index of its value, if the
// name is spelled as most do, with a colon and no space behind it; else v is negative.
func usual(s string, i int) (f field, v int) {
	if uint(i) > uint(len(s)) || len(s)-i < len(`"jsonrpc":`) {
		return fieldOther, -1
	}
	name := ""
	t := s[i:]
	switch t[1] {
	case 'j':
		f, name = fieldVersion, `"jsonrpc":`
	case 'i':
		f, name = fieldID, `"id":`
	case 'm':
		f, name = fieldMethod, `"method":`
	case 'p':
		f, name = fieldParams, `"params":`
	case 'r':
		f, name = fieldResult, `"result":`
	case 'e':
		f, name = fieldFailure, `"error":`
	default:
		return fieldOther, -1
	}
	if v = i + len(name); !strings.HasPrefix(t, name) || v >= len(s) || s[v] <= ' ' {
		return fieldOther, -1
	}
	return f, v
}

// number returns the index after the digits at s[i], if that is all of a value, and else a
// negative number.
func number(s string, i int) (end int) {
	end = i
	for end < len(s) && s[end]-'0' < 10 {
		end++
	}
	if end == i || end-i > 1 && s[i] == '0' || end == len(s) || s[end] != ',' && s[end] != '}' {
		return -1
	}
	return end
}

// fieldNames are the names of the fields, as they are written.
var fieldNames = [...]string{`"jsonrpc"`, `"id"`, `"method"`, `"params"`, `"result"`, `"error"`}

// named tells which field has the quoted name. Only the exact name counts, but
// it may be spelled with escapes (JRPC-025).
func named(quoted string) field {
	if i := slices.Index(fieldNames[:], quoted); i >= 0 {
		return field(i)
	}
	if strings.IndexByte(quoted, '\\') >= 0 {
		if s, _ := rawjson.Unquote(quoted); !strings.Contains(s, `\`) {
			return named(`"` + s + `"`)
		}
	}
	return fieldOther
}

// object validates the object at s[i] and notes its largest member value.
func object(s string, i, depth int) (end int, span Span) {
	if depth--; depth < 0 {
		return -1, span
	}
	from := i
	i = space(s, i+1)
	if i < len(s) && s[i] == '}' {
		return i + 1, span
	}
	size := minSpan - 1
	for {
		_, v := rawjson.Key(s, i)
		if v < 0 {
			return -1, span
		}
		if end = rawjson.Skip(s, v, depth); end < 0 {
			return -1, span
		}
		if end-v > size && int64(end-from) <= math.MaxUint32 {
			size = end - v
			span = Span{uint32(v - from), uint32(end - from)}
		}
		if i = space(s, end); i >= len(s) {
			return -1, span
		}
		switch s[i] {
		case '}':
			return i + 1, span
		case ',':
			i = space(s, i+1)
		default:
			return -1, span
		}
	}
}

// space is rawjson.Space, quick where there is none.
func space(s string, i int) int {
	if uint(i) < uint(len(s)) && s[i] > ' ' {
		return i
	}
	return rawjson.Space(s, i)
}
