package protocol

import (
	"unicode/utf8"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// AppendJSON appends the contents as JSON to dst.
func (v ResourceContents) AppendJSON(dst []byte) []byte {
	dst = rawjson.AppendQuote(append(dst, `{"uri":`...), v.URI)
	if v.MIMEType != "" {
		dst = rawjson.AppendQuote(append(dst, `,"mimeType":`...), v.MIMEType)
	}
	if v.Blob != nil {
		dst = rawjson.AppendQuote(append(dst, `,"blob":`...), *v.Blob)
	} else {
		dst = rawjson.AppendQuote(append(dst, `,"text":`...), v.Text)
	}
	if v.Meta != "" {
		dst = append(append(dst, `,"_meta":`...), v.Meta...)
	}
	return append(dst, '}')
}

// DecodeJSON reads text or blob contents; where both are there, the text counts.
// The error is a *DecodeError.
func (v *ResourceContents) DecodeJSON(raw Raw, span jsonrpc.Span) error {
	return v.read(raw, span, mode{})
}

// read is DecodeJSON in the given mode.
func (v *ResourceContents) read(raw Raw, span jsonrpc.Span, how mode) error {
	_, err := v.decode(raw, span, how)
	return err
}

// decode also returns the text of a member annotations.
func (v *ResourceContents) decode(raw Raw, span jsonrpc.Span, how mode) (annotations string, err error) {
	const typ = "ResourceContents"
	*v = ResourceContents{}
	var o rawjson.Object
	if !members(&o, raw, span) {
		return "", fault(typ, "", ReasonType)
	}
	var uri, mimeType, text, blob, meta string
	for {
		key, val, ok := o.Next()
		if !ok {
			break
		}
		switch key {
		case "uri":
			uri = val
		case "mimeType":
			mimeType = val
		case "text":
			text = val
		case "blob":
			blob = val
		case "annotations":
			annotations = val
		case "_meta":
			if how.age.in(ages{age20250618, 0}) {
				meta = val
			}
		}
	}
	if o.Bad() {
		return "", fault(typ, "", ReasonSyntax)
	}
	if r := setString(&v.URI, uri, true); r != 0 {
		return "", fault(typ, "uri", r)
	}
	if r := setString(&v.MIMEType, mimeType, false); r != 0 {
		return "", fault(typ, "mimeType", r)
	}
	if given(text) || !given(blob) {
		if r := setString(&v.Text, text, true); r != 0 {
			return "", fault(typ, "text", r)
		}
	} else {
		v.Blob = new(string)
		if r := setString(v.Blob, blob, true); r != 0 {
			return "", fault(typ, "blob", r)
		}
	}
	if r := setMeta(&v.Meta, meta); r != 0 {
		return "", fault(typ, "_meta", r)
	}
	return annotations, nil
}

// Validate reports whether the contents can be sent. It is stricter than
// DecodeJSON: the uri has to be one, text has to be UTF-8 and a blob base64
// (resources, Resource Contents), and not both may be set (RES-008, RES-009, PROMPT-010).
func (v ResourceContents) Validate() error {
	const typ = "ResourceContents"
	switch {
	case !ValidURI(v.URI):
		return fault(typ, "uri", ReasonValue)
	case verifyName(v.MIMEType) != 0:
		return fault(typ, "mimeType", ReasonUTF8)
	case v.Blob != nil && v.Text != "":
		return fault(typ, "blob", ReasonConflict)
	case v.Blob != nil && !validBase64(*v.Blob):
		return fault(typ, "blob", ReasonValue)
	case !utf8.ValidString(v.Text):
		return fault(typ, "text", ReasonValue)
	}
	if r := verifyMeta(v.Meta); r != 0 {
		return fault(typ, "_meta", r)
	}
	return nil
}
