package manager

import (
	"errors"
	"strconv"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
)

// The form of a snapshot is that of the States in it: members with their zero value are left
// out, instants are distances from now, and what follows from other members is not written.

const snapshotVersion = 1

// writer adds times, arrays and objects to the members of a rawjson.Writer.
type writer struct {
	rawjson.Writer
	now int64
}

// instant writes how far away t is; nothing for table.Never.
func (w *writer) instant(name string, t int64) {
	if t != table.Never {
		w.Name(name)
		w.Dst = strconv.AppendInt(w.Dst, t-w.now, 10)
	}
}

// list writes an array, which do fills; nothing if n is 0.
func (w *writer) list(name string, n int, do func()) {
	if n > 0 {
		w.Name(name)
		w.Dst = append(w.Dst, '[')
		do()
		w.Dst = append(w.Dst, ']')
	}
}

// object writes an object, which do fills; name is "" within an array.
func (w *writer) object(name string, do func()) {
	if name == "" {
		w.Separate()
	} else {
		w.Name(name)
	}
	w.Dst = append(w.Dst, '{')
	do()
	w.Dst = append(w.Dst, '}')
}

// Snapshot returns the Manager as JSON, with the sessions in it, for another process or
// another day; without Config, Options and what they point at. What holds for the Snapshot of
// a client.State holds for it: only the newest may go on. It takes time and memory in
// proportion to what is open.
func (m Manager) Snapshot() []byte {
	if m.env == nil {
		return nil
	}
	w := &writer{Writer: rawjson.Writer{Dst: []byte{'{'}}, now: m.now}
	w.Number("manager", snapshotVersion)
	w.Number("step", m.step)
	w.Number("epochs", m.epochs)
	w.Number("seq", m.seq)
	w.Number("numbers", m.numbers)
	w.Number("late", m.late)
	w.Text("random", strconv.FormatUint(uint64(m.random), 16))
	w.list("servers", m.conns.Len(), func() {
		for leaf := range m.conns.All() {
			w.object("", func() { m.writeConn(w, leaf.V) })
		}
	})
	w.list("closing", m.closing.Len(), func() {
		for leaf := range m.closing.All() {
			w.object("", func() {
				x := leaf.V
				w.Text("name", x.name)
				w.Number("epoch", leaf.Key)
				w.instant("since", x.since)
				w.instant("by", leaf.Deadline)
				w.Number("op", x.waiter.op)
				w.Number("slot", x.waiter.slot)
				w.Flag("told", x.announced)
			})
		}
	})
	w.list("ops", m.ops.Len(), func() {
		for leaf := range m.ops.All() {
			w.object("", func() { m.writeOp(w, leaf.Key, &leaf.V) })
		}
	})
	return append(w.Dst, '}')
}

// writeConn writes one connection.
func (m *Manager) writeConn(w *writer, c *conn) {
	w.Text("name", c.name)
	w.Number("number", c.number)
	w.Text("state", c.condition.String())
	w.instant("since", c.since)
	w.Number("epoch", c.epoch)
	w.instant("until", c.until)
	w.instant("ping", c.ping)
	w.Flag("pinging", c.pinging)
	w.instant("heard", c.heard)
	w.Flag("rooted", c.rooted)
	w.Number("opens", c.readyCount)
	w.Number("failures", uint64(c.failures))
	w.Number("way", uint64(c.way))
	w.Number("good", uint64(c.lastGood))
	w.Number("tried", uint64(c.tried))
	w.Number("misses", uint64(c.misses))
	w.Number("latency", uint64(c.latency))
	w.Raw("breaker", string(c.breaker.AppendJSON(nil, m.time())))
	if c.err != nil {
		writeError(w, "error", c.err)
	}
	w.list("waiters", len(c.waiters), func() {
		for _, x := range c.waiters {
			w.object("", func() {
				w.Number("op", x.op)
				w.Number("slot", x.slot)
			})
		}
	})
	w.list("jobs", c.purposes.Len(), func() {
		for leaf := range c.purposes.All() {
			w.object("", func() { writePurpose(w, leaf.Key, leaf.V) })
		}
	})
	w.list("want", c.want.order.Len(), func() {
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
	w.instant("seen", c.seen)
	w.Raw("client", string(c.client.Snapshot()))
}

func writePurpose(w *writer, req uint64, j purpose) {
	w.Number("req", req)
	w.Number("kind", uint64(j.kind))
	w.Number("setting", uint64(j.setting))
	w.Number("op", j.op)
	w.Number("slot", j.slot)
	if j.kind == forPing || j.kind == forCheckup {
		w.instant("sent", j.sent)
	}
	w.Text("subject", j.subject)
}

func (m *Manager) writeOp(w *writer, seq uint64, p *op) {
	w.Number("seq", seq)
	w.Number("kind", uint64(p.kind))
	w.Text("method", p.method)
	w.Text("server", p.server)
	w.Number("req", p.req)
	if p.kind == opPing {
		w.instant("sent", p.sent)
	}
	w.Text("uri", p.uri)
	w.Number("slots", uint64(p.slots))
	w.list("reports", p.checkups.Len(), func() {
		for leaf := range p.checkups.All() {
			r := leaf.V
			w.object("", func() {
				w.Number("slot", leaf.Key)
				w.Text("server", r.Link.Server)
				w.Number("epoch", r.Link.Epoch)
				w.Text("state", r.Condition.String())
				w.Number("latency", uint64(r.Latency))
				if !r.RetryAt.IsZero() {
					w.instant("retry", m.instant(r.RetryAt, true))
				}
				var e *Error
				if errors.As(r.Err, &e) {
					writeError(w, "error", e)
				}
			})
		}
	})
	if l := p.list; l != nil {
		w.Raw("pager", string(l.pager.AppendJSON(nil)))
		w.instant("until", l.until)
		items := l.pages.all()
		w.list("items", len(items), func() {
			for _, item := range items {
				w.Separate()
				w.Dst = append(w.Dst, item...)
			}
		})
	}
}

// writeError writes what can be written of an error: its class and its text.
func writeError(w *writer, name string, e *Error) {
	w.object(name, func() {
		w.Number("class", uint64(e.Class))
		w.Text("server", e.Server)
		w.Text("method", e.Method)
		w.Number("state", uint64(e.Condition))
		w.Text("code", codeText(e.Code))
		w.Flag("silent", errors.Is(e.Err, ErrSilent))
		if e.Err != nil {
			w.Text("text", e.Err.Error())
		}
	})
}

func codeText(code int64) string {
	if code == 0 {
		return ""
	}
	return strconv.FormatInt(code, 10)
}

// MarshalJSON always fails with lifecycle.ErrMarshal: use Snapshot.
func (Manager) MarshalJSON() ([]byte, error) { return nil, lifecycle.ErrMarshal }
