package model

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// serve answers a request that passed all checks, or gives it to the application.
func (n *Naive) serve(m *jsonrpc.Message, x *Expect) {
	body := string(m.Body)
	if m.Method == "initialize" {
		n.greet(m, x)
		return
	}
	switch m.Method {
	case "server/discover":
		n.reply(m, 0, n.discovered(), x)
		return
	case "subscriptions/listen":
		n.listen(m, x)
		return
	}
	if n.own != nil && !brings(m.Method, body) {
		n.reply(m, jsonrpc.CodeInvalidParams, nil, x)
		return
	}
	if n.refused(m, x) {
		return
	}
	if n.serves(m.Method) || n.custom(m.Method) {
		deadline := int64(never)
		if d := n.set.Timeouts.Inbound; d > 0 {
			deadline = n.in(d)
		}
		c := call{seq: x.Opened, id: m.ID, under: n.own, deadline: deadline, method: m.Method, params: body, token: metaToken(body)}
		if t, _ := n.tool(str(body, "name")); m.Method == "tools/call" && t.promises != nil && n.revision >= "2025-06-18" {
			c.tool = str(body, "name")
		}
		if m.Method == "elicitation/create" && byURL(body, n.late()) {
			c.end = str(body, "elicitationId")
			n.announces(c.end)
		}
		n.calls = append(n.calls, c)
		if c.asks() {
			n.askedAt = n.now
		}
		x.Events = append(x.Events, Happening{Kind: lifecycle.RequestReceived, Call: x.Opened, ID: m.ID, Method: m.Method, Body: body, Revision: n.ownRevision()})
		return
	}
	switch m.Method {
	case "roots/list":
		n.reply(m, 0, map[string]any{"roots": objects(n.offer.Roots, "uri", nil)}, x)
	case "tools/list":
		list := map[string]any{"tools": objects(n.offer.Tools, "name", listed)}
		n.older(list, call{seq: x.Opened, method: m.Method}, x)
		n.reply(m, 0, list, x)
	case "resources/list":
		n.reply(m, 0, map[string]any{"resources": objects(n.offer.Resources, "uri", unnamed)}, x)
	case "resources/templates/list":
		n.reply(m, 0, map[string]any{"resourceTemplates": objects(n.offer.Templates, "uriTemplate", unnamed)}, x)
	case "prompts/list":
		n.reply(m, 0, map[string]any{"prompts": objects(n.offer.Prompts, "name", func(o map[string]any) {
			if o["name"] == "needy" {
				o["arguments"] = []any{map[string]any{"name": "a", "required": true}}
			}
		})}, x)
	case "resources/subscribe", "resources/unsubscribe", "logging/setLevel":
		n.feature(m.Method, body)
		n.reply(m, 0, map[string]any{}, x)
	default:
		n.reply(m, jsonrpc.CodeMethodNotFound, nil, x)
	}
}

func unnamed(o map[string]any) { o["name"] = "r" }

// objects returns what a list of names is listed as, in the order of the names.
func objects(names []string, key string, more func(map[string]any)) []any {
	list := []any{}
	for _, name := range slices.Sorted(slices.Values(names)) {
		o := map[string]any{key: name}
		if more != nil {
			more(o)
		}
		list = append(list, o)
	}
	return list
}

