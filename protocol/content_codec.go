package protocol

import (
	"cmp"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// AppendJSON appends the block as JSON to dst.
func (v Content) AppendJSON(dst []byte) []byte {
	if v.toolBlock() && v.Raw == "" {
		return v.appendTool(dst)
	}
	return v.appendOrdinary(dst)
}

// appendOrdinary is AppendJSON for a block that has no blocks in it: the hot path needs a
// function that does not call itself, for only then dst may stay on the stack.
func (v *Content) appendOrdinary(dst []byte) []byte {
	switch v.Type {
	case ContentText:
		dst = append(dst, `{"type":"text","text":`...)
		dst = rawjson.AppendQuote(dst, v.Text)
	case ContentImage:
		dst = v.Media.appendMembers(append(dst, `{"type":"image"`...))
	case ContentAudio:
		dst = v.Media.appendMembers(append(dst, `{"type":"audio"`...))
	case ContentLink:
		var r Resource
		if v.Link != nil {
			r = *v.Link
		}
		dst = append(dst, `{"type":"resource_link"`...)
		n := len(dst)
		dst = r.AppendJSON(dst)
		dst[n] = ',' // the members of the resource are those of the block
		return dst
	case ContentEmbedded:
		var r ResourceContents
		if v.Resource != nil {
			r = *v.Resource
		}
		dst = r.AppendJSON(append(dst, `{"type":"resource","resource":`...))
	default:
		if v.Raw != "" {
			return append(dst, v.Raw...)
		}
		dst = rawjson.AppendQuote(append(dst, `{"type":`...), v.Type)
	}
	if v.Annotations != nil {
		dst = v.Annotations.AppendJSON(append(dst, `,"annotations":`...))
	}
	if v.Meta != "" {
		dst = append(append(dst, `,"_meta":`...), v.Meta...)
	}
	return append(dst, '}')
}

func (m *Media) appendMembers(dst []byte) []byte {
	if m == nil {
		m = &Media{}
	}
	dst = rawjson.AppendQuote(append(dst, `,"data":`...), m.Data)
	return rawjson.AppendQuote(append(dst, `,"mimeType":`...), m.MIMEType)
}

// DecodeJSON reads a block of any type. The error is a *DecodeError.
func (v *Content) DecodeJSON(raw Raw, span jsonrpc.Span) error { return v.read(raw, span, mode{}) }

// read is DecodeJSON in the given mode. With skim, what v would point to is checked and
// not built.
func (v *Content) read(raw Raw, span jsonrpc.Span, how mode) error {
	const typ = "Content"
	*v = Content{}
	if text, end := plainText(string(raw), 0); end == len(raw) {
		v.Type = ContentText
		if !how.skim {
			v.Text, _ = rawjson.Unquote(text)
		}
		return nil
	}
	var kind, text, data, mimeType, resource, annotations, meta string
	err := scan(typ, raw, span, want{"type", &kind}, want{"text", &text}, want{"data", &data}, want{"mimeType", &mimeType},
		want{"resource", &resource}, want{"annotations", &annotations}, want{"_meta", &meta})
	if err == nil {
		err = fault(typ, "type", setString(&v.Type, kind, true))
	}
	if err != nil {
		return err
	}
	if !how.age.in(ages{age20250618, 0}) {
		meta = ""
	}
	// SAMP-004, SAMP-108, SAMP-026
	if how.place == sampling && (!v.samplingType() || !how.age.hasKind(v.Type) && v.toolBlock()) {
		return fault(typ, "type", ReasonValue)
	}
	if how.place == ordinary && v.toolBlock() {
		v.Raw = raw // a block of a type that nobody knows here
		return nil
	}
	how.place = anywhere // what is inside stands elsewhere
	switch v.Type {
	case ContentText:
		err = fault(typ, "text", setString(into(&v.Text, how.skim), text, true))
	case ContentImage, ContentAudio:
		var media Media
		err = cmp.Or(
			fault(typ, "data", setString(into(&media.Data, how.skim), data, true)),
			fault(typ, "mimeType", setString(into(&media.MIMEType, how.skim), mimeType, true)),
		)
		v.Media = built(media, how)
	case ContentLink:
		var link Resource
		err = link.read(raw, span, how)
		v.Link = built(link, how)
		return within(typ, "", err)
	// SCHEMA-016
	case ContentEmbedded:
		if !given(resource) {
			return fault(typ, "resource", lack(resource, true))
		}
		var contents ResourceContents
		var inner string
		inner, err = contents.decode(Raw(resource), jsonrpc.Span{}, how)
		err = within(typ, "resource", err)
		v.Resource = built(contents, how)
		// An example of the specification has the annotations in there.
		if !given(annotations) && given(inner) {
			annotations = inner
		}
	case ContentToolUse:
		var use ToolUse
		err = within(typ, "", use.read(raw, span, how))
		v.ToolUse, annotations = built(use, how), ""
	case ContentToolResult:
		var r ToolResult
		err = within(typ, "", r.read(raw, span, how))
		v.ToolResult, annotations = built(r, how), ""
	default:
		v.Raw = raw
		return nil
	}
	if err == nil && given(annotations) {
		var notes Annotations
		err = within(typ, "annotations", notes.read(Raw(annotations), jsonrpc.Span{}, how))
		v.Annotations = built(notes, how)
	}
	return cmp.Or(err, fault(typ, "_meta", setMeta(&v.Meta, meta)))
}

// Validate reports whether the block can be sent. It is stricter than DecodeJSON:
// data has to be base64 and a MIME type has to have the form of one (prompts,
// Image Content).
func (v Content) Validate() error {
	const typ = "Content"
	var err error
	switch v.Type {
	case "":
		return fault(typ, "type", ReasonMissing)
	case ContentText:
	// PROMPT-008, PROMPT-009
	case ContentImage, ContentAudio:
		switch {
		case v.Media == nil:
			return fault(typ, "data", ReasonMissing)
		case !validBase64(v.Media.Data):
			return fault(typ, "data", ReasonValue)
		case !validMIMEType(v.Media.MIMEType):
			return fault(typ, "mimeType", ReasonValue)
		}
	case ContentLink:
		if v.Link == nil {
			return fault(typ, "uri", ReasonMissing)
		}
		return within(typ, "", v.Link.Validate())
	case ContentEmbedded:
		if v.Resource == nil {
			return fault(typ, "resource", ReasonMissing)
		}
		err = within(typ, "resource", v.Resource.Validate())
	case ContentToolUse:
		if v.ToolUse == nil {
			return fault(typ, "id", ReasonMissing)
		}
		err = within(typ, "", v.ToolUse.Validate())
	case ContentToolResult:
		if v.ToolResult == nil {
			return fault(typ, "toolUseId", ReasonMissing)
		}
		err = within(typ, "", v.ToolResult.Validate())
	default:
		return v.validateRaw()
	}
	if err == nil && v.Annotations != nil {
		err = within(typ, "annotations", v.Annotations.Validate())
	}
	return cmp.Or(err, fault(typ, "_meta", verifyMeta(v.Meta)))
}

// validateRaw checks a block of an unknown type.
func (v Content) validateRaw() error {
	const typ = "Content"
	if v.Raw == "" {
		return fault(typ, "type", ReasonValue)
	}
	var kind string
	val, _ := rawjson.Get(string(v.Raw), "type")
	if err := cmp.Or(fault(typ, "", verifyObject(v.Raw)), fault(typ, "type", setString(&kind, val, true))); err != nil {
		return err
	}
	if kind != v.Type {
		return fault(typ, "type", ReasonConflict)
	}
	return nil
}

// unknown reports whether the block is of a kind that the schema does not have.
func (v *Content) unknown() bool { return v.Raw != "" }
