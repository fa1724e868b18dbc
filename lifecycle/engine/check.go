package engine

import (
	"errors"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// Check is the list of what a Core can be: every invariant of the types requests and session,
// tested on the values. It has two uses, and both need all of it. Tests call it after each step,
// so it finds a transition that leaves something behind. Restore calls it on what a snapshot
// says, so whatever it lets pass is what a forged snapshot can make of a session: an entry that
// no message leads to must not get in, or its answer would go through code that counts on the
// checks it never passed.
//
// It relies on nothing but the tables, and allocates for the order of arrival only.

// Check returns an error if an invariant does not hold. Tests call it after every
// step; nothing that a caller or a peer does can make it fail. Restore calls it too, so
// what it lets pass is what a snapshot can do to a session.
func (c *Core) Check() error {
	if err := c.checkPhase(); err != nil {
		return err
	}
	if c.in.Len() > c.env.Limits.Inbound || c.out.Len() > c.env.Limits.Outbound {
		return errors.New("engine: a table is over its limit")
	}
	if err := c.in.Check(); err != nil {
		return err
	}
	if err := c.out.Check(); err != nil {
		return err
	}
	// Calls are numbered in the order of arrival, so their numbers ascend and end at seq.
	before := uint64(0)
	for _, leaf := range c.inboundByAge() {
		// Under another key the entry would never be found by its id: a cancellation would miss
		// it, and a second request of the same id would pass.
		if leaf.Key != c.env.key(leaf.V.id) || leaf.V.seq <= before || leaf.V.seq > c.seq {
			return errors.New("engine: an inbound entry under the wrong key or number")
		}
		if !c.possibleInbound(leaf) {
			return errors.New("engine: an inbound entry that no request leads to")
		}
		before = leaf.V.seq
	}
	if err := c.checkRounds(); err != nil {
		return err
	}
	// What ended its question let the time go on (taken).
	if c.still > c.now && !c.asking() {
		return errors.New("engine: the time stands still for nobody")
	}
	// So that the zero value of a session has one form only.
	if c.rare != nil && *c.rare == usual() {
		return errors.New("engine: nothing rare, in two forms")
	}
	if ends := c.ends(); ends.Len() > 0 {
		if c.Negotiated().IsZero() {
			return errors.New("engine: something announced by nobody")
		}
		if err := ends.Check(c.env); err != nil {
			return err
		}
	}
	// What stands beside the table is counted here and compared with its size below: so an index
	// has an entry for each request, and none is left of a request that has ended.
	tokens, moved, pings, handshakes := 0, 0, 0, 0
	for leaf := range c.out.All() {
		v := &leaf.V
		// A request keeps its number and may go out under later ids. Ids of ours lie between
		// first and last, by which awaited tells late from never sent.
		if leaf.Key < c.first() || leaf.Key > wire(leaf) || wire(leaf) > c.last || leaf.Deadline > v.maxDeadline {
			return errors.New("engine: an outbound entry out of range")
		}
		// Two requests must not await an answer under one wire id.
		if leaf.Key != wire(leaf) {
			if seq, ok := c.tokens().moved(wire(leaf)); !ok || seq != leaf.Key || c.out.Get(wire(leaf)) != nil {
				return errors.New("engine: an outbound entry under the wire id of another")
			}
			moved++
		}
		if !c.possibleOutbound(leaf) {
			return errors.New("engine: an outbound entry that no request leads to")
		}
		if x := v.ext; x != nil && !x.token.IsZero() {
			if req, ok := c.tokens().find(c.env, x.token); !ok || req != leaf.Key {
				return errors.New("engine: a progress token without its owner")
			}
			// A token that looks like an id of ours belongs to whoever carries it; the request of
			// that id must not have gone out with its id as token as well.
			if other := c.sent(x.token); other != nil && other.V.progress {
				return errors.New("engine: a progress token of two requests")
			}
			tokens++
		}
		if v.keepalive {
			pings++
		}
		if v.opens() {
			handshakes++
		}
	}
	kept, ids := c.tokens().count()
	// A client is initializing exactly as long as its initialize is open. A shutdown that began
	// meanwhile may still wait for the answer.
	begun := c.env.Opens && c.phase == protocol.Initializing
	switch {
	case kept != tokens:
		return errors.New("engine: a progress token of a closed request")
	case ids != moved:
		return errors.New("engine: a wire id of a closed request")
	// pinging spares keepAlive a walk over the table, so it has to agree with the table.
	case pings > 1 || c.pinging != (pings == 1):
		return errors.New("engine: the keepalive does not know of its ping")
	case begun != (handshakes == 1) && (c.phase != protocol.ShuttingDown || handshakes > 1):
		return errors.New("engine: initialize in the wrong phase")
	}
	return nil
}

// causes are why a session can be in the phases in which it has a cause.
var causes = [protocol.PhaseCount][]lifecycle.CauseKind{
	protocol.ShuttingDown: {lifecycle.CauseShutdown, lifecycle.CauseInputClosed, lifecycle.CausePeerSilent},
	protocol.Disconnected: {lifecycle.CauseLost},
	protocol.Failed: {
		lifecycle.CauseAborted, lifecycle.CauseTimedOut, lifecycle.CauseNotSent, lifecycle.CauseResponseLost, lifecycle.CauseRejected, lifecycle.CauseRefused,
		lifecycle.CauseUnsupportedRevision, lifecycle.CauseMissingCapability, lifecycle.CauseInvalidResponse,
	},
}

// checkPhase checks what goes together with the phase. What a message may do depends on the phase
// alone, so what is open, what is negotiated and what is due have to go with it.
func (c *Core) checkPhase() error {
	// Blank is compared by its address: nothing else stands for what was not negotiated.
	open, negotiated := c.in.Len()+c.out.Len(), c.prof != c.env.Blank
	begins := c.phase == protocol.Uninitialized || c.phase == protocol.Initializing
	kinds := causes[c.phase]
	switch {
	case !c.phase.Live() && open != 0:
		return errors.New("engine: requests are open in a phase without messages")
	case c.phase == protocol.Uninitialized && (negotiated || open != c.own()):
		return errors.New("engine: something is negotiated or open before the handshake")
	case c.phase == protocol.Initializing && c.env.Opens && (negotiated || c.in.Len() != 0):
		return errors.New("engine: something is negotiated or served during the handshake")
	case (c.phase == protocol.Ready || begins && !c.env.Opens && c.phase != protocol.Uninitialized) && !negotiated:
		return errors.New("engine: nothing is negotiated")
	case (c.cause() != nil) != (kinds != nil):
		return errors.New("engine: a cause of no end, or an end without a cause")
	case c.cause() != nil && !slices.Contains(kinds, c.cause().Kind):
		return errors.New("engine: a cause of another end")
	case c.closed && (open != 0 || begins || c.phase == protocol.Ready), c.phase == protocol.Failed && !c.closed:
		return errors.New("engine: the close action does not go with the phase")
	// What the machine holds has no deadline and no application that answers it.
	case c.phase == protocol.ShuttingDown && c.holds():
		return errors.New("engine: the end waits for what the machine holds")
	// settle has to have asked for the end: nothing else would come to do it.
	case c.phase == protocol.ShuttingDown && !c.closed && open == 0:
		return errors.New("engine: shutting down with nothing left to wait for")
	// Whoever waits for a peer that sends no more waits for ever.
	case c.inputClosed && (c.out.Len() != 0 || begins || c.phase == protocol.Ready || c.phase == protocol.Failed):
		return errors.New("engine: the peer sends no more, and is waited for")
	case c.due != table.Never && (c.phase != protocol.Ready && c.phase != protocol.ShuttingDown || c.closed):
		return errors.New("engine: a grace time outside shutting_down")
	case c.due != table.Never && c.phase == protocol.Ready && (c.due > c.After(c.env.Keepalive.Interval) || c.env.Keepalive.Interval <= 0):
		return errors.New("engine: a ping is due that nobody wants")
	}
	return nil
}

// own returns how many requests of the peer are none of the session, since they brought what they
// are made under.
func (c *Core) own() (n int) {
	for leaf := range c.in.All() {
		if leaf.V.ext != nil && leaf.V.ext.profile != nil {
			n++
		}
	}
	return n
}

// possibleInbound reports whether a request of the peer can have led to the entry. A request that
// is served at once, as ping, never gets into the table, and one that cannot be cancelled must
// not.
func (c *Core) possibleInbound(leaf *table.Leaf[inbound]) bool {
	v := &leaf.V
	var x inboundExt
	if v.ext != nil {
		x = *v.ext
	}
	row := v.row
	if row.Notification || row.Custom() != (x.name != "") || !row.Receiver.Has(c.env.Self) || !row.Cancellable || isPing(row) {
		return false
	}
	// The row decides how the answer is encoded, so it is that of the revision the request came
	// under.
	if row.Revision() != c.of(x.profile).Revision || x.held && leaf.Deadline != table.Never {
		return false
	}
	// A spelling is kept only where the canonical text of the id differs, and of this very id.
	if x.spelling != "" {
		id, canonical, ok := jsonrpc.ParseID(string(x.spelling))
		if !ok || canonical || id != v.id {
			return false
		}
	}
	// A client without a session gets questions alone, and none with a token (JRPC-204, PROG-201).
	if c.env.Opens && row.Revision().Stateless() && (x.of == 0 || !x.token.IsZero()) {
		return false
	}
	// Without a token nothing was reported, and before the first report nothing was counted.
	if x.token.IsZero() && x.reported || !x.reported && (x.gate != 0 || x.last != 0) {
		return false
	}
	return c.env.loose(row) || row.PossibleSubject(x.subject, true)
}

// possibleOutbound reports whether a request of ours can have led to the entry. Its deadlines are
// those that times can have computed, and its token is one of two kinds or none.
func (c *Core) possibleOutbound(leaf *table.Leaf[outbound]) bool {
	v := &leaf.V
	var x outboundExt
	if v.ext != nil {
		x = *v.ext
	}
	row := v.row
	if row.Notification || row.Custom() != (x.name != "") || strings.HasPrefix(x.name, "notifications/") || !row.Receiver.Has(c.env.Self.Peer()) {
		return false
	}
	token := !x.token.IsZero()
	switch {
	case x.profile != nil && x.profile.Revision != row.Revision(), (x.round != nil) != mayAsk(row), v.acknowledged && row.Wait != protocol.WaitListen:
		return false
	// Without a timeout only the maximum ends the wait, or a subscription is not acknowledged; with
	// one, progress has put the deadline off to a timeout from now at the most, or Pause to what a person has.
	case v.timeout == lifecycle.NoTimeout && leaf.Deadline != v.maxDeadline && (row.Wait != protocol.WaitListen && !v.asking() || leaf.Deadline > c.longest(v)),
		v.timeout != lifecycle.NoTimeout && (v.timeout <= 0 || leaf.Deadline > c.longest(v) && !v.asking()),
		v.progress && token, v.reset && !v.progress, v.reported && !v.progress && !token,
		!v.reported && (x.gate != 0 || v.last != 0),
		x.within.seq > c.seq, x.within.seq == 0 && x.within.key != 0,
		v.keepalive && (!isPing(row) || x.within.seq != 0 || v.progress || token):
		return false
	}
	return c.env.loose(row) || row.PossibleSubject(x.subject, false)
}

// checkRounds returns an error if questions and requests that ask do not belong together.
func (c *Core) checkRounds() error {
	open := map[uint64]int{}
	for leaf := range c.in.All() {
		v := &leaf.V
		if v.ext == nil || v.ext.of == 0 {
			continue
		}
		// The id says whose question it is, and under which key its answer has a place.
		of := c.out.Get(v.ext.of)
		if of == nil || !of.V.awaits(v.key()) || v.id != questionID(v.ext.of, v.key()) {
			return errors.New("engine: a question of no request")
		}
		open[of.Key]++
	}
	for leaf := range c.out.All() {
		if v := &leaf.V; v.asking() {
			rest := 0
			for _, answer := range v.ext.round.answers {
				if answer == "" {
					rest++
				}
			}
			if open[leaf.Key] != rest {
				return errors.New("engine: a request waits for answers that nobody owes")
			}
		}
	}
	return nil
}
