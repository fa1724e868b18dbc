package protocol

import (
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// AppendJSON appends the reference as JSON to dst.
func (v Reference) AppendJSON(dst []byte) []byte {
	dst = rawjson.AppendQuote(append(dst, `{"type":`...), v.Type)
	if v.Type == RefPrompt {
		dst = rawjson.AppendQuote(append(dst, `,"name":`...), v.Name)
		if v.Title != "" {
			dst = rawjson.AppendQuote(append(dst, `,"title":`...), v.Title)
		}
	} else {
		dst = rawjson.AppendQuote(append(dst, `,"uri":`...), v.URI)
	}
	return append(dst, '}')
}

// DecodeJSON reads a reference of either type. The error is a *DecodeError.
func (v *Reference) DecodeJSON(raw Raw, span jsonrpc.Span) error {
	const typ = "Reference"
	*v = Reference{}
	o, ok := members(raw, span)
	if !ok {
		return fault(typ, "", ReasonType)
	}
	var kind, name, title, uri string
	for {
		key, val, ok := o.Next()
		if !ok {
			break
		}
		switch key {
		case "type":
			kind = val
		case "name":
			name = val
		case "title":
			title = val
		case "uri":
			uri = val
		}
	}
	if o.Bad() {
		return fault(typ, "", ReasonSyntax)
	}
	if r := setString(&v.Type, kind, true); r != 0 {
		return fault(typ, "type", r)
	}
	switch v.Type {
	case RefPrompt:
		if r := setString(&v.Name, name, true); r != 0 {
			return fault(typ, "name", r)
		}
		if r := setString(&v.Title, title, false); r != 0 {
			return fault(typ, "title", r)
		}
		return nil
	case RefResource:
		if r := setString(&v.URI, uri, true); r != 0 {
			return fault(typ, "uri", r)
		}
		return nil
	}
	return fault(typ, "type", ReasonValue)
}

// Validate reports whether the reference can be sent: its type is one of the two
// and nothing of the other type is set.
func (v Reference) Validate() error {
	const typ = "Reference"
	switch {
	case v.Type != RefPrompt && v.Type != RefResource:
		return fault(typ, "type", ReasonValue)
	case v.Type == RefPrompt && v.URI != "":
		return fault(typ, "uri", ReasonConflict)
	case v.Type == RefResource && v.Name+v.Title != "":
		return fault(typ, "name", ReasonConflict)
	case verifyName(v.Name) != 0:
		return fault(typ, "name", ReasonUTF8)
	case verifyName(v.URI) != 0:
		return fault(typ, "uri", ReasonUTF8)
	}
	return nil
}
