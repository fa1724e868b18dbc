package protocol

import (
	"cmp"
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
	var uri, mimeType, text, blob, meta string
	err = scan(typ, raw, span, want{"uri", &uri}, want{"mimeType", &mimeType}, want{"text", &text}, want{"blob", &blob},
		want{"annotations", &annotations}, want{"_meta", &meta})
	if !how.age.in(ages{age20250618, 0}) {
		meta = ""
	}
	err = cmp.Or(
		err,
		fault(typ, "uri", setString(&v.URI, uri, true)),
		fault(typ, "mimeType", setString(&v.MIMEType, mimeType, false)),
	)
	switch {
	case err != nil:
		return "", err
	case given(text) || !given(blob):
		err = fault(typ, "text", setString(&v.Text, text, true))
	default:
		v.Blob = new(string)
		err = fault(typ, "blob", setString(v.Blob, blob, true))
	}
	return annotations, cmp.Or(err, fault(typ, "_meta", setMeta(&v.Meta, meta)))
}

// Validate reports whether the contents can be sent. It is stricter than
// DecodeJSON: the uri has to be one, text has to be UTF-8 and a blob base64
// (resources, Resource Contents), and not both may be set (RES-008, RES-009, PROMPT-010).
func (v ResourceContents) Validate() error {
	err := v.validate()
	if err == nil && !utf8.ValidString(v.Text) {
		return fault("ResourceContents", "text", ReasonValue)
	}
	return err
}

// validate is Validate but for the text, which may be long.
func (v *ResourceContents) validate() error {
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
	}
	return fault(typ, "_meta", verifyMeta(v.Meta))
}
