package protocol

import (
	"slices"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// representable returns an error for a body that Downgrade cannot turn into one of the
// revision: a message to or from a model with more or less than one block, or with tools
// used, a form with a field that takes several values, several values for a field, and an
// elicitation by url, before 2025-11-25. The error is a *DecodeError with ReasonRevision.
func (r *Row) representable(kind BodyKind, raw Raw) error {
	if r.modes() {
		return nil
	}
	switch {
	case r.Method == MethodSamplingCreateMessage && kind == BodyResult:
		content, _ := rawjson.Get(string(raw), "content")
		if !oneBlock(content) {
			return fault("CreateMessageResult", "content", ReasonRevision)
		}
	case r.Method == MethodSamplingCreateMessage && kind == BodyParams:
		messages, _ := rawjson.Get(string(raw), "messages")
		list, _ := rawjson.Elements(messages)
		n := -1
		for val := range list.All {
			n++
			if content, _ := rawjson.Get(val, "content"); !oneBlock(content) {
				return fault("CreateMessageParams", item("messages", n)+".content", ReasonRevision)
			}
		}
	case r.Method == MethodElicitationCreate && kind == BodyResult:
		content, _ := rawjson.Get(string(raw), "content")
		fields, _ := rawjson.Members(content)
		for _, val := range fields.All {
			if val[0] == '[' { // ELIC-128
				return fault("ElicitResult", "content.*", ReasonRevision)
			}
		}
	case r.Method == MethodElicitationCreate && kind == BodyParams:
		var v ElicitParams
		switch err := v.DecodeJSON(raw, jsonrpc.Span{}); {
		case err != nil:
			return err
		case v.Mode == ElicitURL:
			return fault("ElicitParams", "mode", ReasonRevision)
		default:
			several := func(p Property) bool { return p.Schema.Type == TypeArray }
			if i := slices.IndexFunc(v.RequestedSchema.Properties, several); i >= 0 {
				return fault("ElicitParams", "requestedSchema."+item("properties", i)+".type", ReasonRevision)
			}
		}
	}
	return nil
}

// oneBlock reports whether content is one block, with or without brackets, of a type that
// models had from the start.
func oneBlock(content string) bool {
	block := single(content)
	kind := rawjson.Text(block, "type")
	return content == "" || block[0] == '{' && kind != ContentToolUse && kind != ContentToolResult
}

// field returns raw, the schema of a field of a form, for a peer of age a.
func (a age) field(raw string) (out string, lossy bool) {
	var v PrimitiveSchema
	_, titled := rawjson.Get(raw, "oneOf")
	if _, preset := rawjson.Get(raw, "default"); !titled && !preset { // all others are in every revision
		return raw, false
	}
	if a.in(ages{age20251125, 0}) || v.DecodeJSON(Raw(raw), jsonrpc.Span{}) != nil {
		return raw, false
	}
	out = raw
	if v.Type == TypeString && v.Choices != nil {
		enum, names := make([]byte, 1, len(raw)), make([]byte, 1, len(raw))
		enum[0], names[0] = '[', '['
		for i, c := range v.Choices {
			if i > 0 {
				enum, names = append(enum, ','), append(names, ',')
			}
			enum, names = rawjson.AppendQuote(enum, c.Value), rawjson.AppendQuote(names, c.Title)
		}
		out = rawjson.Set(out, "oneOf", "")
		out = rawjson.Set(out, "enum", string(append(enum, ']')))
		out = rawjson.Set(out, "enumNames", string(append(names, ']')))
	}
	if v.Default != "" && v.Type != TypeBoolean {
		return rawjson.Set(out, "default", ""), true
	}
	return out, false
}

// DowngradeError returns an error as the revision has it, and whether anything is lost:
// revisions before 2025-11-25 lack CodeURLElicitationRequired (ERR-103), from 2026-07-28 on pages are asked for
// (Row.AsksPages), a missing resource is an invalid param (ERR-207), and the codes that it keeps for itself are
// for what it says (ERR-204).
func (r Revision) DowngradeError(e jsonrpc.Error) (_ jsonrpc.Error, lossy bool) {
	if e.Code == CodeURLElicitationRequired && r.t != nil && !r.t.age.in(ages{age20251125, age20260728}) {
		return InternalError("an elicitation by url is needed"), true
	}
	if !r.Stateless() {
		return e, false
	}
	if e.Code == CodeResourceNotFound {
		e.Code = jsonrpc.CodeInvalidParams
	}
	if reserved(e) {
		e.Code, lossy = jsonrpc.CodeInternalError, true
	}
	return e, lossy
}

// reserved reports whether an error has a code that from 2026-07-28 on stands for something else, or for nothing yet.
func reserved(e jsonrpc.Error) bool {
	if e.Code == CodeMissingCapability {
		needs, _ := rawjson.Get(string(e.Data), "requiredCapabilities")
		return rawjson.Type(needs) != "object"
	}
	return -32099 <= e.Code && e.Code <= -32020
}

// AsksPages returns what a result of the method asks in place of a URLElicitationRequired, which there is only in
// sessions: each page under its id. It is nil for any other error, and where results do not ask (ERR-208).
func (r *Row) AsksPages(e *jsonrpc.Error) *InputRequired {
	if e == nil || e.Code != CodeURLElicitationRequired || !r.Asks || !r.Revision().Stateless() {
		return nil
	}
	list, err := URLElicitations(*e)
	if err != nil || len(list) == 0 {
		return nil
	}
	ask, seen := new(InputRequired), make(map[string]bool, len(list))
	for _, p := range list {
		if !seen[p.ElicitationID] {
			seen[p.ElicitationID] = true
			ask.Questions = append(ask.Questions, Question{p.ElicitationID, p})
		}
	}
	return ask
}
