package relay

import (
	"slices"
	"strconv"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/lifecycle/table"
)

// snapshotVersion is the version of the format.
const snapshotVersion = 5

// Snapshot returns the Relay as JSON, with the lists of the servers and the waiting requests. Store it
// together with the Snapshot of the State of the same step. It excludes the Config and the Options of the
// servers.
func (r Relay) Snapshot() []byte {
	if r.cfg == nil {
		return nil
	}
	w := engine.NewWriter(r.clock.Now())
	w.Number("relay", snapshotVersion)
	w.Instant("opened", r.opened)
	w.Instant("news", r.news)
	w.Flag("over", r.over)
	w.Flag("resting", r.resting)
	w.Text("level", r.level)
	w.Number("last", r.lastID)
	engine.Each(w, "servers", slices.Values(r.up.all()), func(u *upstream) { writeServer(w, u) })
	engine.Each(w, "calls", r.calls.All(), func(leaf *table.Leaf[call]) { writeCall(w, leaf) })
	engine.Each(w, "asks", r.asks.All(), func(leaf *table.Leaf[manager.Call]) {
		w.Number("req", leaf.Key)
		writeAsk(w, leaf.V)
	})
	w.Number("caps", uint64(r.caps))
	engine.Each(w, "parked", r.parked.All(), func(leaf *table.Leaf[parked]) { writeParked(w, leaf) })
	w.List("subscriptions", r.subs.Len(), func() {
		for _, s := range r.subs.All() {
			w.Object("", func() { writeSub(w, s) })
		}
	})
	engine.Each(w, "listens", r.listening.All(), func(leaf *table.Leaf[[]string]) {
		w.Number("call", leaf.Key)
		engine.Each(w, "heard", slices.Values(leaf.V), func(uri string) {
			h := r.heard.Get(r.hash(uri), uri)
			writeSub(w, &h.sub)
			w.Flag("guessed", h.guessed)
		})
	})
	writeNumbers(w, "told", r.told[:])
	w.Number("lag", uint64(r.clock.Now()-r.moved))
	w.Raw("manager", string(r.m.Snapshot()))
	c, _ := r.c.Advance(r.clock.Time())
	w.Raw("catalog", string(c.Snapshot()))
	return append(w.Dst, '}')
}

// writeServer writes a server. Its connection is in the Manager, and what it lists in the Catalog.
func writeServer(w *engine.Writer, u *upstream) {
	w.Number("id", u.id)
	w.Text("name", u.Name)
	w.Text("definition", u.Definition)
	w.Text("level", u.level)
	w.Number("login", u.login)
	w.Flag("rested", u.rested)
	w.Flag("handshake", u.Options.Handshake)
	w.Number("took", uint64(u.took))
	w.Instant("down", u.down)
}

// writeCall writes a call.
func writeCall(w *engine.Writer, leaf *table.Leaf[call]) {
	c := &leaf.V
	w.Number("call", leaf.Key)
	w.Number("key", c.key)
	if c.waits != nil {
		w.Object("waits", func() {
			w.Instant("due", leaf.Deadline)
			w.Instant("by", c.waits.by)
			w.Number("kind", uint64(c.waits.kind+1))
			w.Text("method", c.waits.method)
			w.Raw("body", string(c.waits.body))
		})
		return
	}
	w.Number("op", c.op)
	w.Number("server", c.server)
	w.Number("about", c.about)
	w.Number("round", c.round)
	w.Flag("progress", c.progress)
	w.Flag("begins", c.begins)
	if c.sub != nil {
		w.Object("sub", func() { writeSub(w, c.sub) })
	}
	if c.retry != nil {
		w.Object("retry", func() {
			w.Text("method", c.retry.method)
			w.Raw("body", string(c.retry.body))
			writeNumbers(w, "rest", c.retry.rest)
			writeNumbers(w, "slow", c.retry.slow)
			w.Flag("again", c.retry.again)
		})
	}
}

// writeAsk writes a request of a server.
func writeAsk(w *engine.Writer, c manager.Call) {
	w.Text("name", c.Link.Server)
	w.Number("epoch", c.Link.Epoch)
	w.Number("call", c.Call.Seq())
	w.Number("key", c.Call.Key())
}

// writeParked writes a call that the client is to make again.
func writeParked(w *engine.Writer, leaf *table.Leaf[parked]) {
	p := &leaf.V
	w.Number("op", leaf.Key)
	w.Instant("due", leaf.Deadline)
	w.Number("server", p.server)
	w.Number("about", p.about)
	w.Text("revision", p.rev.String())
	w.Number("caps", uint64(p.caps))
	w.Number("round", p.round)
	engine.Each(w, "questions", slices.Values(p.questions), func(q question) {
		writeAsk(w, q.call)
		w.Text("question", q.key)
		w.Number("round", q.round)
		w.Text("method", q.method)
		w.Raw("body", string(q.body))
	})
	w.List("progress", len(p.progress), func() {
		for _, body := range p.progress {
			w.Element(string(body))
		}
	})
	if p.ended {
		w.Instant("until", p.until)
		w.Raw("result", string(p.result))
		if p.err != nil {
			w.Raw("error", string(p.err.AppendJSON(nil)))
		}
	}
}

func writeNumbers(w *engine.Writer, name string, list []uint64) {
	w.List(name, len(list), func() {
		for _, n := range list {
			w.Element(strconv.FormatUint(n, 10))
		}
	})
}

func writeSub(w *engine.Writer, s *sub) {
	w.Text("uri", s.uri)
	w.Number("server", s.server)
	w.Text("target", s.target)
}

// MarshalJSON always fails with lifecycle.ErrMarshal: use Snapshot.
func (Relay) MarshalJSON() ([]byte, error) { return nil, lifecycle.ErrMarshal }
