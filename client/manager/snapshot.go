package manager

import (
	"errors"
	"slices"
	"strconv"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/lifecycle/table"
)

// The form of a snapshot is that of the States in it: members with their zero value are left
// out, instants are distances from now, and what follows from other members is not written.

const snapshotVersion = 1

// Snapshot returns the Manager as JSON, with the sessions in it, for another process or
// another day; without Config, Options and what they point at. What holds for the Snapshot of
// a client.State holds for it: only the newest may go on. It takes time and memory in
// proportion to what is open.
func (m Manager) Snapshot() []byte {
	if m.env == nil {
		return nil
	}
	w := engine.NewWriter(m.clock.Now())
	w.Number("manager", snapshotVersion)
	w.Number("step", m.step)
	w.Number("epochs", m.epochs)
	w.Number("seq", m.seq)
	w.Number("numbers", m.numbers)
	w.Number("late", m.late)
	w.Text("random", strconv.FormatUint(uint64(m.random), 16))
	engine.Each(w, "servers", m.conns.All(), func(leaf *table.Leaf[*conn]) { m.writeConn(w, leaf.V) })
	engine.Each(w, "closing", m.closing.All(), func(leaf *table.Leaf[*closing]) {
		x := leaf.V
		w.Text("name", x.name)
		w.Number("epoch", leaf.Key)
		w.Instant("since", x.since)
		w.Instant("by", leaf.Deadline)
		w.Number("op", x.waiter.op)
		w.Number("slot", x.waiter.slot)
		w.Flag("told", x.announced)
	})
	engine.Each(w, "ops", m.ops.All(), func(leaf *table.Leaf[op]) { m.writeOp(w, leaf.Key, &leaf.V) })
	return append(w.Dst, '}')
}

// writeConn writes one connection.
func (m *Manager) writeConn(w *engine.Writer, c *conn) {
	w.Text("name", c.name)
	w.Number("number", c.number)
	w.Text("state", c.condition.String())
	w.Instant("since", c.since)
	w.Number("epoch", c.epoch)
	w.Instant("until", c.until)
	w.Instant("ping", c.ping)
	w.Flag("pinging", c.pinging)
	w.Instant("heard", c.heard)
	w.Flag("rooted", c.rooted)
	w.Flag("handshake", c.handshake)
	w.Number("listens", c.listens)
	w.Number("acked", c.acked)
	if c.told != 0 {
		w.Text("told", c.told.String())
	}
	w.Flag("stale", c.stale)
	w.Flag("deaf", c.deaf)
	w.Flag("lists", c.lists)
	w.Instant("again", c.again)
	w.Number("opens", c.readyCount)
	w.Number("failures", uint64(c.failures))
	w.Number("way", uint64(c.way))
	w.Number("good", uint64(c.lastGood))
	w.Number("tried", uint64(c.tried))
	w.Number("misses", uint64(c.misses))
	w.Number("latency", uint64(c.latency))
	w.Raw("breaker", string(c.breaker.AppendJSON(nil, m.clock.Time())))
	if c.err != nil {
		writeError(w, "error", c.err)
	}
	engine.Each(w, "waiters", slices.Values(c.waiters), func(x waiter) {
		w.Number("op", x.op)
		w.Number("slot", x.slot)
	})
	engine.Each(w, "jobs", c.purposes.All(), func(leaf *table.Leaf[purpose]) { writePurpose(w, leaf.Key, leaf.V) })
	w.List("want", c.want.order.Len(), func() {
		for leaf := range c.want.order.All() {
			w.Separate()
			w.Dst = rawjson.AppendQuote(w.Dst, leaf.V)
		}
	})
	w.Text("level", c.level)
	if c.condition == Restoring {
		w.Flag("levelLeft", c.resume.level)
		w.Number("wantLeft", uint64(c.resume.left.Len()))
	}
	w.Instant("seen", c.seen)
	w.Raw("client", string(c.client.Snapshot()))
}

func writePurpose(w *engine.Writer, req uint64, j purpose) {
	w.Number("req", req)
	w.Number("kind", uint64(j.kind))
	w.Number("setting", uint64(j.setting))
	w.Number("op", j.op)
	w.Number("slot", j.slot)
	if j.kind == forPing || j.kind == forCheckup {
		w.Instant("sent", j.sent)
	}
	w.Text("subject", j.subject)
}

func (m *Manager) writeOp(w *engine.Writer, seq uint64, p *op) {
	w.Number("seq", seq)
	w.Number("kind", uint64(p.kind))
	w.Text("method", p.method)
	w.Text("server", p.server)
	w.Number("req", p.req)
	if p.kind == opRequest {
		w.Instant("sent", p.sent)
	}
	w.Text("uri", p.uri)
	w.Number("slots", uint64(p.slots))
	engine.Each(w, "reports", p.checkups.All(), func(leaf *table.Leaf[Checkup]) {
		r := &leaf.V
		w.Number("slot", leaf.Key)
		w.Text("server", r.Link.Server)
		w.Number("epoch", r.Link.Epoch)
		w.Text("state", r.Condition.String())
		w.Number("latency", uint64(r.Latency))
		if !r.RetryAt.IsZero() {
			w.Instant("retry", m.instant(r.RetryAt, true))
		}
		var e *Error
		if errors.As(r.Err, &e) {
			writeError(w, "error", e)
		}
	})
	if l := p.list; l != nil {
		w.Raw("pager", string(l.pager.AppendJSON(nil)))
		w.Instant("until", l.until)
		w.Instant("fresh", l.fresh)
		items := l.pages.all()
		w.List("items", len(items), func() {
			for _, item := range items {
				w.Element(string(item))
			}
		})
	}
}

// writeError writes what can be written of an error: its class and its text.
func writeError(w *engine.Writer, name string, e *Error) {
	w.Object(name, func() {
		w.Number("class", uint64(e.Class))
		w.Text("server", e.Server)
		w.Text("method", e.Method)
		w.Number("state", uint64(e.Condition))
		if e.Code != 0 {
			w.Text("code", strconv.FormatInt(e.Code, 10))
		}
		w.Flag("silent", errors.Is(e.Err, ErrSilent))
		if e.Err != nil {
			w.Text("text", e.Err.Error())
		}
	})
}

// MarshalJSON always fails with lifecycle.ErrMarshal: use Snapshot.
func (Manager) MarshalJSON() ([]byte, error) { return nil, lifecycle.ErrMarshal }
