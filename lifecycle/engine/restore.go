package engine

import (
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// A Core from a snapshot. Instants are read as distances from now, which stands for the instant
// of the last transition. Whatever follows from other members is not in a snapshot and is built
// here: the keys of calls, the rows, the index of tokens and wire ids, what is open within a
// call. So two members cannot contradict each other there; where they can, Check finds it.
//
// What only the Config says holds as this Config has it: limits, rates, keepalive. What does not
// fit into its limits is refused.

// Restore returns the Core of a snapshot. Its times count from now. What belongs to the
// role is read from f. Whatever the snapshot says, the Core is one that a session can come
// to (Check), or there is a fault; what only the Config says is as this one has it.
func Restore(env *Env, f *Fields, now time.Time) (Core, error) {
	c := New(env, now)
	// A client cannot go on where a server was.
	if f.Number("snapshot") != snapshotVersion || f.Text("role") != env.Self.String() {
		f.Fail("another version or role")
		return c, f.Err()
	}
	c.step, c.seq, c.last = f.Number("step"), f.Number("calls"), f.Number("last")
	first := f.Number("first")
	if c.step > MaxNumber || c.seq > MaxNumber || c.last > MaxNumber || first == 0 || first > c.last+1 {
		f.Fail("impossible counters")
		return c, f.Err()
	}
	c.change(func(x *rare) { x.first = first })
	c.restorePromises(f)
	c.closed, c.inputClosed = f.Flag("closed"), f.Flag("inputClosed")
	// In this order: rows need the profile, and what is within a call needs the call, as does time
	// that stands still.
	c.restorePhase(f)
	c.restoreKeepalive(f)
	c.restoreGates(f)
	f.Texts("announced", env.Limits.Subscriptions, func(id string) {
		// announce refuses what is there already, what is over a limit, and what is none.
		if !c.announce(id) {
			f.Fail("an id announced twice, empty or too long")
		}
	})
	f.Items("inbound", env.Limits.Inbound, func(raw string) { c.restoreInbound(f.Object(raw)) })
	c.restoreStill(f)
	f.Items("outbound", env.Limits.Outbound, func(raw string) { c.restoreOutbound(f.Object(raw)) })
	return c, f.Checked(c.Check)
}

// restorePromises checks that the Config is as good as the one before: calls are found by the same
// key, and what was declared still is (CAP-001). An old snapshot does not say.
func (c *Core) restorePromises(f *Fields) {
	if key := f.Text("key"); key != "" && key != c.env.keyCheck() {
		f.Fail("the Config has another HashKey")
	}
	declared, known := protocol.ParseCapability(f.Text("declared"))
	if lacks := declared &^ c.env.Caps; !known || lacks != 0 {
		f.Fail("the Config does not promise what was negotiated: " + lacks.String())
	}
}

// restorePhase reads the phase, what was negotiated and why the session has ended. Whether the
// three go together is for Check.
func (c *Core) restorePhase(f *Fields) {
	name, known := f.Text("phase"), false
	// By name: the numbers behind phases may change.
	for p := range protocol.PhaseCount {
		if phase := protocol.Phase(p); phase.String() == name {
			c.phase, known = phase, true
		}
	}
	if !known {
		f.Fail("unknown phase")
	}
	// Absent before the handshake: the Core has Blank then.
	if f.Text("revision") != "" {
		revisions := c.env.Revisions
		if c.env.Opens { // a client keeps to what the server said of itself
			revisions = slices.Concat(c.env.Stateless, revisions)
		}
		if p := c.restoreProfile(f, revisions); p != nil {
			c.prof = p
		}
	}
	if raw := f.Raw("cause"); raw != "" {
		cause := restoreCause(f.Object(raw))
		c.change(func(x *rare) { x.cause = *cause })
	}
	// Where it is not the end that is due, a ping may be (restoreKeepalive).
	if grace := f.Instant("grace"); c.phase == protocol.ShuttingDown {
		c.due = grace
	} else if grace != table.Never {
		f.Fail("a grace time outside shutting_down")
	}
}

// restoreProfile reads what was negotiated, or what a request brought, under one of the revisions.
func (c *Core) restoreProfile(f *Fields, revisions []protocol.Revision) *Profile {
	rev, ok := protocol.ParseRevision(f.Text("revision"))
	caps, good := protocol.ParseCapability(f.Text("capabilities"))
	var peer protocol.Implementation
	err := peer.DecodeJSON(jsonrpc.Raw(f.Raw("peer")), jsonrpc.Span{})
	// A capability that no such peer can declare, or a revision that this Config does not have,
	// was never negotiated with it.
	if err != nil || !ok || !good || caps&^c.env.Theirs != 0 || !slices.Contains(revisions, rev) {
		f.Fail("what was negotiated is unknown")
		return nil
	}
	return c.env.Negotiated(rev, caps, peer, "")
}

// ownProfile reads the profile of a request that is not that of the session.
func (c *Core) ownProfile(f *Fields) *Profile {
	raw := f.Raw("profile")
	if raw == "" {
		return nil
	}
	g := f.Object(raw)
	p := c.restoreProfile(g, slices.Concat(c.env.Stateless, c.env.Revisions))
	if level := protocol.LoggingLevel(g.Text("level")); p != nil && level != "" {
		if !level.Valid() {
			f.Fail("an unknown level")
			return nil
		}
		p = p.at(level)
	}
	return p
}

// rowFor returns the row of a method under a revision, and the name of a custom one. A row is of
// one revision, so it is looked up and not stored.
func rowFor(rev protocol.Revision, name string, receiver protocol.Party) (row *protocol.Row, custom string) {
	if row = rev.Row(name); row != nil {
		return row, ""
	}
	return rev.CustomRow(receiver), name
}

// restoreCause reads a cause. The error of the driver or application comes back as its text.
func restoreCause(f *Fields) *lifecycle.Cause {
	c := &lifecycle.Cause{Kind: lifecycle.ParseCause(f.Text("kind")), Reason: f.Text("reason")}
	if text := f.Text("error"); text != "" {
		c.Err = errors.New(text)
	}
	if raw := f.Raw("rpc"); raw != "" {
		m := jsonrpc.DecodeString(`{"jsonrpc":"2.0","error":` + raw + `}`)
		if c.RPC = m.Err; m.Err == nil {
			f.Fail("the cause has no error")
		}
	}
	return KeptCause(c)
}

// restoreKeepalive reads the pings as the Config has them: none where it has none; no
// later than its interval; and from now on where only the Config before had none.
func (c *Core) restoreKeepalive(f *Fields) {
	due, misses := f.Instant("keepalive"), f.Number("missed")
	if misses > math.MaxUint16 {
		f.Fail("too many pings missed")
		return
	}
	// A shorter interval holds at once; a longer one from the next ping on.
	if stopped := f.Flag("keepaliveStopped"); c.phase == protocol.Ready && c.env.Keepalive.Interval > 0 && !stopped {
		c.due = min(c.After(c.env.Keepalive.Interval), due)
	}
	c.misses = uint16(misses)
	if f.Raw("heard") != "" {
		// Nothing was heard in the future, or a silent peer would count as alive.
		c.heard = min(f.Instant("heard"), c.now)
	}
}

// restoreGates reads the rates of the session.
func (c *Core) restoreGates(f *Fields) {
	limits := &c.env.Limits
	c.setGates(gates{
		requests: f.gate("requestRate", limits.Requests), sent: f.gate("logRateSent", limits.Logs),
		received: f.gate("logRateReceived", limits.Logs), dropped: f.Number("dropped"),
	})
}

// restoreStill reads until when the time of requests of ours stands still.
func (c *Core) restoreStill(f *Fields) {
	switch still := f.Instant("still"); {
	// It is absent from an old snapshot, and where people have no end of time.
	case c.asking():
		c.still = min(still, c.After(c.env.Timeouts.Human))
	case still != table.Never:
		c.still = still
	}
}

// restoreInbound reads a request of the peer. Its key follows from its id.
func (c *Core) restoreInbound(f *Fields) {
	v := inbound{id: f.id("id"), seq: f.Number("call")}
	x := inboundExt{
		spelling: jsonrpc.Raw(strings.Clone(f.Raw("spelling"))), subject: f.Text("asked"), token: f.id("token"),
		gate: f.gate("rate", c.env.Limits.Progress), held: f.Flag("held"), of: f.Number("of"), profile: c.ownProfile(f),
	}
	method := f.Text("method")
	v.row, x.name = rowFor(c.of(x.profile).Revision, method, c.env.Self)
	x.last, x.reported = f.last()
	// As Hold does it: only where there is something to keep.
	if x != (inboundExt{}) {
		v.ext = &x
	}
	key := c.env.key(v.id)
	// As tooLong has it for a request that comes in, and question for one that is asked.
	id := idLen(v.id)
	if x.of != 0 {
		id = len(v.key())
	}
	switch most := c.env.Limits.Text; {
	// Put would replace the first of two, and nobody would ever answer it.
	case v.id.IsZero() || c.in.Get(key) != nil:
		f.Fail("an inbound request without an id of its own")
	case v.row.Custom() && protocol.Known(method):
		f.Fail("an inbound request that the revision does not have")
	case max(id, idLen(x.token), len(x.spelling), len(x.name)) > most || len(x.subject) > c.env.mostKept(v.row, true):
		f.excess("too long a text")
	}
	c.in = c.in.Put(key, f.Instant("due"), v)
}

// restoreRound reads what a request keeps that may be answered with questions.
func (c *Core) restoreRound(f *Fields) *round {
	raw := f.Raw("round")
	if raw == "" {
		return nil
	}
	g := f.Object(raw)
	r := &round{n: int(min(g.Number("n"), maxRounds)), params: jsonrpc.Raw(strings.Clone(g.Raw("params"))), state: g.Text("state")}
	seen := map[string]bool{}
	g.Items("questions", c.env.Limits.Inbound, func(raw string) {
		q := g.Object(raw)
		key, answer := q.Text("key"), q.Raw("answer")
		if seen[key] || answer != "" && answer[0] != '{' {
			g.Fail("a question twice, or an answer that is none")
		}
		seen[key] = true
		r.keys, r.answers = append(r.keys, key), append(r.answers, jsonrpc.Raw(strings.Clone(answer)))
	})
	switch {
	case r.params == "" || r.params[0] != '{':
		g.Fail("a request that is to be made again without its params")
	case len(r.state) > c.env.Limits.Schema:
		g.excess("too long a text")
	}
	return r
}

// restoreOutbound reads a request of ours, and puts its token, its wire id and the call that it
// is within where send puts them.
func (c *Core) restoreOutbound(f *Fields) {
	id := f.Number("id")
	seq := id
	v := outbound{
		timeout: lifecycle.NoTimeout, maxDeadline: f.Instant("hard"), progress: f.Flag("tokenIsID"), reset: f.Flag("reset"),
		keepalive: f.Flag("machine"), acknowledged: f.Flag("acknowledged"),
	}
	// Absent unless the request goes by another wire id than its number.
	if f.Raw("req") != "" {
		seq = f.Number("req")
	}
	if f.Raw("timeout") != "" {
		n := f.Number("timeout")
		// Zero would be due at every instant, and Tick would never get past it.
		if v.timeout = time.Duration(n); n == 0 || n > math.MaxInt64 {
			f.Fail("an impossible timeout")
		}
	}
	x := outboundExt{
		within: callRef{f.Number("within"), f.Number("withinKey")}, token: f.id("token"), subject: f.Text("asked"),
		profile: c.ownProfile(f), gate: f.gate("rate", c.env.Limits.Progress),
	}
	v.last, v.reported = f.last()
	x.round = c.restoreRound(f)
	if id != seq {
		x.id = id
	}
	rev, ok := protocol.ParseRevision(f.Text("revision"))
	method := f.Text("method")
	// Without a number of its own it could not be told from another.
	if !ok || seq == 0 || c.out.Get(seq) != nil {
		f.Fail("an outbound request without an id or revision of its own")
		return
	}
	v.row, x.name = rowFor(rev, method, c.env.Self.Peer())
	if x != (outboundExt{}) {
		v.ext = &x
	}
	switch {
	case v.row.Custom() && protocol.Known(method):
		f.Fail("an outbound request that its revision does not have")
	case len(x.subject) > c.env.mostKept(v.row, false):
		f.excess("too long a text")
	}
	due := f.Instant("due")
	if due == table.Never { // of a request with a timeout: the clock before was out of range
		due = min(c.After(v.timeout), v.maxDeadline)
	}
	if due < v.maxDeadline && c.env.Opens { // a person has as long as this Config says
		due = min(due, c.longest(&v))
	}
	// The rest is what send does when a request goes out.
	c.pinging = c.pinging || v.keepalive
	c.setTokens(c.tokens().with(c.env, x.token, seq).move(id, seq))
	c.out = c.out.Put(seq, due, v)
	c.join(x.within, seq)
}
