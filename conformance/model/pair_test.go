package model_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/conformance/machine"
	"github.com/sansmcp/mcp/conformance/model"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

type rapidSource struct{ t *rapid.T }

func (s rapidSource) Intn(n int) int { return rapid.IntRange(0, n-1).Draw(s.t, "") }

// end is one end of a session in memory.
type end struct {
	set   model.Setup
	m     machine.Machine
	gen   *model.Generator
	books *model.Ledger
	inbox []packet // what is on its way to it, in the order in which it arrives
}

type packet struct {
	at   time.Time
	text string
}

// pair is both ends of a session, joined by lossless links that keep the order and take
// their time.
type pair struct {
	t   *rapid.T
	src rapidSource
	now time.Time
	end [2]*end // client, server
	cut bool    // the transport is gone
	log []string
}

func newPair(t *rapid.T) *pair {
	p := &pair{t: t, src: rapidSource{t}, now: model.Origin}
	for i, party := range []lifecycle.Party{lifecycle.Client, lifecycle.Server} {
		set := model.RandomSetup(p.src, party)
		// Limits that one end cannot know are no fault of the other.
		set.Limits = lifecycle.Limits{Inbound: 100, Outbound: set.Limits.Outbound, Batch: 3, Subscriptions: 5}
		set.Policy.StrictInitialized = false
		m, err := set.New(model.Origin)
		if err != nil {
			t.Fatal(err)
		}
		p.end[i] = &end{set: set, m: m, gen: model.NewGenerator(p.src, set), books: model.NewLedger()}
		p.end[i].gen.Quiet = true
	}
	return p
}

// do takes a step at end i and puts on the link what it sends.
func (p *pair) do(i int, s model.Step) {
	e, other := p.end[i], p.end[1-i]
	s.Now = p.now
	p.log = append(p.log, fmt.Sprintf("%v %s", e.m.Party(), &s))
	before := e.m
	next, out, err := s.Apply(before)
	e.m = next
	if bad := e.books.Watch(before, next, &s, out, err); bad != nil {
		p.fail("%v", bad)
	}
	if bad := next.Check(); bad != nil {
		p.fail("%v", bad)
	}
	for _, ev := range out.Events {
		if ev.Kind == lifecycle.Violation {
			p.fail("%v blames the peer: %s %s", e.m.Party(), ev.Rule, ev.Body)
		}
	}
	e.gen.Saw(out)
	for _, o := range out.Send {
		at := p.now.Add(time.Duration(p.src.Intn(4)) * 700 * time.Millisecond)
		if n := len(other.inbox); n > 0 && at.Before(other.inbox[n-1].at) {
			at = other.inbox[n-1].at
		}
		other.inbox = append(other.inbox, packet{at, string(jsonrpc.Append(nil, o.Message))})
	}
	p.cut = p.cut || out.Close != nil
}

func (p *pair) fail(format string, args ...any) {
	p.t.Helper()
	p.t.Fatalf(format+"\n%+v\n%+v\n%s", append(args, p.end[0].set, p.end[1].set, strings.Join(p.log, "\n"))...)
}

// wait lets time pass until something happens by itself: a message arrives or a deadline
// comes. It reports whether anything did.
func (p *pair) wait() bool {
	next := time.Time{}
	for _, e := range p.end {
		if due, ok := e.m.NextDeadline(); ok && (next.IsZero() || due.Before(next)) {
			next = due
		}
		if len(e.inbox) > 0 && (next.IsZero() || e.inbox[0].at.Before(next)) {
			next = e.inbox[0].at
		}
	}
	if next.IsZero() || next.After(model.Origin.Add(24*time.Hour)) {
		return false
	}
	if next.After(p.now) {
		p.now = next
	}
	for i, e := range p.end {
		if len(e.inbox) > 0 && !e.inbox[0].at.After(p.now) {
			text := e.inbox[0].text
			e.inbox = e.inbox[1:]
			p.do(i, model.Step{Op: model.OpReceive, Text: text})
			return true
		}
	}
	for i, e := range p.end {
		if due, ok := e.m.NextDeadline(); ok && !due.After(p.now) {
			p.do(i, model.Step{Op: model.OpTick})
		}
	}
	return true
}

// verb takes a random verb of either application. Tokens of its own choice are left out:
// an application that uses one again while progress of the first use is on its way gets
// what it asked for.
func (p *pair) verb() {
	i := p.src.Intn(2)
	s := p.end[i].gen.Verb(p.end[i].m)
	if s.Op == model.OpReset || s.Op == model.OpDisconnected || s.Params != nil && strings.Contains(string(s.Params().AppendJSON(nil)), `oken"`) {
		return
	}
	p.do(i, s)
}

