package model

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// initialize opens the session of a client.
func (n *Naive) initialize(x *Expect) {
	if n.set.Party != lifecycle.Client || n.phase != lifecycle.Uninitialized {
		x.Errs = []error{lifecycle.ErrPhase}
		return
	}
	capabilities := map[string]any{"experimental": map[string]any{"x": map[string]any{"y": json.Number("1")}}}
	n.declare(capabilities)
	n.send(req{method: "initialize"}, lifecycle.RequestOptions{}, map[string]any{
		"protocolVersion": n.known(), "capabilities": capabilities, "clientInfo": map[string]any{"name": "model", "version": "1"},
	}, x)
	n.move(lifecycle.Initializing, lifecycle.CauseNone, x)
}

// declare puts the capabilities of this side into an object.
func (n *Naive) declare(object map[string]any) {
	for _, name := range n.caps {
		whole, part, isPart := strings.Cut(name, ".")
		if object[whole] == nil {
			object[whole] = map[string]any{}
		}
		if isPart {
			object[whole].(map[string]any)[part] = true
		}
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
	_, standard := tables[name]
	refuse := func(when bool, err error) {
		if when {
			x.Errs = append(x.Errs, err)
		}
	}
	ready := n.phase == lifecycle.Ready || name == "ping" && (n.phase == lifecycle.Initializing || n.phase == lifecycle.ShuttingDown)
	refuse(!ready || n.closed || n.deaf, lifecycle.ErrPhase)
	refuse(standard && !ok, lifecycle.ErrRevision)
	refuse(name == "" || name == "initialize" || strings.HasPrefix(name, "notifications/") || standard && (r.note || r.to&n.set.Party.Peer() == 0), lifecycle.ErrParams)
	refuse(!has(n.peerCaps, r.need), lifecycle.ErrCapability)
	needless := n.req(opt.Supersede.Seq())
	refuse(needless >= 0 && n.reqs[needless].method == "initialize", lifecycle.ErrPhase)
	refuse(len(n.reqs) >= n.set.Limits.Outbound && needless < 0, lifecycle.ErrLimit)
	refuse(!opt.Within.IsZero() && n.call(opt.Within) < 0, lifecycle.ErrGone)
	for _, d := range []time.Duration{opt.Timeout, opt.Maximum} {
		refuse(d < 0 && d != lifecycle.NoTimeout, lifecycle.ErrParams)
	}
	_, isObject := members(text)
	refuse(!isObject || standard && !fits(paramShapes[name], text, true), lifecycle.ErrParams)
	refuse((name == "tools/call" || name == "prompts/get") && str(text, "name") == "", lifecycle.ErrParams)
	refuse(ofURI(name) && str(text, "uri") == "", lifecycle.ErrParams)
	refuse(opt.OutputSchema != "" && (name != "tools/call" || !json.Valid([]byte(opt.OutputSchema))), lifecycle.ErrParams)
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
		method: name, within: opt.Within.Seq(), reset: opt.ResetOnProgress, token: own, schema: string(opt.OutputSchema), uri: str(text, "uri"),
	}
	id := n.nextID()
	params, _ := members(text)
	n.unset(paramShapes[name], params, true)
	if progress || own != "" && opt.ReplaceToken {
		out.token = token("n" + number(id))
		meta, _ := params["_meta"].(map[string]any)
		if meta == nil {
			meta = map[string]any{}
		}
		meta["progressToken"] = json.Number(number(id))
		params["_meta"] = meta
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
		n.failAt(needless, lifecycle.CauseCancelled, x)
		x.Send = append(x.Send, sent...)
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
	t := n.set.Timeouts
	byMethod := cmp.Or(t.Request, lifecycle.DefaultRequestTimeout)
	switch r.method {
	case "initialize":
		byMethod = cmp.Or(t.Initialize, lifecycle.DefaultInitializeTimeout)
	case "ping":
		byMethod = cmp.Or(t.Ping, lifecycle.DefaultPingTimeout)
	case "sampling/createMessage", "elicitation/create":
		byMethod = cmp.Or(t.Human, lifecycle.DefaultHumanTimeout)
	}
	r.timeout = cmp.Or(opt.Timeout, byMethod)
	r.hard = n.in(opt.Maximum)
	if opt.Maximum == 0 {
		// A default does not shorten what was asked for.
		r.hard = n.in(cmp.Or(t.Maximum, lifecycle.DefaultMaximumTimeout))
		r.hard = max(r.hard, n.in(r.timeout))
	}
	r.deadline = min(n.in(r.timeout), r.hard)
	n.lastReq = r.id
	n.reqs = append(n.reqs, r)
	x.Req = r.id
	x.Send = append(x.Send, Sent{Kind: jsonrpc.KindRequest, ID: ourID(r.id), Method: r.method, Body: body, Call: r.within})
}

// answered deals with a response.
func (n *Naive) answered(m *jsonrpc.Message, x *Expect) {
	id, isInt := m.ID.Int64()
	switch i := n.req(uint64(id)); {
	case !isInt || id <= 0 || uint64(id) > n.lastReq:
		x.event(lifecycle.Violation, m)
	case i < 0:
		x.event(lifecycle.Ignored, m) // late, or of an earlier session
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
		h := Happening{Kind: lifecycle.ResponseReceived, Req: r.id, Method: r.method, Body: string(m.Body)}
		if m.Kind == jsonrpc.KindResult {
			h = n.judge(r, m, x)
		}
		x.Events = append(x.Events, h)
		n.settle(x)
	}
}

// badAnswer deals with what is shaped like a response and is none.
func (n *Naive) badAnswer(m *jsonrpc.Message, x *Expect) {
	x.event(lifecycle.Violation, m)
	id, isInt := m.ID.Int64()
	i := n.req(uint64(id))
	switch {
	case !isInt || id <= 0 || i < 0:
	case n.reqs[i].method == "initialize":
		n.handshake(m, true, x)
	default:
		n.alive(n.reqs[i], m)
		n.failAt(i, lifecycle.CauseInvalidResponse, x)
		n.settle(x)
	}
}

// failAt ends the request at index i without an answer.
func (n *Naive) failAt(i int, cause lifecycle.CauseKind, x *Expect) {
	r := n.reqs[i]
	n.reqs = slices.Delete(n.reqs, i, i+1)
	n.pinging = n.pinging && !r.machine
	x.Events = append(x.Events, Happening{Kind: lifecycle.RequestFailed, Req: r.id, Method: r.method, Cause: cause})
}

// handshake is the answer to initialize.
func (n *Naive) handshake(m *jsonrpc.Message, malformed bool, x *Expect) {
	i := slices.IndexFunc(n.reqs, func(r req) bool { return r.method == "initialize" })
	version := str(string(m.Body), "protocolVersion")
	result, _ := members(string(m.Body))
	caps, _ := result["capabilities"].(map[string]any)
	peer := flatten(caps, n.set.Party.Peer())
	supported := slices.ContainsFunc(n.set.Revisions, func(r protocol.Revision) bool { return r.String() == version })
	bad := malformed || m.Kind == jsonrpc.KindResult && !fits(resultShapes["initialize"], string(m.Body), false)
	if bad {
		if !malformed {
			x.event(lifecycle.Violation, m)
		}
		n.failAt(i, lifecycle.CauseInvalidResponse, x)
	} else {
		x.Events = append(x.Events, Happening{
			Kind: lifecycle.ResponseReceived, Req: n.reqs[i].id, Method: "initialize", Body: string(m.Body),
		})
		n.reqs = slices.Delete(n.reqs, i, i+1)
	}
	n.settle(x)
	if n.phase != lifecycle.Initializing {
		return
	}
	cause := lifecycle.CauseNone
	switch {
	case bad:
		cause = lifecycle.CauseInvalidResponse
	case m.Err != nil:
		cause = lifecycle.CauseRefused
	case !supported:
		cause = lifecycle.CauseUnsupportedRevision
	case !has(peer, capNames(n.set.Require)):
		cause = lifecycle.CauseMissingCapability
	}
	if cause != lifecycle.CauseNone {
		n.failHandshake(cause, x)
		return
	}
	n.revision, n.peerCaps = version, peer
	n.move(lifecycle.Ready, lifecycle.CauseNone, x)
	x.Send = append(x.Send, Sent{Kind: jsonrpc.KindNotification, Method: "notifications/initialized"})
}

// flatten returns the names of declared capabilities.
func flatten(object map[string]any, of lifecycle.Party) (names []string) {
	known := map[lifecycle.Party][]string{
		lifecycle.Client: {"roots", "sampling", "elicitation"},
		lifecycle.Server: {"tools", "resources", "prompts", "logging", "completions"},
	}
	for _, whole := range known[of] {
		parts, ok := object[whole].(map[string]any)
		if !ok {
			continue
		}
		names = append(names, whole)
		for _, part := range []string{"listChanged", "subscribe"} {
			if parts[part] == true {
				names = append(names, whole+"."+part)
			}
		}
	}
	return names
}

// withdrawn tells the peer that nobody waits for r any more.
func (n *Naive) withdrawn(r req, reason string, x *Expect) {
	if r.method == "initialize" {
		return
	}
	body := map[string]any{"requestId": json.Number(number(r.id))}
	if reason != "" {
		body["reason"] = reason
	}
	within := r.within
	if !slices.ContainsFunc(n.calls, func(c call) bool { return c.seq == within }) {
		within = 0
	}
	x.Send = append(x.Send, Sent{Kind: jsonrpc.KindNotification, Method: "notifications/cancelled", Body: body, Call: within})
}

func (n *Naive) cancel(s *Step, x *Expect) {
	i := n.req(s.Req.Seq())
	switch {
	case i < 0:
		x.Errs = []error{lifecycle.ErrGone}
	case n.reqs[i].method == "initialize":
		x.Errs = []error{lifecycle.ErrPhase}
	default:
		n.withdrawn(n.reqs[i], s.Reason, x)
		n.failAt(i, lifecycle.CauseCancelled, x)
		n.settle(x)
	}
}

func (n *Naive) sendFailed(s *Step, x *Expect) {
	i := n.req(s.Req.Seq())
	switch {
	case i < 0:
	case n.reqs[i].method == "initialize" && n.phase == lifecycle.Initializing:
		n.failHandshake(lifecycle.CauseNotSent, x)
	default:
		n.failAt(i, lifecycle.CauseNotSent, x)
		n.settle(x)
	}
}

// progressed deals with progress of a request of ours.
func (n *Naive) progressed(m *jsonrpc.Message, x *Expect) {
	if !fits(paramShapes[m.Method], string(m.Body), false) {
		x.event(lifecycle.Violation, m)
		return
	}
	params, _ := members(string(m.Body))
	i := n.holder(tokenOf(params["progressToken"]))
	if i < 0 {
		x.event(lifecycle.Ignored, m)
		return
	}
	r := &n.reqs[i]
	value, _ := rational(params["progress"].(json.Number)).Float64()
	if r.reported && value <= r.last {
		x.event(lifecycle.Violation, m)
		return
	}
	r.reported, r.last = true, value
	if r.reset && n.now < r.deadline {
		r.deadline = min(n.in(r.timeout), r.hard)
	}
	if !r.rate.take(n.set.Limits.Progress, n.now) {
		return
	}
	x.Events = append(x.Events, Happening{Kind: lifecycle.ProgressReceived, Req: r.id, Method: r.method, Body: string(m.Body)})
}
