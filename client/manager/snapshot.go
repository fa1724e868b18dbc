package manager

import (
	"errors"
	"strconv"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle/table"
)

// The form of a snapshot is that of the States in it: members with their zero value are left
// out, instants are distances from now, and what follows from other members is not written.

const snapshotVersion = 1

// writer appends members of a JSON object in a fixed order.
type writer struct {
	dst []byte
	now int64
}

func (w *writer) name(name string) {
	if last := w.dst[len(w.dst)-1]; last != '{' && last != '[' {
		w.dst = append(w.dst, ',')
	}
	if name != "" {
		w.dst = append(rawjson.AppendQuote(w.dst, name), ':')
	}
}

func (w *writer) text(name, s string) {
	if s != "" {
		w.name(name)
		w.dst = rawjson.AppendQuote(w.dst, s)
	}
}

func (w *writer) raw(name, s string) {
	w.name(name)
	w.dst = append(w.dst, s...)
}

func (w *writer) number(name string, n uint64) {
	if n != 0 {
		w.name(name)
		w.dst = strconv.AppendUint(w.dst, n, 10)
	}
}

// instant writes how far away t is; nothing for table.Never.
func (w *writer) instant(name string, t int64) {
	if t != table.Never {
		w.name(name)
		w.dst = strconv.AppendInt(w.dst, t-w.now, 10)
	}
}

func (w *writer) flag(name string, on bool) {
	if on {
		w.raw(name, "true")
	}
}

// list writes an array, which do fills; nothing if n is 0.
func (w *writer) list(name string, n int, do func()) {
	if n > 0 {
		w.name(name)
		w.dst = append(w.dst, '[')
		do()
		w.dst = append(w.dst, ']')
	}
}

// object writes an object, which do fills; name is "" within an array.
func (w *writer) object(name string, do func()) {
	w.name(name)
	w.dst = append(w.dst, '{')
	do()
	w.dst = append(w.dst, '}')
}

// Snapshot returns the Manager as JSON, with the sessions in it, for another process or
// another day; without Config, Options and what they point at. What holds for the Snapshot of
// a client.State holds for it: only the newest may go on. It takes time and memory in
// proportion to what is open.
func (m Manager) Snapshot() []byte {
	if m.env == nil {
		return nil
	}
	w := &writer{dst: []byte{'{'}, now: m.now}
	w.number("manager", snapshotVersion)
	w.number("step", m.step)
	w.number("epochs", m.epochs)
	w.number("seq", m.seq)
	w.number("numbers", m.numbers)
	w.number("late", m.late)
	w.text("random", strconv.FormatUint(uint64(m.random), 16))
	w.list("servers", m.conns.Len(), func() {
		for leaf := range m.conns.All() {
			w.object("", func() { m.writeConn(w, leaf.V) })
		}
	})
	w.list("closing", m.closing.Len(), func() {
		for leaf := range m.closing.All() {
			w.object("", func() {
				x := leaf.V
				w.text("name", x.name)
				w.number("epoch", leaf.Key)
				w.instant("since", x.since)
				w.instant("by", leaf.Deadline)
				w.number("op", x.waiter.op)
				w.number("slot", x.waiter.slot)
				w.flag("told", x.told)
			})
		}
	})
	w.list("ops", m.ops.Len(), func() {
		for leaf := range m.ops.All() {
			w.object("", func() { m.writeOp(w, leaf.Key, &leaf.V) })
		}
	})
	return append(w.dst, '}')
}

// writeConn writes one connection.
func (m *Manager) writeConn(w *writer, c *conn) {
	w.text("name", c.name)
	w.number("number", c.number)
	w.text("state", c.state.String())
	w.instant("since", c.since)
	w.number("epoch", c.epoch)
	w.instant("until", c.until)
	w.instant("ping", c.ping)
	w.flag("pinging", c.pinging)
	w.instant("heard", c.heard)
	w.flag("rooted", c.rooted)
	w.number("opens", c.opens)
	w.number("failures", uint64(c.failures))
	w.number("way", uint64(c.way))
	w.number("good", uint64(c.good))
	w.number("tried", uint64(c.tried))
	w.number("misses", uint64(c.misses))
	w.number("latency", uint64(c.latency))
	w.raw("breaker", string(c.breaker.AppendJSON(nil, m.time())))
	if c.err != nil {
		writeError(w, "error", c.err)
	}
	w.list("waiters", len(c.waiters), func() {
		for _, x := range c.waiters {
			w.object("", func() {
				w.number("op", x.op)
				w.number("slot", x.slot)
			})
		}
	})
	w.list("jobs", c.jobs.Len(), func() {
		for leaf := range c.jobs.All() {
			w.object("", func() { writeJob(w, leaf.Key, leaf.V) })
		}
	})
	w.list("want", c.want.order.Len(), func() {
		for leaf := range c.want.order.All() {
			w.text("", leaf.V)
		}
	})
	w.text("level", c.level)
	if c.state == Restoring {
		w.flag("levelLeft", c.resume.level)
		w.number("wantLeft", uint64(c.resume.left.Len()))
	}
	w.instant("seen", c.seen)
	w.raw("client", string(c.client.Snapshot()))
}

func writeJob(w *writer, req uint64, j job) {
	w.number("req", req)
	w.number("kind", uint64(j.kind))
	w.number("setting", uint64(j.setting))
	w.number("op", j.op)
	w.number("slot", j.slot)
	if j.kind == jobAlive || j.kind == jobProbe {
		w.instant("sent", j.sent)
	}
	w.text("subject", j.subject)
}

func (m *Manager) writeOp(w *writer, seq uint64, p *op) {
	w.number("seq", seq)
	w.number("kind", uint64(p.kind))
	w.text("method", p.method)
	w.text("server", p.server)
	w.number("req", p.req)
	if p.kind == opPing {
		w.instant("sent", p.sent)
	}
	w.text("uri", p.uri)
	w.number("slots", uint64(p.slots))
	w.list("reports", p.reports.Len(), func() {
		for leaf := range p.reports.All() {
			r := leaf.V
			w.object("", func() {
				w.number("slot", leaf.Key)
				w.text("server", r.Link.Server)
				w.number("epoch", r.Link.Epoch)
				w.text("state", r.State.String())
				w.number("latency", uint64(r.Latency))
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
		w.raw("pager", string(l.pager.AppendJSON(nil)))
		w.instant("until", l.until)
		w.flag("empty", l.empty)
		items := l.pages.all()
		w.list("items", len(items), func() {
			for _, item := range items {
				w.raw("", string(item))
			}
		})
	}
}

// writeError writes what can be written of an error: its class and its text.
func writeError(w *writer, name string, e *Error) {
	w.object(name, func() {
		w.number("class", uint64(e.Class))
		w.text("server", e.Server)
		w.text("method", e.Method)
		w.number("state", uint64(e.State))
		w.text("code", codeText(e.Code))
		w.flag("silent", errors.Is(e.Err, ErrSilent))
		if e.Err != nil {
			w.text("text", e.Err.Error())
		}
	})
}

func codeText(code int64) string {
	if code == 0 {
		return ""
	}
	return strconv.FormatInt(code, 10)
}
