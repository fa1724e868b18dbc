package protocol

import (
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// BodyKind tells the two bodies of a method apart.
type BodyKind uint8

// The bodies.
const (
	BodyParams BodyKind = iota // the params of a request or notification
	BodyResult                 // the result of a request
)

// Downgrade returns a body of the method as the revision has it: members that only
// newer revisions have are left out, and so are values of kinds that only they take in a member;
// content of newer types becomes text. All
// else stays byte for byte. lossy reports whether anything that the body said is
// lost. Bodies of methods outside the table, and those that are not objects, are
// returned as they are, and so is every body for a revision that has all that others have.
// Additions is the table of new members that it follows.
func (r Revision) Downgrade(method string, kind BodyKind, raw Raw) (out Raw, lossy bool) {
	if r.t == nil || !r.t.trims {
		return raw, false
	}
	return r.t.downgrade(methodIndex(method), kind, raw, jsonrpc.Span{})
}

// Downgrade is Revision.Downgrade for the revision and the method of the row.
func (r *Row) Downgrade(kind BodyKind, raw Raw) (out Raw, lossy bool) {
	return r.DowngradeAt(kind, raw, jsonrpc.Span{})
}

// DowngradeAt is Downgrade for a body of which a member at span is known to be valid, as its message said: where the
// revision lacks nothing in such a member, it is not read.
func (r *Row) DowngradeAt(kind BodyKind, raw Raw, span jsonrpc.Span) (out Raw, lossy bool) {
	if out = raw; r.trims>>kind&1 != 0 { // so that this much is inlined
		out, lossy = r.of.downgrade(r.index, kind, raw, span)
	}
	return
}

func (t *revision) downgrade(method uint8, kind BodyKind, raw Raw, span jsonrpc.Span) (Raw, bool) {
	if raw == "" || kind > BodyResult || bodyTypes[method][kind].members() == nil {
		return raw, false
	}
	out, lossy := t.age.object(bodyTypes[method][kind], string(raw), span)
	return Raw(out), lossy
}

// Addition is something that a revision added to the ones before it.
type Addition struct {
	Since  Revision // the first revision that has it
	Type   string   // the type of the schema
	Member string   // the member of Type that is left out; "" where the whole block becomes text
}

// Additions returns what Downgrade takes out for revisions that are too old, newest first.
func Additions() (list []Addition) {
	for _, r := range revisions {
		for typ, row := range differences {
			if row.ages.since == r.t.age {
				list = append(list, Addition{r, typ, row.name})
			}
		}
	}
	return list
}

// differences yields the members and types of content that not every revision has as they are, with
// the names of their types.
func differences(yield func(string, member) bool) {
	for _, s := range shapes {
		for _, row := range s.members {
			if (row.ages != (ages{}) || row.loose != 0) && !yield(s.name, row) {
				return
			}
		}
	}
	for _, k := range contentKinds {
		if !yield(k.name, member{ages: k.ages}) {
			return
		}
	}
}

// trims reports whether some revision has what a does not have.
func (a age) trims() bool {
	for _, row := range differences {
		if !a.in(row.ages) || !a.in(ages{row.loose, 0}) {
			return true
		}
	}
	return false
}

// lacking says of each age and type what lacks does: most values need no look inside.
var lacking = func() (t [ageEnd][idSamplingContent + 1]bool) {
	for a := age20241105; a < ageEnd; a++ {
		for id := range t[a] {
			t[a][id] = a.lacks(typeID(id), new([idSamplingContent + 1]bool))
		}
	}
	return t
}()

// lacks reports whether a value of the type can have in it what a does not have. The types
// of seen are answered for elsewhere.
func (a age) lacks(id typeID, seen *[idSamplingContent + 1]bool) bool {
	if seen[id] {
		return false
	}
	seen[id] = true
	switch id {
	case idFields:
		return a.lacks(idPrimitiveSchema, seen)
	case idContent, idSamplingContent:
		for _, k := range contentKinds {
			if ofModel := k.kind == ContentToolUse || k.kind == ContentToolResult; !a.in(k.ages) && (id == idSamplingContent || !ofModel) {
				return true
			}
		}
		if a.lacks(idResource, seen) || id == idSamplingContent && a.lacks(idToolResult, seen) { // of which blocks have the members
			return true
		}
	}
	for _, row := range id.members() {
		if !a.in(row.ages) || !a.in(ages{row.arrays, 0}) || !a.in(ages{row.loose, 0}) || a.lacks(row.of, seen) {
			return true
		}
	}
	return false
}

// shape is a type of the schema as Downgrade sees it, generated from its Go type.
type shape struct {
	name    string // of the type in the schema
	members []member
}

// member is a member that matters: some revision does not have it, or its value, or each
// element of it, has such members.
type member struct {
	name   string
	ages   ages
	of     typeID
	arrays age                   // the first revision in which it may be an array as well as one value; 0 if that makes no difference
	loose  age                   // the first revision in which it may be anything; 0 if that makes no difference
	plain  func(val string) bool // whether the revisions before loose have a value; nil without loose
}

// contentKind is a type of content that not every revision has.
type contentKind struct {
	kind, name string
	ages       ages
}

// value returns raw, a value of the type or an array or, for idFields, an object of such,
// for a peer of age a.
func (a age) value(id typeID, raw string) (out string, lossy bool) {
	brackets := "[]"
	switch {
	case id == idFields:
		id, brackets = idPrimitiveSchema, "{}"
	case raw[0] != '[':
		return a.object(id, raw, jsonrpc.Span{})
	}
	out = rewrite(raw, brackets, func(_, val string) (string, bool) {
		v, lost := a.object(id, val, jsonrpc.Span{})
		lossy = lossy || lost
		return v, false
	})
	return out, lossy && rawjson.Valid(raw)
}

// object returns raw, an object of the shape, for a peer of age a. What lies at span is valid.
func (a age) object(id typeID, raw string, span jsonrpc.Span) (out string, lossy bool) {
	o, _ := rawjson.Members(raw)
	o.Jump(int(span.Start), int(span.End))
	rows := id.members()
	kind := ""
	var vals [maxMembers]string
	for key, val := range o.All {
		if key == "type" {
			kind = val
		}
		for i := range rows {
			if rows[i].name == key {
				vals[i] = val
			}
		}
	}
	if o.Bad() {
		return raw, false
	}
	switch id {
	case idPrimitiveSchema:
		return a.field(raw)
	case idContent, idSamplingContent:
		switch name, _ := rawjson.Unquote(kind); {
		case id == idContent && (name == ContentToolUse || name == ContentToolResult): // nobody knows it here
		case !a.hasKind(name):
			if text, ok := a.asText(raw); ok {
				return text, true
			}
		case name == ContentToolResult:
			return a.object(idToolResult, raw, span) // as a link those of the resource
		case name == ContentLink:
			return a.object(idResource, raw, span) // the members of the resource are those of the block
		}
	}
	out = raw
	for i, row := range rows {
		val := vals[i]
		switch {
		case val == "":
		case !a.in(row.ages), !a.in(ages{row.loose, 0}) && given(val) && !row.plain(val):
			out = rawjson.Set(out, row.name, "")
			lossy = lossy || val != "null"
		case row.of != idOpen && (lacking[a][row.of] || !a.in(ages{row.arrays, 0})):
			if !a.in(ages{row.arrays, 0}) {
				val = single(val)
			}
			v, lost := a.value(row.of, val)
			if v != vals[i] {
				out = rawjson.Set(out, row.name, v)
			}
			lossy = lossy || lost
		}
	}
	return out, lossy
}

// hasKind reports whether a has the type of content, if any revision has it.
func (a age) hasKind(name string) bool {
	for _, k := range contentKinds {
		if k.kind == name {
			return a.in(k.ages)
		}
	}
	return true
}

// asText returns a content block as text, if it is a good one.
func (a age) asText(raw string) (text string, ok bool) {
	var c Content
	if kind, _ := rawjson.Get(raw, "type"); kind == `"tool_result"` { // whose parts are not told
		if c.read(Raw(raw), jsonrpc.Span{}, mode{skim: true}) != nil {
			return raw, false
		}
		c = Content{Type: ContentToolResult}
	} else if c.DecodeJSON(Raw(raw), jsonrpc.Span{}) != nil {
		return raw, false
	}
	dst := rawjson.AppendQuote([]byte(`{"type":"text","text":`), describe(&c))
	if annotations, _ := rawjson.Get(raw, "annotations"); given(annotations) {
		annotations, _ = a.object(idAnnotations, annotations, jsonrpc.Span{})
		dst = append(append(dst, `,"annotations":`...), annotations...)
	}
	return string(append(dst, '}')), true
}

// members returns what Downgrade looks for in a value of the type, nil for nothing.
func (id typeID) members() []member {
	if id == idSamplingContent {
		id = idContent
	}
	if int(id) < len(shapes) {
		return shapes[id].members
	}
	return nil
}

// single returns the element of an array of one, and anything else as it is.
func single(raw string) string {
	list, ok := rawjson.Elements(raw)
	if !ok {
		return raw
	}
	only, ok := list.Next()
	if _, more := list.Next(); !ok || more || list.Bad() {
		return raw
	}
	return only
}

// describe says in words what a block holds.
func describe(c *Content) string {
	switch {
	case c.Link != nil && c.Link.Description != "":
		return c.Link.DisplayName() + " (" + c.Link.URI + "): " + c.Link.Description
	case c.Link != nil:
		return c.Link.DisplayName() + " (" + c.Link.URI + ")"
	case c.Media != nil:
		return "[" + c.Type + ": " + c.Media.MIMEType + "]"
	}
	return "[" + c.Type + "]"
}
