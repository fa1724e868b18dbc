package model

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

// Requests of ours that a server without sessions answers with questions.

// question is a question of the server, and what the application answers.
type question struct {
	key    string
	answer any // nil while there is none
}

// asking reports whether the application owes answers for the request.
func (r req) asking() bool {
	return slices.ContainsFunc(r.asked, func(q question) bool { return q.answer == nil })
}

// questioned deals with a result of the request at index i that is not the last one, or of a type
// that there is not. It reports false for any other answer.
func (n *Naive) questioned(i int, m *jsonrpc.Message, x *Expect) bool {
	r := n.reqs[i]
	v, _ := members(string(m.Body))
	kind := v["resultType"]
	if m.Kind != jsonrpc.KindResult || !stateless(r.revision) || kind == nil || kind == "complete" {
		return false
	}
	rule := "RSLT-006"
	if kind == "input_required" && slices.Contains(askers, r.method) {
		if rule = n.asks(i, v, x); rule == "" {
			return true
		}
	}
	x.blame(rule, m)
	n.failAt(i, Why{Kind: lifecycle.CauseInvalidResponse, Said: true}, x)
	n.settle(x)
	return true
}

// asks takes the questions of a result, or returns the row that it breaks.
func (n *Naive) asks(i int, v map[string]any, x *Expect) (rule string) {
	r := &n.reqs[i]
	list, ok := v["inputRequests"].(map[string]any)
	state := v["requestState"]
	switch {
	case state != nil && !isKind(state, "string"), v["inputRequests"] != nil && !ok, len(list) == 0 && (state == nil || state == ""):
		return "MRTR-030"
	}
	keys := slices.Sorted(maps.Keys(list)) // as the texts have them
	for _, key := range keys {
		q, _ := list[key].(map[string]any)
		method, _ := q["method"].(string)
		params, _ := q["params"].(map[string]any)
		if t := statelessTables[method]; t.note || t.to != lifecycle.Client || q["params"] != nil && params == nil || !shaped(askedShape(method, params), params, true) {
			return "MRTR-030"
		}
	}
	for _, key := range keys {
		q := list[key].(map[string]any)
		params, _ := q["params"].(map[string]any)
		if !n.answers(q["method"].(string), params) {
			return "MRTR-006"
		}
	}
	if r.rounds == 10 || len(n.calls)+len(keys) > n.set.Limits.Inbound {
		return "MRTR-030"
	}
	r.rounds++
	r.asked, r.state, r.deadline = nil, state, r.hard
	if d := n.set.Timeouts.Human; d > 0 { // people have as long as for a question of a session
		r.deadline = min(n.in(d), r.hard)
	}
	for _, key := range keys {
		q := list[key].(map[string]any)
		method := q["method"].(string)
		n.lastCall++
		if method == "roots/list" && !n.serves(method) {
			r.asked = append(r.asked, question{key, map[string]any{"roots": objects(n.offer.Roots, "uri", nil)}})
			continue
		}
		r.asked = append(r.asked, question{key: key})
		deadline := int64(never)
		if d := n.set.Timeouts.Inbound; d > 0 {
			deadline = n.in(d)
		}
		c := call{
			seq: n.lastCall, id: jsonrpc.String(strconv.FormatUint(r.id, 10) + " " + key), deadline: deadline,
			method: method, params: textOf(q["params"]), of: r.id, key: key,
		}
		n.calls = append(n.calls, c)
		x.Calls = append(x.Calls, c.seq)
		x.Events = append(x.Events, Happening{
			Kind: lifecycle.RequestReceived, Call: c.seq, Req: r.id, ID: c.id, Method: method, JSON: q["params"], Revision: newest,
		})
	}
	if !r.asking() {
		n.again(i, x)
	}
	return ""
}

// textOf returns JSON text of a value, "" for none.
func textOf(v any) string {
	if v == nil {
		return ""
	}
	text, _ := json.Marshal(v)
	return string(text)
}

// answers reports whether this side has declared what a question needs.
func (n *Naive) answers(method string, params map[string]any) bool {
	if method == "elicitation/create" && params["mode"] != "url" {
		return hasMode(n.caps, "form")
	}
	return has(n.caps, needs(method, params))
}

// again makes the request at index i again, with the answers, under another id.
func (n *Naive) again(i int, x *Expect) {
	r := &n.reqs[i]
	params := maps.Clone(r.params)
	delete(params, "inputResponses")
	delete(params, "requestState")
	if len(r.asked) > 0 {
		responses := map[string]any{}
		for _, q := range r.asked {
			responses[q.key] = q.answer
		}
		params["inputResponses"] = responses
	}
	if r.state != nil && r.state != "" {
		params["requestState"] = r.state
	}
	own := r.token == token("n"+number(r.wire))
	if own {
		r.token = ""
	}
	r.wire = n.nextID()
	if n.lastReq = r.wire; own {
		meta := maps.Clone(params["_meta"].(map[string]any))
		meta["progressToken"] = jsonNumber(float64(r.wire))
		params["_meta"], r.token = meta, token("n"+number(r.wire))
	}
	r.asked, r.state, r.reported, r.last, r.rate = nil, nil, false, 0, bucket{}
	r.deadline = min(n.in(r.timeout), r.hard)
	x.Send = append(x.Send, Sent{Kind: jsonrpc.KindRequest, ID: ourID(r.wire), Method: r.method, Body: params, Call: r.within, Req: r.id})
}

// collect takes the answer to a question, which is no message.
func (n *Naive) collect(c call, answer Sent, x *Expect) {
	i := n.req(c.of)
	if answer.Kind == jsonrpc.KindError {
		said := answer.Given
		if said == "" {
			said = fmt.Sprintf("%d %q ", answer.Code, "internal error")
		}
		n.refusedQuestion(c, Why{Kind: lifecycle.CauseUnanswered, RPC: said}, x)
		return
	}
	r := &n.reqs[i]
	for k := range r.asked {
		if r.asked[k].key == c.key {
			r.asked[k].answer = answer.Body
		}
	}
	if !r.asking() {
		n.again(i, x)
	}
}

// refusedQuestion ends the request of a question that is not answered: nothing of it is sent.
func (n *Naive) refusedQuestion(c call, cause Why, x *Expect) {
	if i := n.req(c.of); i >= 0 {
		n.failAt(i, cause, x)
	}
}

// endQuestions ends the questions of a request that has ended.
func (n *Naive) endQuestions(of uint64, cause Why, x *Expect) {
	for i := 0; i < len(n.calls); {
		if c := n.calls[i]; c.of == of {
			n.lose(i, cause, x)
			n.endWithin(c.seq, x)
			i = 0 // others may have gone with it
		} else {
			i++
		}
	}
}

// servesQuestion reports whether an open call is a question of a request, or within one.
func (n *Naive) servesQuestion(seq, of uint64) bool {
	for i := n.call(lifecycle.MakeCall(nil, seq, 0)); i >= 0 && n.calls[i].of != 0; {
		if n.calls[i].of == of {
			return true
		}
		r := n.reqs[n.req(n.calls[i].of)]
		i = n.call(lifecycle.MakeCall(nil, r.within, 0))
	}
	return false
}
