package catalog

import (
	"slices"
	"strconv"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/lifecycle/table"
)

// snapshotVersion is the version of the format.
const snapshotVersion = 1

// Snapshot returns the lists of the servers, and the owners of names, as JSON. Store it together with
// the Snapshot of the Manager of the same step. It excludes the Config, the local tools, and everything
// of a Source except its name.
func (c Catalog) Snapshot() []byte {
	w := engine.NewWriter(c.clock.Now())
	w.Number("catalog", snapshotVersion)
	w.Number("last", c.last)
	engine.Each(w, "servers", c.sources.All(), func(leaf *table.Leaf[*source]) { c.writeSource(w, leaf.V) })
	return append(w.Dst, '}')
}

func (c *Catalog) writeSource(w *engine.Writer, s *source) {
	w.Number("rank", s.rank)
	w.Text("name", s.Name)
	w.Flag("alone", s.alone)
	w.Number("nth", s.nth)
	engine.Each(w, "lists", slices.Values(c.reads), func(k int) { c.writeList(w, &s.lists[k]) })
}

func (c *Catalog) writeList(w *engine.Writer, l *reading) {
	w.Flag("old", l.old)
	w.Flag("lost", l.lostSince)
	w.Flag("wanted", l.wanted)
	w.Flag("again", l.announced)
	w.Number("op", l.op.Seq())
	w.Number("fails", uint64(l.fails))
	if l.began {
		w.Instant("asked", l.asked)
	}
	if l.readAfter > w.Now {
		w.Instant("after", l.readAfter)
	}
	if l.retryAfter > w.Now {
		w.Instant("retry", l.retryAfter)
	}
	if l.list == nil {
		return
	}
	w.Instant("read", l.stamp)
	w.Instant("fresh", l.expires)
	w.Flag("public", l.public)
	items := l.list.items
	w.List("items", len(items), func() {
		for _, n := range items {
			w.Element(string(n.raw))
		}
	})
	var own []int // the places of those that have their plain names
	for i, n := range items {
		if s := c.names.get(byPlain+n.kind, n.key); n.plain && s != nil && s.n == n.rank {
			own = append(own, i)
		}
	}
	w.List("own", len(own), func() {
		for _, i := range own {
			w.Element(strconv.Itoa(i))
		}
	})
}

// MarshalJSON always fails with lifecycle.ErrMarshal: use Snapshot.
func (Catalog) MarshalJSON() ([]byte, error) { return nil, lifecycle.ErrMarshal }
