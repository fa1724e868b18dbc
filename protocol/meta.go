package protocol

import (
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// Meta is a _meta object as JSON text; "" if absent. Unknown keys and values
// are kept byte for byte. Of the reserved keys only progressToken
// in a request is interpreted (META-003, META-004).
type Meta string

// tokenKey is the one key of _meta that the schema itself defines, in requests (META-011).
const tokenKey = "progressToken"

// Get returns the value at key.
func (m Meta) Get(key string) (Raw, bool) {
	val, ok := rawjson.Get(string(m), key)
	return Raw(val), ok
}

// With returns m with val at key; an empty val removes the key. All else stays
// byte for byte.
func (m Meta) With(key string, val Raw) Meta {
	return Meta(rawjson.Set(string(m), key, string(val)))
}

// ProgressToken returns the progress token of a request. ok is false if there is
// none, and if the value is neither a string nor an integral number.
func (m Meta) ProgressToken() (token jsonrpc.ID, ok bool) {
	if m == "" {
		return jsonrpc.ID{}, false
	}
	val, ok := rawjson.Get(string(m), tokenKey)
	if !ok || setID(&token, val, true) != 0 {
		return jsonrpc.ID{}, false
	}
	return token, true
}

// AppendJSON appends m as it is to dst, and {} for the empty Meta.
func (m Meta) AppendJSON(dst []byte) []byte {
	if m == "" {
		return append(dst, "{}"...)
	}
	return append(dst, m...)
}

// MarshalJSON returns m as JSON text, {} for the empty Meta. It never fails.
func (m Meta) MarshalJSON() ([]byte, error) { return m.AppendJSON(nil), nil }

// UnmarshalJSON takes an object. JSON null leaves m as it is.
func (m *Meta) UnmarshalJSON(data []byte) error {
	raw, err := unmarshal(data)
	if raw == "" {
		return err
	}
	if r := setMeta(m, string(raw)); r != 0 {
		return fault("Meta", "", r)
	}
	return nil
}

// setMeta reads a _meta, which is an object (META-001).
func setMeta(p *Meta, raw string) Reason {
	return setObject((*Raw)(p), raw, false)
}

// verifyToken checks the progress token in the _meta of a request.
func verifyToken(m Meta) Reason {
	if !mentions(string(m), "Token") {
		return 0
	}
	var token jsonrpc.ID
	val, _ := rawjson.Get(string(m), tokenKey)
	return setID(&token, val, false)
}

// ValidMetaKey reports whether key follows the naming rules for keys of _meta
// (basic, _meta): an optional prefix of dot-separated labels and a slash, then a
// name, which may be empty. A label starts with a letter and ends with a letter
// or digit, with letters, digits and hyphens between; a name starts and ends
// with a letter or digit, with letters, digits, hyphens, underscores and dots
// between. The rules bind the sender; keys that break them are accepted (META-005, META-006,
// META-007, META-009, META-010, META-013).
func ValidMetaKey(key string) bool {
	name := key
	if prefix, rest, ok := strings.Cut(key, "/"); ok {
		name = rest
		for label := range strings.SplitSeq(prefix, ".") {
			if label == "" || !letter(label[0]) || !alphanumeric(label[len(label)-1]) || !consists(label, "-") {
				return false
			}
		}
	}
	return name == "" ||
		alphanumeric(name[0]) && alphanumeric(name[len(name)-1]) && consists(name, "-_.")
}

// ReservedMetaKey reports whether the revision reserves the prefix of key for the
// protocol: a label mcp or modelcontextprotocol is followed by a further label (until
// 2025-06-18, as in mcp.dev/ and tools.mcp.com/) or is the second one (since 2025-11-25, as
// in io.modelcontextprotocol/; META-008, META-101). For the zero Revision either will do. A
// sender that is not asked to by the specification does not use such keys.
func (r Revision) ReservedMetaKey(key string) bool {
	prefix, _, ok := strings.Cut(key, "/")
	if !ok {
		return false
	}
	labels := strings.Split(prefix, ".")
	for i, label := range labels {
		second := r.t == nil || r.t.age.in(ages{since: age20251125})
		followed := r.t == nil || r.t.age.in(ages{until: age20251125})
		if (label == "mcp" || label == "modelcontextprotocol") && (followed && i < len(labels)-1 || second && i == 1) {
			return true
		}
	}
	return false
}

func letter(c byte) bool { return c|0x20-'a' < 26 }

func digit(c byte) bool { return c-'0' < 10 }

func alphanumeric(c byte) bool { return letter(c) || digit(c) }

// consists reports whether s has only letters, digits and bytes of others.
func consists(s, others string) bool {
	for i := range len(s) {
		if !alphanumeric(s[i]) && strings.IndexByte(others, s[i]) < 0 {
			return false
		}
	}
	return true
}