// greet answers initialize.
func (n *Naive) greet(m *jsonrpc.Message, x *Expect) {
	body := string(m.Body)
	asked := str(body, "protocolVersion")
	version := n.set.Revisions[0].String()
	if slices.ContainsFunc(n.set.Revisions, func(r protocol.Revision) bool { return r.String() == asked }) {
		version = asked
	} else if n.set.Policy.StrictVersion {
		n.reply(m, jsonrpc.CodeInvalidParams, nil, x)
		return
	}
	params, _ := members(body)
	caps, _ := params["capabilities"].(map[string]any)
	n.revision, n.peerCaps = version, ofRevision(flatten(caps, n.set.Party.Peer()), version)
	n.peer = implementation(params["clientInfo"])
	declared := map[string]any{"experimental": map[string]any{"x": map[string]any{"y": json.Number("1")}}}
	n.declare(declared)
	if version == "2024-11-05" && declared["completions"] != nil {
		delete(declared, "completions")
		x.Events = append(x.Events, Happening{Kind: lifecycle.Downgraded, Call: x.Opened, Method: m.Method, Revision: version})
	}
	n.reply(m, 0, map[string]any{
		"protocolVersion": version, "capabilities": declared, "serverInfo": map[string]any{"name": "machine", "version": "1"},
	}, x)
	n.move(lifecycle.Initializing, Why{}, x)
	x.described(m, version)
}

// hides reports whether names that a list does not have are unknown.
func (n *Naive) hides(list string) bool { return !n.set.Unlisted && !n.serves(list) }

// unknownName reports whether a call names what the lists show not to exist.
func (n *Naive) unknownName(method, body string) bool {
	name := str(body, "name")
	switch method {
	case "tools/call":
		return n.hides("tools/list") && !slices.Contains(n.offer.Tools, name)
	case "prompts/get":
		params, _ := members(body)
		args, _ := params["arguments"].(map[string]any)
		listed := slices.Contains(n.offer.Prompts, name)
		return n.hides("prompts/list") && !listed || listed && name == "needy" && args["a"] == nil
	case "completion/complete":
		params, _ := members(body)
		ref, _ := params["ref"].(map[string]any)
		return n.unknownRef(ref)
	}
	return false
}

// unknownURI reports whether a uri is none of those that the lists show. In these tests a
// template matches what begins as it does.
func (n *Naive) unknownURI(method, uri string) bool {
	if !n.hides("resources/list") || n.serves("resources/templates/list") || slices.Contains(n.offer.Resources, uri) {
		return false
	}
	above := func(r string) bool {
		return method == "resources/subscribe" && strings.HasSuffix(uri, "/") && strings.HasPrefix(r, uri)
	}
	return !slices.ContainsFunc(n.offer.Resources, above) && !slices.ContainsFunc(n.offer.Templates, func(t string) bool { return matches(t, uri) })
}

// matches reports whether a uri is what a template with one simple variable stands for.
func matches(template, uri string) bool {
	before, rest, _ := strings.Cut(template, "{")
	_, after, _ := strings.Cut(rest, "}")
	middle, ok := strings.CutPrefix(uri, before)
	if ok {
		middle, ok = strings.CutSuffix(middle, after)
	}
	return ok && !strings.ContainsAny(middle, "/:?#[]@!$&'()*+,;=")
}

// unknownRef reports whether the lists show that a reference leads nowhere.
func (n *Naive) unknownRef(ref map[string]any) bool {
	name, _ := ref["name"].(string)
	uri, _ := ref["uri"].(string)
	if ref["type"] == "ref/prompt" {
		return has(n.caps, []string{"prompts"}) && n.hides("prompts/list") && !slices.Contains(n.offer.Prompts, name)
	}
	listed := has(n.caps, []string{"resources"}) && n.hides("resources/templates/list") && n.hides("resources/list")
	covers := func(t string) bool { return t == uri || matches(t, uri) }
	return listed && !slices.ContainsFunc(n.offer.Templates, covers) && !slices.Contains(n.offer.Resources, uri)
}

func (n *Naive) roomFor(uri string) bool {
	return slices.Contains(n.subs, uri) || len(n.subs) < n.set.Limits.Subscriptions
}

// feature makes the change that an accepted request asks for.
func (n *Naive) feature(method, body string) {
	uri := str(body, "uri")
	switch method {
	case "logging/setLevel":
		n.level = slices.Index(levels, str(body, "level"))
	case "resources/subscribe":
		if !slices.Contains(n.subs, uri) && n.roomFor(uri) {
			n.subs = append(n.subs, uri)
		}
	case "resources/unsubscribe":
		n.subs = slices.DeleteFunc(n.subs, func(s string) bool { return s == uri })
	}
}

