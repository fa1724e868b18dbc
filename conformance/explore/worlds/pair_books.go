package worlds

import (
	"slices"
	"strings"
	"time"

	"github.com/sansmcp/mcp/conformance/explore"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
)

// books record one end from its Outputs alone, and are compared with its tables after each
// step. So they are not part of the Form: two nodes with one text have the same books.
type books struct {
	calls  []call   // of the peer, oldest first
	reqs   []req    // of this end, oldest first
	last   uint64   // the newest id of this end
	over   []uint64 // calls abandoned in this step
	closed bool     // the close action was returned
	deaf   bool     // it knows that the peer sends no more
}

type call struct {
	seq, key, id uint64
	token        bool    // the peer asked for progress
	said         float64 // the last progress sent
	from         time.Time
}

type req struct {
	seq         uint64
	within      uint64        // the seq of its call
	open        bool          // initialize
	own         bool          // a ping of the keepalive, whose end has no event
	asked       bool          // the peer asked something while it was open: its timeout may have stopped
	wait        time.Duration // its timeout
	patient     bool          // progress extends it
	from, until time.Time     // when its timeout began, and its latest end
	heard       float64       // the last progress reported
}

var sides = [2]string{"client", "server"}

func (b *books) live(m verbs.Machine) bool { return m.Phase().Live() && !b.closed }

func (b *books) handle(m verbs.Machine, k int) lifecycle.Call {
	return m.Call(b.calls[k].seq, b.calls[k].key)
}

// within counts requests within a call.
func (b *books) within(seq uint64) (n int) {
	for _, r := range b.reqs {
		if r.within == seq {
			n++
		}
	}
	return n
}

func (b *books) call(seq uint64) *call {
	for i := range b.calls {
		if b.calls[i].seq == seq {
			return &b.calls[i]
		}
	}
	return nil
}

func (b *books) req(seq uint64) *req {
	for i := range b.reqs {
		if b.reqs[i].seq == seq {
			return &b.reqs[i]
		}
	}
	return nil
}

func (b *books) endCall(seq uint64) bool {
	for i := range b.calls {
		if b.calls[i].seq == seq {
			b.calls = append(b.calls[:i], b.calls[i+1:]...)
			return true
		}
	}
	return false
}

func (b *books) endReq(seq uint64) bool {
	for i := range b.reqs {
		if b.reqs[i].seq == seq {
			b.reqs = append(b.reqs[:i], b.reqs[i+1:]...)
			return true
		}
	}
	return false
}

// watch returns the books after a step from one State to the next. patience is Timeouts.Inbound, 0 if disabled.
func (b books) watch(side string, patience time.Duration, now time.Time, before, after verbs.Machine, v *verbs.Verb, out *lifecycle.Output, r *explore.Report) books {
	fail := func(what string) { r.Fail("%s: %s", side, what) }
	b.over = nil
	b.calls, b.reqs = append([]call(nil), b.calls...), append([]req(nil), b.reqs...)
	if out.Close != nil {
		if b.closed {
			fail("asks for the close a second time")
		}
		b.closed = true
	}
	for i := range out.Events {
		if ev := &out.Events[i]; ev.Kind == lifecycle.RequestReceived {
			id, _ := ev.ID.Int64()
			for _, c := range b.calls {
				if c.seq == ev.Call.Seq() || c.id == uint64(id) {
					fail("opens a call twice, or with an id in flight")
				}
			}
			for k := range b.reqs {
				b.reqs[k].asked = true
			}
			b.calls = append(b.calls, call{seq: ev.Call.Seq(), key: ev.Call.Key(), id: uint64(id), token: hasToken(ev.Body), from: now})
		}
	}
	for i := range out.Send {
		b.sent(&out.Send[i], out, now, v, fail)
	}
	for i := range out.Events {
		b.happened(side, &out.Events[i], now, before.Phase(), fail, r)
	}
	b.balance(after, fail)
	for i := range b.reqs {
		if q := &b.reqs[i]; v.Op == verbs.OpTick && (!q.until.After(now) || !q.asked && !q.from.Add(q.wait).After(now)) {
			fail("a request outlives its time")
		}
	}
	for i := range b.calls {
		if v.Op == verbs.OpTick && patience > 0 && !b.calls[i].from.Add(patience).After(now) {
			fail("a call outlives its time")
		}
	}
	if from, to := before.Phase(), after.Phase(); from != to {
		r.Reach(side + " " + from.String() + " > " + to.String())
		if !follows(after.Party(), from, to) {
			fail("goes from " + from.String() + " to " + to.String())
		}
	}
	return b
}

