package protocol

import (
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
	var o rawjson.Object
	if !members(&o, raw, span) {
		return fault(typ, "", ReasonType)
	}
	var kind, text, data, mimeType, resource, annotations, meta string
	for {
		key, val, ok := o.Next()
		if !ok {
			break
		}
		switch key {
		case "type":
			kind = val
		case "text":
			text = val
		case "data":
			data = val
		case "mimeType":
			mimeType = val
		case "resource":
			resource = val
		case "annotations":
			annotations = val
		case "_meta":
			if how.age.in(ages{age20250618, 0}) {
				meta = val
			}
		}
	}
	if o.Bad() {
		return fault(typ, "", ReasonSyntax)
	}
	if r := setString(&v.Type, kind, true); r != 0 {
		return fault(typ, "type", r)
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
		if r := setString(into(&v.Text, how.skim), text, true); r != 0 {
			return fault(typ, "text", r)
		}
	case ContentImage, ContentAudio:
		var media Media
		if r := setString(into(&media.Data, how.skim), data, true); r != 0 {
			return fault(typ, "data", r)
		}
		if r := setString(into(&media.MIMEType, how.skim), mimeType, true); r != 0 {
			return fault(typ, "mimeType", r)
		}
		if !how.skim {
			v.Media = Ptr(media)
		}
	case ContentLink:
		var link Resource
		if err := link.read(raw, span, how); err != nil {
			return within(typ, "", err)
		}
		if !how.skim {
			v.Link = Ptr(link)
		}
		return nil
	// SCHEMA-016
	case ContentEmbedded:
		if r := lack(resource, true); !given(resource) {
			return fault(typ, "resource", r)
		}
		var contents ResourceContents
		inner, err := contents.decode(Raw(resource), jsonrpc.Span{}, how)
		if err != nil {
			return within(typ, "resource", err)
		}
		if !how.skim {
			v.Resource = Ptr(contents)
		}
		// An example of the specification has the annotations in there.
		if !given(annotations) && given(inner) {
			annotations = inner
		}
	case ContentToolUse:
		var use ToolUse
		if err := use.read(raw, span, how); err != nil {
			return within(typ, "", err)
		}
		if !how.skim {
			v.ToolUse = Ptr(use)
		}
		annotations = ""
	case ContentToolResult:
		var r ToolResult
		if err := r.read(raw, span, how); err != nil {
			return within(typ, "", err)
		}
		if !how.skim {
			v.ToolResult = Ptr(r)
		}
		annotations = ""
	default:
		v.Raw = raw
		return nil
	}
	if given(annotations) {
		var notes Annotations
		if err := notes.read(Raw(annotations), jsonrpc.Span{}, how); err != nil {
			return within(typ, "annotations", err)
		}
		if !how.skim {
			v.Annotations = Ptr(notes)
		}
	}
	if r := setMeta(&v.Meta, meta); r != 0 {
		return fault(typ, "_meta", r)
	}
	return nil
}

// Validate reports whether the block can be sent. It is stricter than DecodeJSON:
// data has to be base64 and a MIME type has to have the form of one (prompts,
// Image Content).
func (v Content) Validate() error {
	const typ = "Content"
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
		if err := v.Link.Validate(); err != nil {
			return within(typ, "", err)
		}
		return nil
	case ContentEmbedded:
		if v.Resource == nil {
			return fault(typ, "resource", ReasonMissing)
		}
		if err := v.Resource.Validate(); err != nil {
			return within(typ, "resource", err)
		}
	case ContentToolUse:
		if v.ToolUse == nil {
			return fault(typ, "id", ReasonMissing)
		}
		if err := v.ToolUse.Validate(); err != nil {
			return within(typ, "", err)
		}
	case ContentToolResult:
		if v.ToolResult == nil {
			return fault(typ, "toolUseId", ReasonMissing)
		}
		if err := v.ToolResult.Validate(); err != nil {
			return within(typ, "", err)
		}
	default:
		return v.validateRaw()
	}
	if v.Annotations != nil {
		if err := v.Annotations.Validate(); err != nil {
			return within(typ, "annotations", err)
		}
	}
	if r := verifyMeta(v.Meta); r != 0 {
		return fault(typ, "_meta", r)
	}
	return nil
}

// validateRaw checks a block of an unknown type.
func (v Content) validateRaw() error {
	const typ = "Content"
	if v.Raw == "" {
		return fault(typ, "type", ReasonValue)
	}
	if r := verifyObject(v.Raw); r != 0 {
		return fault(typ, "", r)
	}
	var kind string
	val, _ := rawjson.Get(string(v.Raw), "type")
	if r := setString(&kind, val, true); r != 0 {
		return fault(typ, "type", r)
	}
	if kind != v.Type {
		return fault(typ, "type", ReasonConflict)
	}
	return nil
}

// unknown reports whether the block is of a kind that the schema does not have.
func (v *Content) unknown() bool { return v.Raw != "" }
