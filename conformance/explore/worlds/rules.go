package worlds

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/conformance/explore"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// engineRules are the rules of the parts that client and server share, and of the two States. Fields without
// a rule are written unchanged.
var engineRules = []explore.Rule{
	{At: "client.State", As: explore.Client},
	{At: "server.State", As: explore.Server},
	{At: "client.State.cfg", As: explore.Skip, Why: "the same throughout"},
	{At: "server.State.cfg", As: explore.Skip, Why: "the same throughout"},
	{At: "client.State.feat", Live: clientFeatures, Why: "one that is all zero is as good as none"},
	{At: "server.State.feat", Live: hasFeatures, Why: "the node says which catalog there is"},
	{At: "server.features.catalog", As: explore.Skip, Why: "the node says which there is"},
	{At: "server.features.due", As: explore.Until, If: "changed"},
	{At: "engine.clock.birth", As: explore.Origin, By: "at"},
	{At: "engine.clock.now", As: explore.Skip, Why: "never later than the time of the node, which every transition is given"},
	{At: "engine.clock.step", As: explore.Skip, Why: "it only counts"},
	{At: "engine.requests.env", As: explore.Skip, Why: "Config"},
	{At: "engine.requests.in", Key: explore.Peer},
	{At: "engine.requests.out", Key: explore.Own},
	{At: "engine.requests.still", As: explore.Since, Live: stillMatters, Why: "only while something open depends on it"},
	{At: "engine.requests.seq", As: explore.Skip, Why: "above all Calls; the next is one more"},
	{At: "engine.requests.last", As: explore.Skip, Why: "above all ids; the next is one more"},
	{At: "engine.requests.rare", Live: hasRare, Why: "one that has only the first id is as good as none"},
	{At: "engine.rare.first", As: explore.Skip, Why: "below all ids: what was on a link is gone when a session begins anew"},
	{At: "engine.inbound.id", As: explore.Peer},
	{At: "engine.inbound.seq", As: explore.Call},
	{At: "engine.inbound.row", As: explore.Shared},
	{At: "engine.inbound.ext", Live: hasExt, Why: "one that is all zero is as good as none"},
	{At: "engine.inboundExt.token", As: explore.Peer},
	{At: "engine.inboundExt.last", As: explore.Theirs, If: "reported"},
	{At: "engine.inboundExt.inner", As: explore.Skip, Why: "outbound.within says the same of each that is open; those that all failed are not looked for"},
	{At: "engine.callRef.seq", As: explore.Call},
	{At: "engine.callRef.key", As: explore.Skip, Why: "seq tells which, and of a call that has ended nobody asks"},
	{At: "engine.outbound.ext", Live: outboundHasExt, Why: "one that is all zero is as good as none"},
	{At: "engine.outboundExt.id", As: explore.Own, If: "id"},
	{At: "engine.outbound.row", As: explore.Shared},
	{At: "engine.outbound.maxDeadline", As: explore.Until},
	{At: "engine.outbound.last", As: explore.Ours, If: "reported"},
	{At: "engine.Profile.peer", As: explore.Custom, Call: peerText, Why: "one without a name is as good as none"},
	{At: "engine.session.due", As: explore.Until},
	{At: "engine.session.heard", As: explore.Since, Most: unit, If: "pinging", Why: "no ping waits longer for it"},
	{At: "engine.session.misses", As: explore.Custom, Call: few, Live: pings, Why: "two are one too many, where any are; nobody pings after the end"},
	{At: "protocol.Revision.t", As: explore.Shared},
	{At: "lifecycle.handle.owner", As: explore.Skip, Why: "that of the State"},
	{At: "clock.Clock", As: explore.Skip, Why: "never later than the time of the node"},
	{At: "lifecycle.Cause.Reason", As: explore.Skip, Why: "words for whoever reads Status"},
	{At: "lifecycle.Cause.RPC", As: explore.Skip, Why: "words for whoever reads Status"},
	{At: "lifecycle.Cause.Err", As: explore.Skip, Why: "words for whoever reads Status"},
}

// hasFeatures reports whether there is a subscription, or a change to announce, which there is not at the end of a
// session.
func hasFeatures(state reflect.Value) bool {
	feat := state.FieldByName("feat")
	phase := lifecycle.Phase(state.FieldByName("core").FieldByName("session").FieldByName("phase").Uint())
	return !feat.IsNil() && (phase <= lifecycle.Ready && !feat.Elem().FieldByName("changed").IsZero() || !feat.Elem().FieldByName("subs").IsZero())
}

func clientFeatures(state reflect.Value) bool {
	feat := state.FieldByName("feat")
	return !feat.IsNil() && !feat.Elem().IsZero()
}

func hasExt(inbound reflect.Value) bool { return hasBeside(inbound.FieldByName("ext"), "inner") }

