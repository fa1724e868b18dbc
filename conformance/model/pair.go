package model

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sansmcp/mcp/conformance/transcript"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Pair is both ends of a session, joined by lossless links that keep the order and take
// time. Whatever the applications do, and however cancellations, timeouts and
// answers cross: neither end reports a violation of the other, each request ends exactly once, nothing
// stays open, and both ends agree. A violation is an error of Session, a *Failure with
// the transcripts of both ends, first of the one that took the last step.
type Pair struct {
	// Watch, if set, is called for each step, with the Machine after it. Its error ends the
	// session.
	Watch func(m verbs.Machine, s *Step, out lifecycle.Output) error
	// Sessions counts the sessions, Ready those that were ready before their end.
	Sessions, Ready int

	d   dice
	now time.Time
	end [2]*end // client, server
	cut bool    // the transport has closed
	at  int     // the end that took the last step
	err error   // the first fault, a *Failure; then the pair stops
}

// end is one end of a session in memory.
type end struct {
	set   Setup
	m     verbs.Machine
	gen   *Generator
	books *Ledger
	rec   *transcript.Recorder
	inbox []packet // messages under way to it, in order of arrival
}

// faultsOfOthers are rows that a peer violates because of its application: an invalid uri that the server
// may have listed, and what a State reports as a LocalViolation and sends.
var faultsOfOthers = []string{"RES-035", "ERR-105", "SAMP-106", "SAMP-118"}

type packet struct {
	at   time.Time
	text string
}

// NewPair returns a client and a server with random setups.
func NewPair(src Source) (*Pair, error) {
	p := &Pair{d: dice{src}, now: Origin}
	for i, party := range []lifecycle.Party{lifecycle.Client, lifecycle.Server} {
		set := RandomSetup(src, party)
		// Exceeding limits that one end cannot know is not a fault of the other.
		set.Limits = lifecycle.Limits{Inbound: 100, Outbound: set.Limits.Outbound, Batch: 3, Subscriptions: 5}
		set.Policy.StrictInitialized = false
		set.Policy.KeepNulls = false // outgoing messages must satisfy the schema
		m, err := set.New(Origin)
		if err != nil {
			return nil, err
		}
		p.end[i] = &end{set: set, m: m, gen: NewGenerator(src, set), books: NewLedger(), rec: set.Record()}
		p.end[i].gen.Quiet = true
	}
	return p, nil
}

// Session runs one session from initialize to its end, after which both States can
// begin another.
func (p *Pair) Session() error {
	p.do(0, Step{Op: verbs.OpInitialize})
	for range p.d.Intn(60) {
		if p.cut {
			break
		}
		if p.d.Intn(3) > 0 {
			p.verb()
		} else {
			p.wait()
		}
	}
	p.settle()
	disjoint := !slices.ContainsFunc(p.end[0].set.Revisions, func(r protocol.Revision) bool { return slices.Contains(p.end[1].set.Revisions, r) })
	if p.end[0].m.Phase() == lifecycle.Ready {
		p.Ready++
		if disjoint {
			p.fail("ready without a common revision")
		}
	}
	p.agree()
	p.finish()
	p.Sessions++
	return p.err
}

// do takes a step at end i and sends its messages on the link.
func (p *Pair) do(i int, s Step) {
	if p.err != nil {
		return
	}
	e, other := p.end[i], p.end[1-i]
	s.Now = p.now
	before := e.m
	next, out, err := s.Record(e.rec, before)
	e.m, p.at = next, i
	if bad := e.books.Watch(before, next, s.Now, s.taken(), out, err); bad != nil {
		p.fail("%w", bad)
	}
	if bad := next.Check(); bad != nil {
		p.fail("%w", bad)
	}
	if p.Watch != nil {
		if bad := p.Watch(next, &s, out); bad != nil {
			p.fail("%w", bad)
		}
	}
	for _, ev := range out.Events {
		if ev.Kind == lifecycle.Violation && !slices.Contains(faultsOfOthers, ev.Rule) {
			p.fail("%v blames the peer: %s %s", e.m.Party(), ev.Rule, ev.Body)
		}
	}
	e.gen.Saw(out)
	for _, o := range out.Send {
		at := p.now.Add(time.Duration(p.d.Intn(4)) * 700 * time.Millisecond)
		if n := len(other.inbox); n > 0 && at.Before(other.inbox[n-1].at) {
			at = other.inbox[n-1].at
		}
		other.inbox = append(other.inbox, packet{at, string(jsonrpc.Append(nil, o.Message))})
	}
	p.cut = p.cut || out.Close != nil
}

func (p *Pair) fail(format string, args ...any) {
	if p.err != nil {
		return
	}
	err := fmt.Errorf(format, args...)
	last, other := p.end[p.at].rec, p.end[1-p.at].rec
	p.err = Fail(err, last.Steps(), err.Error(), last, other)
}

