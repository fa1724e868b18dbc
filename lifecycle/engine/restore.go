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

// Restore returns the Core of a snapshot. Its times count from now. What belongs to the
// role is read from f. Whatever the snapshot says, the Core is one that a session can come
// to (Check), or there is a fault; what only the Config says is as this one has it.
func Restore(env *Env, f *Fields, now time.Time) (Core, error) {
	c := New(env, now)
	if f.Number("snapshot") != snapshotVersion || f.Text("role") != env.Self.String() {
		f.Fail("another version or role")
		return c, f.Err()
	}
	c.step, c.seq, c.last, c.first = f.Number("step"), f.Number("calls"), f.Number("last"), f.Number("first")
	const most = 1 << 53 // numbers of ours stay exact in every JSON reader
	if c.step > most || c.seq > most || c.last > most || c.first == 0 || c.first > c.last+1 {
		f.Fail("impossible counters")
		return c, f.Err()
	}
	c.closed, c.inputClosed = f.Flag("closed"), f.Flag("inputClosed")
	c.grace = f.Instant("grace")
	c.restorePhase(f)
	c.restoreKeepalive(f)
	c.restoreGates(f)
	f.Items("inbound", env.Limits.Inbound, func(raw string) { c.restoreInbound(f.object(raw)) })
	f.Items("outbound", env.Limits.Outbound, func(raw string) { c.restoreOutbound(f.object(raw)) })
	if f.Err() == nil {
		if err := c.Check(); err != nil {
			f.Fail(err.Error())
		}
	}
	return c, f.Err()
}

func (c *Core) restorePhase(f *Fields) {
	name, known := f.Text("phase"), false
	for p := range protocol.PhaseCount {
		if phase := protocol.Phase(p); phase.String() == name {
			c.phase, known = phase, true
		}
	}
	if !known {
		f.Fail("unknown phase")
	}
	if name := f.Text("revision"); name != "" {
		rev, ok := protocol.ParseRevision(name)
		caps, good := protocol.ParseCapability(f.Text("capabilities"))
		var peer protocol.Implementation
		err := peer.DecodeJSON(jsonrpc.Raw(f.Raw("peer")), jsonrpc.Span{})
		theirs := protocol.ServerCaps
		if c.env.Self == protocol.Server {
			theirs = ^theirs
		}
		if err != nil || !ok || !good || caps&^theirs != 0 || !slices.Contains(c.env.Revisions, rev) {
			f.Fail("what was negotiated is unknown")
			return
		}
		c.ses = c.env.Negotiated(rev, caps, peer)
	}
	if raw := f.Raw("cause"); raw != "" {
		c.cause = restoreCause(f.object(raw))
	}
}

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
	if stopped := f.Flag("keepaliveStopped"); c.phase == protocol.Ready && c.env.Keepalive.Interval > 0 && !stopped {
		c.ping = min(c.After(c.env.Keepalive.Interval), due)
	}
	c.misses = uint16(misses)
	if f.Raw("heard") != "" {
		c.heard = min(f.Instant("heard"), c.now)
	}
}

func (c *Core) restoreGates(f *Fields) {
	limits := &c.env.Limits
	g := gates{
		requests: f.gate("requestRate", limits.Requests), sent: f.gate("logRateSent", limits.Logs),
		received: f.gate("logRateReceived", limits.Logs), dropped: f.Number("dropped"),
	}
	if g != (gates{}) {
		c.gates = &g
	}
}

func (c *Core) restoreInbound(f *Fields) {
	v := Inbound{ID: f.id("id"), Seq: f.Number("call")}
	x := inboundExt{
		spelling: jsonrpc.Raw(strings.Clone(f.Raw("spelling"))), arg: f.Text("asked"), token: f.id("token"),
		gate: f.gate("rate", c.env.Limits.Progress),
	}
	v.Method, x.name = methodFor(f.Text("method"))
	x.last, x.reported = f.last()
	if x != (inboundExt{}) {
		v.ext = &x
	}
	key := c.env.Key(v.ID)
	if v.ID.IsZero() || c.in.Get(key) != nil {
		f.Fail("an inbound request without an id of its own")
	}
	form := v.Method == protocol.MethodElicitationCreate
	if most := c.env.Limits.Text; max(idLen(v.ID), idLen(x.token), len(x.spelling), len(x.name)) > most || !form && len(x.arg) > most || form && len(x.arg) > c.env.Limits.Schema {
		f.Excess("too long a text")
	}
	c.in = c.in.Put(key, f.Instant("due"), v)
}

func (c *Core) restoreOutbound(f *Fields) {
	id := f.Number("id")
	v := Outbound{
		within: callRef{f.Number("within"), f.Number("withinKey")}, timeout: lifecycle.NoTimeout,
		maxDeadline: f.Instant("hard"), gate: f.gate("rate", c.env.Limits.Progress), progress: f.Flag("tokenIsID"), reset: f.Flag("reset"),
		keepalive: f.Flag("machine"),
	}
	if f.Raw("timeout") != "" {
		n := f.Number("timeout")
		if v.timeout = time.Duration(n); n == 0 || n > math.MaxInt64 {
			f.Fail("an impossible timeout")
		}
	}
	v.last, v.reported = f.last()
	x := outboundExt{token: f.id("token"), asked: f.Text("asked")}
	v.Method, x.name = methodFor(f.Text("method"))
	if x != (outboundExt{}) {
		v.ext = &x
	}
	if len(x.asked) > c.env.mostAsked(v.Method) {
		f.Excess("too long a text")
	}
	rev, ok := protocol.ParseRevision(f.Text("revision"))
	if v.Revision = rev; !ok || id == 0 || c.out.Get(id) != nil {
		f.Fail("an outbound request without an id or revision of its own")
	}
	due := f.Instant("due")
	if due == table.Never { // of a request with a timeout: the clock before was out of range
		due = min(c.After(v.timeout), v.maxDeadline)
	}
	c.pinging = c.pinging || v.keepalive
	c.tokens = c.tokens.with(c.env, x.token, id)
	c.out = c.out.Put(id, due, v)
	c.join(v.within, id)
}
