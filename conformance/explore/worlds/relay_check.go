package worlds

import (
	"slices"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/conformance/explore"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// relayScope limits the world of a Relay.
type relayScope struct {
	ops     string // letters, see relayLetters
	servers int
	most    int // requests of the client

	stateless bool // the client has no session
	modern    bool // the servers have none

	on   [relayOps]bool
	cfg  relay.Config
	sets [][]relay.Server
	form *explore.Form
}

func linkOps(ops ...uint8) []uint8 { return linksFrom(ropLinks, ops) }

var relayLetters = map[rune][]uint8{
	'y': {ropCallA}, 'z': {ropCallB}, 'l': {ropList}, 'x': {ropCancel}, 'a': {ropAnswer}, 'D': {ropGone}, 'Z': {ropAgain}, 'S': {ropServers},
	'm': {ropMake}, 'M': {ropEmpty}, '2': {ropTwice}, 'R': {ropRestart}, 'r': {ropRest}, 'X': {ropClose}, 'T': {ropTime}, 'o': linkOps(mopOpened, mopShake), 'O': linkOps(mopOpenFailed), 'b': linkOps(mopRefuse),
	'L': linkOps(mopLost), 'C': linkOps(mopClosed), 'E': linkOps(mopReply), 'e': linkOps(mopError), 'q': linkOps(mopAsk), 'k': linkOps(mopUnask), 'F': linkOps(mopFound, mopAck), 'i': linkOps(mopInput),
}

var relayScopes = []struct {
	name    string
	scope   relayScope
	nightly bool
}{
	{"start", relayScope{ops: "oObLT", servers: 1}, false},
	{"call", relayScope{ops: "oyEexT", servers: 1, most: 1}, false},
	{"list", relayScope{ops: "olET", servers: 1, most: 1}, false},
	{"again", relayScope{ops: "olDZT", servers: 1, most: 1}, false},
	{"close", relayScope{ops: "oyEXCT", servers: 1, most: 1}, false},
	{"set", relayScope{ops: "oySCET", servers: 1, most: 1}, false},
	{"ask", relayScope{ops: "oyEqakT", servers: 1, most: 1}, false},
	{"ask-two", relayScope{ops: "oyEqax", servers: 1, most: 2}, false},
	{"stateless", relayScope{ops: "oyEqmMkxT", servers: 1, most: 1, stateless: true}, false},
	{"stateless-lost", relayScope{ops: "oyqmLT", servers: 1, most: 1, stateless: true}, false},
	{"stateless-rounds", relayScope{ops: "oFyEimM2x", servers: 1, most: 1, stateless: true, modern: true}, false},
	{"rest", relayScope{ops: "oylrECT", servers: 1, most: 1}, false},
	{"stateless-rest", relayScope{ops: "oyEqmrC", servers: 1, most: 1, stateless: true}, false},
	{"stateless-two", relayScope{ops: "oyzEqmM2kxLT", servers: 2, most: 2, stateless: true}, true},
	{"two", relayScope{ops: "oyzET", servers: 2, most: 1}, true},
	{"two-lost", relayScope{ops: "oyzELT", servers: 2, most: 2}, true},
	{"restart", relayScope{ops: "oyERCT", servers: 1, most: 1}, true},
	{"all", relayScope{ops: "oObyzlEexqakLCDZSRXT", servers: 2, most: 2}, true},
}

// relayRules are the rules of the world of a Relay, in addition to those of a Manager.
var relayRules = []explore.Rule{
	{At: "relay.Relay", As: explore.Origin, By: "clock"},
	{At: "relay.Relay.cfg", As: explore.Skip, Why: "the same throughout"},
	{At: "relay.Relay.lastID", As: explore.Skip, Why: "above all numbers; the next is one more"},
	{At: "relay.Relay.moved", As: explore.Skip, Why: "the time of the Manager, as engine.clock.now"},
	{At: "relay.Relay.opened", As: explore.Since, Most: 4 * unit, Why: "Lists.Hold and Held.Time are shorter"},
	{At: "relay.Relay.calls", Key: explore.Order},
	{At: "relay.Relay.byOp", As: explore.Skip, Why: "an index of calls"},
	{At: "relay.Relay.unplaced", As: explore.Skip, Why: "an index of heard"},
	{At: "relay.Relay.wants", As: explore.Skip, Why: "an index of subs and heard"},
	{At: "relay.Relay.loads", As: explore.Skip, Why: "an index of calls"},
	{At: "relay.Relay.asks", Key: explore.Peer},
	{At: "relay.Relay.parked", Key: explore.Op},
	{At: "relay.parked.server", As: explore.Order},
	{At: "relay.parked.until", As: explore.Until},
	{At: "relay.parked.round", As: explore.Order},
	{At: "relay.question.round", As: explore.Order},
	{At: "relay.call.round", As: explore.Order},
	{At: "relay.Relay.listening", Key: explore.Order},
	{At: "relay.Relay.told", As: explore.Order},
	{At: "relay.Relay.news", As: explore.Until},
	{At: "relay.upstream.id", As: explore.Order},
	{At: "relay.upstream.took", As: explore.Present, Why: "it counts in a later session of another process"},
	{At: "relay.upstream.down", As: explore.Since, Most: 4 * unit, Why: "Held.Time is shorter"},
	{At: "relay.upstream.seen", As: explore.Order},
	{At: "relay.Server.Options", As: explore.Skip, Why: "the same throughout"},
	{At: "relay.merged.version", As: explore.Order},
	{At: "relay.call.key", As: explore.Own},
	{At: "relay.call.op", As: explore.Op},
	{At: "relay.call.server", As: explore.Order},
	{At: "relay.waiting.by", As: explore.Until},
	{At: "lifecycle.handle.seq", As: explore.Order},
	{At: "lifecycle.Call.key", As: explore.Order},
	{At: "catalog.source.since", As: explore.Skip, Why: "for Status"},
	{At: "catalog.reading.stamp", As: explore.Since, Most: 4 * unit, Why: "nothing is kept for so short a time"},
	{At: "catalog.reading.asked", As: explore.Since, Most: 4 * unit, Why: "Lists.MinInterval is shorter"},
	{At: "catalog.item.uid", As: explore.Order},
	{At: "catalog.list.version", As: explore.Order},
	{At: "worlds.relayed.next", As: explore.Skip, Why: "above all ids; the next is one more"},
	{At: "worlds.relayed.asks", As: explore.Peer},
	{At: "worlds.relayed.from", As: explore.Since, Most: 4 * unit, Why: "Lists.Hold is shorter"},
	{At: "worlds.rreq.id", As: explore.Own},
	{At: "worlds.rreq.since", As: explore.Skip, Why: "its time is bounded by deadlines of the Relay, which are written"},
	{At: "worlds.held.op", As: explore.Op},
	{At: "worlds.held.round", As: explore.Order},
	{At: "worlds.held.state", As: explore.Skip, Why: "it follows from op, round and what"},
	{At: "worlds.held.since", As: explore.Since, Most: 4 * unit, Why: "CallTimeout is shorter"},
	{At: "worlds.held.questions", As: explore.Order},
	{At: "worlds.managed.m", As: explore.Skip, Why: "the Relay has the Manager"},
	{At: "worlds.managed.ops", As: explore.Skip, Why: "the Relay has the operations"},
}

// newRelay returns the world of a scope.
func newRelay(name string, x relayScope, revision string) *explore.World[relayed] {
	for _, letter := range x.ops {
		for _, op := range relayLetters[letter] {
			x.on[op] = true
		}
	}
	info := protocol.Implementation{Name: "r", Version: "1"}
	x.cfg = relay.Config{
		Info: info, Offer: protocol.CapTools, CallTimeout: 3 * unit, Naming: naming.Policy{Names: naming.Plain},
		Held: relay.Held{Time: 2 * unit}, Lists: relay.Lists{Hold: 2 * unit, Announce: unit, MinInterval: unit},
		Manager: manager.Config{
			Timeouts: manager.Timeouts{Connect: 2 * unit, Request: 2 * unit, Maximum: 4 * unit, Ping: unit, Close: unit, Inbound: lifecycle.NoTimeout},
			Health:   manager.Health{Interval: lifecycle.NoTimeout}, StableFor: unit, Backoff: backoff.Policy{Base: unit, Cap: unit},
			Budget: manager.Budget{Total: 2 * unit},
		},
	}
	base := server.Config{Info: info, Timeouts: lifecycle.Timeouts{Request: 2 * unit, Human: 2 * unit, Ping: unit}}
	if x.stateless {
		base.Revisions = protocol.StatelessRevisions()
	}
	if x.modern {
		x.cfg.Manager.Client.Revisions = protocol.AllRevisions()
	}
	cfg := must(x.cfg.Server(base))
	all := []relay.Server{{Name: "a", Definition: "1", Options: manager.Options{Endpoint: "a"}}, {Name: "b", Definition: "1", Options: manager.Options{Endpoint: "b"}}}
	x.sets = [][]relay.Server{all[:x.servers], all[1:]}
	x.form = explore.NewForm(origin, engineRules, managerRules, catalogRules, relayRules)
	w := relayed{net: managed{now: origin}, next: 1, from: origin, s: must(server.New(cfg, origin)), r: must(relay.New(x.cfg, x.sets[0], origin))}
	if !x.stateless {
		w = x.says(w, quiet, clientHello, protocol.Revisions()[0].String())
		w = x.says(w, quiet, clientReady)
	}
	return &explore.World[relayed]{
		Name: "relay/" + name, Root: w, Ops: relayNames, Actions: x.actions, Step: x.step, Check: x.check, Rules: x.form,
		Form: func(w *relayed) []byte { return x.form.Append(w.net.now, w) },
	}
}

// check checks a new node.
func (x *relayScope) check(w *relayed, r *explore.Report) {
	if err := w.r.Check(w.s); err != nil {
		r.Fail("%v", err)
	}
	most := 4 * unit // Held.Time for its server, and CallTimeout
	if x.on[linkOps(mopAsk)[0]] {
		most = 6 * unit // CallTimeout stops while servers ask, up to Timeouts.Maximum
	}
	for _, q := range w.reqs {
		if w.net.now.Sub(q.since) > most {
			r.Fail("a request takes too long: %s", relayNames[q.what])
		}
	}
	calls, asks := 0, 0
	for _, l := range w.net.links {
		if w.r.Resting() && l.state != linkClosing {
			r.Fail("the Relay rests, and a transport is open")
		}
		asks += len(l.asks)
		for _, q := range l.reqs {
			if q.method == "tools/call" {
				calls++
			}
		}
	}
	if most := len(w.reqs) + len(w.held); calls > most {
		r.Fail("servers work on %d calls for the %d requests of the client", calls, most)
	}
	if w.closed && len(w.reqs) > 0 {
		r.Fail("a request is not answered by Close: %s", relayNames[w.reqs[0].what])
	}
	if x.stateless && asks > 0 {
		if len(w.reqs) == 0 && !slices.ContainsFunc(w.held, func(h held) bool { return w.net.now.Sub(h.since) <= x.cfg.CallTimeout }) {
			r.Fail("a question of a server outlives the time in which the client may answer it")
		}
		if r.Every(13) {
			x.unheard(*w, r)
		}
	}
	if asks != len(w.asks) && w.s.Phase() == lifecycle.Ready && !w.closed {
		r.Fail("servers ask %d questions, the client is asked %d", asks, len(w.asks))
	}
	if !w.s.Phase().Live() || w.closed { // only transports still have to close
		if at, ok := w.r.NextDeadline(); ok && at.Sub(w.net.now) > unit || ok && len(w.net.links) == 0 {
			r.Fail("the Relay waits for something after the end")
		}
	}
	y, s, e := w.r.Tick(w.s, w.net.now)
	if len(e.Actions)+len(e.Servers)+len(e.Send)+len(e.Output.Events) > 0 {
		r.Fail("an early Tick does something")
	}
	next := *w
	next.r, next.s = y, s
	if !x.form.Same(w.net.now, w, w.net.now, &next) {
		r.Fail("an early Tick changes something: %s", x.form.Difference(w.net.now, w, &next))
	}
	if r.Every(11) {
		x.heals(*w, r)
	}
}

// heals checks that every request is answered if the servers do what they are asked.
func (x *relayScope) heals(w relayed, r *explore.Report) {
	calm := *x
	order := append(linkOps(mopOpened, mopShake, mopFound, mopAck, mopReply, mopClosed), ropAnswer, ropTime)
	for _, op := range order {
		calm.on[op] = true
	}
	for range 200 {
		acts := calm.actions(nil, &w)
		next := soonest(acts, order)
		if next < 0 || acts[next].Op == ropTime && len(w.reqs) == 0 {
			break
		}
		w, _ = calm.step(w, acts[next], r)
	}
	if len(w.reqs) > 0 {
		r.Fail("a request is never answered: %s", relayNames[w.reqs[0].what])
	}
	if !w.s.Phase().Live() || w.closed {
		for range 20 {
			if _, ok := w.r.NextDeadline(); !ok {
				break
			}
			w, _ = calm.step(w, explore.Action{Op: ropTime}, r)
		}
		if len(w.net.links) > 0 {
			r.Fail("transports stay open after the end")
		}
	}
}