// sent records an outgoing message.
func (b *books) sent(m *lifecycle.Outgoing, out *lifecycle.Output, now time.Time, v *verbs.Verb, fail func(string)) {
	id, _ := m.Message.ID.Int64()
	c := b.call(m.Call.Seq())
	switch {
	case m.Final && c == nil && m.Call == out.Opened && m.Direct: // answered by the State at once
		for _, c := range b.calls {
			if c.id == uint64(id) {
				fail("answers an id in flight a second time")
			}
		}
	case m.Final:
		if c == nil || c.id != uint64(id) {
			fail("answers a call that is not open")
		}
		b.endCall(m.Call.Seq())
	case m.Message.Kind == jsonrpc.KindResult || m.Message.Kind == jsonrpc.KindError:
		fail("sends an answer that is not Final")
	case !m.Call.IsZero() && c == nil:
		fail("sends something within a call that is not open")
	case m.Message.Kind == jsonrpc.KindRequest:
		if uint64(id) <= b.last {
			fail("uses an id again")
		}
		b.last = uint64(id)
		q := req{seq: m.Req.Seq(), within: m.Call.Seq(), open: m.Message.Method == "initialize", own: m.Message.Method == "ping", asked: len(b.calls) > 0}
		q.wait, q.from, q.until, q.patient = 2*unit, now, now.Add(3*unit), v.Options.ResetOnProgress
		if q.own || m.Message.Method == "sampling/createMessage" {
			q.wait = unit
		}
		b.reqs = append(b.reqs, q)
	case m.Message.Method == "notifications/progress":
		value := progressOf(m.Message.Body)
		if c == nil || !c.token || value <= c.said {
			fail("sends progress that does not grow, or that nobody asked for")
			return
		}
		c.said = value
	}
}

// happened records an event.
func (b *books) happened(side string, ev *lifecycle.Event, now time.Time, phase lifecycle.Phase, fail func(string), r *explore.Report) {
	what := side + " " + ev.Kind.String()
	switch ev.Kind {
	case lifecycle.RequestCancelled, lifecycle.RequestLost:
		if !b.endCall(ev.Call.Seq()) {
			fail("ends a call that is not open: " + ev.Kind.String())
		}
		b.over = append(b.over, ev.Call.Seq())
	case lifecycle.RequestExpired: // its answer was sent
		b.over = append(b.over, ev.Call.Seq())
	case lifecycle.ResponseReceived, lifecycle.RequestFailed:
		if !b.endReq(ev.Req.Seq()) {
			fail("ends a request that is not open: " + ev.Kind.String())
		}
		if ev.Cause != nil {
			what += ": " + ev.Cause.Kind.String()
		}
	case lifecycle.ProgressReceived:
		q := b.req(ev.Req.Seq())
		if v := progressOf(ev.Body); q == nil || v <= q.heard {
			fail("reports progress that does not grow, or of a request that is not open")
		} else {
			if q.heard = v; q.patient {
				q.from = now
			}
		}
	case lifecycle.PhaseChanged:
		if ev.Cause != nil {
			what += ": " + ev.Cause.Kind.String()
		}
	case lifecycle.Violation, lifecycle.LocalViolation, lifecycle.Ignored:
		what += " " + ev.Rule + " " + ev.Method + " in " + phase.String()
	}
	r.Reach(what)
}

// balance compares the books with the tables.
func (b *books) balance(m verbs.Machine, fail func(string)) {
	n := 0
	for c := range m.Inbound() {
		n++
		if k := b.call(c.Call.Seq()); k == nil || k.token == c.ProgressToken.IsZero() {
			fail("has a call open that the books have not")
		}
	}
	if n != len(b.calls) {
		fail("lost a call without a word")
	}
	n = 0
	var open [16]uint64
	for q := range m.Outbound() {
		open[n] = q.Req.Seq()
		n++
		if k := b.req(q.Req.Seq()); k == nil || k.within != q.Within.Seq() {
			fail("has a request open that the books have not")
		} else if slices.Contains(b.over, k.within) {
			fail("a request goes on within a call that was given up")
		}
	}
	for i := 0; i < len(b.reqs); i++ { // the end of a ping of the keepalive has no event
		if q := b.reqs[i]; q.own && !slices.Contains(open[:n], q.seq) {
			b.endReq(q.seq)
			i--
		}
	}
	if n != len(b.reqs) {
		fail("lost a request without a word")
	}
}

// follows reports whether the table of transitions leads from one phase to another. Tick
// and Receive may make two at once.
func follows(party lifecycle.Party, from, to lifecycle.Phase) bool {
	for t := range lifecycle.ResetRequested {
		if next, ok := lifecycle.Next(party, from, t); ok && next == to {
			return true
		}
	}
	return false
}

func hasToken(body jsonrpc.Raw) bool { return strings.Contains(string(body), "progressToken") }

func progressOf(body jsonrpc.Raw) float64 {
	v, _ := rawjson.Get(string(body), "progress")
	f, _ := rawjson.Float(v)
	return f
}