// result judges a result for an open call and returns its JSON, or why it cannot be sent.
func (n *Naive) result(s *Step, c call, x *Expect) (map[string]any, error) {
	if s.Result == nil {
		return nil, lifecycle.ErrParams
	}
	r := s.Result()
	if p, ok := r.(*protocol.CallToolResult); ok && p == nil {
		return nil, lifecycle.ErrParams
	}
	text := string(r.AppendJSON(nil))
	v, isObject := members(text)
	if _, asks := r.(*protocol.InputRequired); asks && !n.mayAsk(c) {
		return nil, lifecycle.ErrRevision
	}
	if isObject && n.own != nil && standard(c.method) {
		if v["resultType"] == "input_required" && n.mayAsk(c) {
			return n.questions(v, x)
		}
		if kind, given := v["resultType"]; given && kind != nil && kind != "complete" {
			return nil, lifecycle.ErrParams
		}
	}
	if text == "" || !isObject || strings.Contains(text, `\ud800`) || !n.resultFits(c.method, v, true) {
		return nil, lifecycle.ErrParams
	}
	if content, ok := v["content"].([]any); c.method == "tools/call" && ok && len(content) == 0 && n.structured(v) {
		twin, _ := json.Marshal(v["structuredContent"])
		v["content"] = []any{map[string]any{"type": "text", "text": string(twin)}}
	}
	switch {
	case c.method == "elicitation/create" && (v["action"] != "accept" || byURL(c.params, n.late())):
		delete(v, "content")
	case c.method == "elicitation/create" && !filled(form(c.params), v["content"], n.late()):
		return nil, lifecycle.ErrParams
	case c.method == "elicitation/create" && !n.late() && !answerable(v["content"], false):
		return nil, lifecycle.ErrRevision
	case c.method == "sampling/createMessage" && !n.late() && !plainTalk(v["content"]):
		return nil, lifecycle.ErrRevision
	case c.method == "sampling/createMessage":
		mode := ""
		if n.late() {
			mode = choosing(c.params)
		} else {
			v["content"] = said(v["content"])[0]
		}
		rule, fatal := misused(v["content"], mode)
		if fatal {
			return nil, lifecycle.ErrParams
		}
		if rule != "" {
			x.Events = append(x.Events, Happening{Kind: lifecycle.LocalViolation, Call: c.seq, Method: c.method, Rule: rule})
		}
	case c.method == "completion/complete":
		cutCompletion(v)
	}
	n.unset(resultShapes[c.method], v, false)
	return v, nil
}

func (n *Naive) respond(s *Step, x *Expect) {
	i := n.call(s.Call)
	if i < 0 {
		x.Errs = []error{lifecycle.ErrGone}
		return
	}
	body, err := n.result(s, n.calls[i], x)
	if err != nil {
		x.Errs = []error{err}
		return
	}
	if c := n.calls[i]; c.method == "resources/subscribe" && !n.roomFor(str(c.params, "uri")) {
		n.end(i, Sent{Kind: jsonrpc.KindError, Code: jsonrpc.CodeInternalError}, x)
		return // others took the place since it came in
	}
	n.feature(n.calls[i].method, n.calls[i].params)
	if n.own != nil && body["resultType"] == "input_required" && standard(n.calls[i].method) {
		n.end(i, Sent{Kind: jsonrpc.KindResult, Body: body}, x)
		return
	}
	n.end(i, n.outcome(body, n.calls[i], x), x)
}

