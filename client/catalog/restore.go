package catalog

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/lifecycle/table"
)

// Restore returns the Catalog of a snapshot, beside the Manager that was restored with it: it goes on as
// the original did, with all times counted from now. Of the servers of the snapshot it has those that
// are in cfg, with the items that their Filters pass; Set adds others. A reading that the Manager does
// not have is made again.
//
// Whatever data holds, the value is one that a Catalog can come to, or there is an error:
// lifecycle.ErrSnapshot, or those of New.
func Restore(cfg Config, m manager.Manager, data []byte, now time.Time) (Catalog, error) {
	f := engine.ReadFields(data)
	if f.Number("catalog") != snapshotVersion {
		f.Fail("another version")
	}
	in := restorer{m: m, f: f, last: f.Number("last"), from: map[string]Source{}}
	for _, s := range cfg.Sources {
		in.from[s.Name] = s
	}
	cfg.Sources = nil
	c, err := New(cfg, now)
	if err != nil {
		return Catalog{}, err
	}
	in.c, c.looked = &c, true
	f.Items("servers", math.MaxInt32, func(raw string) { in.source(f.Object(raw)) })
	for leaf := range c.sources.All() { // all servers are there: a name that is the qualified one of another is nobody's
		for _, k := range c.reads {
			c.install(&Change{}, nil, leaf.V.lists[k].list)
		}
	}
	c.last = max(c.last, in.last)
	if f.Err() == nil {
		for _, n := range in.own {
			s := *c.names.get(byPlain+n.kind, n.key)
			if c.cfg.Deferred && s.n != 0 {
				f.Fail("a name twice")
			}
			s.n = n.rank
			c.names = c.names.put(s)
		}
	}
	if err := f.Checked(c.Check); err != nil {
		return Catalog{}, err
	}
	return c, nil
}

// restorer reads a snapshot, which may be damaged or forged.
type restorer struct {
	c    *Catalog
	m    manager.Manager
	f    *engine.Fields
	last uint64
	from map[string]Source // that are still to come
	own  []*item           // with their plain names
}

// source reads a server and its lists.
func (in *restorer) source(g *engine.Fields) {
	c, rank, name := in.c, g.Number("rank"), g.Text("name")
	if in.f.Err() != nil || rank <= c.last || rank > in.last {
		in.f.Fail("a server twice, or impossible numbers")
		return
	}
	from, ok := in.from[name]
	if !ok {
		return
	}
	delete(in.from, name)
	c.last = rank - 1
	if err := c.enter(from, g.Flag("alone")); err != nil {
		in.f.Fail(err.Error())
		return
	}
	s := *c.source(rank)
	s.nth = g.Number("nth")
	s.look(in.m)
	i := 0
	g.Items("lists", len(c.reads), func(raw string) {
		in.list(g.Object(raw), &s, c.reads[i])
		i++
	})
	if i != len(c.reads) || in.f.Err() != nil {
		in.f.Fail("a list too few")
		return
	}
	c.set(s)
}

// list reads a list of a server.
func (in *restorer) list(g *engine.Fields, s *source, kind int) {
	c, l := in.c, &s.lists[kind]
	or := func(name string) int64 { // what is absent is over
		if t := g.Instant(name); t != table.Never {
			return t
		}
		return 0
	}
	l.old, l.lostSince, l.wanted, l.announced = g.Flag("old"), g.Flag("lost"), g.Flag("wanted"), g.Flag("again")
	l.fails, l.asked, l.readAfter, l.retryAfter = int(g.Number("fails")&0xffff), or("asked"), or("after"), or("retry")
	l.began = g.Raw("asked") != ""
	if c.cfg.Retry.Exhausted(l.fails) {
		l.retryAfter = table.Never
	}
	if g.Raw("read") != "" {
		l.stamp, l.expires, l.public = or("read"), g.Instant("fresh"), g.Flag("public")
		var raws []jsonrpc.Raw
		g.Items("items", math.MaxInt32, func(raw string) { raws = append(raws, jsonrpc.Raw(strings.Clone(raw))) })
		r := s.reader(kind)
		r.read(c, raws)
		l.list = c.versioned(nil, listOf(kind, r.items, &s.Filter))
		g.Items("own", len(r.items), func(raw string) {
			i, err := strconv.Atoi(raw)
			if err != nil || i < 0 || i >= len(r.items) {
				in.f.Fail("a name of no item")
			} else if n := r.items[i]; n.plain && l.list.get(n.key) == n {
				in.own = append(in.own, n)
			}
		})
	}
	l.lostSince = l.lostSince && l.list != nil
	l.wanted = l.wanted || s.state == manager.Ready && !c.cfg.Lazy && (l.list == nil || l.lostSince)
	if op := g.Number("op"); op != 0 && s.state == manager.Ready {
		_, _, err := in.m.Cancel(time.Time{}, manager.OpOf(op), "")
		if l.wanted = err != nil || c.ops.Get(op) != nil; !l.wanted {
			l.op = manager.OpOf(op)
			c.ops = c.ops.Put(op, table.Never, place(s.rank, kind))
		}
	}
}
