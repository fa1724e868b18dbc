package manager

import (
	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/lifecycle"
)

// step is the result of a step: Effects, and events of sessions still to be handled. A handler
// never calls another: it appends events, and run takes the next.
type step struct {
	Effects
	first pending   // most steps have only one, which needs no allocation
	more  []pending // those after first
}

// pending are waiting events of a session.
type pending struct {
	link   Link
	events []client.Event
	cause  *lifecycle.Cause // why the session ended after them; nil if it did not
}

func (p *pending) isZero() bool { return p.events == nil && p.cause == nil }

// push appends events of a session.
func (o *step) push(p pending) {
	if o.first.isZero() && len(o.more) == 0 {
		o.first = p
		return
	}
	o.more = append(o.more, p)
}

// pop removes and returns the first; false if none waits.
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
