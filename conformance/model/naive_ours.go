package model

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

// initialize opens the session of a client.
func (n *Naive) initialize(x *Expect) {
	if n.set.Party != lifecycle.Client || n.phase != lifecycle.Uninitialized {
		x.Errs = []error{lifecycle.ErrPhase}
		return
	}
	n.hello(x)
	n.move(lifecycle.Initializing, Why{}, x)
}

// hello sends initialize.
func (n *Naive) hello(x *Expect) {
	capabilities := map[string]any{"experimental": map[string]any{"x": map[string]any{"y": json.Number("1")}}}
	n.declare(capabilities)
	n.send(req{method: "initialize"}, lifecycle.RequestOptions{}, map[string]any{
		"protocolVersion": n.known(), "capabilities": capabilities, "clientInfo": map[string]any{"name": "machine", "version": "1"},
	}, x)
}

// declare puts the capabilities of this side into an object.
func (n *Naive) declare(object map[string]any) {
	for _, name := range n.caps {
		whole, part, isPart := strings.Cut(name, ".")
		if object[whole] == nil {
			object[whole] = map[string]any{}
		}
		switch {
		case !isPart:
		case slices.Contains(modes[whole], part):
			object[whole].(map[string]any)[part] = map[string]any{}
		default:
			object[whole].(map[string]any)[part] = true
		}
	}
	if all, ok := object["elicitation"].(map[string]any); ok && all["url"] == nil {
		delete(all, "form") // as every revision says it
	}
}

