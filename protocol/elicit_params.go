package protocol

import (
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
	var o rawjson.Object
	if !members(&o, raw, span) {
		return fault(typ, "", ReasonType)
	}
	var way, message, form, url, id, meta string
	for {
		key, val, ok := o.Next()
		if !ok {
			break
		}
		switch key {
		case "mode":
			if how.age.in(ages{age20251125, 0}) {
				way = val
			}
		case "message":
			message = val
		case "requestedSchema":
			form = val
		case "url":
			url = val
		case "elicitationId":
			id = val
		case "_meta":
			meta = val
		}
	}
	if o.Bad() {
		return fault(typ, "", ReasonSyntax)
	}
	if r := setString((*string)(&v.Mode), way, false); r != 0 {
		return fault(typ, "mode", r)
	}
	if given(way) && !v.Mode.Valid() { // ELIC-101
		return fault(typ, "mode", ReasonValue)
	}
	if r := setString(&v.Message, message, true); r != 0 { // ELIC-103
		return fault(typ, "message", r)
	}
	if v.Mode == ElicitURL { // ELIC-105
		if r := setString(&v.URL, url, true); r != 0 {
			return fault(typ, "url", r)
		}
		if r := setString(&v.ElicitationID, id, true); r != 0 {
			return fault(typ, "elicitationId", r)
		}
	} else {
		if !given(form) { // ELIC-104
			return fault(typ, "requestedSchema", lack(form, true))
		}
		if err := v.RequestedSchema.read(Raw(form), jsonrpc.Span{}, how); err != nil {
			return within(typ, "requestedSchema", err)
		}
	}
	if r := setMeta(&v.Meta, meta); r != 0 {
		return fault(typ, "_meta", r)
	}
	if r := verifyToken(v.Meta); r != 0 {
		return fault(typ, "_meta.progressToken", r)
	}
	return nil
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
	if err := form.Validate(); err != nil {
		return within(typ, "requestedSchema", err)
	}
	if r := verifyMeta(v.Meta); r != 0 {
		return fault(typ, "_meta", r)
	}
	if r := verifyToken(v.Meta); r != 0 {
		return fault(typ, "_meta.progressToken", r)
	}
	return nil
}
