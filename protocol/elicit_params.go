package protocol

import (
	"cmp"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// AppendJSON appends v as JSON to dst.
func (v ElicitParams) AppendJSON(dst []byte) []byte {
	dst = append(dst, '{')
	if v.Mode != "" {
		dst = append(rawjson.AppendQuote(append(dst, `"mode":`...), string(v.Mode)), ',')
	}
	dst = rawjson.AppendQuote(append(dst, `"message":`...), v.Message)
	if v.Mode == ElicitURL {
		dst = rawjson.AppendQuote(append(dst, `,"url":`...), v.URL)
		dst = rawjson.AppendQuote(append(dst, `,"elicitationId":`...), v.ElicitationID)
	} else {
		dst = v.RequestedSchema.AppendJSON(append(dst, `,"requestedSchema":`...))
	}
	if v.Meta != "" {
		dst = append(append(dst, `,"_meta":`...), v.Meta...)
	}
	return append(dst, '}')
}

// DecodeJSON reads params of either mode; members of the other one are ignored. The error
// is a *DecodeError.
func (v *ElicitParams) DecodeJSON(raw Raw, span jsonrpc.Span) error { return v.read(raw, span, mode{}) }

// read is DecodeJSON in the given mode.
func (v *ElicitParams) read(raw Raw, span jsonrpc.Span, how mode) error {
	const typ = "ElicitParams"
	*v = ElicitParams{}
	var way, message, form, url, id, meta string
	err := scan(typ, raw, span, want{"mode", &way}, want{"message", &message}, want{"requestedSchema", &form}, want{"url", &url},
		want{"elicitationId", &id}, want{"_meta", &meta})
	if !how.age.in(ages{age20251125, 0}) {
		way = ""
	}
	switch err = cmp.Or(err, fault(typ, "mode", setString((*string)(&v.Mode), way, false))); {
	case err != nil:
		return err
	case given(way) && !v.Mode.Valid(): // ELIC-101
		return fault(typ, "mode", ReasonValue)
	}
	err = fault(typ, "message", setString(&v.Message, message, true)) // ELIC-103
	switch {
	case err != nil:
		return err
	case v.Mode == ElicitURL: // ELIC-105
		err = cmp.Or(
			fault(typ, "url", setString(&v.URL, url, true)),
			fault(typ, "elicitationId", setString(&v.ElicitationID, id, how.age.in(ages{age20251125, age20260728}))), // ELIC-201
		)
	case !given(form): // ELIC-104
		return fault(typ, "requestedSchema", lack(form, true))
	default:
		err = within(typ, "requestedSchema", v.RequestedSchema.read(Raw(form), jsonrpc.Span{}, how))
	}
	return cmp.Or(err, fault(typ, "_meta", setMeta(&v.Meta, meta)), fault(typ, "_meta.progressToken", verifyToken(v.Meta)))
}

// Validate reports whether v can be sent: what its mode needs is there, and nothing of
// the other mode. The error is a *DecodeError.
func (v ElicitParams) Validate() error {
	const typ = "ElicitParams"
	form := v.RequestedSchema
	switch {
	case v.Mode != "" && !v.Mode.Valid():
		return fault(typ, "mode", ReasonValue)
	case v.Mode != ElicitURL && v.URL != "":
		return fault(typ, "url", ReasonConflict)
	case v.Mode != ElicitURL && v.ElicitationID != "":
		return fault(typ, "elicitationId", ReasonConflict)
	case v.Mode == ElicitURL && (form.Properties != nil || form.Required != nil || form.Dialect != ""):
		return fault(typ, "requestedSchema", ReasonConflict)
	case v.Mode == ElicitURL && !ValidURI(v.URL):
		return fault(typ, "url", ReasonValue)
	case v.Mode == ElicitURL && v.ElicitationID == "":
		return fault(typ, "elicitationId", ReasonMissing)
	case verifyName(v.ElicitationID) != 0:
		return fault(typ, "elicitationId", ReasonUTF8)
	}
	return cmp.Or(
		within(typ, "requestedSchema", form.Validate()),
		fault(typ, "_meta", verifyMeta(v.Meta)),
		fault(typ, "_meta.progressToken", verifyToken(v.Meta)),
	)
}