// request sends a request, or says why not.
func (n *Naive) request(s *Step, x *Expect) {
	if s.Params == nil {
		x.Errs = []error{lifecycle.ErrParams, lifecycle.ErrPhase}
		return
	}
	p := s.Params()
	name, text, opt := p.Method(), string(p.AppendJSON(nil)), s.Options
	r, ok := n.rule(name)
	known := standard(name)
	refuse := func(when bool, err error) {
		if when {
			x.Errs = append(x.Errs, err)
		}
	}
	ready := n.phase == lifecycle.Ready || name == "ping" && (n.phase == lifecycle.Initializing || n.phase == lifecycle.ShuttingDown)
	probing := n.phase == lifecycle.Initializing && slices.ContainsFunc(n.reqs, func(r req) bool { return r.probe })
	refuse(!ready || n.closed || n.deaf || probing, lifecycle.ErrPhase)
	refuse(stateless(n.known()) && n.set.Party == lifecycle.Server, lifecycle.ErrRevision)
	refuse(stateless(n.known()) && ok && !r.note && r.to == lifecycle.Client, lifecycle.ErrRevision) // they are questions
	refuse(known && !ok, lifecycle.ErrRevision)
	refuse(name == "" || name == "initialize" || strings.HasPrefix(name, "notifications/") || known && (r.note || r.to&n.set.Party.Peer() == 0), lifecycle.ErrParams)
	refuse(!has(n.peerCaps, r.need), lifecycle.ErrCapability)
	needless := n.req(opt.Replaces.Seq())
	refuse(needless >= 0 && n.reqs[needless].opens(), lifecycle.ErrPhase)
	refuse(needless >= 0 && n.servesQuestion(opt.Within.Seq(), n.reqs[needless].id), lifecycle.ErrParams)
	refuse(len(n.reqs) >= n.set.Limits.Outbound && needless < 0, lifecycle.ErrLimit)
	refuse(!opt.Within.IsZero() && n.call(opt.Within) < 0, lifecycle.ErrGone)
	for _, d := range []time.Duration{opt.Timeout, opt.Maximum} {
		refuse(d < 0 && d != lifecycle.NoTimeout, lifecycle.ErrParams)
	}
	_, isObject := members(text)
	refuse(!isObject || known && !n.paramsFit(name, text, true, true), lifecycle.ErrParams)
	refuse((name == "tools/call" || name == "prompts/get") && str(text, "name") == "", lifecycle.ErrParams)
	refuse(ofURI(name) && str(text, "uri") == "", lifecycle.ErrParams)
	refuse(opt.OutputSchema != "" && (name != "tools/call" || !json.Valid([]byte(opt.OutputSchema))), lifecycle.ErrParams)
	switch name {
	case "elicitation/create":
		n.elicit(text, refuse)
	case "sampling/createMessage":
		n.sample(text, refuse)
	case "subscriptions/listen":
		refuse(!has(n.peerCaps, listened(text)), lifecycle.ErrCapability)
	}
	own := metaToken(text)
	progress := opt.Progress || opt.ResetOnProgress
	if own != "" && !opt.ReplaceToken {
		refuse(progress, lifecycle.ErrParams)
		refuse(n.holder(own) >= 0, lifecycle.ErrParams)
	}
	if len(x.Errs) > 0 {
		return
	}
	out := req{
		method: name, within: opt.Within.Seq(), reset: opt.ResetOnProgress, token: own, schema: string(opt.OutputSchema), uri: str(text, "uri"), form: form(text),
	}
	if name == "elicitation/create" && byURL(text, true) {
		out.form, out.end = nil, str(text, "elicitationId")
		n.announces(out.end)
	}
	if name == "sampling/createMessage" && n.late() {
		out.mode = choosing(text)
	}
	id := n.nextID()
	params, _ := members(text)
	n.unset(n.asking(name, text, true), params, true)
	if progress || own != "" && opt.ReplaceToken {
		out.token = token("n" + number(id))
		meta, _ := params["_meta"].(map[string]any)
		if meta == nil {
			meta = map[string]any{}
		}
		meta["progressToken"] = json.Number(number(id))
		params["_meta"] = meta
	}
	if name == "subscriptions/listen" {
		out.form, _ = params["notifications"].(map[string]any)
	}
	if stateless(n.known()) {
		n.sign(params)
		out.params = params
	}
	var body any = params
	if len(params) == 0 {
		body = nil // an empty object may be left out
	}
	n.send(out, opt, body, x)
	if needless >= 0 {
		sent := x.Send
		x.Send = nil
		n.withdrawn(n.reqs[needless], "superseded", x)
		n.failAt(needless, Why{Kind: lifecycle.CauseCancelled, Reason: "superseded"}, x)
		x.Send = append(x.Send, sent...)
	}
	n.olderParams(out, params, x)
	rule := ""
	switch {
	case out.end != "" && !isSecure(str(text, "url")):
		rule = "ELIC-137"
	case name == "sampling/createMessage" && n.late() && wantsContext(text) && !slices.Contains(n.peerCaps, "sampling.context"):
		rule = "SAMP-105"
	}
	if rule != "" {
		x.Events = append(x.Events, Happening{Kind: lifecycle.LocalViolation, Call: out.within, Method: name, Rule: rule})
	}
}

// nextID returns the id of the next request: one higher, but no number that serves as
// the token of an open request.
func (n *Naive) nextID() uint64 {
	id := n.lastReq + 1
	for n.holder(token("n"+number(id))) >= 0 {
		id++
	}
	return id
}

// holder returns the open request of ours that has the token.
func (n *Naive) holder(t token) int {
	return slices.IndexFunc(n.reqs, func(r req) bool { return t != "" && r.token == t })
}

