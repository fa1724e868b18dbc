package relay

import (
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/lifecycle/table"
)

// Broken returns values that no step leads to, by what is wrong with them.
func Broken(r Relay) map[string]Relay {
	list := map[string]Relay{}
	with := func(name string, change func(*Relay)) {
		next := r
		change(&next)
		list[name] = next
	}
	server := func(name string, change func(*upstream)) {
		with(name, func(r *Relay) {
			u := *r.up[0]
			change(&u)
			r.up = r.up.with(0, &u)
		})
	}
	var op uint64
	var c call
	for leaf := range r.calls.All() {
		op, c = leaf.Key, leaf.V
	}
	with("a call that is not found", func(r *Relay) { r.byCall, _ = r.byCall.Delete(c.seq) })
	with("a call that is not open", func(r *Relay) {
		r.calls = r.calls.Put(999, never, call{seq: 999, server: c.server})
		r.byCall = r.byCall.Put(999, never, 999)
	})
	with("a call that waits", func(r *Relay) { r.held.t = r.held.t.Put(c.seq, never, waiting{kind: -1}) })
	with("a wrong load", func(r *Relay) { r.loads = r.loads.Put(c.server, never, load{99, op}) })
	with("a load too many", func(r *Relay) { r.loads = r.loads.Put(99, never, load{}) })
	with("a load too few", func(r *Relay) { r.loads = table.Table[load]{} })
	with("a call back too many", func(r *Relay) { r.byCall = r.byCall.Put(99, never, op) })
	with("no asks", func(r *Relay) { r.asks = table.Table[ask]{} })
	with("asks not found", func(r *Relay) { r.byAsk = table.Table[table.Table[uint64]]{} })
	with("nobody asks", func(r *Relay) { r.byAsk = r.byAsk.Put(99, never, table.Table[uint64]{}) })
	with("an ask that is not open", func(r *Relay) {
		for leaf := range r.asks.All() {
			a := leaf.V
			r.asks, _ = r.asks.Delete(leaf.Key)
			r.asks = r.asks.Put(999, never, a)
			of := r.byAsk.Get(a.call.Link.Epoch).V
			r.byAsk = r.byAsk.Put(a.call.Link.Epoch, never, of.Put(a.call.Call.Seq(), never, 999))
		}
	})
	with("waits and is not open", func(r *Relay) { r.held.t = r.held.t.Put(99, never, waiting{kind: -1}) })
	with("bytes", func(r *Relay) { r.held.bytes++ })
	with("lists", func(r *Relay) { r.held.lists++ })
	with("over", func(r *Relay) { r.over = true })
	server("name", func(u *upstream) { u.Name = "x" })
	server("id", func(u *upstream) { u.id = 99 })
	server("seen", func(u *upstream) { u.seen[0] = 99 })
	with("number", func(r *Relay) { r.lastID = 0 })
	with("lists", func(r *Relay) { r.c, _ = catalog.New(r.cfg.catalog(r.up.servers()), r.clock.Time()) })
	with("no server in the catalog", func(r *Relay) { r.c = catalog.Catalog{} })
	with("two of one name", func(r *Relay) { r.up = r.up.with(0, r.up[1]) })
	return list
}
