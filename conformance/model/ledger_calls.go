package model

import (
	"fmt"
	"slices"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/lifecycle"
)

// opened checks OpenedCalls: it names what Receive opened, each once, including Opened.
func (l *Ledger) opened(out lifecycle.Output, named []uint64) error {
	questions := map[uint64]bool{}
	for _, ev := range out.Events {
		questions[ev.Call.Seq()] = questions[ev.Call.Seq()] || ev.Kind == lifecycle.RequestReceived && !ev.Req.IsZero()
	}
	var got []uint64
	for c := range out.OpenedCalls() {
		if slices.Contains(got, c.Seq()) || !slices.Contains(named, c.Seq()) {
			return fmt.Errorf("%v is opened twice, or nobody else speaks of it", c)
		}
		if !questions[c.Seq()] { // which came with an answer
			got = append(got, c.Seq())
		}
	}
	if seq := out.Opened.Seq(); (seq == 0) != (len(got) == 0) || seq != 0 && !slices.Contains(got, seq) {
		return fmt.Errorf("call %d is opened, of all calls opened %v", seq, got)
	}
	return nil
}

// ends records the Calls in EndedCalls: each once in its life, when it ends.
func (l *Ledger) ends(out lifecycle.Output) error {
	for c := range out.EndedCalls() {
		switch a := l.calls[c.Seq()]; {
		case a == nil || a.ended == "":
			return fmt.Errorf("%v ends, by the books it has not", c)
		case a.over:
			return fmt.Errorf("%v ends a second time", c)
		default:
			a.over = true
		}
	}
	for seq, a := range l.calls { // independent of each other
		if a.ended != "" && !a.over {
			return fmt.Errorf("call %d has ended (%s), and EndedCalls does not say so", seq, a.ended)
		}
	}
	return nil
}

// handles checks that the handle of a call is the same everywhere, and that the
// Machine makes it from its numbers; likewise that of a request.
func (l *Ledger) handles(out lifecycle.Output, m verbs.Machine) error {
	var calls []lifecycle.Call
	var reqs []lifecycle.Req
	for _, o := range out.Send {
		calls, reqs = append(calls, o.Call), append(reqs, o.Req)
	}
	for _, ev := range out.Events {
		calls, reqs = append(calls, ev.Call), append(reqs, ev.Req)
	}
	calls, reqs = append(calls, out.Opened), append(reqs, out.Req)
	for c := range m.Inbound() {
		calls = append(calls, c.Call)
	}
	for r := range m.Outbound() {
		calls, reqs = append(calls, r.Within), append(reqs, r.Req)
	}
	for _, c := range calls {
		switch a := l.calls[c.Seq()]; {
		case c.IsZero():
		case a == nil || c != m.Call(c.Seq(), c.Key()):
			return fmt.Errorf("%v, key %x, is none of this session", c, c.Key())
		case a.handle.IsZero():
			a.handle = c
		case a.handle != c:
			return fmt.Errorf("%v has the key %x, which was %x", c, c.Key(), a.handle.Key())
		}
	}
	for _, r := range reqs {
		if !r.IsZero() && (l.reqs[r.Seq()] == nil || r != m.Req(r.Seq())) {
			return fmt.Errorf("%v is none of this session", r)
		}
	}
	return nil
}

// fate checks that the Fate of an Output agrees with its other fields.
func (l *Ledger) fate(op verbs.Op, out lifecycle.Output) error {
	open := func(c lifecycle.Call) bool { a := l.calls[c.Seq()]; return a != nil && a.ended == "" }
	pending, taken, direct := false, false, false
	for call := range out.OpenedCalls() {
		pending = pending || open(call) && !l.calls[call.Seq()].asked
	}
	for _, ev := range out.Events {
		taken = taken || ev.Kind == lifecycle.RequestReceived || ev.Kind == lifecycle.NotificationReceived || ev.Kind == lifecycle.ResponseReceived
	}
	for _, o := range out.Send {
		direct = direct || o.Direct
	}
	switch {
	case out.Fate == lifecycle.FateAnswered && (pending || !direct), out.Fate == lifecycle.FateRefused && (pending || taken),
		out.Fate == lifecycle.FateNone && (direct || op == verbs.OpReceive),
		pending && (out.Fate != lifecycle.FateAccepted || !open(out.Opened)):
		return fmt.Errorf("the fate of it is %v", out.Fate)
	}
	return nil
}

// Restored replaces the handles by those of a restored Machine.
func (l *Ledger) Restored(m verbs.Machine) {
	for seq, a := range l.calls { // any order: each by itself
		if !a.handle.IsZero() {
			a.handle = m.Call(seq, a.handle.Key())
		}
	}
}