// settle answers what is open and waits until nothing is. What was abandoned at one end
// and has no timeout at the other is cancelled.
func (p *pair) settle() {
	for n := range 1000 {
		for i, e := range p.end {
			for c := range e.m.Calls() {
				p.do(i, model.Step{Op: model.OpFail, Call: c.Call, Failure: &jsonrpc.Error{Code: -1, Message: "enough"}})
			}
		}
		if p.cut || p.end[0].books.Open()+p.end[1].books.Open()+len(p.end[0].inbox)+len(p.end[1].inbox) == 0 {
			return
		}
		if n%200 < 199 && p.wait() {
			continue
		}
		for i, e := range p.end {
			for r := range e.m.Requests() {
				p.do(i, model.Step{Op: model.OpCancel, Req: r.Req})
			}
		}
	}
	p.fail("something stays open")
}

// agree checks what both ends hold to be true once nothing is on its way.
func (p *pair) agree() {
	c, s := p.end[0], p.end[1]
	if c.m.Phase() != lifecycle.Ready || p.cut {
		return
	}
	mine, theirs := c.m.Capabilities(), s.m.Capabilities()
	if c.m.Revision() == protocol.Revision20241105 {
		theirs &^= protocol.CapCompletions // which that revision does not know
	}
	switch rev := c.m.Revision(); {
	case s.m.Phase() != lifecycle.Ready:
		p.fail("the client is ready, the server %v", s.m.Phase())
	case rev.IsZero() || rev != s.m.Revision() || !slices.Contains(c.set.Revisions, rev) || !slices.Contains(s.set.Revisions, rev):
		p.fail("the client speaks %v, the server %v", rev, s.m.Revision())
	case c.m.PeerCapabilities() != theirs || s.m.PeerCapabilities() != mine:
		p.fail("the client sees %v of %v, the server %v of %v", c.m.PeerCapabilities(), theirs, s.m.PeerCapabilities(), mine)
	}
}

// finish ends the session from either side, carries the close to the other, and begins
// anew with both States.
func (p *pair) finish() {
	if !p.cut {
		i := p.src.Intn(2)
		p.do(i, model.Step{Op: model.OpShutdown, Grace: time.Duration(p.src.Intn(4)) * time.Second})
		for range 2000 {
			if p.cut || !p.wait() {
				break
			}
		}
		if !p.cut {
			p.fail("the shutdown does not end")
		}
	}
	for i, e := range p.end {
		e.inbox = nil
		p.do(i, model.Step{Op: model.OpInputClosed})
		p.do(i, model.Step{Op: model.OpDisconnected})
		if n := e.books.Open(); n > 0 || e.m.Phase().Live() {
			p.fail("%v: %d requests are open at the end, phase %v", e.m.Party(), n, e.m.Phase())
		}
		if _, ok := e.m.NextDeadline(); ok {
			p.fail("%v waits for something after the end", e.m.Party())
		}
	}
	for i := range p.end {
		p.do(i, model.Step{Op: model.OpReset})
	}
	p.cut = false
}

// TestPair joins a client and a server by links that keep the order and lose nothing.
// Whatever the applications do, and however cancellations, timeouts and answers cross:
// neither end blames the other, each request ends exactly once, nothing stays open, and
// both ends agree.
//
// rows: CANC-014 VERS-014 PROG-014
func TestPair(t *testing.T) {
	sessions, ready := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := newPair(t)
		for range 1 + p.src.Intn(2) {
			p.do(0, model.Step{Op: model.OpInitialize})
			for range p.src.Intn(60) {
				if p.cut {
					break
				}
				if p.src.Intn(3) > 0 {
					p.verb()
				} else {
					p.wait()
				}
			}
			p.settle()
			disjoint := !slices.ContainsFunc(p.end[0].set.Revisions, func(r protocol.Revision) bool { return slices.Contains(p.end[1].set.Revisions, r) })
			if p.end[0].m.Phase() == lifecycle.Ready {
				ready++
				if disjoint {
					p.fail("ready without a common revision")
				}
			}
			p.agree()
			p.finish()
			sessions++
		}
	})
	if ready*3 < sessions {
		t.Errorf("only %d sessions of %d were ready at the end", ready, sessions)
	}
}
