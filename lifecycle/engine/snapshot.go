package engine

import (
	"strconv"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// The form of a snapshot: members with their zero value are left out, instants are distances from
// now, and what follows from other members is not written. So equal sessions give equal text,
// which a store can compare, and Restore has nothing to believe that it can compute.

// snapshotVersion is the version of the format.
const snapshotVersion = 1

// writer appends members of a JSON object in a fixed order and leaves out what has
// its zero value. Instants are written as what is left until then, so that a snapshot
// does not depend on when its session began.
type writer struct {
	dst []byte
	now int64
}

// name begins a member. The last byte tells whether it is the first one.
func (w *writer) name(name string) {
	if last := w.dst[len(w.dst)-1]; last != '{' && last != '[' {
		w.dst = append(w.dst, ',')
	}
	w.dst = append(rawjson.AppendQuote(w.dst, name), ':')
}

// text writes a string.
func (w *writer) text(name, s string) {
	if s != "" {
		w.name(name)
		w.dst = rawjson.AppendQuote(w.dst, s)
	}
}

// raw writes a member whose value is JSON text already, validated when it came or made here.
func (w *writer) raw(name, s string) {
	if s != "" {
		w.name(name)
		w.dst = append(w.dst, s...)
	}
}

// number writes an integer.
func (w *writer) number(name string, n uint64) {
	if n != 0 {
		w.name(name)
		w.dst = strconv.AppendUint(w.dst, n, 10)
	}
}

// instant writes how far away t is; nothing for table.Never. What is overdue for very long is
// cut, as Restore bounds it.
func (w *writer) instant(name string, t int64) {
	if t != table.Never {
		w.name(name)
		w.dst = strconv.AppendInt(w.dst, max(t, w.now-maxOverdue)-w.now, 10)
	}
}

// flag writes true.
func (w *writer) flag(name string, on bool) {
	if on {
		w.raw(name, "true")
	}
}

// id writes an id as the canonical text of it.
func (w *writer) id(name string, id jsonrpc.ID) {
	if !id.IsZero() {
		w.name(name)
		w.dst = id.Append(w.dst)
	}
}

// last writes the last progress value, if there was any.
func (w *writer) last(v float64, reported bool) {
	if reported {
		w.name("progress")
		w.dst = rawjson.AppendFloat(w.dst, v)
	}
}

// gate writes a bucket that is not full.
func (w *writer) gate(name string, g bucket) {
	if int64(g) > w.now {
		w.instant(name, int64(g))
	}
}

// open begins a member that is an array or an object; close ends it.
func (w *writer) open(name string, c byte) {
	w.name(name)
	w.dst = append(w.dst, c)
}

// item begins an object within an array.
func (w *writer) item() {
	if w.dst[len(w.dst)-1] != '[' {
		w.dst = append(w.dst, ',')
	}
	w.dst = append(w.dst, '{')
}

func (w *writer) close(c byte) { w.dst = append(w.dst, c) }

// Snapshot returns the object that Restore reads, without its closing brace, so that
// the role can add what is its own.
func (c *Core) Snapshot() []byte {
	w := writer{dst: []byte{'{'}, now: c.now}
	w.number("snapshot", snapshotVersion)
	w.text("role", c.env.Self.String())
	w.number("step", c.step)
	w.text("phase", c.phase.String())
	w.flag("closed", c.closed)
	w.flag("inputClosed", c.inputClosed)
	w.number("calls", c.seq)
	w.number("last", c.last)
	w.number("first", c.first)
	if c.cause != nil {
		w.cause(c.cause)
	}
	if r := c.Negotiated(); !r.IsZero() {
		w.profile(c.prof)
	}
	w.instant("grace", c.grace)
	w.instant("keepalive", c.ping)
	// Absent deadlines have two reasons: the Config that wrote this had no keepalive, or the peer
	// does not know pings. Only the second holds under another Config.
	w.flag("keepaliveStopped", c.phase == protocol.Ready && c.ping == table.Never && c.env.Keepalive.Interval > 0)
	w.number("missed", uint64(c.misses))
	// It matters only relative to pings that are on their way.
	if c.phase.Live() && c.heard != c.now {
		w.instant("heard", c.heard)
	}
	if g := c.gates; g != nil {
		w.gate("requestRate", g.requests)
		w.gate("logRateSent", g.sent)
		w.gate("logRateReceived", g.received)
		w.number("dropped", g.dropped)
	}
	if c.ends != nil {
		w.open("announced", '[')
		for id := range c.ends.All() {
			if w.dst[len(w.dst)-1] != '[' {
				w.dst = append(w.dst, ',')
			}
			w.dst = rawjson.AppendQuote(w.dst, id)
		}
		w.close(']')
	}
	if c.in.Len() > 0 {
		w.inbound(c)
	}
	if c.out.Len() > 0 {
		w.outbound(c)
	}
	return w.dst
}

// profile writes a profile without the level, which is the role's. The peer goes in as it is
// kept, cut to Limits.
func (w *writer) profile(p *Profile) {
	w.text("revision", p.Revision.String())
	w.text("capabilities", p.Caps.String())
	w.raw("peer", string(p.Peer().AppendJSON(nil)))
}

// ownProfile writes the profile of a request that is not that of the session. Its level is its
// own, unlike that of the session, which the role writes.
func (w *writer) ownProfile(p *Profile) {
	if p == nil {
		return
	}
	w.open("profile", '{')
	w.profile(p)
	w.text("level", string(p.Level()))
	w.close('}')
}

// cause writes why the session has ended. Of an error in Go only the text can be kept.
func (w *writer) cause(c *lifecycle.Cause) {
	w.open("cause", '{')
	w.text("kind", c.Kind.String())
	w.text("reason", c.Reason)
	if c.RPC != nil {
		w.raw("rpc", string(c.RPC.AppendJSON(nil)))
	}
	if c.Err != nil {
		w.text("error", c.Err.Error())
	}
	w.close('}')
}

// inbound writes the requests of the peer, oldest first.
func (w *writer) inbound(c *Core) {
	w.open("inbound", '[')
	// In the order of arrival, which does not depend on the key of the hash.
	for _, leaf := range c.inboundByAge() {
		v := &leaf.V
		w.item()
		w.id("id", v.id)
		w.number("call", v.seq)
		w.text("method", v.name())
		w.instant("due", leaf.Deadline)
		if x := v.ext; x != nil {
			w.raw("spelling", string(x.spelling))
			w.text("asked", x.subject)
			w.flag("held", x.held)
			w.ownProfile(x.profile)
			w.id("token", x.token)
			w.last(x.last, x.reported)
			w.gate("rate", x.gate)
		}
		w.close('}')
	}
	w.close(']')
}

// outbound writes the requests of ours, oldest first. What is in tokens follows from them.
func (w *writer) outbound(c *Core) {
	w.open("outbound", '[')
	for leaf := range c.out.All() {
		v := &leaf.V
		w.item()
		w.number("id", v.id)
		if v.id != leaf.Key {
			w.number("req", leaf.Key)
		}
		w.text("method", v.name())
		w.number("within", v.within.seq)
		// The call may have ended: then it says whose stream the request was on, and leads
		// nowhere.
		w.number("withinKey", v.within.key)
		w.text("revision", v.row.Revision().String())
		w.instant("due", leaf.Deadline)
		w.instant("hard", v.maxDeadline)
		// NoTimeout is negative, and absent.
		if v.timeout >= 0 {
			w.number("timeout", uint64(v.timeout))
		}
		if v.ext != nil {
			w.id("token", v.ext.token)
			w.text("asked", v.ext.subject)
			w.ownProfile(v.ext.profile)
		}
		w.flag("tokenIsID", v.progress)
		w.last(v.last, v.reported)
		w.gate("rate", v.gate)
		w.flag("reset", v.reset)
		w.flag("machine", v.keepalive)
		w.close('}')
	}
	w.close(']')
}
