package jsonrpc

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// ID is the id of a request: absent (the zero ID), an integer or a string. It
// is exact and canonical, so that == compares by value and JSON type: the
// integer 1 differs from the string "1", and 1, 1.0 and 1e0 are equal (JRPC-007).
//
// Follows Requests and Responses of the MCP base protocol and JSON-RPC 2.0, section 4, without the
// null and fractional ids that MCP forbids.
type ID struct {
	n int64
	s string
}

// How an ID is held. A string holds its value in s and 1 in n. All else holds
// one of these marks at the start of s; no string id does, being UTF-8.
const (
	markInt  = "\xff" // the value is n
	markBig  = "\xfe" // the canonical text follows the mark
	markNull = "\xfd"
)

// maxExponent bounds the power of ten in a canonical integer id.
const maxExponent = 1_000_000

// Int returns the integer id n.
func Int(n int64) ID { return ID{n, markInt} }

// String returns the string id s. Bytes of s that are not UTF-8 become U+FFFD.
func String(s string) ID {
	if !utf8.ValidString(s) {
		s = string([]rune(s))
	}
	return ID{1, s}
}

// Null is the id that Append writes as null. It is for the answer to a message
// whose id could not be read, and equals no id that was received. It is set once
// and never changed.
var Null = ID{s: markNull}

// ParseID reads the JSON text of an id. canonical is false if ID.Append writes the same id
// differently: for 1.0, 1e3, -0 or "\u0061". ok is false for invalid ids: null, booleans, arrays,
// objects, fractions, strings with an unpaired surrogate, integers of more than 10^1000000, and
// text that is not JSON. The ID may share the memory of raw.
func ParseID(raw string) (id ID, canonical, ok bool) {
	if rawjson.Skip(raw, 0, 0) != len(raw) {
		return ID{}, false, false
	}
	return parseID(raw)
}

// parseID is ParseID for text that was validated (JRPC-035, JRPC-036, JRPC-047).
func parseID(raw string) (id ID, canonical, ok bool) {
	if raw[0] == '"' {
		s, ok := rawjson.Unquote(raw)
		if !ok {
			return ID{}, false, false
		}
		// An escape may be the only way to write a character; then the
		// canonical text has it too, though perhaps in another form.
		return ID{1, s}, len(s) == len(raw)-2 || isCanonical(raw, s), true
	}
	if n, ok := rawjson.Int(raw); ok {
		return Int(n), isPlain(raw), true
	}
	neg, digits, exp, ok := rawjson.Decimal(raw)
	if !ok || exp < 0 || exp > maxExponent {
		return ID{}, false, false
	}
	b := make([]byte, 0, len(markBig)+1+len(digits)+8)
	b = append(b, markBig...)
	if neg {
		b = append(b, '-')
	}
	b = append(b, digits...)
	if exp > 0 {
		b = strconv.AppendInt(append(b, 'e'), exp, 10)
	}
	id.s = string(b)
	return id, id.s[len(markBig):] == raw, true
}

// isCanonical reports whether AppendQuote writes s as raw.
func isCanonical(raw, s string) bool {
	return string(rawjson.AppendQuote(make([]byte, 0, len(raw)), s)) == raw
}

// isPlain reports whether the integer raw, which fits an int64, is written as
// Append does: digits only, and no minus before a zero.
func isPlain(raw string) bool {
	if raw[0] == '-' {
		if raw = raw[1:]; raw == "0" {
			return false
		}
	}
	for i := range len(raw) {
		if raw[i]-'0' > 9 {
			return false
		}
	}
	return true
}

// IsZero reports whether id is the zero ID, which stands for an absent id.
func (id ID) IsZero() bool { return id == ID{} }

// Int64 returns the value of an integer id that fits an int64.
func (id ID) Int64() (n int64, ok bool) {
	if id.s != markInt {
		return 0, false
	}
	return id.n, true
}

// Str returns the value of a string id.
func (id ID) Str() (s string, ok bool) {
	if id.n != 1 || id.s == markInt {
		return "", false
	}
	return id.s, true
}

// Append appends the JSON text of id: an integer in digits, one beyond int64
// as its significant digits, followed by e and a power of ten if it has one; a
// string quoted; nothing for the zero ID.
func (id ID) Append(dst []byte) []byte {
	switch {
	case id.s == markInt:
		return strconv.AppendInt(dst, id.n, 10)
	case id.n == 1:
		return rawjson.AppendQuote(dst, id.s)
	case id.s == "":
		return dst
	case id.s == markNull:
		return append(dst, "null"...)
	}
	return append(dst, id.s[len(markBig):]...)
}

// MarshalJSON returns the JSON text of id, and null for the zero ID, so that encoding/json writes
// the id. It never fails.
func (id ID) MarshalJSON() ([]byte, error) {
	if id.IsZero() {
		id = Null
	}
	return id.Append(nil), nil
}

// UnmarshalJSON reads the id with ParseID and copies it. JSON null leaves id as it is. An invalid
// id is an error.
func (id *ID) UnmarshalJSON(data []byte) error {
	text := string(data)
	if text == "null" {
		return nil
	}
	got, _, ok := ParseID(text)
	if !ok {
		return errID
	}
	*id = got
	return nil
}

var errID = errors.New("jsonrpc: not an id: want a string or an integer")

// String returns the JSON text of id, for logs; "absent" for the zero ID.
func (id ID) String() string {
	if id.IsZero() {
		return "absent"
	}
	return string(id.Append(nil))
}

// Clone returns an equal id that shares no memory with a message, so that
// keeping it does not keep the message.
func (id ID) Clone() ID {
	if id.s != markInt && id.s != markNull {
		id.s = strings.Clone(id.s)
	}
	return id
}
