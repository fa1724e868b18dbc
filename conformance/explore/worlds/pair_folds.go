package worlds

import (
	"math"
	"reflect"
	"slices"

	"github.com/sansmcp/mcp/conformance/explore"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
)

// The following rules merge nodes that differ without effect. explore -folds explores the nodes one by
// one and checks that they continue in the same way.

// folding is what the rules of folds ask about the node being written.
type folding struct {
	stands bool // the time of the client's requests stood still, or may
}

// folds returns rules that merge nodes. If messages are repeated, old progress may come after newer.
func (x *pairScope) folds() []explore.Rule {
	list := []explore.Rule{
		{At: "engine.session.closed", Live: lives, Why: "nothing can be done after the end but to begin anew"},
		{At: "engine.session.inputClosed", Live: lives, Why: "nothing can be done after the end but to begin anew"},
		{At: "engine.requests.still", As: explore.Since, Live: func(requests reflect.Value) bool {
			return stillMatters(requests) && x.anyBefore(requests, x.short.Limit[0])
		}},
		{At: "lifecycle.Cause.Kind", As: explore.Skip, Why: "for Status: nothing is decided by it"},
		{At: "engine.outbound.progress", As: explore.Skip, Why: "progress that comes was asked for; a server that may tell some has the token"},
		{At: "engine.outbound.maxDeadline", As: explore.Until, Live: func(outbound reflect.Value) bool {
			return outbound.FieldByName("reset").Bool() || x.fold.stands
		}},
	}
	if x.doubles > 0 {
		return list
	}
	why := "what comes later is more, and comes in order"
	for _, at := range []string{"engine.outbound.last", "engine.outbound.reported", "engine.inboundExt.last", "engine.inboundExt.reported", "worlds.wire.progress"} {
		list = append(list, explore.Rule{At: at, As: explore.Skip, Why: why})
	}
	return list
}

// lives reports whether a session is not over.
func lives(session reflect.Value) bool {
	return lifecycle.Phase(session.FieldByName("phase").Uint()).Live()
}

// anyBefore reports whether a request expires before the limit, or could.
func (x *pairScope) anyBefore(requests reflect.Value, limit int64) bool {
	if limit == math.MaxInt64 {
		return true
	}
	for leaf := range explore.Leaves(requests.FieldByName("out")) {
		if leaf.FieldByName("Deadline").Int() < limit {
			return true
		}
	}
	return false
}

// instead returns rules, with those on the same subject replaced by others.
func instead(rules, others []explore.Rule) []explore.Rule {
	rules = slices.DeleteFunc(slices.Clone(rules), func(r explore.Rule) bool {
		return slices.ContainsFunc(others, func(o explore.Rule) bool { return o.At == r.At })
	})
	return append(rules, others...)
}

// folded returns the text of n by the rules of folds.
func (x *pairScope) folded(n *pair) []byte {
	m := *n
	var about [2][2]bool // whether a message on a link concerns requests of its sender, of its receiver
	asks := false
	for i := range 2 {
		l := m.link(i)
		for k := range l.list {
			w := x.means(n, i, k)
			if w != l.list[k].fixed() {
				if &l.list[0] == &n.link(i).list[0] {
					l.list = slices.Clone(l.list)
				}
				l.list[k] = w
			}
			about[i][0] = about[i][0] || w.own != 0 && w.kind == jsonrpc.KindNotification
			about[i][1] = about[i][1] || w.peer != 0
			asks = asks || i == 1 && w.kind == jsonrpc.KindRequest
		}
	}
	var core [2]reflect.Value
	for i := range core {
		core[i] = reflect.ValueOf(m.end[i].View).FieldByName("core")
		x.short.Limit[i] = math.MaxInt64
		session := core[i].FieldByName("session")
		if due := session.FieldByName("due").Int(); lifecycle.Phase(session.FieldByName("phase").Uint()) == lifecycle.ShuttingDown && due != table.Never {
			x.short.Limit[i] = due // when everything expires
		}
		x.short.Apart[i] = n.up.closed && n.down.closed && !about[i][0] && !about[1-i][1]
	}
	requests := core[0].FieldByName("requests")
	x.fold.stands = x.asks > 0 && x.anyBefore(requests, x.short.Limit[0]) &&
		(asks || !n.down.closed && n.books[1].live(n.end[1]) || len(n.books[0].calls) > 0 || stillMatters(requests))
	return x.short.Append(n.now, &m)
}

// nothingSaid is a message that has no effect.
var nothingSaid = wire{}

// fixed returns w without the message, so that it can be compared.
func (w wire) fixed() wire {
	w.msg = jsonrpc.Message{}
	return w
}

// means returns a message on a link without what has no effect.
func (x *pairScope) means(n *pair, i, k int) wire {
	l, to := n.link(i), &n.books[1-i]
	w := l.list[k].fixed()
	nothing := nothingSaid
	if x.keepalive { // not all of them prove that the peer is alive
		nothing = wire{kind: w.kind, method: w.method}
	}
	switch {
	case !n.end[1-i].Phase().Live(), to.ignores(&w, l.list[:k]):
		return nothing
	case w.method == "notifications/roots/list_changed" || w.method == "notifications/tools/list_changed":
		return nothing // only the application acts on it
	case w.method == "notifications/progress":
		if x.doubles == 0 && !to.req(w.peer).patient {
			return nothing
		}
	case w.kind == jsonrpc.KindError:
		if q := to.req(w.peer); !q.open && !q.own {
			w.kind, w.code = jsonrpc.KindResult, 0 // whatever it says, the request has ended
		}
	}
	return w
}