func (n *Naive) send(r req, opt lifecycle.RequestOptions, body any, x *Expect) {
	r.id = n.nextID()
	if r.wire = r.id; r.revision == "" {
		r.revision = n.known()
	}
	t := n.set.Timeouts
	byMethod := cmp.Or(t.Request, 60*time.Second)
	switch r.method {
	case "initialize":
		byMethod = cmp.Or(t.Initialize, 5*time.Minute)
	case "server/discover":
		byMethod = cmp.Or(t.Probe, 5*time.Second)
	case "subscriptions/listen":
		byMethod = lifecycle.NoTimeout
	case "ping":
		byMethod = cmp.Or(t.Ping, 10*time.Second)
	case "sampling/createMessage", "elicitation/create":
		byMethod = cmp.Or(t.Human, 10*time.Minute)
	}
	r.timeout = cmp.Or(opt.Timeout, byMethod)
	r.hard = n.in(opt.Maximum)
	if opt.Maximum == 0 {
		// A default does not shorten what was asked for.
		r.hard = n.in(cmp.Or(t.Maximum, lifecycle.DefaultMaximumTimeout))
		r.hard = max(r.hard, n.in(r.timeout))
	}
	r.deadline, r.sent = min(n.in(r.timeout), r.hard), n.now
	if r.method == "subscriptions/listen" && opt.Timeout == 0 { // until it is acknowledged
		r.deadline = min(r.deadline, n.in(cmp.Or(t.Request, 60*time.Second)))
	}
	n.lastReq = r.id
	n.reqs = append(n.reqs, r)
	x.Req = r.id
	x.Send = append(x.Send, Sent{Kind: jsonrpc.KindRequest, ID: ourID(r.id), Method: r.method, Body: body, Call: r.within, Req: r.id})
}

// answered deals with a response.
func (n *Naive) answered(m *jsonrpc.Message, x *Expect) {
	id, isInt := m.ID.Int64()
	switch i := n.awaiting(uint64(id)); {
	case !isInt || id <= 0 || uint64(id) > n.lastReq:
		if m.ID.IsZero() {
			x.blame("JRPC-032", m)
			break
		}
		x.blame("JRPC-031", m)
	case uint64(id) <= n.lastBefore:
		x.ignored("LIFE-036", m) // of an earlier session
	case i < 0 || n.reqs[i].asking():
		x.ignored("JRPC-033", m) // late
		n.foundLate(m)
	case n.reqs[i].probe:
		n.answersProbe(m, false, x)
	case n.questioned(i, m, x):
	case n.reqs[i].method == "initialize":
		n.handshake(m, false, x)
	default:
		r := n.reqs[i]
		n.reqs = slices.Delete(n.reqs, i, i+1)
		n.alive(r, m)
		if r.machine {
			n.settle(x)
			return
		}
		h := Happening{
			Kind: lifecycle.ResponseReceived, Req: r.id, ID: m.ID, Method: r.method, Body: string(m.Body), Answer: failure(m.Err), Revision: r.revision,
		}
		if m.Kind == jsonrpc.KindResult {
			h = n.judge(r, m, x)
		}
		if rule := n.required(m.Err, n.caps, false); rule != "" {
			x.blame(rule, m)
		}
		if result, _ := members(string(m.Body)); h.Kind == lifecycle.RequestFailed || !accepted(result) {
			n.forget(r.end)
		}
		x.Events = append(x.Events, h)
		n.settle(x)
	}
}

// badAnswer deals with what is shaped like a response and is none.
func (n *Naive) badAnswer(m *jsonrpc.Message, x *Expect) {
	x.blame(faultRow(m), m)
	id, isInt := m.ID.Int64()
	i := n.awaiting(uint64(id))
	switch {
	case !isInt || id <= 0 || i < 0 || n.reqs[i].asking():
	case n.reqs[i].probe:
		n.answersProbe(m, true, x)
	case n.reqs[i].method == "initialize":
		n.handshake(m, true, x)
	default:
		n.alive(n.reqs[i], m)
		n.failAt(i, malformed(m), x)
		n.settle(x)
	}
}

// failAt ends the request at index i without an answer.
func (n *Naive) failAt(i int, cause Why, x *Expect) {
	r := n.reqs[i]
	n.reqs = slices.Delete(n.reqs, i, i+1)
	n.failed(r, cause, x)
}

// failEach ends all requests, oldest first. None is withdrawn for being within the question of another one.
func (n *Naive) failEach(cause Why, x *Expect) {
	all := n.reqs
	n.reqs = nil
	for _, r := range all {
		n.failed(r, cause, x)
	}
}

