package model

import (
	"slices"
	"strings"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// rule is what the method tables say of a request or a notification.
type rule struct {
	to    lifecycle.Party
	need  []string // capabilities of the receiver (requests) or the sender (notifications)
	asks  []string // capabilities of the receiver of a notification
	note  bool
	early bool // also in initializing; of those that told does not name
}

// tables are those of the newest revision.
var tables = func() map[string]rule {
	all := map[string]rule{}
	methods, _ := verbs.Methods(protocol.Revisions()[0])
	for _, m := range methods {
		r := rule{to: m.Sender, need: capNames(m.Gate), asks: capNames(m.Requires), note: !m.Request, early: m.Serve.Has(protocol.Initializing)}
		if m.Sender != protocol.BothParties {
			r.to = m.Sender.Peer()
		}
		all[m.Name] = r
	}
	return all
}()

// rule returns what the revision says of a method.
func (n *Naive) rule(method string) (r rule, ok bool) {
	r, ok = tables[method]
	switch {
	case stateless(n.known()):
		r, ok = statelessTables[method]
	case method == "elicitation/create" && n.known() < "2025-06-18", method == "notifications/elicitation/complete" && !n.late():
		return rule{}, false
	case method == "completion/complete" && n.known() == "2024-11-05":
		r.need = nil
	}
	return r, ok
}

// custom reports whether the application answers a method outside of the tables.
func (n *Naive) custom(method string) bool {
	return !standard(method) && method != "" && (n.set.ServeUnknown || n.serves(method))
}

// blame reports a message that breaks the rule.
func (x *Expect) blame(rule string, m *jsonrpc.Message) {
	x.event(lifecycle.Violation, rule, m)
	x.Events[len(x.Events)-1].Call = x.Opened
}

// ignored reports a message that is dropped without blame.
func (x *Expect) ignored(rule string, m *jsonrpc.Message) { x.event(lifecycle.Ignored, rule, m) }

func (x *Expect) event(kind lifecycle.EventKind, rule string, m *jsonrpc.Message) {
	x.Events = append(x.Events, Happening{
		Kind: kind, ID: m.ID, Method: m.Method, Body: string(m.Body), Answer: failure(m.Err), Rule: rule,
	})
}

func (n *Naive) receive(m jsonrpc.Message, x *Expect) {
	if !n.live() || n.closed {
		return
	}
	if m.Kind != jsonrpc.KindBatch {
		n.one(&m, x)
		return
	}
	if list := m.Batch(); n.revision != "2025-03-26" || len(list) > n.set.Limits.Batch {
		rule := "JRPC-029"
		if n.revision == "2025-03-26" {
			rule = "JRPC-046"
		}
		x.blame(rule, &m)
		n.unreadable(jsonrpc.CodeInvalidRequest, x)
		return
	}
	var opened []uint64
	for _, m := range m.Batch() {
		if n.closed {
			break // what follows the close action is not heard any more
		}
		x.Opened = 0
		n.one(&m, x)
		if x.Opened != 0 {
			opened = append(opened, x.Opened)
		}
	}
	x.Opened = 0
	for _, seq := range opened {
		x.Opened = seq // the last one, if none is open any more
	}
	for _, c := range n.calls {
		if slices.Contains(opened, c.seq) {
			x.Opened = c.seq
		}
	}
}

func (n *Naive) one(m *jsonrpc.Message, x *Expect) {
	if m.Kind != jsonrpc.KindInvalid {
		n.misses, n.heard = 0, n.now
		x.took = x.took || m.Kind != jsonrpc.KindRequest || n.inFlight(m.ID) < 0
	}
	switch m.Kind {
	case jsonrpc.KindRequest:
		n.asked(m, x)
	case jsonrpc.KindNotification:
		n.told(m, x)
	case jsonrpc.KindResult, jsonrpc.KindError:
		n.answered(m, x)
	default:
		n.broken(m, x)
	}
}

// broken follows the table of input that is no valid message, row by row.
func (n *Naive) broken(m *jsonrpc.Message, x *Expect) {
	if m.Shape == jsonrpc.KindResult && m.Fault != jsonrpc.FaultMixed {
		n.badAnswer(m, x)
		return
	}
	usable := !m.ID.IsZero()
	defer func() { x.blame(faultRow(m), m) }() // it belongs to the call that its answer makes
	switch m.Fault {
	case jsonrpc.FaultSyntax, jsonrpc.FaultUTF8, jsonrpc.FaultTrailing:
		switch {
		case usable:
			n.refuseEnvelope(m, x)
		case m.Shape != jsonrpc.KindNotification:
			n.unreadable(jsonrpc.CodeParseError, x)
		}
	case jsonrpc.FaultMixed:
		if usable {
			n.refuseEnvelope(m, x)
		}
	default:
		switch {
		case m.Shape == jsonrpc.KindNotification:
		case usable:
			n.refuseEnvelope(m, x)
		default:
			n.unreadable(jsonrpc.CodeInvalidRequest, x)
		}
	}
}

// refuseEnvelope answers under the id, unless that would answer another request.
func (n *Naive) refuseEnvelope(m *jsonrpc.Message, x *Expect) {
	if n.inFlight(m.ID) < 0 {
		n.open(x)
		n.reply(m, jsonrpc.CodeInvalidRequest, nil, x)
	}
}

func (n *Naive) unreadable(code int64, x *Expect) {
	if !n.set.Policy.AnswerUnreadable {
		return
	}
	id := jsonrpc.Null
	if n.known() >= "2025-11-25" {
		id = jsonrpc.ID{} // JRPC-101
	}
	x.Send = append(x.Send, Sent{Kind: jsonrpc.KindError, ID: id, Code: code, Direct: true})
}

func (n *Naive) inFlight(id jsonrpc.ID) int {
	return slices.IndexFunc(n.calls, func(c call) bool { return c.id == id })
}

func (n *Naive) open(x *Expect) {
	n.lastCall++
	x.Opened = n.lastCall
	x.Calls = append(x.Calls, x.Opened)
}

// reply answers the request just opened: an error if code is not 0.
func (n *Naive) reply(m *jsonrpc.Message, code int64, body any, x *Expect) {
	s := Sent{Kind: jsonrpc.KindResult, ID: m.ID, Body: body, Call: x.Opened, Final: true, Direct: true}
	x.answered = true
	x.Ended = append(x.Ended, x.Opened)
	if code != 0 {
		s.Kind, s.Code = jsonrpc.KindError, code
	}
	x.Send = append(x.Send, s)
}

// asked follows the order of checks for a request.
func (n *Naive) asked(m *jsonrpc.Message, x *Expect) {
	if n.inFlight(m.ID) >= 0 {
		x.blame("JRPC-034", m)
		return
	}
	n.open(x)
	if n.set.Party == lifecycle.Client && stateless(n.known()) {
		x.Opened, x.Calls, x.took = 0, nil, false // nobody waits for an answer
		x.blame("JRPC-204", m)
		return
	}
	if n.enveloped(m, x) {
		return
	}
	n.judged(m, x)
}

// judged is asked from where it is known what the request was made under.
func (n *Naive) judged(m *jsonrpc.Message, x *Expect) {
	self := n.set.Party
	r, ok := n.rule(m.Method)
	custom := n.custom(m.Method)
	bad := func(code int64, rule string) {
		n.reply(m, code, nil, x)
		x.blame(rule, m)
	}
	misfit := func() {
		bad(jsonrpc.CodeInvalidParams, "ERR-005")
		x.Events[len(x.Events)-1].Cause = Why{Said: true}
	}
	switch {
	case !ok && !custom:
		n.reply(m, jsonrpc.CodeMethodNotFound, nil, x)
		return
	case !custom && r.note:
		bad(jsonrpc.CodeMethodNotFound, "JRPC-022")
		return
	case !custom && r.to&self == 0:
		bad(jsonrpc.CodeMethodNotFound, "CAP-019")
		return
	case m.Method == "ping" && !fits("", string(m.Body), true):
		misfit()
		return
	case m.Method == "ping":
		n.reply(m, 0, map[string]any{}, x)
		return
	case m.Method == "initialize" && n.phase != lifecycle.Uninitialized:
		bad(jsonrpc.CodeInvalidRequest, "LIFE-015")
		return
	case n.phase == lifecycle.ShuttingDown:
		n.reply(m, jsonrpc.CodeInternalError, nil, x)
		return
	case n.own == nil && n.phase == lifecycle.Uninitialized && m.Method != "initialize":
		bad(jsonrpc.CodeInvalidRequest, "LIFE-001")
		return
	case n.own == nil && n.phase == lifecycle.Initializing && self == lifecycle.Client:
		bad(jsonrpc.CodeInvalidRequest, "LIFE-039")
		return
	case n.own == nil && n.phase == lifecycle.Initializing && n.set.Policy.StrictInitialized:
		bad(jsonrpc.CodeInvalidRequest, "LIFE-040")
		return
	case !has(n.caps, r.need):
		bad(jsonrpc.CodeMethodNotFound, "CAP-012")
		return
	case len(n.calls) >= n.set.Limits.Inbound && m.Method != "initialize":
		bad(jsonrpc.CodeInternalError, "ERR-013")
		return
	case m.Method != "initialize" && !n.requests.take(n.set.Limits.Requests, n.now):
		bad(jsonrpc.CodeInternalError, "ERR-013")
		return
	case custom && strings.HasPrefix(string(m.Body), "["), !custom && !n.paramsFit(m.Method, string(m.Body), true, false):
		misfit()
		return
	case m.Method == "sampling/createMessage" && n.late() && !toolsAnswered(string(m.Body)):
		misfit()
		return
	case m.Method == "elicitation/create" && n.elicited(m, x), m.Method == "sampling/createMessage" && n.sampled(m, x):
		return
	}
	n.serve(m, x)
}

// told deals with a notification.
func (n *Naive) told(m *jsonrpc.Message, x *Expect) {
	r, ok := n.rule(m.Method)
	custom := n.custom(m.Method)
	early := r.early || custom
	switch {
	case !ok && !custom:
		x.ignored("JRPC-020", m)
	case !custom && !r.note:
		x.blame("JRPC-023", m)
	case !custom && r.to&n.set.Party == 0:
		x.blame("CAP-020", m)
	case m.Method == "notifications/cancelled" && n.set.Party == lifecycle.Client && stateless(n.known()):
		n.torn(m, x)
	case m.Method == "notifications/cancelled":
		n.cancelled(m, x)
	case m.Method == "notifications/progress":
		n.progressed(m, x)
	case m.Method == "notifications/initialized" && n.phase != lifecycle.Initializing:
		switch n.phase {
		case lifecycle.Uninitialized:
			x.blame("LIFE-013", m)
		case lifecycle.Ready:
			x.blame("LIFE-014", m)
		default:
			x.ignored("LIFE-043", m)
		}
	case m.Method == "notifications/initialized" && fits("", string(m.Body), false):
		n.move(lifecycle.Ready, Why{}, x)
		n.announceAll(x)
	case !n.phaseless(custom) && m.Method != "notifications/initialized" && n.phase != lifecycle.Ready && !(early && n.phase == lifecycle.Initializing):
		x.ignored("LIFE-043", m)
	case custom && strings.HasPrefix(string(m.Body), "["), !custom && !fits(paramShapes[m.Method], string(m.Body), false):
		x.blame("ERR-005", m)
		x.Events[len(x.Events)-1].Cause = Why{Said: true}
	case m.Method == "notifications/elicitation/complete" && !slices.Contains(n.ends, str(string(m.Body), "elicitationId")):
		x.ignored("ELIC-114", m)
	case m.Method == "notifications/message" && !n.logsIn.take(n.set.Limits.Logs, n.now):
		n.dropped++
	default:
		n.forget(str(string(m.Body), "elicitationId"))
		if n.revision != "" && !has(n.peerCaps, r.need) {
			x.blame("CAP-021", m) // and delivered
		}
		n.deliver(m, x)
	}
}

// cancelled ends an open call of the peer.
func (n *Naive) cancelled(m *jsonrpc.Message, x *Expect) {
	params, _ := members(string(m.Body))
	switch optional, _ := strings.CutPrefix(paramShapes[m.Method], "requestId! id, "); {
	case fits(paramShapes[m.Method], string(m.Body), false):
	case n.late() && !stateless(n.known()) && params["requestId"] == nil && fits(optional, string(m.Body), false):
		x.ignored("CANC-102", m)
		return
	default:
		x.blame("CANC-018", m)
		return
	}
	for i, c := range n.calls {
		id, _ := parse(string(c.id.Append(nil)))
		if tokenOf(id) != tokenOf(params["requestId"]) {
			continue
		}
		n.over(i)
		n.forget(c.end)
		x.Events = append(x.Events, Happening{
			Kind: lifecycle.RequestCancelled, Call: c.seq, ID: c.id, Method: c.method, Body: string(m.Body),
			Cause: Why{Kind: lifecycle.CauseCancelled, Reason: str(string(m.Body), "reason")},
		})
		x.Ended = append(x.Ended, c.seq)
		n.endWithin(c.seq, x)
		n.settle(x)
		return
	}
	x.ignored("CANC-010", m)
}
