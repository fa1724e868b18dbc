package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

// Ledger records one Machine from its Outputs alone: what was opened ends
// once, and nothing is sent out of place. It knows nothing of the internals of a
// session.
type Ledger struct {
	// Loose allows messages that violate the schema, as the Policy of the session does.
	Loose bool

	calls    map[uint64]*account
	reqs     map[uint64]*account
	lastCall uint64
	lastID   int64
	latest   time.Time
	closed   bool
}

// account is one request, the peer's or ours.
type account struct {
	id     jsonrpc.ID
	method string
	token  token
	ended  string         // how it ended, "" while open
	alone  bool           // it needs no session
	asked  bool           // a question within a result: its answer is not a message
	own    bool           // a ping of the keepalive, whose answer has no event
	over   bool           // whether EndedCalls has named it
	handle lifecycle.Call // of theirs, with its owner
}

// answered is the end of a request that gets its answer.
const answered = "answered"

// NewLedger returns an empty Ledger.
func NewLedger() *Ledger {
	return &Ledger{calls: map[uint64]*account{}, reqs: map[uint64]*account{}}
}

// Watch records a verb that led from one Machine to another. Of a verb, it reads Op and Message.
func (l *Ledger) Watch(before, after verbs.Machine, now time.Time, v verbs.Verb, out lifecycle.Output, err error) error {
	finished := v.Op == verbs.OpFinish && (errors.Is(err, lifecycle.ErrParams) || errors.Is(err, lifecycle.ErrRevision) || errors.Is(err, lifecycle.ErrCapability)) // it is answered nevertheless
	if err != nil && !finished && (before != after || !out.IsZero()) {
		return errors.New("a refused verb has an effect")
	}
	if now.After(l.latest) && (err == nil || finished) {
		l.latest = now
	}
	if !before.Phase().Live() && !out.IsZero() || l.closed && len(out.Send) > 0 {
		return fmt.Errorf("%s has an output after the end: %s", v.Op, Render(out))
	}
	if err := errors.Join(l.accepted(before, &v, out), l.open(v.Op, out)); err != nil {
		return err
	}
	for _, o := range out.Send {
		method := ""
		if c := l.calls[o.Call.Seq()]; c != nil && o.Final {
			method = c.method
		}
		err := errors.Join(wellFormed(&o.Message), parseErrors(&v, &o.Message), l.sent(v.Op, o))
		if !l.Loose {
			err = errors.Join(err, valid(&o.Message, before, after, method, l.alone(o)))
		}
		if err != nil {
			return fmt.Errorf("%w: %s", err, jsonrpc.Append(nil, o.Message))
		}
	}
	for _, ev := range out.Events {
		if err := l.happened(ev); err != nil {
			return fmt.Errorf("%w: %+v", err, ev)
		}
	}
	l.questions(after)
	if err := errors.Join(l.ends(out), l.fate(v.Op, out), l.handles(out, after)); err != nil {
		return err
	}
	if out.Close != nil {
		if l.closed {
			return errors.New("the close action comes a second time")
		}
		l.closed = true
	}
	if v.Op == verbs.OpReset && err == nil {
		l.closed = false
	}
	if due, ok := after.NextDeadline(); ok && v.Op == verbs.OpTick && !due.After(l.latest) {
		return fmt.Errorf("after Tick at %v something is still due, at %v", l.latest, due)
	}
	if v.Op == verbs.OpReceive {
		l.pings(after)
	}
	return l.balance(after)
}

// open records new requests.
func (l *Ledger) open(op verbs.Op, out lifecycle.Output) error {
	var seqs []uint64
	for _, o := range out.Send {
		if o.Final || o.Message.Method == acknowledged {
			seqs = append(seqs, o.Call.Seq())
		}
	}
	for _, ev := range out.Events {
		if ev.Kind == lifecycle.RequestReceived {
			seqs = append(seqs, ev.Call.Seq())
		}
	}
	seqs = append(seqs, out.Opened.Seq())
	slices.Sort(seqs)
	for _, seq := range slices.Compact(seqs) {
		if seq == 0 || l.calls[seq] != nil {
			continue
		}
		if op != verbs.OpReceive || seq <= l.lastCall {
			return fmt.Errorf("%s opens call %d, the last one was %d", op, seq, l.lastCall)
		}
		l.lastCall = seq
		l.calls[seq] = &account{}
	}
	for _, o := range out.Send {
		if a := l.calls[o.Call.Seq()]; o.Message.Method == acknowledged && a.method == "" {
			a.id, a.method, a.alone = subscription(&o.Message), "subscriptions/listen", true
		}
	}
	return l.opened(out, seqs)
}

// acknowledged is the notification that begins a subscription.
const acknowledged = "notifications/subscriptions/acknowledged"

// subscription returns the id of the subscription of a notification.
func subscription(m *jsonrpc.Message) (id jsonrpc.ID) {
	params, _ := members(string(m.Body))
	meta, _ := params["_meta"].(map[string]any)
	text, _ := json.Marshal(meta[metaKey+"subscriptionId"])
	id, _, _ = jsonrpc.ParseID(string(text))
	return id
}

// alone reports whether a message follows the rules of requests without a session.
func (l *Ledger) alone(o lifecycle.Outgoing) bool {
	c := l.calls[o.Call.Seq()]
	return c != nil && c.alone || o.Message.Method == "server/discover"
}