func (n *Naive) fail(s *Step, x *Expect) {
	i := n.call(s.Call)
	switch {
	case i < 0:
		x.Errs = []error{lifecycle.ErrGone}
	case !sendable(s.Failure):
		x.Errs = []error{lifecycle.ErrParams}
	case n.own != nil || n.calls[i].of != 0:
		n.failAlone(i, s.Failure, x)
	default:
		c := n.calls[i]
		if rule := n.required(s.Failure, n.peerCaps, true); rule != "" {
			x.Events = append(x.Events, Happening{Kind: lifecycle.LocalViolation, Call: c.seq, Method: c.method, Rule: rule})
		}
		answer := Sent{Kind: jsonrpc.KindError, Code: s.Failure.Code, Given: failure(s.Failure)}
		if s.Failure.Code == -32042 && !n.late() {
			answer = Sent{Kind: jsonrpc.KindError, Code: jsonrpc.CodeInternalError}
			x.Events = append(x.Events, Happening{Kind: lifecycle.Downgraded, Call: c.seq, Method: c.method, Revision: n.revision})
		}
		n.end(i, answer, x)
	}
}

// finish is respond or fail, but what does not fit becomes -32603.
func (n *Naive) finish(s *Step, x *Expect) {
	if s.Failure != nil {
		n.fail(s, x)
	} else {
		n.respond(s, x)
	}
	if slices.Contains(x.Errs, lifecycle.ErrCapability) { // the client reads what to declare
		x.Moved = true
		n.end(n.call(s.Call), Sent{Kind: jsonrpc.KindError, Code: protocol.CodeMissingCapability}, x)
	}
	if slices.Contains(x.Errs, lifecycle.ErrParams) || slices.Contains(x.Errs, lifecycle.ErrRevision) {
		x.Moved = true
		n.end(n.call(s.Call), Sent{Kind: jsonrpc.KindError, Code: jsonrpc.CodeInternalError}, x)
	}
}

// end sends the answer to the call at index i and closes it.
func (n *Naive) end(i int, answer Sent, x *Expect) {
	c := n.calls[i]
	n.over(i)
	if !accepted(answer.Body) {
		n.forget(c.end)
	}
	if c.of != 0 {
		n.collect(c, answer, x)
		n.settle(x)
		return
	}
	answer.ID, answer.Call, answer.Final = c.id, c.seq, true
	n.stamp(&answer, c.method)
	x.Send = append(x.Send, answer)
	x.Ended = append(x.Ended, c.seq)
	n.settle(x)
}

// progress reports progress of an open call.
func (n *Naive) progress(s *Step, x *Expect) {
	i, p := n.call(s.Call), s.Progress()
	if i < 0 {
		x.Errs = []error{lifecycle.ErrGone}
		return
	}
	c := &n.calls[i]
	if c.token == "" {
		return
	}
	if math.IsNaN(p.Progress) || c.reported && p.Progress <= c.last {
		x.Errs = append(x.Errs, lifecycle.ErrProgress)
	}
	rate := c.rate
	if len(x.Errs) == 0 && !rate.take(n.set.Limits.Progress, n.now) {
		return
	}
	if math.IsInf(p.Progress, 0) || p.Total != nil && math.IsNaN(*p.Total) {
		x.Errs = append(x.Errs, lifecycle.ErrParams)
	}
	if len(x.Errs) > 0 {
		return
	}
	c.reported, c.last, c.rate = true, p.Progress, rate
	body := map[string]any{"progress": jsonNumber(p.Progress), "message": p.Message}
	params, _ := members(c.params)
	echo := params["_meta"].(map[string]any)["progressToken"]
	if n, ok := echo.(json.Number); ok {
		echo = json.Number(rational(n).RatString()) // by its value
	}
	body["progressToken"] = echo
	if n.revision == "2024-11-05" {
		delete(body, "message")
		x.Events = append(x.Events, Happening{Kind: lifecycle.Downgraded, Call: c.seq, Method: "notifications/progress", Revision: n.revision})
	}
	if p.Total != nil {
		body["total"] = jsonNumber(*p.Total)
	}
	x.Send = append(x.Send, Sent{Kind: jsonrpc.KindNotification, Method: "notifications/progress", Body: body, Call: c.seq})
}

func jsonNumber(f float64) json.Number {
	b, _ := json.Marshal(f)
	return json.Number(b)
}