func hasRare(requests reflect.Value) bool { return hasBeside(requests.FieldByName("rare"), "first") }

func outboundHasExt(outbound reflect.Value) bool { return hasBeside(outbound.FieldByName("ext"), "") }

// hasBeside reports whether a pointer leads to a struct with a nonzero field other than one.
func hasBeside(p reflect.Value, but string) bool {
	for i := 0; !p.IsNil() && i < p.Elem().NumField(); i++ {
		if p.Elem().Type().Field(i).Name != but && !p.Elem().Field(i).IsZero() {
			return true
		}
	}
	return false
}

// pings reports whether a missed ping still matters.
func pings(session reflect.Value) bool {
	return lifecycle.Phase(session.FieldByName("phase").Uint()).Live() && !session.FieldByName("closed").Bool() && !session.FieldByName("inputClosed").Bool()
}

// few writes a small number; 5 and more are equal.
func few(f *explore.Form, v reflect.Value) {
	if v.CanInt() {
		f.Int(min(v.Int(), 5))
	} else {
		f.Int(int64(min(v.Uint(), 5)))
	}
}

// peerText writes the info of a peer.
func peerText(f *explore.Form, v reflect.Value) {
	if text := v.String(); text != `{"name":"","version":""}` {
		f.Text(text)
	} else {
		f.Text("")
	}
}

// stillMatters reports whether time stands still beyond now, or did so for a request of this
// side that can expire: otherwise an earlier end of it has no effect.
func stillMatters(requests reflect.Value) bool {
	still, now := requests.FieldByName("still").Int(), requests.FieldByName("clock").FieldByName("now").Int()
	if still > now {
		return true
	}
	for leaf := range explore.Leaves(requests.FieldByName("out")) {
		v := leaf.FieldByName("V")
		waits := v.FieldByName("row").Elem().FieldByName("Wait").Uint()
		if waits == uint64(protocol.WaitRequest) && still > math.MinInt64 && min(still+v.FieldByName("timeout").Int(), v.FieldByName("maxDeadline").Int()) > leaf.FieldByName("Deadline").Int() {
			return true
		}
	}
	return false
}

// pairRules are those of the world of a pair.
var pairRules = []explore.Rule{
	{At: "worlds.pair.books", As: explore.Skip, Why: "held against the tables after each step"},
	{At: "worlds.pair.up", As: explore.Client},
	{At: "worlds.pair.down", As: explore.Server},
	{At: "worlds.pair.catalog", As: explore.Skip, Why: "the other one differs from it in the same list, whichever it is"},
	{At: "worlds.pair.now", As: explore.Skip, Why: "all instants are written from here"},
	{At: "worlds.pair.at", As: explore.Skip, Why: "the time of a State, as engine.clock.now"},
	{At: "worlds.pair.rec", As: explore.Skip, Why: "only in a replay"},
	{At: "worlds.wire.msg", As: explore.Skip, Why: "the other members say what it is"},
	{At: "worlds.wire.own", As: explore.Own},
	{At: "worlds.wire.peer", As: explore.Peer},
	{At: "worlds.wire.progress", As: explore.Theirs},
}

// renamed returns a snapshot without the numbers that only count and without the catalog, and with the numbers of requests by
// rank. It is the other form, which does not know the fields.
func renamed(snapshot []byte) []byte {
	var m map[string]any
	if err := json.Unmarshal(snapshot, &m); err != nil {
		panic(err)
	}
	for _, member := range []string{"step", "calls", "last", "first", "key", "declared", "catalog"} {
		delete(m, member)
	}
	if !strings.Contains(string(snapshot), `"ping"`) {
		delete(m, "heard")
	}
	ranks := map[string][]float64{}
	each := func(do func(x map[string]any, member, class string)) {
		for list, classes := range map[string][][2]string{
			"inbound":  {{"id", "peer"}, {"token", "peer"}, {"call", "call"}, {"progress", "theirs"}},
			"outbound": {{"id", "own"}, {"token", "own"}, {"within", "call"}, {"progress", "ours"}},
		} {
			entries, _ := m[list].([]any)
			for _, e := range entries {
				for _, c := range classes {
					if _, ok := e.(map[string]any)[c[0]].(float64); ok {
						do(e.(map[string]any), c[0], c[1])
					}
				}
				delete(e.(map[string]any), "withinKey")
			}
		}
	}
	each(func(x map[string]any, member, class string) { ranks[class] = append(ranks[class], x[member].(float64)) })
	for _, list := range ranks { // independent of each other
		slices.Sort(list)
	}
	each(func(x map[string]any, member, class string) {
		x[member] = slices.Index(slices.Compact(slices.Clone(ranks[class])), x[member].(float64))
	})
	return must(json.Marshal(m))
}
