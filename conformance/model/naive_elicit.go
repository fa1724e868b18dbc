package model

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

// urlShape is what elicitation/create is made of when its mode is url.
const urlShape = "mode mode, message! string, url! string, elicitationId! string"

// late reports whether the session has what came with 2025-11-25.
func (n *Naive) late() bool { return n.known() >= "2025-11-25" }

// byURL reports whether the params of elicitation/create ask to open a page.
func byURL(params string, late bool) bool { return late && str(params, "mode") == "url" }

// asking returns the shape of the params of a method. What goes out may have all that any
// revision has.
func (n *Naive) asking(method, text string, sent bool) string {
	switch late := sent || n.late(); {
	case method == "elicitation/create" && byURL(text, late):
		return urlShape
	case method == "elicitation/create" && late:
		return "mode mode, " + paramShapes[method]
	}
	return paramShapes[method]
}

// paramsFit reports whether the params of a method have its shape.
func (n *Naive) paramsFit(method, text string, request, sent bool) bool {
	late := sent || n.late()
	if !fits(n.asking(method, text, sent), text, request) {
		return false
	}
	switch method {
	case "elicitation/create":
		return byURL(text, late) || formFits(form(text), late)
	case "sampling/createMessage":
		return samplingFits(text, late)
	}
	return true
}

// resultFits reports whether a result of a method has its shape.
func (n *Naive) resultFits(method string, v map[string]any, sent bool) bool {
	late := sent || n.late()
	shape := resultShapes[method]
	if sent || stateless(n.known()) {
		shape = strings.Replace(shape, "structuredContent object", "structuredContent any", 1)
	}
	switch {
	case !shaped(shape, v, false):
		return false
	case method == "elicitation/create":
		return answerable(v["content"], late)
	}
	return method != "sampling/createMessage" || contentFits(v["content"], late)
}

// hasMode reports whether a client that declared caps knows a mode of elicitation. One that
// names none knows forms.
func hasMode(caps []string, mode string) bool {
	if mode == "form" && slices.Contains(caps, "elicitation") && !slices.Contains(caps, "elicitation.url") {
		return true
	}
	return slices.Contains(caps, "elicitation."+mode)
}

// announces notes an id whose end is to be told, if it is new and there is room.
func (n *Naive) announces(id string) {
	if id != "" && !slices.Contains(n.ends, id) && len(n.ends) < n.set.Limits.Subscriptions {
		n.ends = append(n.ends, id)
	}
}

// forget notes that an id has come to its end.
func (n *Naive) forget(id string) {
	n.ends = slices.DeleteFunc(n.ends, func(s string) bool { return s == id })
}

// accepted reports whether a result says that the user agreed.
func accepted(v any) bool {
	m, _ := v.(map[string]any)
	return m["action"] == "accept"
}

// elicit says why an elicitation of ours cannot be sent.
func (n *Naive) elicit(text string, refuse func(bool, error)) {
	switch f, late := form(text), n.late(); {
	case byURL(text, true):
		id := str(text, "elicitationId")
		refuse(!late, lifecycle.ErrRevision)
		refuse(!isURI(str(text, "url")) || id == "", lifecycle.ErrParams)
		refuse(!hasMode(n.peerCaps, "url"), lifecycle.ErrCapability)
		refuse(slices.Contains(n.ends, id), lifecycle.ErrParams)
		refuse(len(n.ends) >= n.set.Limits.Subscriptions, lifecycle.ErrLimit)
	default:
		refuse(!named(f) || !preset(f), lifecycle.ErrParams)
		refuse(!late && several(f), lifecycle.ErrRevision)
		refuse(late && !hasMode(n.peerCaps, "form"), lifecycle.ErrCapability)
	}
}

// elicited looks at an elicitation of the peer. It refuses one of a mode that this side did
// not declare.
func (n *Naive) elicited(m *jsonrpc.Message, x *Expect) (refused bool) {
	text := string(m.Body)
	mode := "form"
	if byURL(text, n.late()) {
		mode = "url"
	}
	switch f := form(text); {
	case n.late() && !hasMode(n.caps, mode):
		n.reply(m, jsonrpc.CodeInvalidParams, nil, x)
		x.blame("ELIC-107", m)
		return true
	case mode == "url":
	case !named(f):
		x.blame("ELIC-010", m) // and delivered
	case n.late() && !preset(f):
		x.blame("ELIC-120", m)
	}
	return false
}

// pages returns the elicitations that an error asks for first. ok is false if its data is not
// what its code demands.
func pages(data string) (list []map[string]any, ok bool) {
	v, _ := members(data)
	entries, ok := v["elicitations"].([]any)
	for _, entry := range entries {
		object, _ := entry.(map[string]any)
		ok = ok && object["mode"] == "url" && shaped(urlShape, object, true)
		list = append(list, object)
	}
	return list, ok
}

// sendable reports whether an error is one that may be sent.
func sendable(e *jsonrpc.Error) bool {
	if e.Code == 0 || e.Data != "" && !json.Valid([]byte(e.Data)) {
		return false
	}
	list, ok := pages(string(e.Data))
	bad := func(page map[string]any) bool { return !isURI(page["url"].(string)) || page["elicitationId"] == "" }
	return e.Code != -32042 || ok && !slices.ContainsFunc(list, bad)
}

// required deals with an error that asks for elicitations, in a session that knows it. It
// returns the row that the error breaks, "" for none.
func (n *Naive) required(e *jsonrpc.Error, caps []string, sent bool) (rule string) {
	if e == nil || e.Code != -32042 || n.revision < "2025-11-25" {
		return ""
	}
	list, ok := pages(string(e.Data))
	switch {
	case !ok:
		return "ERR-101"
	case !hasMode(caps, "url"):
		return "ERR-105"
	}
	for _, page := range list {
		n.announces(page["elicitationId"].(string))
		if sent && !isSecure(page["url"].(string)) {
			rule = "ELIC-137"
		}
	}
	return rule
}

// olderParams takes out of the params of a request what the revision does not have.
func (n *Naive) olderParams(r req, params map[string]any, x *Expect) {
	lossy := false
	switch {
	case n.late():
		return
	case r.method == "sampling/createMessage":
		lossy = olderTalk(params)
	case r.method == "elicitation/create":
		f, _ := params["requestedSchema"].(map[string]any)
		lossy = olderForm(f) || params["mode"] != nil
		delete(params, "mode")
	}
	if lossy {
		x.Events = append(x.Events, Happening{Kind: lifecycle.Downgraded, Call: r.within, Req: x.Req, Method: r.method, Revision: n.revision})
	}
}
