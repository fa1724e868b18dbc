package jsonrpc

import (
	"math"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// field is a member of an object that JSON-RPC names.
type field uint8

const (
	version field = iota
	id
	method
	params
	result
	failure
	other // all that JSON-RPC does not name
)

// envelope holds the texts of the members of one object that JSON-RPC names;
// "" for a member that is absent, the last for one that is repeated.
type envelope struct {
	text     [other]string
	span     [other]Span // of params and result
	repeated bool
	twoIDs   bool
}

// minSpan is the length of the shortest value worth noting in a Span.
const minSpan = 32

// scan validates the object at s[i] and returns the index after it, or a
// negative number. It reads the whole object whatever it finds, for the shape
// of a malformed message decides how it is answered.
func (e *envelope) scan(s string, i, depth int) int {
	if depth--; depth < 0 {
		return -1
	}
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
		if f == params || f == result {
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
		if f < other {
			if e.text[f] != "" {
				e.repeated = true
				e.twoIDs = e.twoIDs || f == id
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
		return version
	case `"id"`:
		return id
	case `"method"`:
		return method
	case `"params"`:
		return params
	case `"result"`:
		return result
	case `"error"`:
		return failure
	}
	if strings.IndexByte(quoted, '\\') >= 0 {
		if s, _ := rawjson.Unquote(quoted); !strings.Contains(s, `\`) {
			return named(`"` + s + `"`)
		}
	}
	return other
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
