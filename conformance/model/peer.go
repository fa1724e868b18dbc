package model

import (
	"slices"
	"strings"
	"time"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Generator draws steps for a Machine.
type Generator struct {
	d     dice
	party lifecycle.Party
	serve []string // the methods that the Machine's application answers
	revs  []protocol.Revision
	alone bool   // the Machine supports revisions without a session
	tame  int    // how much rarer faults are than in the wildest runs
	topic string // the method that the run is about, or ""
	now   time.Time
	most  float64          // the most progress that was drawn
	calls []lifecycle.Call // all so far, open or not
	reqs  []lifecycle.Req

	// Wild allows messages with faults that Naive does not understand:
	// texts with changed bytes.
	Wild bool
	// Quiet omits steps that end the session.
	Quiet bool
}

// NewGenerator returns a Generator for machines of the setup.
func NewGenerator(src Source, set Setup) *Generator {
	g := &Generator{d: dice{src}, party: set.Party, topic: set.Topic, serve: set.Serve, revs: set.Revisions, alone: len(set.Stateless) > 0 || set.Strange, now: Origin}
	if len(g.revs) == 0 {
		g.revs = protocol.Revisions()
	}
	g.tame = pick(g.d, []int{8, 3, 1})
	return g
}

// bad reports true at most once in n times: the choice of something invalid.
func (g *Generator) bad(n int) bool { return g.d.one(n * g.tame) }

// Next draws a step that mostly suits the state of m.
func (g *Generator) Next(m verbs.Machine) Step {
	s, ok := Step{}, false
	if g.topic != "" && g.d.one(2) {
		s, ok = g.topical(m)
	}
	switch {
	case ok: // it is drawn
	case g.d.one(2):
		s = g.verb(m)
	default:
		s = Step{Op: verbs.OpReceive, Text: g.message(m)}
	}
	s.Now = g.time(m, s.Op)
	return s
}

// Verb draws a verb of the application. The caller sets its time.
func (g *Generator) Verb(m verbs.Machine) Step { return g.verb(m) }

// Saw passes the Output of a step to the Generator, so that later steps can name its handles.
func (g *Generator) Saw(out lifecycle.Output) {
	if !out.Opened.IsZero() {
		g.calls = append(g.calls, out.Opened)
	}
	for _, ev := range out.Events {
		if ev.Kind == lifecycle.RequestReceived {
			g.calls = append(g.calls, ev.Call)
		}
	}
	if !out.Req.IsZero() {
		g.reqs = append(g.reqs, out.Req)
	}
}

// time draws the time of a step: seldom zero or early, sometimes exactly a deadline.
func (g *Generator) time(m verbs.Machine, op verbs.Op) time.Time {
	switch choice := g.d.Intn(12); {
	case choice < 6:
		return g.now
	case choice == 10:
		return time.Time{}
	case choice == 11:
		return g.now.Add(-time.Second)
	case choice == 9 || op == verbs.OpTick && choice > 6:
		if due, ok := m.NextDeadline(); ok && due.After(g.now) && due.Before(Origin.Add(time.Hour)) {
			g.now = due
		}
		return g.now
	}
	g.now = g.now.Add(time.Duration(g.d.Intn(5)) * 500 * time.Millisecond)
	return g.now
}

// message draws a message of the peer.
func (g *Generator) message(m verbs.Machine) string {
	text := g.single(m)
	switch {
	case g.d.one(16):
		list := []string{text}
		for range g.d.Intn(4) {
			list = append(list, g.single(m))
		}
		if id := jsonrpc.DecodeString(text).ID; !id.IsZero() && g.d.one(3) {
			list = append(list, g.note("notifications/cancelled", `{"requestId":`+id.String()+`}`))
		}
		text = "[" + strings.Join(list, ",") + "]"
	case g.bad(12):
		text = pick(g.d, hostileTexts)
	case g.d.one(12):
		if g.Wild && text != "" {
			b := []byte(text)
			for range 1 + g.d.Intn(3) {
				b[g.d.Intn(len(b))] = `{}[]",:x0 \n`[g.d.Intn(12)]
			}
			text = string(b)
		}
	}
	return text
}

func (g *Generator) single(m verbs.Machine) string {
	phase := m.Phase()
	if g.alone && g.party == lifecycle.Server && g.d.one(2) {
		return g.standalone()
	}
	if g.party == lifecycle.Server && phase == lifecycle.Uninitialized && g.d.Intn(4) > 0 {
		return g.request("initialize", g.initialize(`"clientInfo"`, clientCaps))
	}
	if g.alone && g.party == lifecycle.Client && m.Revision().Stateless() && g.d.one(4) {
		return g.change(m)
	}
	if g.party == lifecycle.Server && phase == lifecycle.Initializing && g.d.Intn(3) > 0 {
		return `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	}
	reqs := slices.Collect(m.Outbound())
	if len(reqs) > 0 && (g.d.Intn(3) == 0 || phase == lifecycle.Initializing && g.party == lifecycle.Client && g.d.one(2)) {
		return g.response(pick(g.d, reqs))
	}
	switch g.d.Intn(8) {
	case 0, 1, 2, 3:
		return g.request(g.method(), "")
	case 4:
		return g.note(g.noteMethod(), "")
	case 5:
		return g.note("notifications/cancelled", g.cancelled(m))
	case 6:
		return g.note("notifications/progress", g.progress(reqs))
	}
	return g.response(lifecycle.ReqInfo{ID: jsonrpc.Int(int64(g.d.Intn(12))), Method: "ping"})
}

// method draws the method of a request, mostly one that the Machine could serve.
func (g *Generator) method() string {
	mine, others := toServer, toClient
	if g.party == lifecycle.Client {
		mine, others = others, mine
	}
	switch {
	case asks(g.topic, g.party) && g.d.Intn(3) > 0:
		return g.topic
	case g.bad(12):
		return pick(g.d, others)
	case g.bad(12):
		return pick(g.d, notesToServer)
	case g.bad(6):
		return pick(g.d, strangers)
	case g.bad(12):
		return "initialize"
	case len(g.serve) > 0 && g.d.one(2):
		return pick(g.d, g.serve)
	}
	return pick(g.d, mine)
}

func (g *Generator) noteMethod() string {
	mine, others := notesToServer, notesToClient
	if g.party == lifecycle.Client {
		mine, others = others, mine
	}
	switch {
	case g.bad(8):
		return pick(g.d, others)
	case g.bad(8):
		return pick(g.d, toServer)
	case g.d.one(8):
		return pick(g.d, append([]string{"notifications/custom"}, strangers...))
	}
	return pick(g.d, mine)
}

// params draws the params of a method.
func (g *Generator) params(method string) string {
	if method == "initialize" {
		return g.initialize(`"clientInfo"`, clientCaps)
	}
	t := paramTexts[method]
	if len(t.good) == 0 || len(t.bad) > 0 && g.bad(6) {
		return pick(g.d, t.bad)
	}
	return pick(g.d, t.good)
}

var (
	clientCaps = []string{
		`{"roots":{"listChanged":true},"sampling":{"tools":{},"context":{}},"elicitation":{"form":{},"url":{}}}`, `{"roots":{},"sampling":{},"elicitation":{}}`, "{}",
		`{"roots":{},"sampling":{"tools":null,"context":{}}}`, `{"sampling":{"tools":{}},"elicitation":{"url":{}}}`, `{"elicitation":{"form":{}}}`,
	}
	serverCaps = []string{
		`{"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"prompts":{"listChanged":true},"logging":{},"completions":{}}`,
		`{"tools":{},"resources":{},"prompts":{},"logging":{},"completions":{}}`, "{}", `{"tools":{},"resources":{}}`,
	}
)

// initialize draws the params or the result of initialize.
func (g *Generator) initialize(info string, caps []string) string {
	version := pick(g.d, g.revs).String()
	if g.topic != "" && g.d.one(2) {
		version, caps = g.revs[0].String(), caps[:1]
	}
	if g.bad(8) {
		version = pick(g.d, []string{"1999-01-01", "", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"})
	}
	if g.bad(10) {
		return pick(g.d, []string{"{}", `{"protocolVersion":"2025-06-18"}`, `{"protocolVersion":5,"capabilities":{},` + info + `:{"name":"p","version":"1"}}`})
	}
	who := pick(g.d, []string{`{"name":"peer","version":"1"}`, `{"title":"The Peer","version":"2","name":"p"}`})
	return `{"protocolVersion":"` + version + `","capabilities":` + pick(g.d, caps) + `,` + info + `:` + who + `}`
}

// request draws the text of a request; with params "" they are drawn too.
func (g *Generator) request(method, params string) string {
	if params == "" {
		params = g.params(method)
	}
	if strings.HasPrefix(params, "{") && !strings.Contains(params, "_meta") && g.d.one(2) {
		params = withMeta(params, `{"progressToken":`+pick(g.d, tokenTexts)+`}`)
	}
	id := pick(g.d, usableIDs)
	if g.bad(16) {
		id = pick(g.d, unusableIDs)
	}
	return g.envelope(`"id":`+id+`,"method":"`+method+`"`, params)
}

func (g *Generator) note(method, params string) string {
	if params == "" {
		params = g.params(method)
	}
	return g.envelope(`"method":"`+method+`"`, params)
}

func (g *Generator) envelope(head, params string) string {
	version := `"jsonrpc":"2.0",`
	choice := -1
	if g.bad(4) {
		choice = g.d.Intn(6) + 18
	}
	switch choice {
	case 23:
		version = ""
	case 22:
		version = `"jsonrpc":"1.0",`
	case 21:
		params = pick(g.d, []string{"5", `"x"`, "true"})
	case 20:
		head += `,"result":{}`
	case 19:
		head += `,"error":{"code":1,"message":"m"}`
	case 18:
		version += version
	}
	if params != "" {
		head += `,"params":` + params
	}
	return "{" + version + head + "}"
}

// withMeta puts a _meta object into an object.
func withMeta(params, meta string) string {
	if strings.TrimSpace(params[1:]) == "}" {
		return `{"_meta":` + meta + `}`
	}
	return `{"_meta":` + meta + `,` + params[1:]
}

// cancelled draws the params of a cancellation, mostly of an open call.
func (g *Generator) cancelled(m verbs.Machine) string {
	if open := slices.Collect(m.Inbound()); len(open) > 0 && g.d.Intn(4) > 0 {
		return `{"requestId":` + string(pick(g.d, open).ID.Append(nil)) + pick(g.d, []string{"}", `,"reason":"r"}`})
	}
	if g.d.one(3) {
		return g.params("notifications/cancelled")
	}
	return `{"requestId":` + pick(g.d, usableIDs) + `}`
}

// progress draws the params of progress, mostly of a pending request.
func (g *Generator) progress(reqs []lifecycle.ReqInfo) string {
	token := pick(g.d, tokenTexts)
	if len(reqs) > 0 && g.d.Intn(4) > 0 {
		token = string(pick(g.d, reqs).ID.Append(nil))
	} else if g.d.one(4) {
		return g.params("notifications/progress")
	}
	return `{"progressToken":` + token + `,"progress":` + pick(g.d, []string{"1", "2", "3.5", "0", "-1", "1e2"}) + `}`
}

// response draws an answer to a request.
func (g *Generator) response(req lifecycle.ReqInfo) string {
	id := string(req.ID.Append(nil))
	if g.bad(12) {
		id = pick(g.d, append([]string{id + ".0", `"` + id + `"`, "-1"}, unusableIDs...))
	}
	head := `{"jsonrpc":"2.0","id":` + id
	switch {
	case g.bad(12):
		return head + pick(g.d, []string{"}", `,"result":null}`, `,"result":[]}`, `,"result":{},"error":{"code":1,"message":"m"}}`,
			`,"error":{"code":1.5,"message":"m"}}`, `,"error":{"code":1}}`, `,"error":5}`, `,"result":{},"result":{}}`})
	case g.d.one(12):
		return head + `,"error":{"code":-32042,"message":"first","data":` + g.pages() + `}}`
	case g.bad(6) || g.d.one(12):
		return head + pick(g.d, []string{`,"error":{"code":-32601,"message":"m"}}`, `,"error":{"code":3000000000,"message":"","data":null}}`})
	}
	if g.alone {
		if text := g.answersAlone(req); text != "" {
			return head + text
		}
	}
	if req.Method == "initialize" {
		return head + `,"result":` + g.initialize(`"serverInfo"`, serverCaps) + `}`
	}
	if odd := peerTexts[req.Method]; len(odd) > 0 && g.d.one(3) {
		return head + `,"result":` + pick(g.d, odd) + `}`
	}
	t := resultTexts[req.Method]
	if len(t.bad) > 0 && g.bad(8) || len(t.good) == 0 {
		return head + `,"result":` + pick(g.d, append(t.bad, "{}")) + `}`
	}
	return head + `,"result":` + pick(g.d, t.good) + `}`
}
