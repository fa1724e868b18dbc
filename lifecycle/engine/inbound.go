package engine

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// The requests of the peer that await an answer of the application: the table in, keyed by id,
// the way in (Hold) and the ways out (answer, lost, and cancelled in receive.go). Each call
// leaves by exactly one of these, and its answer or its event goes out in the same step.
//
// An entry is copied out of its message: it lives until the application answers, and must not
// keep params alive. What most requests lack is in ext, so that an entry stays small.

// name returns the method.
func (v *inbound) name() string {
	if v.row.Custom() {
		return v.ext.name
	}
	return v.row.Method
}

// subject returns what was kept of the params, "" for nothing.
func (v *inbound) subject() string {
	if v.ext == nil {
		return ""
	}
	return v.ext.subject
}

// announced returns the id of what the request announced, "" for none. It stays announced
// only if the answer agrees: that the user agreed does not say that the user is done (ELIC-110).
func (v *inbound) announced() string { return protocol.AnnouncedBy(v.row, v.subject()) }

// Intake is what Receive leaves for the role.
type Intake struct {
	Verdict   Verdict                  // how far it got
	Row       *protocol.Row            // of a Request, Notification or what was Answered
	Info      protocol.ParamsInfo      // of its params
	Subject   string                   // what to keep of a Request, and what was kept of what was Answered
	Input     *protocol.InputResponses // what a Request brings as answers to questions, where the role has read it
	Profile   Profile                  // what a Request was made under that has an envelope; zero for one of the session
	Announces string                   // what a later notification says the end of
	Held      bool                     // the machine is to hold the Request: it has no deadline and ends with the session
	Of        uint64                   // the request of ours that it is a question of, 0 for none
}

// Brings reports whether a Request has an envelope, and so a Profile of its own.
func (in *Intake) Brings() bool { return !in.Profile.Revision.IsZero() }

// Verdict says how far the engine got with a message.
type Verdict uint8

// The verdicts.
const (
	Done         Verdict = iota // nothing is left to do
	Request                     // a request that passed all gates: answer it, or Enter it
	Notification                // a notification that passed all gates
	Handshake                   // the answer to initialize, result or error
	Answered                    // a request of ours succeeded, and something of it was kept
	Questioned                  // a request of ours was answered with questions
)

// open gives the request that is being received its handle.
func (r *requests) open(key uint64, o *lifecycle.Output) {
	r.seq++
	o.Opened = r.Call(r.seq, key)
}

// Enter puts the request that was just opened into the table and gives it to the
// application.
func (r *requests) Enter(in *Intake, m *jsonrpc.Message, o *lifecycle.Output) {
	r.Hold(in, m, o.Opened)
	o.Fate = lifecycle.FateAccepted
	method := in.Row.Method
	if in.Row.Custom() {
		method = m.Method
	}
	ev := event(lifecycle.RequestReceived, o)
	ev.Call, ev.ID, ev.Method, ev.Body, ev.Span = o.Opened, m.ID, method, m.Body, m.Span
	ev.Revision = in.Profile.Revision
}

// Hold puts the request that was just opened as call into the table. Of m it reads the
// method, the id and its spelling.
func (r *requests) Hold(in *Intake, m *jsonrpc.Message, call lifecycle.Call) {
	v := inbound{id: m.ID.Clone(), seq: call.Seq(), row: in.Row}
	var own *Profile
	if in.Brings() {
		p := in.Profile // of this request alone, which is kept from here on
		p.peer = jsonrpc.Raw(strings.Clone(string(p.peer)))
		if in.Held { // no log messages go out on it (SUBS-022)
			p.level = 0
		}
		own = &p
	}
	var token jsonrpc.ID
	if in.Info.Meta != "" {
		token, _ = in.Info.Meta.ProgressToken()
	}
	if !token.IsZero() || m.Spelling() != "" || in.Row.Custom() || in.Subject != "" || own != nil || in.Held || in.Of != 0 {
		x := &inboundExt{token: token.Clone(), subject: strings.Clone(in.Subject), profile: own, held: in.Held, of: in.Of}
		if s := m.Spelling(); s != "" {
			x.spelling = jsonrpc.Raw(strings.Clone(string(s)))
		}
		if in.Row.Custom() {
			x.name = strings.Clone(m.Method)
		}
		v.ext = x
	}
	// The answer decides whether it stays announced (announced).
	if in.Announces != "" {
		r.announce(in.Announces) // or there is no room: then its end says nothing
	}
	// What the machine holds, no application is late with.
	due := r.After(r.env.Timeouts.Inbound)
	if in.Held {
		due = table.Never
	}
	r.in = r.in.Put(call.Key(), due, v)
	r.asked(&v)
}

// call returns the handle of an entry.
func (r *requests) call(leaf *table.Leaf[inbound]) lifecycle.Call {
	return r.Call(leaf.V.seq, leaf.Key)
}

// lookup returns the entry of a call, nil if it is gone or of another State. The number tells a
// call from a later one under the same id, the owner from one of another State.
func (r *requests) lookup(call lifecycle.Call) *table.Leaf[inbound] {
	leaf := r.in.Get(call.Key())
	if leaf == nil || leaf.V.seq != call.Seq() || !call.OwnedBy(r.Owner()) {
		return nil
	}
	return leaf
}

