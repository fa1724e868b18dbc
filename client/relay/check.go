package relay

import (
	"errors"
	"slices"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/server"
)

// Check returns an error if an invariant of the Relay does not hold; s is the State after its last step.
// Tests call it: no action of a client or a server can make it fail.
func (r Relay) Check(s server.State) error {
	if r.cfg == nil {
		return nil
	}
	for _, err := range []error{r.m.Check(), r.calls.Check(), r.byOp.Check(), r.loads.Check(), r.asks.Check(), r.parked.Check(), r.checkParked(), r.listening.Check(), r.heard.Check(), r.checkHeard(openCalls(s)),
		r.c.Check(), r.subs.Check(), r.checkCalls(s), r.checkAsks(s), r.checkServers(), r.checkEnd()} {
		if err != nil {
			return err
		}
	}
	return nil
}

// openCalls returns the open calls of the client.
func openCalls(s server.State) map[uint64]bool {
	open := map[uint64]bool{}
	for c := range s.Inbound() {
		open[c.Call.Seq()] = true
	}
	return open
}

// checkCalls checks that every call is open at the client, that a forwarded call is found by its
// operation and counted at its server, and that a waiting call is counted too.
func (r *Relay) checkCalls(s server.State) error {
	open, loads := openCalls(s), map[uint64]load{}
	waiting, bytes, passed := 0, 0, 0
	for leaf := range r.calls.All() {
		c, l := &leaf.V, loads[leaf.V.server]
		back := r.byOp.Get(c.op)
		switch {
		case !open[leaf.Key]:
			return errors.New("relay: a call that is not open at the client")
		case (c.waits == nil) != (c.op != 0):
			return errors.New("relay: a call that was passed on and waits")
		case c.waits != nil:
			waiting, bytes = waiting+1, bytes+len(c.waits.body)
		case back == nil || back.V != leaf.Key:
			return errors.New("relay: a call that cannot be found")
		default:
			passed++
			loads[c.server] = load{l.n + 1, l.calls ^ leaf.Key}
		}
	}
	for leaf := range r.loads.All() {
		if loads[leaf.Key] != leaf.V {
			return errors.New("relay: a wrong count of calls")
		}
	}
	if waiting != r.waiting || bytes != r.bytes || r.byOp.Len() != passed || r.loads.Len() != len(loads) {
		return errors.New("relay: a wrong count of what waits or was passed on")
	}
	return nil
}

// checkAsks checks that every request of a server is open at the client, once.
func (r *Relay) checkAsks(s server.State) error {
	open, seen := map[uint64]bool{}, map[manager.Call]bool{}
	for q := range s.Outbound() {
		open[q.Req.Seq()] = true
	}
	for leaf := range r.asks.All() {
		if !open[leaf.Key] || seen[leaf.V] {
			return errors.New("relay: a server's request that is duplicate or not open at the client")
		}
		seen[leaf.V] = true
	}
	return nil
}

// checkEnd checks that nothing is left after the end of the session with the client.
func (r *Relay) checkEnd() error {
	if !r.over {
		return nil
	}
	if r.opened != never || r.news != never || r.level != "" || r.told != [kinds]uint64{} || slices.ContainsFunc(r.merged[:], func(m merged) bool { return m.version != 0 }) ||
		r.calls.Len()+r.asks.Len()+r.subs.Len()+r.parked.Len()+r.heard.Len()+r.listening.Len()+r.c.Len() > 0 {
		return errors.New("relay: something is left at the end")
	}
	for _, u := range r.up.all() {
		if u.state != manager.Idle || u.took != 0 || u.level != "" || u.seen != [kinds]uint64{} {
			return errors.New("relay: a server is left at the end")
		}
	}
	return nil
}

// checkServers checks that the servers are found by name, scheme and id, and that the client sees
// their current lists.
func (r *Relay) checkServers() error {
	for i, u := range r.up.all() {
		if r.up.index(u.Name) != i || !r.c.Includes(u.Name) {
			return errors.New("relay: a server that cannot be found, or a duplicate name")
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
