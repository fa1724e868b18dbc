// Package scan is the floor of the benchmarks: a single-pass JSON-RPC envelope
// scanner. It validates the whole message (RFC 8259 grammar, UTF-8 included)
// and, in the same pass, records the raw slices a dispatcher needs. It copies
// nothing and allocates nothing.
package scan

import "errors"

// MaxDepth is the deepest nesting Parse accepts.
const MaxDepth = 4096

// ErrSyntax reports a message that is not one valid JSON object.
var ErrSyntax = errors.New("scan: not a valid JSON object")

// ErrDuplicate reports an envelope member given twice.
var ErrDuplicate = errors.New("scan: duplicate envelope member")

// Envelope holds raw slices of the scanned message; absent members are nil.
// Strings keep their quotes and escapes.
type Envelope struct {
	Version, ID, Method, Params, Result, Error []byte

	// Members of a params object, recorded in the same pass.
	Name, Arguments, URI, Meta []byte
}

// Scanner scans messages. The zero value is ready for use; it holds only the
// nesting stack, so one Scanner serves any number of sessions in turn.
type Scanner struct {
	stack [MaxDepth / 64]uint64 // bit d is set if level d is an object
}

// Parse scans b into e. It reports ErrSyntax unless b is exactly one JSON
// object with optional white space around it.
func (s *Scanner) Parse(b []byte, e *Envelope) error {
	*e = Envelope{}
	i := space(b, 0)
	if i >= len(b) || b[i] != '{' {
		return ErrSyntax
	}
	i = space(b, i+1)
	if i < len(b) && b[i] == '}' {
		return s.end(b, i+1)
	}
	for {
		key, v := member(b, i)
		if v < 0 {
			return ErrSyntax
		}
		var dst *[]byte
		var end int
		switch string(key) { // no allocation: the compiler compares in place
		case `"jsonrpc"`:
			dst = &e.Version
		case `"id"`:
			dst = &e.ID
		case `"method"`:
			dst = &e.Method
		case `"params"`:
			dst = &e.Params
		case `"result"`:
			dst = &e.Result
		case `"error"`:
			dst = &e.Error
		}
		if dst == &e.Params && b[v] == '{' {
			end = s.params(b, v, e)
		} else {
			end = s.skip(b, v)
		}
		if end < 0 {
			return ErrSyntax
		}
		if dst != nil {
			if *dst != nil {
				return ErrDuplicate
			}
			*dst = b[v:end:end]
		}
		i = space(b, end)
		if i >= len(b) {
			return ErrSyntax
		}
		switch b[i] {
		case ',':
			i = space(b, i+1)
		case '}':
			return s.end(b, i+1)
		default:
			return ErrSyntax
		}
	}
}

func (s *Scanner) end(b []byte, i int) error {
	if space(b, i) != len(b) {
		return ErrSyntax
	}
	return nil
}

// params scans the params object at b[i] and records the members dispatch
// needs. It returns the index after the object, or -1.
func (s *Scanner) params(b []byte, i int, e *Envelope) int {
	i = space(b, i+1)
	if i < len(b) && b[i] == '}' {
		return i + 1
	}
	for {
		key, v := member(b, i)
		if v < 0 {
			return -1
		}
		end := s.skip(b, v)
		if end < 0 {
			return -1
		}
		switch string(key) {
		case `"name"`:
			e.Name = b[v:end:end]
		case `"arguments"`:
			e.Arguments = b[v:end:end]
		case `"uri"`:
			e.URI = b[v:end:end]
		case `"_meta"`:
			e.Meta = b[v:end:end]
		}
		i = space(b, end)
		if i >= len(b) {
			return -1
		}
		switch b[i] {
		case ',':
			i = space(b, i+1)
		case '}':
			return i + 1
		default:
			return -1
		}
	}
}

// Field returns the raw value of the named member (given with its quotes) of
// the object b, nil if there is none or b is not a valid object.
func (s *Scanner) Field(b []byte, quoted string) []byte {
	i := space(b, 0)
	if i >= len(b) || b[i] != '{' {
		return nil
	}
	i = space(b, i+1)
	for {
		key, v := member(b, i)
		if v < 0 {
			return nil
		}
		end := s.skip(b, v)
		if end < 0 {
			return nil
		}
		if string(key) == quoted {
			return b[v:end:end]
		}
		if i = space(b, end); i >= len(b) || b[i] != ',' {
			return nil
		}
		i = space(b, i+1)
	}
}

// member scans `"key" :` at b[i]. It returns the quoted key and the index of
// the value, or -1.
func member(b []byte, i int) (key []byte, v int) {
	if i >= len(b) || b[i] != '"' {
		return nil, -1
	}
	end := str(b, i+1)
	if end < 0 {
		return nil, -1
	}
	key = b[i:end]
	if i = space(b, end); i >= len(b) || b[i] != ':' {
		return nil, -1
	}
	if i = space(b, i+1); i >= len(b) {
		return nil, -1
	}
	return key, i
}

// Valid reports whether b is one valid JSON value.
func (s *Scanner) Valid(b []byte) bool {
	i := s.skip(b, space(b, 0))
	return i >= 0 && space(b, i) == len(b)
}

// skip validates the value at b[i] and returns the index after it, or -1.
func (s *Scanner) skip(b []byte, i int) int {
	depth := 0
value:
	if i >= len(b) {
		return -1
	}
	switch c := b[i]; c {
	case '"':
		if i = str(b, i+1); i < 0 {
			return -1
		}
	case '{':
		if i = space(b, i+1); i >= len(b) {
			return -1
		}
		if b[i] == '}' {
			i++
			break
		}
		if depth == MaxDepth {
			return -1
		}
		s.stack[depth>>6] |= 1 << (depth & 63)
		depth++
		goto key
	case '[':
		if i = space(b, i+1); i >= len(b) {
			return -1
		}
		if b[i] == ']' {
			i++
			break
		}
		if depth == MaxDepth {
			return -1
		}
		s.stack[depth>>6] &^= 1 << (depth & 63)
		depth++
		goto value
	case 't':
		if i+4 > len(b) || string(b[i:i+4]) != "true" {
			return -1
		}
		i += 4
	case 'f':
		if i+5 > len(b) || string(b[i:i+5]) != "false" {
			return -1
		}
		i += 5
	case 'n':
		if i+4 > len(b) || string(b[i:i+4]) != "null" {
			return -1
		}
		i += 4
	default:
		if i = number(b, i); i < 0 {
			return -1
		}
	}

	for depth > 0 {
		if i < len(b) && b[i] <= ' ' {
			i = space(b, i)
		}
		if i >= len(b) {
			return -1
		}
		c := b[i]
		i++
		top := depth - 1
		if s.stack[top>>6]>>(top&63)&1 != 0 {
			if c == ',' {
				if i < len(b) && b[i] <= ' ' {
					i = space(b, i)
				}
				goto key
			}
			if c != '}' {
				return -1
			}
		} else {
			if c == ',' {
				if i < len(b) && b[i] <= ' ' {
					i = space(b, i)
				}
				goto value
			}
			if c != ']' {
				return -1
			}
		}
		depth--
	}
	return i

key:
	if i >= len(b) || b[i] != '"' {
		return -1
	}
	if i = str(b, i+1); i < 0 {
		return -1
	}
	if i < len(b) && b[i] != ':' {
		i = space(b, i)
	}
	if i >= len(b) || b[i] != ':' {
		return -1
	}
	i++
	if i < len(b) && b[i] <= ' ' {
		i = space(b, i)
	}
	goto value
}
