package protocol

import (
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// oneBlock reports whether content is one block, with or without brackets, of a type that
// models had from the start.
func oneBlock(content string) bool {
	block := single(content)
	quoted, _ := rawjson.Get(block, "type")
	kind, _ := rawjson.Unquote(quoted)
	return content == "" || block[0] == '{' && kind != ContentToolUse && kind != ContentToolResult
}

// field returns raw, the schema of a field of a form, for a peer of age a.
func (a age) field(raw string) (out string, lossy bool) {
	var v PrimitiveSchema
	if a.in(ages{age20251125, 0}) || v.DecodeJSON(Raw(raw), jsonrpc.Span{}) != nil {
		return raw, false
	}
	out = raw
	if v.Type == TypeString && v.Choices != nil {
		var values, titles []string
		for _, c := range v.Choices {
			values, titles = append(values, c.Value), append(titles, c.Title)
		}
		out = rawjson.Set(out, "oneOf", "")
		out = rawjson.Set(out, "enum", string(appendStrings(nil, values)))
		out = rawjson.Set(out, "enumNames", string(appendStrings(nil, titles)))
	}
	if v.Default != "" && v.Type != TypeBoolean {
		return rawjson.Set(out, "default", ""), true
	}
	return out, false
}

// DowngradeError returns an error as the revision has it, and whether anything is lost:
// before 2025-11-25 nobody knows CodeURLElicitationRequired.
func (r Revision) DowngradeError(e jsonrpc.Error) (_ jsonrpc.Error, lossy bool) {
	if e.Code == CodeURLElicitationRequired && r.t != nil && !r.t.age.in(ages{age20251125, 0}) {
		return InternalError("an elicitation by url is needed"), true
	}
	return e, false
}
