package model

import (
	"maps"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Results with questions, which the client answers by repeating the request.

// askers are the methods whose results may ask.
var askers = []string{"tools/call", "prompts/get", "resources/read"}

// mayAsk reports whether the answer to a call may ask.
func (n *Naive) mayAsk(c call) bool { return n.own != nil && slices.Contains(askers, c.method) }

// brings reports whether the answers in a request are valid.
func brings(method, body string) bool {
	params, _ := members(body)
	responses, state := params["inputResponses"], params["requestState"]
	object, ok := responses.(map[string]any)
	switch {
	case !slices.Contains(askers, method):
		return true
	case responses != nil && !ok, state != nil && !isKind(state, "string"):
		return false
	}
	for _, answer := range object { // any order: it only counts
		if !isKind(answer, "object") {
			return false
		}
	}
	return true
}

// questions returns the outgoing result with questions, or why it cannot be sent. Other members
// than its questions and its state are omitted.
func (n *Naive) questions(v map[string]any, x *Expect) (map[string]any, error) {
	out := map[string]any{"resultType": "input_required"}
	state, asked := v["requestState"], v["inputRequests"]
	list, ok := asked.(map[string]any)
	if state != nil && !isKind(state, "string") || asked != nil && !ok || len(list) == 0 && (state == nil || state == "") {
		return nil, lifecycle.ErrParams
	}
	if state != nil && state != "" {
		out["requestState"] = state
	}
	lacking := false
	requests := map[string]any{}
	for key, v := range list { // any order: the errors are those of all
		q, _ := v.(map[string]any)
		method, _ := q["method"].(string)
		params, ok := q["params"].(map[string]any)
		if q["params"] == nil {
			params, ok = map[string]any{}, true
		}
		if r := statelessTables[method]; !ok || r.note || r.to != lifecycle.Client || !shaped(askedShape(method, params), params, true) {
			return nil, lifecycle.ErrParams
		}
		lacking = lacking || !has(n.peerCaps, needs(method, params)) || method == "elicitation/create" && params["mode"] != "url" && !hasMode(n.peerCaps, "form")
		params = maps.Clone(params)
		delete(params, "elicitationId")
		if method != "roots/list" {
			delete(params, "_meta")
		}
		requests[key] = map[string]any{"method": method, "params": params}
	}
	if len(requests) > 0 {
		out["inputRequests"] = requests
	}
	if lacking {
		return nil, lifecycle.ErrCapability
	}
	return out, nil
}

// askedShape is the shape of the params of a question.
func askedShape(method string, params map[string]any) string {
	if method == "elicitation/create" && params["mode"] == "url" {
		return "mode! mode, message! string, url! string"
	}
	return paramShapes[method]
}

// needs returns the capabilities that a question requires of a client.
func needs(method string, params map[string]any) []string {
	switch {
	case method == "roots/list":
		return []string{"roots"}
	case method == "elicitation/create" && params["mode"] == "url":
		return []string{"elicitation", "elicitation.url"}
	case method == "elicitation/create":
		return []string{"elicitation"}
	case params["tools"] != nil || params["toolChoice"] != nil:
		return []string{"sampling", "sampling.tools"}
	}
	return []string{"sampling"}
}

// failAlone answers a request without a session with an error of the application.
func (n *Naive) failAlone(i int, e *jsonrpc.Error, x *Expect) {
	c := n.calls[i]
	code := e.Code
	reserved := -32099 <= code && code <= -32020 && code != protocol.CodeURLElicitationRequired
	if data, _ := members(string(e.Data)); code == protocol.CodeMissingCapability {
		reserved = !isKind(data["requiredCapabilities"], "object")
	}
	if reserved {
		x.Errs = []error{lifecycle.ErrParams} // the specification keeps it for something else
		return
	}
	local := func(kind lifecycle.EventKind, rule, revision string) {
		x.Events = append(x.Events, Happening{Kind: kind, Call: c.seq, Method: c.method, Rule: rule, Revision: revision})
	}
	answer := Sent{Kind: jsonrpc.KindError, Code: code, Given: failure(e)}
	list, _ := pages(string(e.Data))
	switch {
	case code == protocol.CodeURLElicitationRequired && n.mayAsk(c) && len(list) > 0:
		// The result asks for the pages, each under its id.
		asked := map[string]any{}
		for _, page := range list {
			asked[page["elicitationId"].(string)] = map[string]any{"method": "elicitation/create", "params": page}
			if !isSecure(page["url"].(string)) {
				local(lifecycle.LocalViolation, "ELIC-137", "")
			}
		}
		body, err := n.questions(map[string]any{"inputRequests": asked}, x)
		if answer = (Sent{Kind: jsonrpc.KindResult, Body: body}); err != nil {
			x.Events = nil
			answer = Sent{Kind: jsonrpc.KindError, Code: protocol.CodeMissingCapability}
		}
	case code == protocol.CodeURLElicitationRequired:
		answer = Sent{Kind: jsonrpc.KindError, Code: jsonrpc.CodeInternalError}
		if c.of != 0 { // whose error is a cause, and no message
			answer.Given = `-32603 "an elicitation by url is needed" `
		}
		local(lifecycle.Downgraded, "", newest)
	case -32019 <= code && code <= -32000 && code != protocol.CodeResourceNotFound:
		local(lifecycle.LocalViolation, "ERR-205", "")
	}
	if c.of != 0 {
		answer.Given = strings.Replace(answer.Given, "-32002 ", "-32602 ", 1)
	}
	n.end(i, answer, x)
}

// least is the least severe log message to send.
func (n *Naive) least() int {
	if n.own != nil {
		return n.own.level
	}
	return n.level
}

// changing reports whether a notification announces a change.
func changing(method string) bool {
	switch method {
	case "notifications/resources/updated", "notifications/resources/list_changed", "notifications/tools/list_changed", "notifications/prompts/list_changed":
		return true
	}
	return false
}

// goesOut reports whether a notification is sent by the rules of requests without a session:
// only within a request, a log message if the request wants it, and none that belongs
// to a subscription.
func (n *Naive) goesOut(method, _ string) bool {
	switch {
	case n.own == nil, changing(method), method == "notifications/subscriptions/acknowledged":
		return false
	case method == "notifications/message":
		return n.own.level >= 0
	}
	return true
}