// Transcripts returns the transcripts of the client and the server so far.
func (p *Pair) Transcripts() (list []string) {
	for _, e := range p.end {
		list = append(list, string(e.rec.File("One end of a random session.").Text()))
	}
	return list
}

// wait lets time pass until a message arrives or a deadline
// expires. It reports whether anything happened.
func (p *Pair) wait() bool {
	next := time.Time{}
	for _, e := range p.end {
		if due, ok := e.m.NextDeadline(); ok && (next.IsZero() || due.Before(next)) {
			next = due
		}
		if len(e.inbox) > 0 && (next.IsZero() || e.inbox[0].at.Before(next)) {
			next = e.inbox[0].at
		}
	}
	if p.err != nil || next.IsZero() || next.After(Origin.Add(24*time.Hour)) {
		return false
	}
	if next.After(p.now) {
		p.now = next
	}
	for i, e := range p.end {
		if len(e.inbox) > 0 && !e.inbox[0].at.After(p.now) {
			text := e.inbox[0].text
			e.inbox = e.inbox[1:]
			p.do(i, Step{Op: verbs.OpReceive, Text: text})
			return true
		}
	}
	for i, e := range p.end {
		if due, ok := e.m.NextDeadline(); ok && !due.After(p.now) {
			p.do(i, Step{Op: verbs.OpTick})
		}
	}
	return true
}

// verb takes a random verb of either application, without tokens of its own choice:
// an application that reuses one while progress of the first use is under way gets
// mixed progress.
func (p *Pair) verb() {
	i := p.d.Intn(2)
	s := p.end[i].gen.Verb(p.end[i].m)
	if s.Op == verbs.OpReset || s.Op == verbs.OpDisconnected || s.Params != nil && strings.Contains(string(s.Params().AppendJSON(nil)), `oken"`) {
		return
	}
	s.Options.OutputSchema = "" // the applications do not know those of each other
	p.do(i, s)
}

// settle answers open requests and waits until nothing is open. It cancels what was abandoned at one end
// and has no timeout at the other.
func (p *Pair) settle() {
	for n := range 1000 {
		for i, e := range p.end {
			for c := range e.m.Inbound() {
				p.do(i, Step{Op: verbs.OpFail, Call: c.Call, Failure: &jsonrpc.Error{Code: -1, Message: "enough"}})
			}
		}
		if p.err != nil || p.cut || p.end[0].books.Open()+p.end[1].books.Open()+len(p.end[0].inbox)+len(p.end[1].inbox) == 0 {
			return
		}
		if n%200 < 199 && p.wait() {
			continue
		}
		for i, e := range p.end {
			for r := range e.m.Outbound() {
				p.do(i, Step{Op: verbs.OpCancel, Req: r.Req})
			}
		}
	}
	p.fail("something stays open")
}

// agree compares the two ends once nothing is under way.
func (p *Pair) agree() {
	c, s := p.end[0], p.end[1]
	if c.m.Phase() != lifecycle.Ready || p.cut {
		return
	}
	said := func(m verbs.Machine) string { // a revision may lack a capability
		caps := ofRevision(capNames(m.Capabilities()), m.Revision().String())
		if !slices.Contains(caps, "elicitation.url") {
			caps = slices.DeleteFunc(caps, func(name string) bool { return name == "elicitation.form" })
		}
		return strings.Join(caps, ",")
	}
	mine, theirs := said(c.m), said(s.m)
	switch rev := c.m.Revision(); {
	case s.m.Phase() != lifecycle.Ready:
		p.fail("the client is ready, the server %v", s.m.Phase())
	case rev.IsZero() || rev != s.m.Revision() || !slices.Contains(c.set.Revisions, rev) || !slices.Contains(s.set.Revisions, rev):
		p.fail("the client speaks %v, the server %v", rev, s.m.Revision())
	case c.m.PeerCapabilities().String() != theirs || s.m.PeerCapabilities().String() != mine:
		p.fail("the client sees %v of %v, the server %v of %v", c.m.PeerCapabilities(), theirs, s.m.PeerCapabilities(), mine)
	}
}

// finish ends the session from either side, passes the close on, and begins
// again with both States.
func (p *Pair) finish() {
	if !p.cut {
		i := p.d.Intn(2)
		p.do(i, Step{Op: verbs.OpShutdown, Grace: time.Duration(p.d.Intn(4)) * time.Second})
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
		p.do(i, Step{Op: verbs.OpInputClosed})
		p.do(i, Step{Op: verbs.OpDisconnected})
		if n := e.books.Open(); n > 0 || e.m.Phase().Live() {
			p.fail("%v: %d requests are open at the end, phase %v", e.m.Party(), n, e.m.Phase())
		}
		if _, ok := e.m.NextDeadline(); ok {
			p.fail("%v waits for something after the end", e.m.Party())
		}
	}
	for i := range p.end {
		p.do(i, Step{Op: verbs.OpReset})
	}
	p.cut = false
}
