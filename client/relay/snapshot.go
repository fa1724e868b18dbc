package relay

import (
	"strconv"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
)

// snapshotVersion is the version of the format.
const snapshotVersion = 2

// Snapshot returns the Relay as JSON. It goes with the Snapshot of the State of the same step:
// store both together, or neither. The Config, the Options of the servers and the State are not
// in it; the lists of the servers, and what waits, are.
func (r Relay) Snapshot() []byte {
	if r.cfg == nil {
		return nil
	}
	w := writer{Writer: rawjson.Writer{Dst: []byte{'{'}}, now: r.now}
	w.Number("relay", snapshotVersion)
	w.instant("opened", r.opened)
	w.instant("news", r.news)
	w.Flag("over", r.over)
	w.Flag("resting", r.resting)
	w.Text("level", r.level)
	w.Number("last", r.up.lastID)
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
		w.Number("req", leaf.Key)
		w.Text("name", c.Link.Server)
		w.Number("epoch", c.Link.Epoch)
		w.Number("call", c.Call.Seq())
		w.Number("key", c.Call.Key())
		w.end()
	}
	w.close()
	w.open("lists")
	for leaf := range r.lists.All() {
		w.object()
		w.Number("op", leaf.Key)
		w.Number("server", leaf.V.server)
		w.Number("kind", uint64(leaf.V.kind))
		w.end()
	}
	w.close()
	w.open("held")
	for leaf := range r.held.t.All() {
		w.object()
		w.Number("call", leaf.Key)
		w.Number("key", leaf.V.key)
		w.instant("due", leaf.Deadline)
		w.instant("by", leaf.V.by)
		w.Number("kind", uint64(leaf.V.kind+1))
		w.Text("method", leaf.V.ev.Method)
		w.Raw("body", string(leaf.V.ev.Body))
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
			w.Number("kind", uint64(k))
			w.Number("version", t.version)
			w.end()
		}
	}
	w.close()
	w.Number("lag", uint64(r.now-r.moved))
	w.Raw("manager", string(r.m.Snapshot()))
	return append(w.Dst, '}')
}

// writer adds times and what the package has to the members of a rawjson.Writer.
type writer struct {
	rawjson.Writer
	now int64
}

// instant writes how far away t is.
func (w *writer) instant(name string, t int64) {
	if t != never {
		w.Name(name)
		w.Dst = strconv.AppendInt(w.Dst, t-w.now, 10)
	}
}

func (w *writer) open(name string) {
	w.Name(name)
	w.Dst = append(w.Dst, '[')
}

func (w *writer) close() { w.Dst = append(w.Dst, ']') }

func (w *writer) object() {
	w.Separate()
	w.Dst = append(w.Dst, '{')
}

func (w *writer) end() { w.Dst = append(w.Dst, '}') }

// upstream writes a server. Its connection is in the Manager.
func (w *writer) upstream(u *upstream) {
	w.object()
	w.Number("id", u.id)
	w.Text("name", u.Name)
	w.Text("definition", u.Definition)
	w.Text("level", u.level)
	w.Flag("rested", u.rested)
	w.Flag("alone", u.alone)
	w.Number("nth", u.nth)
	w.Number("took", uint64(u.took))
	if u.state != manager.Ready || u.took == 0 {
		w.instant("down", u.down)
	}
	w.open("lists")
	for k := range u.lists {
		l := &u.lists[k]
		w.object()
		w.Flag("read", l.read)
		w.Flag("settled", l.settled)
		w.Flag("again", l.again)
		w.Number("fails", uint64(l.fails))
		w.instant("begun", l.begun)
		w.instant("due", l.due)
		w.open("items")
		for _, it := range l.items {
			w.Separate()
			w.Dst = append(w.Dst, it.raw...)
		}
		w.close()
		w.open("owns") // the places of those with plain names
		for i, j := 0, 0; j < len(l.owns); i++ {
			if l.items[i].key != l.shown[j].key {
				continue
			}
			if l.owns[j] {
				w.Separate()
				w.Dst = strconv.AppendInt(w.Dst, int64(i), 10)
			}
			j++
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
	w.Number("op", op)
	w.Number("call", c.seq)
	w.Number("key", c.key)
	w.Number("server", c.server)
	w.Flag("progress", c.progress)
	w.Flag("begins", c.begins)
	if c.sub != nil {
		w.Name("sub")
		w.Dst = append(w.Dst, '{')
		w.sub(c.sub)
		w.end()
	}
	if c.retry != nil {
		w.Name("retry")
		w.Dst = append(w.Dst, '{')
		w.Text("method", c.retry.method)
		w.Raw("body", string(c.retry.body))
		w.open("rest")
		for _, id := range c.retry.rest {
			w.Separate()
			w.Dst = strconv.AppendUint(w.Dst, id, 10)
		}
		w.close()
		w.open("slow")
		for _, id := range c.retry.slow {
			w.Separate()
			w.Dst = strconv.AppendUint(w.Dst, id, 10)
		}
		w.close()
		w.Flag("again", c.retry.again)
		w.end()
	}
	w.end()
}

func (w *writer) sub(s *sub) {
	w.Text("uri", s.uri)
	w.Number("server", s.server)
	w.Text("target", s.target)
}

// MarshalJSON always fails with lifecycle.ErrMarshal: use Snapshot.
func (Relay) MarshalJSON() ([]byte, error) { return nil, lifecycle.ErrMarshal }
