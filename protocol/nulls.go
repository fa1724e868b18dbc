package protocol

import (
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// WithoutNulls returns a body of the method without the members that are null in place of
// absent: Decode takes them for absent ones, and the schema does not allow to send them. All else
// stays byte for byte, but for white space beside a member that goes. raw has passed the check of
// the method (Row.CheckParams, Row.CheckResult; SCHEMA-024).
func (r *Row) WithoutNulls(kind BodyKind, raw Raw) Raw {
	if kind > BodyResult || !strings.Contains(string(raw), "null") {
		return raw
	}
	return Raw(r.of.age.without(bodyTypes[r.index][kind], string(raw)))
}

// typeID numbers the types of the schema; the constants are generated.
type typeID uint8

// Parts of types that have no Go type of their own.
const (
	idSchema          = idCount + iota // a schema of a tool
	idRequestMeta                      // _meta of a request
	idFields                           // the properties of an ElicitSchema, which have any name
	idEmbedded                         // the contents in a block, which may have the annotations of the block
	idProperties                       // the properties of a schema of a tool, which have any name
	idSamplingContent                  // Content of a message to or from a model
)

// part is a member of a type that may be absent, that is a list, or whose type has such members.
type part struct {
	name     string
	optional bool
	list     bool                            // an array, of which each element is looked at
	binds    bool                            // neither it nor an element of it is left out if it is odd
	of       typeID                          // its type, or that of its elements
	null     age                             // the first revision in which null is a value of it; 0 for none
	place    place                           // of blocks of content
	fits     func(val string, how mode) bool // whether a value, or an element, is one; nil: any is
}

// What has no Go type of its own, or one without tags.
var (
	elicitParts      = []part{{name: "properties", of: idFields}, {name: "required", optional: true}, {name: "$schema", optional: true}}
	schemaParts      = []part{{name: "properties", optional: true, of: idProperties, fits: fitsObject}, {name: "required", optional: true, list: true, fits: fitsString}}
	requestMetaParts = []part{{name: tokenKey, optional: true}}
)

func (id typeID) parts() []part {
	switch id {
	case idElicitSchema:
		return elicitParts
	case idSamplingContent:
		return parts[idContent]
	case idSchema:
		return schemaParts
	case idEmbedded:
		return append(parts[idResourceContents], notes)
	case idRequestMeta:
		return requestMetaParts
	}
	if int(id) < len(parts) {
		return parts[id]
	}
	return nil
}

// without returns raw, a value of the type or an array of such, without the members that
// are null in place of absent at age a.
func (a age) without(id typeID, raw string) string {
	switch {
	case id == idOpen || id == idProperties || !strings.Contains(raw, "null"):
		return raw
	case raw[rawjson.Space(raw, 0)] == '[':
		return rewrite(raw, "[]", func(_, val string) (string, bool) {
			if val[0] == '[' {
				return val, false // no type has arrays in arrays: each level would be read once more
			}
			return a.without(id, val), false
		})
	case id == idFields:
		return rewrite(raw, "{}", func(_, val string) (string, bool) { return a.without(idPrimitiveSchema, val), false })
	case (id == idContent || id == idSamplingContent) && !ofKnownKind(raw, id == idSamplingContent):
		return raw // nobody knows what is optional in it
	}
	rows := id.parts()
	var last [maxParts]string // the member of a name that counts
	lastOf(rows, raw, &last)
	return rewrite(raw, "{}", func(key, val string) (string, bool) {
		for i := range rows {
			if rows[i].name == key {
				absent := rows[i].optional && last[i] == "null" && (rows[i].null == 0 || !a.takes(rows[i].null))
				return a.without(rows[i].of, val), absent
			}
		}
		return val, false
	})
}

// lastOf notes the values of the members that rows name; of those with one name the last.
func lastOf(rows []part, raw string, last *[maxParts]string) {
	o, _ := rawjson.Members(raw)
	for key, val := range o.All {
		for i := range rows {
			if rows[i].name == key {
				last[i] = val
			}
		}
	}
}

// ofKnownKind reports whether a content block is of a kind that the schema has, for
// messages to and from models or for other content.
func ofKnownKind(block string, sampling bool) bool {
	kind := rawjson.Text(block, "type")
	switch kind {
	case ContentText, ContentImage, ContentAudio, ContentLink, ContentEmbedded:
		return true
	case ContentToolUse, ContentToolResult:
		return sampling
	}
	return false
}

// rewrite returns raw, an array or an object, without the members that change drops, and
// with the others as change returns them. What is not valid stays as it is.
func rewrite(raw, brackets string, change func(key, val string) (out string, drop bool)) string {
	start := rawjson.Space(raw, 0)
	if start == len(raw) || raw[start] != brackets[0] {
		return raw
	}
	var dst strings.Builder // of raw's size, once something goes
	from, first := 0, true  // what is copied next; whether no member has stayed so far
	for i := start + 1; ; {
		at := i
		if i = rawjson.Space(raw, i); i < len(raw) && raw[i] == ',' {
			i = rawjson.Space(raw, i+1)
		}
		if i < len(raw) && raw[i] == brackets[1] {
			break
		}
		key, val := "", i
		if brackets[0] == '{' {
			end, v := rawjson.Key(raw, i)
			if v < 0 {
				return raw
			}
			key, _ = rawjson.Unquote(raw[i:end])
			val = v
		}
		end := rawjson.Skip(raw, val, rawjson.DefaultDepth)
		if end < 0 {
			return raw
		}
		v, drop := change(key, raw[val:end])
		if drop {
			dst.Grow(max(0, len(raw)-dst.Len()))
			dst.WriteString(raw[from:at])
			from = end
		} else {
			if first && from > 0 {
				from = i // all before it went, and so does the comma
			}
			first = false
			if v != raw[val:end] {
				dst.Grow(max(0, len(raw)-dst.Len()))
				dst.WriteString(raw[from:val])
				dst.WriteString(v)
				from = end
			}
		}
		i = end
	}
	if from == 0 {
		return raw
	}
	dst.WriteString(raw[from:])
	return dst.String()
}