// failed is the end of a request that has left the table.
func (n *Naive) failed(r req, cause Why, x *Expect) {
	n.forget(r.end)
	if r.asking() {
		n.endQuestions(r.id, cause, x)
	}
	n.pinging = n.pinging && !r.machine
	x.Events = append(x.Events, Happening{
		Kind: lifecycle.RequestFailed, Req: r.id, ID: ourID(r.wire), Method: r.method, Cause: cause, Revision: r.revision,
	})
}

// withdrawn tells the peer that nobody waits for r any more.
func (n *Naive) withdrawn(r req, reason string, x *Expect) {
	if r.opens() || r.asking() {
		return
	}
	body := map[string]any{"requestId": json.Number(number(r.wire))}
	if reason != "" {
		body["reason"] = reason
	}
	within := r.within
	if !slices.ContainsFunc(n.calls, func(c call) bool { return c.seq == within }) {
		within = 0
	}
	x.Send = append(x.Send, Sent{Kind: jsonrpc.KindNotification, Method: "notifications/cancelled", Body: body, Call: within, Req: r.id})
}

func (n *Naive) cancel(s *Step, x *Expect) {
	i := n.req(s.Req.Seq())
	switch {
	case i < 0:
		x.Errs = []error{lifecycle.ErrGone}
	case n.reqs[i].opens():
		x.Errs = []error{lifecycle.ErrPhase}
	default:
		n.withdrawn(n.reqs[i], s.Reason, x)
		n.failAt(i, Why{Kind: lifecycle.CauseCancelled, Reason: s.Reason}, x)
		n.settle(x)
	}
}

func (n *Naive) sendFailed(s *Step, x *Expect) {
	n.unanswered(s, Why{Kind: lifecycle.CauseNotSent, Local: !s.NoCause}, "", x)
}

func (n *Naive) answerLost(s *Step, x *Expect) {
	n.unanswered(s, Why{Kind: lifecycle.CauseResponseLost, Local: !s.NoCause}, "the answer is lost", x)
}

// unanswered ends a request that no answer will come to. The peer hears of it where there
// is a reason to give.
func (n *Naive) unanswered(s *Step, cause Why, reason string, x *Expect) {
	i := n.req(s.Req.Seq())
	switch {
	case i < 0:
	case n.reqs[i].opens() && n.phase == lifecycle.Initializing:
		n.failHandshake(cause, x)
	default:
		if reason != "" {
			n.withdrawn(n.reqs[i], reason, x)
		}
		n.failAt(i, cause, x)
		n.settle(x)
	}
}

// progressed deals with progress of a request of ours.
func (n *Naive) progressed(m *jsonrpc.Message, x *Expect) {
	if !fits(paramShapes[m.Method], string(m.Body), false) {
		x.blame("PROG-006", m)
		return
	}
	params, _ := members(string(m.Body))
	i := n.holder(tokenOf(params["progressToken"]))
	if i < 0 || n.reqs[i].asking() {
		x.ignored(n.stray(tokenOf(params["progressToken"])), m)
		return
	}
	r := &n.reqs[i]
	value, _ := rational(params["progress"].(json.Number)).Float64()
	if r.reported && value <= r.last {
		x.blame("PROG-009", m)
		return
	}
	r.reported, r.last = true, value
	if r.reset && n.now < r.deadline {
		r.deadline = min(n.in(r.timeout), r.hard)
	}
	if !r.rate.take(n.set.Limits.Progress, n.now) {
		return
	}
	x.Events = append(x.Events, Happening{
		Kind: lifecycle.ProgressReceived, Req: r.id, ID: ourID(r.wire), Method: r.method, Body: string(m.Body),
	})
}

// stray returns the row for progress that no open request asked for: ids of ours are what it
// would name, so a number tells whether it ever was one.
func (n *Naive) stray(t token) string {
	id, err := strconv.ParseUint(strings.TrimPrefix(string(t), "n"), 10, 63)
	switch {
	case !strings.HasPrefix(string(t), "n") || err != nil || id == 0 || id > n.lastReq || n.awaiting(id) >= 0:
		return "PROG-021" // never given out
	case id <= n.lastBefore:
		return "LIFE-036"
	}
	return "PROG-022"
}
