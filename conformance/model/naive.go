package model

import (
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

const never = math.MaxInt64

// Naive is the machine of either role as the specification describes it: plain slices,
// linear search, changed in place. It is slow and simple.
type Naive struct {
	set  Setup
	caps []string // declared by this side

	phase    lifecycle.Phase
	origin   time.Time
	now      int64  // from origin
	revision string // negotiated, "" before
	peerCaps []string
	cause    Why
	peer     protocol.Implementation // the info of the peer
	grace    int64
	closed   bool
	deaf     bool // the peer sends no more

	calls      []call // the peer's, in order of arrival
	reqs       []req  // ours, in order of sending
	lastCall   uint64
	lastReq    uint64
	lastBefore uint64 // the last id of the previous session

	offer    Offer
	ends     []string // ids whose end is to be announced
	changed  []string // waiting list_changed notifications
	announce int64    // until then
	level    int
	subs     []string
	askedAt  int64 // when the peer last asked the user
	freeAt   int64 // when it last had no open question

	ping     int64 // when the keepalive pings next
	pinging  bool  // a ping of it is open
	misses   int
	heard    int64 // when the last valid message arrived
	requests bucket
	logsOut  bucket
	logsIn   bucket
	found    string   // the server's late answer to the probe
	own      *profile // of the current request, nil if it belongs to the session
	dropped  uint64   // dropped log messages
}

type call struct {
	seq      uint64
	id       jsonrpc.ID
	under    *profile // nil: the session's
	filter   *filter  // of a subscription, which the machine holds
	spelled  string   // the id in the peer's spelling
	of       uint64   // our request that it is a question of
	key      string   // its key there
	deadline int64
	method   string
	params   string
	tool     string // the tool whose schema the result must satisfy
	end      string // the announced id
	token    token
	reported bool
	last     float64
	rate     bucket
}

type req struct {
	revision string // its revision
	id       uint64
	wire     uint64 // the id of the awaited answer
	probe    bool   // it probes the server
	acked    bool   // a subscription that has begun
	rounds   int    // answers with questions
	asked    []question
	state    any            // for the server
	params   map[string]any // as sent first
	deadline int64
	hard     int64
	sent     int64
	timeout  time.Duration
	method   string
	token    token
	reset    bool
	within   uint64
	schema   string         // the outputSchema for the result
	uri      string         // of its resource
	form     map[string]any // for the user
	end      string         // the announced id
	mode     string         // the tool choice of the model, "" without tools
	machine  bool           // a ping of the keepalive
	reported bool
	last     float64
	rate     bucket
}

// NewNaive returns the Naive of the setup.
func NewNaive(set Setup, origin time.Time) *Naive {
	n := &Naive{set: set, origin: origin, offer: set.Offer, grace: never, ping: never, askedAt: -never, freeAt: -never}
	n.caps = n.declared()
	return n
}

func (n *Naive) serves(method string) bool { return slices.Contains(n.set.Serve, method) }

// declared derives the capabilities of this side.
func (n *Naive) declared() (caps []string) {
	add := func(on bool, name string) {
		if on {
			caps = append(caps, name)
		}
	}
	o, list := n.set.Offer, n.set.ListChanged
	if n.set.Party == lifecycle.Client {
		roots := o.Roots != nil || n.serves("roots/list")
		add(roots, "roots")
		add(roots && list, "roots.listChanged")
		add(n.serves("sampling/createMessage"), "sampling")
		add(n.serves("elicitation/create"), "elicitation")
		return append(caps, capNames(n.set.Declare)...)
	}
	tools := o.Tools != nil || n.serves("tools/list") || n.serves("tools/call")
	add(tools, "tools")
	add(tools && list, "tools.listChanged")
	add(o.Resources != nil, "resources")
	add(n.set.Subscribe || n.serves("resources/subscribe"), "resources.subscribe")
	add(o.Resources != nil && list, "resources.listChanged")
	add(o.Prompts != nil, "prompts")
	add(o.Prompts != nil && list, "prompts.listChanged")
	add(n.serves("completion/complete"), "completions")
	add(n.set.Logging || n.serves("logging/setLevel"), "logging")
	return caps
}

// has reports whether caps contains all of need.
func has(caps, need []string) bool {
	return !slices.ContainsFunc(need, func(name string) bool { return !slices.Contains(caps, name) })
}

// known returns the applicable revision: the negotiated one, or the newest.
func (n *Naive) known() string {
	if n.revision != "" {
		return n.revision
	}
	return n.set.newest().String()
}

func (n *Naive) live() bool {
	return n.phase != lifecycle.Disconnected && n.phase != lifecycle.Failed
}

func (n *Naive) clock(now time.Time) {
	if !now.IsZero() {
		n.now = max(n.now, int64(now.Sub(n.origin)))
	}
}

func (n *Naive) in(d time.Duration) int64 {
	if d < 0 || int64(d) >= never-n.now {
		return never
	}
	return n.now + int64(d)
}

// deadline returns the earliest of all.
func (n *Naive) deadline() int64 {
	first := min(n.grace, n.ping)
	if len(n.changed) > 0 && n.hearing() {
		first = min(first, n.announce)
	}
	for _, c := range n.calls {
		first = min(first, c.deadline)
	}
	for _, r := range n.reqs {
		first = min(first, r.deadline)
	}
	return first
}

// call returns the index of the open call with the handle, or -1.
func (n *Naive) call(h lifecycle.Call) int {
	return slices.IndexFunc(n.calls, func(c call) bool { return c.seq == h.Seq() && h.Seq() != 0 })
}

// awaiting returns the index of the request that awaits the answer with the id.
func (n *Naive) awaiting(id uint64) int {
	return slices.IndexFunc(n.reqs, func(r req) bool { return r.wire == id })
}

func (n *Naive) req(id uint64) int {
	return slices.IndexFunc(n.reqs, func(r req) bool { return r.id == id })
}

// Expect is the expected result of a step.
type Expect struct {
	// Errs: the verb fails with one of these; it succeeds if there are none.
	Errs []error
	// Moved: the State moves although the verb fails (Finish).
	Moved  bool
	Send   []Sent         // sent messages
	Events []Happening    // what happens
	Opened uint64         // the Call opened
	Calls  []uint64       // all Calls opened
	Ended  []uint64       // all Calls that end
	Req    uint64         // the sent Req
	Close  Why            // of kind CauseNone: no close action
	Fate   lifecycle.Fate // of the received message

	took, answered bool // of a received message: one was accepted, or answered
}

// Sent is a sent message.
type Sent struct {
	Kind   jsonrpc.Kind // request, notification, result or error
	ID     jsonrpc.ID   // the wire id
	Method string       // of a request or notification
	Code   int64        // of an error
	Body   any          // params or result as encoding/json reads it; nil for none
	Call   uint64       // the Call that it belongs to
	Req    uint64       // the Req that it is, or cancels
	Final  bool         // whether it answers that Call
	Direct bool         // whether it answers the received message itself
	Given  string       // of an error of the application: as failure writes it; "" for the machine's own text
	Failed bool         // whether it is a failed result of a tool, with unspecified text
	Alone  bool         // whether it belongs to a request without a session
}

// Happening is an event.
type Happening struct {
	Kind      lifecycle.EventKind // what happened
	Call, Req uint64              // the handles
	Method    string              // the method
	From, To  lifecycle.Phase     // of PhaseChanged
	ID        jsonrpc.ID          // the wire id
	Cause     Why                 // why
	Answer    string              // the peer's error, as failure writes it
	Body      string              // params or result
	JSON      any                 // if not nil: the value of Body, in any spelling
	Rule      string              // of Violation, Ignored and LocalViolation
	Revision  string              // its revision
}

// Step takes a step and returns the expected result.
func (n *Naive) Step(s *Step) Expect {
	var x Expect
	before := n.now
	n.clock(s.Now)
	switch s.Op {
	case verbs.OpReceive:
		n.receive(jsonrpc.DecodeString(s.Text), &x)
		x.Fate = n.fate(&x)
	case verbs.OpTick:
		n.tick(&x)
	case verbs.OpRespond:
		n.as(n.profileOf(s.Call), func() { n.respond(s, &x) })
	case verbs.OpFail:
		n.as(n.profileOf(s.Call), func() { n.fail(s, &x) })
	case verbs.OpFinish:
		n.as(n.profileOf(s.Call), func() { n.finish(s, &x) })
	case verbs.OpProgress:
		n.as(n.profileOf(s.Call), func() { n.progress(s, &x) })
	case verbs.OpNotify:
		n.notifies(s, &x)
	case verbs.OpRequest:
		n.as(n.profileOf(s.Options.Within), func() { n.request(s, &x) })
	case verbs.OpCancel:
		n.cancel(s, &x)
	case verbs.OpSendFailed:
		n.sendFailed(s, &x)
	case verbs.OpAbandon:
		if i := n.call(s.Call); i >= 0 {
			c := n.calls[i]
			n.lose(i, Why{Kind: lifecycle.CauseAbandoned}, &x)
			n.endWithin(c.seq, &x)
			if c.of != 0 { // its requests end too
				n.refusedQuestion(c, Why{Kind: lifecycle.CauseUnanswered}, &x)
			}
			n.settle(&x)
		}
	case verbs.OpResponseLost:
		n.answerLost(s, &x)
	case verbs.OpPause:
		n.pause(s)
	case verbs.OpInputClosed:
		n.inputClosed(&x)
	case verbs.OpDisconnected:
		n.disconnected(s, &x)
	case verbs.OpShutdown:
		n.shutdown(s.Grace, &x)
	case verbs.OpAbort:
		n.abort(s, &x)
	case verbs.OpReset:
		n.reset(&x)
	case verbs.OpInitialize:
		n.connect(s, &x)
	case verbs.OpOffer:
		n.offered(s.Offer, &x)
	}
	if len(x.Errs) > 0 && !x.Moved {
		n.now = before // a refused verb does not advance the clock
	}
	return x
}

func (n *Naive) move(to lifecycle.Phase, cause Why, x *Expect) {
	if n.phase == to || n.phase == lifecycle.ShuttingDown && to != lifecycle.Disconnected {
		return
	}
	x.Events = append(x.Events, Happening{Kind: lifecycle.PhaseChanged, From: n.phase, To: to, Cause: cause})
	n.phase, n.ping = to, never
	if d := n.set.Keepalive.Interval; d > 0 && to == lifecycle.Ready && !stateless(n.revision) {
		n.ping, n.pinging, n.misses, n.heard = n.in(d), false, 0, n.now
	}
	if cause != (Why{}) {
		n.cause = cause
	}
}

func (n *Naive) close(cause Why, x *Expect) {
	if !n.closed {
		n.closed, n.grace, x.Close = true, never, cause
	}
}

// settle expects the close action once nothing is open while shutting down.
func (n *Naive) settle(x *Expect) {
	if n.phase == lifecycle.ShuttingDown && len(n.calls) == 0 && len(n.reqs) == 0 {
		n.close(n.cause, x)
	}
}

func ourID(id uint64) jsonrpc.ID { return jsonrpc.Int(int64(id)) }

func number(id uint64) string { return strconv.FormatUint(id, 10) }

// capNames returns the names of a set of capabilities.
func capNames(c protocol.Capability) []string {
	var list []string
	for i := range 32 {
		if one := c & (1 << i); one != 0 {
			list = append(list, one.String())
		}
	}
	return list
}
