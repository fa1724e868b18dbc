package relay

import (
	"errors"
	"slices"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/server"
)

// Check returns an error if an invariant of the Relay does not hold, beside the State of its last
// step. Nothing that a client or a server does can make it fail; tests call it after every step.
func (r Relay) Check(s server.State) error {
	if r.cfg == nil {
		return nil
	}
	for _, err := range []error{r.m.Check(), r.calls.Check(), r.byCall.Check(), r.loads.Check(), r.asks.Check(), r.byAsk.Check(),
		r.c.Check(), r.held.t.Check(), r.subs.Check(), r.checkCalls(s), r.checkAsks(s), r.checkHeld(s), r.checkServers()} {
		if err != nil {
			return err
		}
	}
	return nil
}

// openCalls returns the calls that the client has open.
func openCalls(s server.State) map[uint64]bool {
	open := map[uint64]bool{}
	for c := range s.Inbound() {
		open[c.Call.Seq()] = true
	}
	return open
}

// checkCalls: every call that was passed on is one of the client's, found from both sides, and
// counted at its server.
func (r *Relay) checkCalls(s server.State) error {
	open := openCalls(s)
	loads := map[uint64]load{}
	for leaf := range r.calls.All() {
		c := &leaf.V
		if back := r.byCall.Get(c.seq); back == nil || back.V != leaf.Key {
			return errors.New("relay: a call that cannot be found")
		}
		if !open[c.seq] {
			return errors.New("relay: a call that the client has not open")
		}
		if c.seq == 0 || r.held.t.Get(c.seq) != nil {
			return errors.New("relay: a call that was passed on and waits")
		}
		l := loads[c.server]
		loads[c.server] = load{l.n + 1, l.ops ^ leaf.Key}
	}
	n := 0
	for leaf := range r.loads.All() {
		if loads[leaf.Key] != leaf.V {
			return errors.New("relay: a wrong count of calls")
		}
		n++
	}
	if r.byCall.Len() != r.calls.Len() || n != len(loads) {
		return errors.New("relay: calls and their servers do not match")
	}
	return nil
}

// checkAsks: every request of a server is open with the client, and found from both sides.
func (r *Relay) checkAsks(s server.State) error {
	n, open := 0, map[uint64]bool{}
	for q := range s.Outbound() {
		open[q.Req.Seq()] = true
	}
	for of := range r.byAsk.All() {
		if of.V.Len() == 0 {
			return errors.New("relay: a server that asks nothing")
		}
		for leaf := range of.V.All() {
			a := r.asks.Get(leaf.V)
			if a == nil || a.V.call.Link.Epoch != of.Key || a.V.call.Call.Seq() != leaf.Key {
				return errors.New("relay: a request of a server that cannot be found")
			}
			if !open[leaf.V] {
				return errors.New("relay: a request of a server that the client has not open")
			}
			n++
		}
	}
	if n != r.asks.Len() {
		return errors.New("relay: a request of a server twice")
	}
	return nil
}

// checkHeld: what waits is open, and as much as is counted.
func (r *Relay) checkHeld(s server.State) error {
	open := openCalls(s)
	bytes, lists := 0, 0
	for leaf := range r.held.t.All() {
		if !open[leaf.Key] {
			return errors.New("relay: a request waits that is not open")
		}
		bytes += len(leaf.V.ev.Body)
		if leaf.V.kind >= 0 {
			lists++
		}
	}
	switch {
	case bytes != r.held.bytes || lists != r.held.lists:
		return errors.New("relay: a wrong count of what waits")
	}
	return r.checkEnd()
}

// checkEnd: after the end of the session with the client nothing of it is left.
func (r *Relay) checkEnd() error {
	if !r.over {
		return nil
	}
	if r.opened != never || r.news != never || r.level != "" || r.told != [kinds]version{} || slices.ContainsFunc(r.merged[:], func(m merged) bool { return m.some }) ||
		r.held.t.Len()+r.calls.Len()+r.asks.Len()+r.subs.Len()+r.c.Len() > 0 {
		return errors.New("relay: something is left at the end")
	}
	for _, u := range r.up {
		if u.state != manager.Idle || u.took != 0 || u.level != "" || u.seen != [kinds]uint64{} {
			return errors.New("relay: a server is left at the end")
		}
	}
	return nil
}

// checkServers: the servers are found by name, scheme and id, and the client sees of their lists what
// there is.
func (r *Relay) checkServers() error {
	for i, u := range r.up {
		if r.up.index(u.Name) != i || !r.c.Includes(u.Name) {
			return errors.New("relay: a server that cannot be found, or two of one name")
		}
		if u.id == 0 || u.id > r.lastID || r.up.get(u.id) != u {
			return errors.New("relay: a server without a number")
		}
		for k, seen := range u.seen {
			if seen != r.seen(u, k) && !r.over {
				return errors.New("relay: the client sees another list")
			}
		}
	}
	return nil
}
