package protocol

import (
	"strings"

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
// newer revisions have are left out, and content of newer types becomes text. All
// else stays byte for byte. lossy reports whether anything that the body said is
// lost. Bodies of methods outside the table, and what is no object, are returned
// as they are, and so is every body for the newest revision. Additions is the table
// that it follows.
func (r Revision) Downgrade(method string, kind BodyKind, raw Raw) (out Raw, lossy bool) {
	return r.t.downgrade(methodIndex(method), kind, raw)
}

// Downgrade is Revision.Downgrade for the revision and the method of the row.
func (r *Row) Downgrade(kind BodyKind, raw Raw) (out Raw, lossy bool) {
	if out = raw; r.of != revision20250618 { // so that this much is inlined
		out, lossy = r.of.downgrade(r.index, kind, raw)
	}
	return
}

func (t *revision) downgrade(method uint8, kind BodyKind, raw Raw) (Raw, bool) {
	if t == nil || kind > BodyResult || raw == "" {
		return raw, false
	}
	shape := shapeOf(bodyTypes[method][kind])
	if shape == shapeOpen {
		return raw, false
	}
	out, lossy := t.age.object(shape, string(raw))
	return Raw(out), lossy
}

// Addition is something that a revision added to the ones before it.
type Addition struct {
	Since  Revision // the first revision that has it
	Type   string   // the type of the schema
	Member string   // the member of Type that is left out; "" where the whole block becomes text
}

// Additions returns what Downgrade takes out, newest first: the members and content
// types that some revision of this library does not have.
func Additions() []Addition {
	var list []Addition
	for _, r := range Revisions() {
		for _, s := range shapes {
			for _, row := range s.members {
				if row.since > 0 && row.since == r.t.age {
					list = append(list, Addition{r, s.name, row.name})
				}
			}
		}
		for _, k := range contentKinds {
			if k.since == r.t.age {
				list = append(list, Addition{Since: r, Type: k.name})
			}
		}
	}
	return list
}

// age numbers the revisions from the oldest on.
type age uint8

const (
	age20241105 age = iota + 1
	age20250326
	age20250618
)

// shape is a type of the schema that has newer parts, or that leads to one.
type shape uint8

const (
	shapeOpen shape = iota // not looked into
	shapeInitializeParams
	shapeInitializeResult
	shapeClientCapabilities
	shapeServerCapabilities
	shapeImplementation
	shapeListToolsResult
	shapeTool
	shapeCallToolResult
	shapeContent
	shapeAnnotations
	shapeListResourcesResult
	shapeResource
	shapeListTemplatesResult
	shapeTemplate
	shapeReadResourceResult
	shapeResourceContents
	shapeListPromptsResult
	shapePrompt
	shapePromptArgument
	shapeGetPromptResult
	shapePromptMessage
	shapeCompleteParams
	shapeReference
	shapeCreateMessageParams
	shapeSamplingMessage
	shapeCreateMessageResult
	shapeListRootsResult
	shapeRoot
	shapeProgressParams
	shapeCount
)

// member is a member that matters: it is newer than the oldest revision, or its value,
// or each element of it, has a shape.
type member struct {
	name  string
	since age
	shape shape
}

const maxMembers = 4

// shapes are the changelogs of the revisions as data (changelog pages and schema.ts of
// 2025-03-26 and 2025-06-18).
var shapes = [shapeCount]struct {
	name    string
	members []member
}{
	shapeInitializeParams:   {"InitializeParams", []member{{"capabilities", 0, shapeClientCapabilities}, {"clientInfo", 0, shapeImplementation}}},
	shapeInitializeResult:   {"InitializeResult", []member{{"capabilities", 0, shapeServerCapabilities}, {"serverInfo", 0, shapeImplementation}}},
	shapeClientCapabilities: {"ClientCapabilities", []member{{"elicitation", age20250618, 0}}},
	shapeServerCapabilities: {"ServerCapabilities", []member{{"completions", age20250326, 0}}},
	shapeImplementation:     {"Implementation", []member{{"title", age20250618, 0}}},

	shapeListToolsResult: {"ListToolsResult", []member{{"tools", 0, shapeTool}}},
	shapeTool: {"Tool", []member{
		{"title", age20250618, 0}, {"outputSchema", age20250618, 0}, {"annotations", age20250326, 0}, {"_meta", age20250618, 0},
	}},
	shapeCallToolResult: {"CallToolResult", []member{{"content", 0, shapeContent}, {"structuredContent", age20250618, 0}}},
	shapeContent: {"ContentBlock", []member{
		{"type", 0, 0}, {"annotations", 0, shapeAnnotations}, {"resource", 0, shapeResourceContents}, {"_meta", age20250618, 0},
	}},
	shapeAnnotations: {"Annotations", []member{{"lastModified", age20250618, 0}}},

	shapeListResourcesResult: {"ListResourcesResult", []member{{"resources", 0, shapeResource}}},
	shapeResource:            {"Resource", []member{{"title", age20250618, 0}, {"annotations", 0, shapeAnnotations}, {"_meta", age20250618, 0}}},
	shapeListTemplatesResult: {"ListResourceTemplatesResult", []member{{"resourceTemplates", 0, shapeTemplate}}},
	shapeTemplate:            {"ResourceTemplate", []member{{"title", age20250618, 0}, {"annotations", 0, shapeAnnotations}, {"_meta", age20250618, 0}}},
	shapeReadResourceResult:  {"ReadResourceResult", []member{{"contents", 0, shapeResourceContents}}},
	shapeResourceContents:    {"ResourceContents", []member{{"_meta", age20250618, 0}}},

	shapeListPromptsResult: {"ListPromptsResult", []member{{"prompts", 0, shapePrompt}}},
	shapePrompt:            {"Prompt", []member{{"title", age20250618, 0}, {"arguments", 0, shapePromptArgument}, {"_meta", age20250618, 0}}},
	shapePromptArgument:    {"PromptArgument", []member{{"title", age20250618, 0}}},
	shapeGetPromptResult:   {"GetPromptResult", []member{{"messages", 0, shapePromptMessage}}},
	shapePromptMessage:     {"PromptMessage", []member{{"content", 0, shapeContent}}},
	shapeCompleteParams:    {"CompleteParams", []member{{"ref", 0, shapeReference}, {"context", age20250618, 0}}},
	shapeReference:         {"PromptReference", []member{{"title", age20250618, 0}}},

	shapeCreateMessageParams: {"CreateMessageParams", []member{{"messages", 0, shapeSamplingMessage}}},
	shapeSamplingMessage:     {"SamplingMessage", []member{{"content", 0, shapeContent}}},
	shapeCreateMessageResult: {"CreateMessageResult", []member{{"content", 0, shapeContent}}},
	shapeListRootsResult:     {"ListRootsResult", []member{{"roots", 0, shapeRoot}}},
	shapeRoot:                {"Root", []member{{"_meta", age20250618, 0}}},
	shapeProgressParams:      {"ProgressParams", []member{{"message", age20250326, 0}}},
}

// contentKinds are the types of content that not every revision has.
var contentKinds = [...]struct {
	kind, name string
	since      age
}{
	{ContentLink, "ResourceLink", age20250618},
	{ContentAudio, "AudioContent", age20250326},
}

// shapeOf returns the shape of a type.
func shapeOf(id typeID) shape {
	switch id {
	case idInitializeParams:
		return shapeInitializeParams
	case idInitializeResult:
		return shapeInitializeResult
	case idListToolsResult:
		return shapeListToolsResult
	case idCallToolResult:
		return shapeCallToolResult
	case idListResourcesResult:
		return shapeListResourcesResult
	case idListResourceTemplatesResult:
		return shapeListTemplatesResult
	case idReadResourceResult:
		return shapeReadResourceResult
	case idListPromptsResult:
		return shapeListPromptsResult
	case idGetPromptResult:
		return shapeGetPromptResult
	case idCompleteParams:
		return shapeCompleteParams
	case idListRootsResult:
		return shapeListRootsResult
	case idCreateMessageParams:
		return shapeCreateMessageParams
	case idCreateMessageResult:
		return shapeCreateMessageResult
	case idProgressParams:
		return shapeProgressParams
	}
	return shapeOpen
}

// value returns raw, a value of the shape or an array of such, for a peer of age a.
func (a age) value(s shape, raw string) (out string, lossy bool) {
	if raw[0] != '[' {
		return a.object(s, raw)
	}
	list, _ := rawjson.Elements(raw)
	var dst strings.Builder
	last, i := 0, 1 // copied up to; where the next element can start
	for {
		val, ok := list.Next()
		if !ok {
			break
		}
		if i = rawjson.Space(raw, i); raw[i] == ',' {
			i = rawjson.Space(raw, i+1)
		}
		v, lost := a.object(s, val)
		if v != val {
			if last == 0 {
				dst.Grow(len(raw)) // what is left out makes room for most of what is added
			}
			dst.WriteString(raw[last:i])
			dst.WriteString(v)
			last = i + len(val)
		}
		lossy = lossy || lost
		i += len(val)
	}
	if last == 0 || list.Bad() {
		return raw, lossy && !list.Bad()
	}
	dst.WriteString(raw[last:])
	return dst.String(), lossy
}

// object returns raw, an object of the shape, for a peer of age a.
func (a age) object(s shape, raw string) (out string, lossy bool) {
	o, _ := rawjson.Members(raw)
	rows := shapes[s].members
	var vals [maxMembers]string
	for {
		key, val, ok := o.Next()
		if !ok {
			break
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
	if s == shapeContent {
		if text, ok := a.asText(raw, vals[0], vals[1]); ok {
			return text, true
		}
	}
	out = raw
	for i, row := range rows {
		val := vals[i]
		switch {
		case val == "":
		case row.since > a:
			out = rawjson.Set(out, row.name, "")
			lossy = lossy || val != "null"
		case row.shape != shapeOpen:
			v, lost := a.value(row.shape, val)
			if v != val {
				out = rawjson.Set(out, row.name, v)
			}
			lossy = lossy || lost
		}
	}
	return out, lossy
}

// asText returns the content block raw as text if its type is newer than a.
func (a age) asText(raw, quoted, annotations string) (text string, ok bool) {
	kind, _ := rawjson.Unquote(quoted)
	for _, k := range contentKinds {
		if k.kind != kind || k.since <= a {
			continue
		}
		var c Content
		if c.DecodeJSON(Raw(raw), jsonrpc.Span{}) != nil {
			return raw, false
		}
		dst := rawjson.AppendQuote([]byte(`{"type":"text","text":`), describe(&c))
		if given(annotations) {
			annotations, _ = a.object(shapeAnnotations, annotations)
			dst = append(append(dst, `,"annotations":`...), annotations...)
		}
		return string(append(dst, '}')), true
	}
	return raw, false
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