// sent records an outgoing message.
func (l *Ledger) sent(op verbs.Op, o lifecycle.Outgoing) error {
	m := &o.Message
	within := l.calls[o.Call.Seq()]
	switch {
	case o.Final != (m.Kind == jsonrpc.KindResult || m.Kind == jsonrpc.KindError && !nobody(m)):
		return errors.New("the mark of the response is on something else")
	case !o.Call.IsZero() && (within == nil || within.ended != ""):
		return errors.New("it belongs to a call that is not open")
	}
	switch {
	case o.Final:
		if !within.id.IsZero() && within.id != m.ID {
			return fmt.Errorf("the answer to id %v", within.id)
		}
		within.ended = answered
	case m.Kind == jsonrpc.KindRequest:
		id, ok := m.ID.Int64()
		if !ok || id <= l.lastID {
			return fmt.Errorf("the last id was %d", l.lastID)
		}
		l.lastID = id
		if r := l.reqs[o.Req.Seq()]; r != nil && r.ended == "" { // it is repeated, with answers
			r.id, r.token = m.ID, metaToken(string(m.Body))
			break
		}
		l.reqs[uint64(id)] = &account{id: m.ID, token: metaToken(string(m.Body)), own: op == verbs.OpTick && m.Method == "ping"}
	case m.Method == "notifications/progress":
		p, _ := members(string(m.Body))
		if within == nil || within.token == "" || within.token != tokenOf(p["progressToken"]) {
			return errors.New("progress for a token of no open call")
		}
	case m.Method == "notifications/cancelled":
		p, _ := members(string(m.Body))
		if r := l.reqs[o.Req.Seq()]; r == nil || r.ended != "" || r.id != idOf(p["requestId"]) {
			return errors.New("a cancellation of no open request")
		}
	}
	return nil
}

func idOf(v any) jsonrpc.ID {
	id, _, _ := jsonrpc.ParseID(fmt.Sprint(v))
	return id
}

// happened records an event.
func (l *Ledger) happened(ev lifecycle.Event) error {
	c, r := l.calls[ev.Call.Seq()], l.reqs[ev.Req.Seq()]
	switch ev.Kind {
	case lifecycle.RequestReceived:
		if c.ended != "" || !c.id.IsZero() {
			return errors.New("a request that is not new")
		}
		c.id, c.method, c.token, c.alone = ev.ID, ev.Method, metaToken(string(ev.Body)), ev.Revision.Stateless()
		if c.asked = !ev.Req.IsZero(); c.asked {
			c.token = ""
		}
	case lifecycle.RequestExpired:
		if c != nil && c.asked && c.ended == "" {
			c.ended, c.over = ev.Kind.String(), true
			break
		}
		if c == nil || c.ended != answered {
			return errors.New("expired without an answer")
		}
		c.ended = ev.Kind.String()
	case lifecycle.RequestCancelled, lifecycle.RequestLost:
		if c == nil || c.ended != "" || c.id.IsZero() {
			return errors.New("the end of a call that is not open")
		}
		c.ended = ev.Kind.String()
	case lifecycle.ResponseReceived, lifecycle.RequestFailed:
		if r == nil || r.ended != "" {
			return errors.New("the end of a request that is not open")
		}
		r.ended = ev.Kind.String()
	case lifecycle.ProgressReceived:
		if r == nil || r.ended != "" || r.token == "" {
			return errors.New("progress of a request that is not open or asked for none")
		}
	case lifecycle.PhaseChanged:
		if ev.From == ev.To || ev.From == lifecycle.ShuttingDown && ev.To != lifecycle.Disconnected {
			return errors.New("no such transition")
		}
	}
	return nil
}

// pings closes the accounts of answered pings of the machine.
func (l *Ledger) pings(m verbs.Machine) {
	open := map[uint64]bool{}
	for r := range m.Outbound() {
		open[r.Req.Seq()] = true
	}
	for id, a := range l.reqs { // independent of each other
		if a.own && a.ended == "" && !open[id] {
			a.ended = answered
		}
	}
}

// questions closes the accounts of answered questions.
func (l *Ledger) questions(m verbs.Machine) {
	open := map[uint64]bool{}
	for c := range m.Inbound() {
		open[c.Call.Seq()] = true
	}
	for seq, a := range l.calls { // independent of each other
		if a.asked && a.ended == "" && !open[seq] {
			a.ended, a.over = answered, true
		}
	}
}

// balance checks that the accounts agree with the Machine's open requests.
func (l *Ledger) balance(m verbs.Machine) error {
	open := 0
	for c := range m.Inbound() {
		a := l.calls[c.Call.Seq()]
		if a == nil || a.ended != "" {
			return fmt.Errorf("%v is open, not so in the books", c.Call)
		}
		if a.token != idToken(c.ProgressToken) {
			return fmt.Errorf("%v has the token %v, in the books %q", c.Call, c.ProgressToken, a.token)
		}
		open++
	}
	for r := range m.Outbound() {
		if a := l.reqs[r.Req.Seq()]; a == nil || a.ended != "" {
			return fmt.Errorf("%v is open, not so in the books", r.Req)
		}
		if a := l.calls[r.Within.Seq()]; a != nil && a.ended != "" && a.ended != answered {
			return fmt.Errorf("%v goes on within %v, which is over", r.Req, r.Within)
		}
		open++
	}
	if n := l.Open(); n != open {
		return fmt.Errorf("%d requests are open, by the books %d", open, n)
	}
	return nil
}

// Open returns the number of open requests of both sides.
func (l *Ledger) Open() (n int) {
	for _, a := range l.calls { // any order: it only counts
		if a.ended == "" {
			n++
		}
	}
	for _, a := range l.reqs {
		if a.ended == "" {
			n++
		}
	}
	return n
}