// Open reports whether a call awaits the application.
func (r *requests) Open(call lifecycle.Call) bool { return r.lookup(call) != nil }

// Asked returns the row of an open call and what Enter was given to keep; nil if it is
// not open.
func (r *requests) Asked(call lifecycle.Call) (*protocol.Row, string) {
	leaf := r.lookup(call)
	if leaf == nil {
		return nil, ""
	}
	return leaf.V.row, leaf.V.subject()
}

// latest returns the last of the calls that is still open, or else the last one.
func (r *requests) latest(calls []lifecycle.Call) lifecycle.Call {
	for _, call := range slices.Backward(calls) {
		if r.Open(call) {
			return call
		}
	}
	if len(calls) == 0 {
		return lifecycle.Call{}
	}
	return calls[len(calls)-1]
}

// extend replaces what an inbound entry has beside the usual.
func (r *requests) extend(leaf *table.Leaf[inbound], x *inboundExt) {
	v := leaf.V
	v.ext = x
	r.in = r.in.Put(leaf.Key, leaf.Deadline, v)
}

// answer sends the response to an inbound request that leaves the table.
func (r *requests) answer(leaf *table.Leaf[inbound], m jsonrpc.Message, o *lifecycle.Output) {
	// Without agreement nobody goes to the page, and no end of it is to be told.
	if id := leaf.V.announced(); id != "" && (m.Kind != jsonrpc.KindResult || !protocol.Accepted(m.Body)) {
		r.endAnnounced(id)
	}
	m.ID = leaf.V.id
	if x := leaf.V.ext; x != nil && x.spelling != "" {
		m = m.Spelled(x.spelling)
	}
	out := outgoing(o)
	out.Message, out.Call, out.Final = m, r.call(leaf), true
}

// lost reports that nobody can be answered any more.
func (r *requests) lost(leaf *table.Leaf[inbound], cause *lifecycle.Cause, o *lifecycle.Output) {
	r.endAnnounced(leaf.V.announced())
	o.Events = append(o.Events, lifecycle.Event{
		Kind: lifecycle.RequestLost, Call: r.call(leaf), ID: leaf.V.id, Method: leaf.V.name(), Cause: cause,
	})
}

// loseAll ends all calls. An answer that comes later is for a call that is gone (LIFE-024).
func (r *requests) loseAll(cause *lifecycle.Cause, o *lifecycle.Output) {
	for _, leaf := range r.inboundByAge() {
		r.lost(leaf, cause, o)
	}
	r.in = table.Table[inbound]{}
	r.still = min(r.still, r.now)
}

// inboundByAge returns the open calls, oldest first.
func (r *requests) inboundByAge() []*table.Leaf[inbound] {
	list := slices.Collect(r.in.All())
	slices.SortFunc(list, func(a, b *table.Leaf[inbound]) int { return cmp.Compare(a.V.seq, b.V.seq) })
	return list
}

// Inbound returns the open inbound requests, oldest first.
func (r *requests) Inbound() iter.Seq[lifecycle.CallInfo] {
	list := r.inboundByAge()
	return func(yield func(lifecycle.CallInfo) bool) {
		for _, leaf := range list {
			info := lifecycle.CallInfo{Call: r.call(leaf), ID: leaf.V.id, Method: leaf.V.name()}
			if x := leaf.V.ext; x != nil {
				info.ProgressToken = x.token
			}
			if !yield(info) {
				return
			}
		}
	}
}

// refOf returns the callRef of a call.
func refOf(call lifecycle.Call) callRef { return callRef{call.Seq(), call.Key()} }

// of returns the entry of the call, nil if there is none or it is gone.
func (c callRef) of(r *requests) *table.Leaf[inbound] {
	if c.seq == 0 {
		return nil
	}
	if leaf := r.in.Get(c.key); leaf != nil && leaf.V.seq == c.seq {
		return leaf
	}
	return nil
}

// call returns the handle, the zero Call for none.
func (c callRef) call(r *requests) lifecycle.Call {
	if c.seq == 0 {
		return lifecycle.Call{}
	}
	return r.Call(c.seq, c.key)
}

// join notes that a request of ours is made within a call, which is open or none (SAMP-031,
// ELIC-029).
func (r *requests) join(within callRef, seq uint64) {
	leaf := within.of(r)
	if leaf == nil {
		return
	}
	var x inboundExt
	if leaf.V.ext != nil {
		x = *leaf.V.ext
	}
	// The ext is replaced, not changed: an older State may share it.
	x.inner = x.inner.Put(seq, table.Never, struct{}{})
	r.extend(leaf, &x)
}

// leave notes that a request of ours, which was made within a call, has ended.
func (r *requests) leave(within callRef, seq uint64) {
	leaf := within.of(r)
	if leaf == nil || leaf.V.ext == nil {
		return
	}
	x := *leaf.V.ext
	x.inner, _ = x.inner.Delete(seq)
	r.extend(leaf, &x)
}
