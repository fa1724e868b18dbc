package manager

import (
	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/lifecycle"
)

// step is what a step has come to: Effects, and what sessions did that is still to be handled.
// What is handled never handles more by itself: it appends, and run takes out what comes next.
type step struct {
	Effects
	first pending   // most steps have one alone, which takes no memory
	more  []pending // those after first
}

// pending are events of a session that wait to be handled.
type pending struct {
	link   Link
	events []client.Event
	cause  *lifecycle.Cause // the session ended with them; nil if not
}

func (p *pending) isZero() bool { return p.events == nil && p.cause == nil }

// push adds what a session did at the end.
func (o *step) push(p pending) {
	if o.first.isZero() && len(o.more) == 0 {
		o.first = p
		return
	}
	o.more = append(o.more, p)
}

// pop takes out what came first; false if nothing waits.
func (o *step) pop() (pending, bool) {
	p := o.first
	if !p.isZero() {
		o.first = pending{}
		return p, true
	}
	if len(o.more) == 0 {
		return pending{}, false
	}
	p, o.more = o.more[0], o.more[1:]
	return p, true
}
