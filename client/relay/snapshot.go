package relay

import (
	"strconv"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// snapshotVersion is the version of the format.
const snapshotVersion = 1

// Snapshot returns the Relay as JSON. It goes with the Snapshot of the State of the same step:
// store both together, or neither. The Config, the Options of the servers and the State are not
// in it; the lists of the servers, and what waits, are.
func (r Relay) Snapshot() []byte {
	if r.cfg == nil {
		return nil
	}
	w := writer{dst: []byte{'{'}, now: r.now}
	w.number("relay", snapshotVersion)
	w.instant("opened", r.opened)
	w.instant("first", r.first)
	w.instant("news", r.news)
	w.flag("over", r.over)
	w.text("level", r.level)
	w.number("last", r.up.lastID)
	w.open("servers")
	for _, u := range r.up.list {
		w.upstream(u)
	}
	w.close()
	w.open("calls")
	for leaf := range r.calls.All() {
		w.call(leaf.Key, &leaf.V)
	}
	w.close()
	w.open("asks")
	for leaf := range r.asks.All() {
		c := leaf.V.call
		w.object()
		w.number("req", leaf.Key)
		w.text("name", c.Link.Server)
		w.number("epoch", c.Link.Epoch)
		w.number("call", c.Call.Seq())
		w.number("key", c.Call.Key())
		w.end()
	}
	w.close()
	w.open("lists")
	for leaf := range r.lists.All() {
		w.object()
		w.number("op", leaf.Key)
		w.number("server", leaf.V.server)
		w.number("kind", uint64(leaf.V.kind))
		w.end()
	}
	w.close()
	w.open("held")
	for leaf := range r.held.t.All() {
		w.object()
		w.number("call", leaf.Key)
		w.number("key", leaf.V.key)
		w.instant("due", leaf.Deadline)
		w.number("kind", uint64(leaf.V.kind+1))
		w.text("method", leaf.V.ev.Method)
		w.raw("body", string(leaf.V.ev.Body))
		w.end()
	}
	w.close()
	w.open("subscriptions")
	for leaf := range r.subs.All() {
		for i := range leaf.V {
			w.object()
			w.sub(&leaf.V[i])
			w.end()
		}
	}
	w.close()
	w.open("told")
	for k, t := range r.told {
		if t.some {
			w.object()
			w.number("kind", uint64(k))
			w.number("version", t.version)
			w.end()
		}
	}
	w.close()
	w.number("lag", uint64(r.now-r.moved))
	w.raw("manager", string(r.m.Snapshot()))
	return append(w.dst, '}')
}

// writer appends members of a JSON object in a fixed order and leaves out what has its zero
// value.
type writer struct {
	dst []byte
	now int64
}

func (w *writer) separate() {
	if last := w.dst[len(w.dst)-1]; last != '{' && last != '[' {
		w.dst = append(w.dst, ',')
	}
}

func (w *writer) name(name string) {
	w.separate()
	w.dst = append(rawjson.AppendQuote(w.dst, name), ':')
}

func (w *writer) number(name string, n uint64) {
	if n != 0 {
		w.name(name)
		w.dst = strconv.AppendUint(w.dst, n, 10)
	}
}

func (w *writer) flag(name string, on bool) {
	if on {
		w.name(name)
		w.dst = append(w.dst, "true"...)
	}
}

func (w *writer) text(name, s string) {
	if s != "" {
		w.name(name)
		w.dst = rawjson.AppendQuote(w.dst, s)
	}
}

func (w *writer) raw(name, json string) {
	if json != "" {
		w.name(name)
		w.dst = append(w.dst, json...)
	}
}

// instant writes how far away t is.
func (w *writer) instant(name string, t int64) {
	if t != never {
		w.name(name)
		w.dst = strconv.AppendInt(w.dst, t-w.now, 10)
	}
}

func (w *writer) open(name string) {
	w.name(name)
	w.dst = append(w.dst, '[')
}

func (w *writer) close() { w.dst = append(w.dst, ']') }

func (w *writer) object() {
	w.separate()
	w.dst = append(w.dst, '{')
}

func (w *writer) end() { w.dst = append(w.dst, '}') }

// upstream writes a server. Its connection is in the Manager.
func (w *writer) upstream(u *upstream) {
	w.object()
	w.number("id", u.id)
	w.text("name", u.Name)
	w.text("definition", u.Definition)
	w.text("level", u.level)
	w.open("lists")
	for k := range u.lists {
		l := &u.lists[k]
		w.object()
		w.flag("read", l.read)
		w.flag("settled", l.settled)
		w.flag("again", l.again)
		w.number("fails", uint64(l.fails))
		w.instant("begun", l.begun)
		w.instant("due", l.due)
		w.open("items")
		for _, it := range l.items {
			w.separate()
			w.dst = append(w.dst, it.raw...)
		}
		w.close()
		w.end()
	}
	w.close()
	w.end()
}

// call writes a call that was passed on.
func (w *writer) call(op uint64, c *call) {
	w.object()
	w.number("op", op)
	w.number("call", c.seq)
	w.number("key", c.key)
	w.number("server", c.server)
	w.flag("progress", c.progress)
	w.flag("begins", c.begins)
	if c.sub != nil {
		w.name("sub")
		w.dst = append(w.dst, '{')
		w.sub(c.sub)
		w.end()
	}
	if c.retry != nil {
		w.name("retry")
		w.dst = append(w.dst, '{')
		w.text("method", c.retry.method)
		w.raw("body", string(c.retry.body))
		w.open("rest")
		for _, id := range c.retry.rest {
			w.separate()
			w.dst = strconv.AppendUint(w.dst, id, 10)
		}
		w.close()
		w.end()
	}
	w.end()
}

func (w *writer) sub(s *sub) {
	w.text("uri", s.uri)
	w.number("server", s.server)
	w.text("target", s.target)
}
