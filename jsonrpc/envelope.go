package jsonrpc

import (
	"math"
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
	fieldOther // all that JSON-RPC does not name
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
		name, v := rawjson.Key(s, i)
		if v < 0 || v >= len(s) {
			return -1
		}
		f := named(s[i:name])
		end := -1
		if f == fieldParams || f == fieldResult {
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

// named tells which field has the quoted name. Only the exact name counts, but
// it may be spelled with escapes.
func named(quoted string) field {
	switch quoted {
	case `"jsonrpc"`:
		return fieldVersion
	case `"id"`:
		return fieldID
	case `"method"`:
		return fieldMethod
	case `"params"`:
		return fieldParams
	case `"result"`:
		return fieldResult
	case `"error"`:
		return fieldFailure
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
