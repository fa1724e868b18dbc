package engine

import (
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// Fields are the members of an object of a snapshot. The first fault is kept; until
// then its methods return what was read, and afterwards zero values.
type Fields struct {
	members map[string]string
	err     error
}

// ReadFields reads an object. Anything else, and what is no JSON, is a fault.
func ReadFields(raw string) *Fields {
	f := &Fields{members: map[string]string{}}
	o, ok := rawjson.Members(raw)
	for ok {
		key, val, more := o.Next()
		if !more {
			break
		}
		f.members[key] = val
	}
	if !ok || o.Bad() {
		f.fail("not an object")
	}
	return f
}

// Err returns the first fault, a lifecycle.ErrSnapshot.
func (f *Fields) Err() error { return f.err }

func (f *Fields) fail(why string) {
	if f.err == nil {
		f.err = errors.Join(lifecycle.ErrSnapshot, errors.New(why))
	}
}

// Raw returns the text of a member, "" if it is absent.
func (f *Fields) Raw(name string) string { return f.members[name] }

// Text returns a string.
func (f *Fields) Text(name string) string {
	raw := f.members[name]
	if raw == "" {
		return ""
	}
	s, ok := rawjson.Unquote(raw)
	if !ok {
		f.fail(name + " is no string")
	}
	return strings.Clone(s)
}

// Number returns an integer that is not negative.
func (f *Fields) Number(name string) uint64 {
	raw := f.members[name]
	if raw == "" {
		return 0
	}
	var n uint64
	for i := range len(raw) {
		d := uint64(raw[i] - '0')
		if d > 9 || n > (math.MaxUint64-d)/10 {
			f.fail(name + " is no number")
			return 0
		}
		n = n*10 + d
	}
	return n
}

// Instant returns an instant from now, which is zero; table.Never if it is absent.
func (f *Fields) Instant(name string) int64 {
	raw := f.members[name]
	if raw == "" {
		return table.Never
	}
	n, ok := rawjson.Int(raw)
	if !ok || n == table.Never {
		f.fail(name + " is no time")
	}
	return n
}

// Flag returns a boolean.
func (f *Fields) Flag(name string) bool {
	raw := f.members[name]
	if raw != "" && raw != "true" {
		f.fail(name + " is no flag")
	}
	return raw == "true"
}

func (f *Fields) id(name string) jsonrpc.ID {
	raw := f.members[name]
	if raw == "" {
		return jsonrpc.ID{}
	}
	id, _, ok := jsonrpc.ParseID(raw)
	if !ok {
		f.fail(name + " is no id")
	}
	return id.Clone()
}

func (f *Fields) float(name string) (float64, bool) {
	raw := f.members[name]
	if raw == "" {
		return 0, false
	}
	v, ok := rawjson.Float(raw)
	if !ok {
		f.fail(name + " is no number")
	}
	return v, ok
}

func (f *Fields) gate(name string) gate {
	if f.members[name] == "" {
		return 0
	}
	return gate(f.Instant(name))
}

// Items calls do for every element of an array.
func (f *Fields) Items(name string, do func(raw string)) {
	raw := f.members[name]
	if raw == "" {
		return
	}
	a, ok := rawjson.Elements(raw)
	for ok {
		val, more := a.Next()
		if !more {
			break
		}
		do(val)
	}
	if !ok || a.Bad() {
		f.fail(name + " is no array")
	}
}

// Texts calls do for every string of an array.
func (f *Fields) Texts(name string, do func(s string)) {
	f.Items(name, func(raw string) {
		s, ok := rawjson.Unquote(raw)
		if !ok {
			f.fail(name + " has what is no string")
			return
		}
		do(s)
	})
}

// Restore returns the Core of a snapshot. Its times count from now. What belongs to
// the role is read from f.
func Restore(env *Env, f *Fields, now time.Time) (Core, error) {
	c := New(env, now)
	if f.Number("snapshot") != snapshotVersion || f.Text("role") != env.Self.String() {
		f.fail("another version or role")
		return c, f.err
	}
	c.step, c.seq, c.last, c.first = f.Number("step"), f.Number("calls"), f.Number("last"), f.Number("first")
	const most = 1 << 53 // numbers of ours stay exact in every JSON reader
	if c.seq > most || c.last > most || c.first == 0 || c.first > c.last+1 {
		f.fail("impossible counters")
		return c, f.err
	}
	c.closed, c.deaf = f.Flag("closed"), f.Flag("inputClosed")
	c.grace = f.Instant("grace")
	c.ping, c.misses, c.pinging = f.Instant("keepalive"), uint16(f.Number("missed")), f.Flag("pinging")
	if f.Raw("heard") != "" {
		c.heard = f.Instant("heard")
	}
	c.restorePhase(f)
	c.restoreGates(f)
	f.Items("inbound", func(raw string) { c.restoreInbound(f, raw) })
	f.Items("outbound", func(raw string) { c.restoreOutbound(f, raw) })
	if f.err == nil {
		if err := c.Check(); err != nil {
			f.fail(err.Error())
		}
	}
	return c, f.err
}

func (c *Core) restorePhase(f *Fields) {
	name, known := f.Text("phase"), false
	for p := range protocol.PhaseCount {
		if phase := protocol.Phase(p); phase.String() == name {
			c.phase, known = phase, true
		}
	}
	if !known {
		f.fail("unknown phase")
	}
	if name := f.Text("revision"); name != "" {
		rev, ok := protocol.ParseRevision(name)
		caps, good := protocol.ParseCapability(f.Text("capabilities"))
		var peer protocol.Implementation
		err := peer.DecodeJSON(jsonrpc.Raw(f.Raw("peer")), jsonrpc.Span{})
		if err != nil || !ok || !good || !slices.Contains(c.env.Revisions, rev) {
			f.fail("what was negotiated is unknown")
			return
		}
		c.ses = NewSession(rev, caps, peer)
	}
	if raw := f.Raw("cause"); raw != "" {
		g := ReadFields(raw)
		c.cause = &lifecycle.Cause{Kind: lifecycle.ParseCause(g.Text("kind")), Reason: g.Text("reason")}
		if text := g.Text("error"); text != "" {
			c.cause.Err = errors.New(text)
		}
		if raw := g.Raw("rpc"); raw != "" {
			m := jsonrpc.DecodeString(`{"jsonrpc":"2.0","error":` + raw + `}`)
			if c.cause.RPC = m.Err; m.Err == nil {
				g.fail("the cause has no error")
			}
		}
		f.err = errors.Join(f.err, g.err)
		c.cause = keptCause(c.cause)
	}
}

func (c *Core) restoreGates(f *Fields) {
	g := gates{
		requests: f.gate("requestRate"), sent: f.gate("logRateSent"), received: f.gate("logRateReceived"),
		dropped: f.Number("dropped"),
	}
	if g != (gates{}) {
		c.gates = &g
	}
}

func (c *Core) restoreInbound(f *Fields, raw string) {
	g := ReadFields(raw)
	v := Inbound{ID: g.id("id"), Seq: g.Number("call")}
	x := inboundExt{
		spelling: jsonrpc.Raw(strings.Clone(g.Raw("spelling"))), arg: g.Text("asked"), token: g.id("token"), gate: g.gate("rate"),
	}
	v.Method, x.name = methodFor(g.Text("method"))
	x.last, x.reported = g.float("progress")
	if x != (inboundExt{}) {
		v.ext = &x
	}
	key := c.env.Key(v.ID)
	if v.ID.IsZero() || c.in.Get(key) != nil {
		g.fail("an inbound request without an id of its own")
	}
	c.in = c.in.Put(key, g.Instant("due"), v)
	f.err = errors.Join(f.err, g.err)
}

func (c *Core) restoreOutbound(f *Fields, raw string) {
	g := ReadFields(raw)
	id := g.Number("id")
	v := Outbound{
		within: callRef{g.Number("within"), g.Number("withinKey")}, timeout: time.Duration(g.Number("timeout")),
		hard: g.Instant("hard"), gate: g.gate("rate"), progress: g.Flag("tokenIsID"), reset: g.Flag("reset"), machine: g.Flag("machine"),
	}
	if g.Raw("timeout") == "" {
		v.timeout = lifecycle.NoTimeout
	}
	v.last, v.reported = g.float("progress")
	x := outboundExt{token: g.id("token"), asked: g.Text("asked")}
	v.Method, x.name = methodFor(g.Text("method"))
	if x != (outboundExt{}) {
		v.ext = &x
	}
	rev, ok := protocol.ParseRevision(g.Text("revision"))
	if v.Revision = rev; !ok || id == 0 || c.out.Get(id) != nil {
		g.fail("an outbound request without an id or revision of its own")
	}
	c.own = c.own.with(c.env, x.token, id)
	c.out = c.out.Put(id, g.Instant("due"), v)
	c.join(v.within, id)
	f.err = errors.Join(f.err, g.err)
}
