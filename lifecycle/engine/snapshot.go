package engine

import (
	"slices"

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

// writer adds what a session has to a Writer.
type writer struct{ *Writer }

// id writes an id as the canonical text of it.
func (w *writer) id(name string, id jsonrpc.ID) {
	if !id.IsZero() {
		w.Name(name)
		w.Dst = id.Append(w.Dst)
	}
}

// last writes the last progress value, if there was any.
func (w *writer) last(v float64, reported bool) {
	if reported {
		w.Name("progress")
		w.Dst = rawjson.AppendFloat(w.Dst, v)
	}
}

// gate writes a bucket that is not full.
func (w *writer) gate(name string, g bucket) {
	if int64(g) > w.Now {
		w.Instant(name, int64(g))
	}
}

// Snapshot returns the object that Restore reads, without its closing brace, so that
// the role can add what is its own.
func (c *Core) Snapshot() *Writer {
	w := writer{NewWriter(c.now)}
	w.Number("snapshot", snapshotVersion)
	w.Text("role", c.env.Self.String())
	w.Number("step", c.step)
	w.Text("phase", c.phase.String())
	if c.phase.Live() {
		w.Text("key", c.env.keyCheck())
		w.Text("declared", c.env.Caps.String())
	}
	w.Flag("closed", c.closed)
	w.Flag("inputClosed", c.inputClosed)
	w.Number("calls", c.seq)
	w.Number("last", c.last)
	w.Number("first", c.first())
	if cause := c.cause(); cause != nil {
		w.cause(cause)
	}
	if r := c.Negotiated(); !r.IsZero() {
		w.profile(c.prof)
	}
	if c.phase == protocol.Ready {
		w.Instant("keepalive", c.due)
	} else {
		w.Instant("grace", c.due)
	}
	// Absent deadlines have two reasons: the Config that wrote this had no keepalive, or the peer
	// does not know pings. Only the second holds under another Config.
	w.Flag("keepaliveStopped", c.phase == protocol.Ready && c.due == table.Never && c.env.Keepalive.Interval > 0)
	w.Number("missed", uint64(c.misses))
	// It matters only relative to pings that are on their way.
	if c.phase.Live() && c.heard != c.now {
		w.Instant("heard", c.heard)
	}
	g := c.gates()
	w.gate("requestRate", g.requests)
	w.gate("logRateSent", g.sent)
	w.gate("logRateReceived", g.received)
	w.Number("dropped", g.dropped)
	if c.matters() {
		w.Instant("still", c.still)
	}
	w.URIs("announced", c.ends())
	// In the order of arrival, which does not depend on the key of the hash.
	Each(w.Writer, "inbound", slices.Values(c.inboundByAge()), w.inbound)
	Each(w.Writer, "outbound", c.out.All(), w.outbound)
	return w.Writer
}

// profile writes a profile without the level, which is the role's. The peer goes in as it is
// kept, cut to Limits.
func (w *writer) profile(p *Profile) {
	w.Text("revision", p.Revision.String())
	w.Text("capabilities", p.Caps.String())
	w.Raw("peer", string(p.Peer().AppendJSON(nil)))
}

// ownProfile writes the profile of a request that is not that of the session. Its level is its
// own, unlike that of the session, which the role writes.
func (w *writer) ownProfile(p *Profile) {
	if p == nil {
		return
	}
	w.Object("profile", func() {
		w.profile(p)
		w.Text("level", string(p.Level()))
	})
}

// cause writes why the session has ended. Of an error in Go only the text can be kept.
func (w *writer) cause(c *lifecycle.Cause) {
	w.Object("cause", func() {
		w.Text("kind", c.Kind.String())
		w.Text("reason", c.Reason)
		if c.RPC != nil {
			w.Raw("rpc", string(c.RPC.AppendJSON(nil)))
		}
		if c.Err != nil {
			w.Text("error", c.Err.Error())
		}
	})
}

// inbound writes a request of the peer.
func (w *writer) inbound(leaf *table.Leaf[inbound]) {
	v := &leaf.V
	w.id("id", v.id)
	w.Number("call", v.seq)
	w.Text("method", v.name())
	w.Instant("due", leaf.Deadline)
	if x := v.ext; x != nil {
		w.Raw("spelling", string(x.spelling))
		w.Text("asked", x.subject)
		w.Number("of", x.of)
		w.Flag("held", x.held)
		w.ownProfile(x.profile)
		w.id("token", x.token)
		w.last(x.last, x.reported)
		w.gate("rate", x.gate)
	}
}

// round writes what a request keeps that may be answered with questions.
func (w *writer) round(r *round) {
	if r == nil {
		return
	}
	w.Object("round", func() {
		w.Number("n", uint64(r.n))
		w.Raw("params", string(r.params))
		w.Text("state", r.state)
		w.List("questions", 1, func() {
			for i, key := range r.keys {
				w.Object("", func() {
					w.Text("key", key)
					w.Raw("answer", string(r.answers[i]))
				})
			}
		})
	})
}

// outbound writes a request of ours. What is in tokens follows from them.
func (w *writer) outbound(leaf *table.Leaf[outbound]) {
	v := &leaf.V
	w.Number("id", wire(leaf))
	if wire(leaf) != leaf.Key {
		w.Number("req", leaf.Key)
	}
	w.Text("method", v.name())
	w.Number("within", v.within().seq)
	// The call may have ended: then it says whose stream the request was on, and leads
	// nowhere.
	w.Number("withinKey", v.within().key)
	w.Text("revision", v.row.Revision().String())
	w.Instant("due", leaf.Deadline)
	w.Instant("hard", v.maxDeadline)
	// NoTimeout is negative, and absent.
	if v.timeout >= 0 {
		w.Number("timeout", uint64(v.timeout))
	}
	if v.ext != nil {
		w.id("token", v.ext.token)
		w.Text("asked", v.ext.subject)
		w.ownProfile(v.ext.profile)
		w.round(v.ext.round)
	}
	w.Flag("tokenIsID", v.progress)
	w.last(v.last, v.reported)
	if v.ext != nil {
		w.gate("rate", v.ext.gate)
	}
	w.Flag("reset", v.reset)
	w.Flag("machine", v.keepalive)
	w.Flag("acknowledged", v.acknowledged)
}
