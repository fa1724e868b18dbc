package worlds

import (
	"reflect"

	"github.com/sansmcp/mcp/conformance/explore"
)

// catalogRules are the rules of a Catalog, in addition to those of a Manager.
var catalogRules = []explore.Rule{
	{At: "manager.Op.seq", As: explore.Op},
	{At: "catalog.Catalog", As: explore.Origin, By: "clock"},
	{At: "catalog.Catalog.cfg", As: explore.Skip, Why: "the same throughout"},
	{At: "catalog.Catalog.sources", Key: explore.Order},
	{At: "catalog.Catalog.ops", Key: explore.Op},
	{At: "catalog.Catalog.looked", As: explore.Skip, Why: "whatever is done first, it finds nothing new"},
	{At: "catalog.Catalog.names", As: explore.Custom, Call: plainNames, Why: "else an index of the items"},
	{At: "catalog.Catalog.last", As: explore.Skip, Why: "above all ranks; the next is one more"},
	{At: "catalog.Catalog.uid", As: explore.Skip, Why: "above all items; the next is one more"},
	{At: "catalog.Catalog.nth", As: explore.Skip, Why: "the greatest of the servers"},
	{At: "catalog.Catalog.random", As: explore.Skip, Why: "the worlds have no jitter"},
	{At: "catalog.owner.rank", As: explore.Order},
	{At: "catalog.source.nth", As: explore.Order},
	{At: "catalog.source.retryAt", As: explore.Until},
	{At: "catalog.reading.readAfter", As: explore.Until},
	{At: "catalog.reading.expires", As: explore.Until},
	{At: "catalog.reading.retryAfter", As: explore.Until},
	{At: "catalog.reading.fails", As: explore.Custom, Call: few, Why: "five are as many as more: the delay has its cap"},
	{At: "catalog.list.byKey", As: explore.Skip, Why: "an index of shown"},
	{At: "catalog.list.hidden", As: explore.Skip, Why: "it follows from items and the Filter"},
	{At: "catalog.list.makes", As: explore.Skip, Why: "it follows from shown"},
}

// catalogWorldRules are those of the world of a Catalog.
var catalogWorldRules = []explore.Rule{
	{At: "catalog.source.since", As: explore.Skip, Why: "for Status, and for calls"},
	{At: "catalog.item.uid", As: explore.Skip, Why: "it tells definitions apart for calls"},
	{At: "catalog.list.version", As: explore.Skip, Why: "it tells lists apart for others"},
	{At: "worlds.shelf.paced", As: explore.Since, Most: unit, Why: "MinInterval is no longer"},
}

// staleRules are those of a scope where lists become stale, and freshRules those of one where they do not.
var (
	staleRules = []explore.Rule{
		{At: "catalog.reading.stamp", As: explore.Since, Most: 2 * unit, If: "list", Why: "TTL is no longer"},
		{At: "catalog.reading.asked", As: explore.Since, Most: 2 * unit, If: "began", Why: "TTL and MinInterval are no longer"},
	}
	freshRules = []explore.Rule{
		{At: "catalog.reading.stamp", As: explore.Skip, Why: "nothing is stale in so short a time"},
		{At: "catalog.reading.asked", As: explore.Since, Most: unit, If: "began", Why: "MinInterval is no longer"},
	}
)

// plainNames writes the server of each plain name. The rest of the index follows from the items.
func plainNames(f *explore.Form, index reflect.Value) {
	for leaf := range explore.Leaves(index.FieldByName("t")) {
		for s := leaf.FieldByName("V"); !s.IsNil(); s = s.Elem().FieldByName("next") {
			if at := s.Elem(); !at.FieldByName("items").IsNil() && at.FieldByName("n").Uint() > 0 {
				f.Text(at.FieldByName("text").String())
				f.Number(explore.Order, 0, at.FieldByName("n").Uint())
			}
		}
	}
}
