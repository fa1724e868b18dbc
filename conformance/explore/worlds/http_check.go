package worlds

import (
	"slices"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/exchange"
	"github.com/sansmcp/mcp/conformance/explore"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/streams"
)

// webScope limits the world of HTTP.
type webScope struct {
	most      [budgets]int
	lossy     bool // little is kept, and only briefly
	json      bool // answers are JSON if possible
	processes int  // the number of processes with a shared store, from which each turn starts; 0 for one without
	begins    bool // it begins before the handshake, not after
	client    client.Config
	server0   server.Config
	streams   streams.Options
	watch     func(server bool, out *lifecycle.Output) // reads Outputs, in place of the checks of this world
	form      *explore.Form
}

var webScopes = []struct {
	name    string
	scope   webScope
	nightly bool
}{
	{"begin", webScope{most: [budgets]int{nCut: 3, nTime: 2}, begins: true}, false},
	{"cancel", webScope{most: [budgets]int{nCall: 1, nCancel: 1, nCut: 1, nTime: 1}}, false},
	{"log", webScope{most: [budgets]int{nLog: 2, nCut: 1, nTime: 2}}, false},
	{"outage", webScope{most: [budgets]int{nLog: 1, nCut: 6, nTime: 6}}, false},
	{"log-double", webScope{most: [budgets]int{nLog: 1, nCut: 1, nDouble: 1, nTime: 2}}, false},
	{"progress", webScope{most: [budgets]int{nCall: 1, nProgress: 1, nCut: 1, nTime: 2}}, false},
	{"json", webScope{most: [budgets]int{nCall: 1, nProgress: 1, nCut: 1, nTime: 1}, json: true}, false},
	{"wipe", webScope{most: [budgets]int{nCall: 1, nWipe: 1, nTime: 2}}, false},
	{"restart", webScope{most: [budgets]int{nCall: 1, nRestart: 1, nTime: 1}}, false},
	{"ask", webScope{most: [budgets]int{nCall: 1, nAsk: 1, nCut: 1, nTime: 1}}, true},
	{"hang", webScope{most: [budgets]int{nCall: 1, nProgress: 1, nHang: 1, nCut: 1, nTime: 3}}, true},
	{"call", webScope{most: [budgets]int{nCall: 1, nProgress: 1, nCut: 2, nTime: 3}}, true},
	{"call-json", webScope{most: [budgets]int{nCall: 1, nProgress: 1, nCut: 2, nTime: 3}, json: true}, true},
	{"restart-progress", webScope{most: [budgets]int{nCall: 1, nProgress: 1, nRestart: 1, nCut: 1, nTime: 3}}, true},
	{"lossy", webScope{most: [budgets]int{nCall: 1, nProgress: 1, nLog: 1, nCut: 1, nTime: 4}, lossy: true}, true},
	{"processes", webScope{most: [budgets]int{nCall: 1, nKill: 1, nRefuse: 1}, processes: 2}, false},
	{"processes-progress", webScope{most: [budgets]int{nCall: 1, nProgress: 1, nKill: 1, nCut: 1}, processes: 2}, false},
	{"processes-lose", webScope{most: [budgets]int{nCall: 1, nLose: 1, nTime: 1}, processes: 1}, false},
	{"processes-lose-2", webScope{most: [budgets]int{nCall: 2, nLose: 1, nTime: 1}, processes: 1}, true},
	{"all-processes", webScope{most: [budgets]int{nCall: 3, nProgress: 3, nLog: 3, nAsk: 2, nCancel: 1, nCut: 4, nHang: 1, nKill: 3, nRefuse: 2, nLose: 2, nTime: 1000}, processes: 3, json: true}, true},
	{"all", webScope{most: [budgets]int{nCall: 3, nProgress: 3, nLog: 3, nAsk: 2, nCancel: 1, nCut: 6, nRestart: 2, nDouble: 2, nHang: 2, nTime: 1000}}, true},
	{"all-json", webScope{most: [budgets]int{nCall: 3, nProgress: 3, nLog: 3, nAsk: 2, nCancel: 1, nCut: 6, nRestart: 2, nDouble: 2, nHang: 2, nTime: 1000}, json: true}, true},
	{"all-wipe", webScope{most: [budgets]int{nCall: 4, nProgress: 3, nLog: 3, nAsk: 2, nCancel: 1, nCut: 4, nRestart: 1, nWipe: 2, nDouble: 1, nTime: 1000}}, true},
	{"all-lossy", webScope{most: [budgets]int{nCall: 4, nProgress: 4, nLog: 5, nAsk: 2, nCancel: 2, nCut: 8, nRestart: 2, nWipe: 1, nDouble: 2, nTime: 1000}, lossy: true, json: true}, true},
}

// webRules are the rules of the world of HTTP. Ids on connections are texts and written unchanged:
// budgets make the world finite.
var webRules = []explore.Rule{
	{At: "exchange.Order", As: explore.Origin, By: "clock"},
	{At: "exchange.posted.at", As: explore.Since, Most: time.Second, Why: "the grace is shorter"},
	{At: "exchange.Exchange.opt", As: explore.Skip, Why: "the same throughout"},
	{At: "exchange.Exchange.now", As: explore.Skip, Why: "never later than the time of the node"},
	{At: "exchange.Exchange.failure", As: explore.Present, Why: "why it is lost is told at once"},
	{At: "exchange.Exchange.at", As: explore.Until},
	{At: "exchange.Exchange.least", As: explore.Until},
	{At: "exchange.Exchange.opened", As: explore.Since, Most: 30 * time.Second, Why: "MaxWait"},
	{At: "streams.Streams.opt", As: explore.Skip, Why: "the same throughout"},
	{At: "streams.body", As: explore.Origin, By: "clock"},
	{At: "streams.body.listen", As: explore.Skip, Why: "stream.order says the same"},
	{At: "streams.stream.cut", As: explore.Skip, Why: "its store loses nothing"},
	{At: "streams.body.victims", As: explore.Skip, Why: "an index of the streams"},
	{At: "streams.body.answers", As: explore.Skip, Why: "an index of the streams"},
	{At: "worlds.web.now", As: explore.Skip, Why: "all instants are written from here"},
	{At: "worlds.web.conns", As: explore.Skip, Why: "above all numbers"},
	{At: "worlds.web.posted", As: explore.Skip, Why: "who is asked twice has two answers"},
	{At: "worlds.web.lost", As: explore.Present, Why: "whether there was any"},
	{At: "worlds.talk.first", As: explore.Skip, Why: "what x began as"},
	{At: "worlds.talk.conn", As: explore.Order},
	{At: "worlds.sock.conn", As: explore.Order, If: "alive"},
	{At: "worlds.wrun", As: explore.Server},
	{At: "worlds.wrun.call", As: explore.Call},
}

// newWeb returns the world of a scope.
func newWeb(name string, x webScope, revision string) *explore.World[web] {
	to := lifecycle.Timeouts{Request: time.Hour, Human: time.Hour, Initialize: 30 * time.Minute}
	x.streams = streams.Options{Keep: 20 * time.Minute}
	if x.lossy {
		to = lifecycle.Timeouts{Request: 5 * unit, Human: 5 * unit, Initialize: 5 * unit}
		x.streams = streams.Options{Keep: 2 * unit, MaxBytes: 700, MaxAnswers: 400, MaxListeners: 1, Idle: 3 * unit}
	}
	x.client = client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}, Serve: []string{"sampling/createMessage"}, Timeouts: to}
	if revision != "" {
		x.client.Revisions = []protocol.Revision{revisionOf(revision)}
	}
	x.server0 = server.Config{
		Info: protocol.Implementation{Name: "s", Version: "1"}, Serve: []string{"tools/call"}, Unlisted: true, Logging: true, Timeouts: to,
		Catalog: must(server.NewCatalog(server.Items{Tools: []protocol.Tool{{Name: "t", InputSchema: jsonrpc.Raw(`{"type":"object"}`)}}})),
	}
	x.form = explore.NewForm(origin, engineRules, webRules)
	root := web{now: origin, c: must(client.New(x.client, origin))}
	x.open(&root, quiet)
	if !x.begins {
		root = x.rest(root, quiet)
	}
	return &explore.World[web]{
		Name: "http/" + name, Root: root, Ops: webNames[:], Actions: x.actions, Step: x.step, Check: x.check, Rules: x.form,
		Form: func(w *web) []byte { return x.form.Append(w.now, w) },
	}
}

// check checks a new node.
func (x *webScope) check(w *web, r *explore.Report) {
	if err := w.c.Check(); err != nil {
		r.Fail("client: %v", err)
	}
	if w.live {
		if err := w.s.Check(); err != nil {
			r.Fail("server: %v", err)
		}
		if err := w.x.Check(); err != nil {
			r.Fail("streams: %v", err)
		}
		if r.Every(17) && w.s.Phase() == lifecycle.Ready {
			s, err := server.Restore(x.server0, w.s.Snapshot(), w.now)
			if err != nil {
				r.Fail("server.Restore: %v", err)
				return
			}
			y, err := streams.Restore(x.streams, w.x.Snapshot(), s, w.now)
			if err != nil || string(y.Snapshot()) != string(w.x.Snapshot()) {
				r.Fail("streams.Restore gives something else: %v", err)
			}
		}
	}
	if r.Every(5) {
		x.healed(*w, r)
	}
}

// rest continues without further faults until nothing happens.
func (x *webScope) rest(w web, r *explore.Report) web {
	calm := *x
	calm.most = [budgets]int{nTime: 1 << 30}
	order := []uint8{wopEvent, wopHead, wopArrive, wopTake, wopDetach, wopAnswer, wopRespond, wopBegin, wopTime}
	for range 600 {
		acts := calm.actions(nil, &w)
		next := soonest(acts, order)
		if next < 0 || acts[next].Op == wopTime && len(w.calls)+w.c.Status().Outbound == 0 && w.rested() {
			return w
		}
		w, _ = calm.step(w, acts[next], r)
	}
	r.Fail("it does not come to rest")
	return w
}

// rested reports whether nothing is under way.
func (w *web) rested() bool {
	for i := range w.talks {
		if k := &w.talks[i]; k.at != flowing || len(k.pipe) > 0 || k.eof || !k.get || k.x.Phase() == exchange.Waiting {
			return false
		}
	}
	return true
}

// healed checks what must hold after the last fault.
func (x *webScope) healed(w web, r *explore.Report) {
	w = x.rest(w, r)
	if w.c.Phase() != lifecycle.Ready || w.live && w.s.Phase() != lifecycle.Ready {
		r.Fail("at rest the client is %v, the server %v", w.c.Phase(), w.s.Phase())
		return
	}
	if c := w.c.Status(); len(w.calls)+c.Outbound+c.Inbound > 0 {
		r.Fail("at rest a call is open")
	}
	if _, waits := w.order.NextDeadline(); w.order.Waiting() > 0 || waits {
		r.Fail("at rest a message waits to be posted")
	}
	if slices.ContainsFunc(w.talks, func(k talk) bool { return !k.get }) {
		r.Fail("at rest there is an exchange of a message")
	}
	if !w.wiped && !w.excuse && !x.lossy && w.lost == 0 {
		for n := 1; n <= w.logs; n++ {
			if !slices.Contains(w.heard, n) {
				r.Fail("a message outside of calls never comes")
			}
		}
		if !slices.ContainsFunc(w.talks, func(k talk) bool { return k.get }) {
			r.Fail("at rest nobody listens to the server")
		}
	}
	x.ended(w, r)
}

// ended checks that nothing is kept once the client has left.
func (x *webScope) ended(w web, r *explore.Report) {
	if !w.live {
		return
	}
	w.talks, w.socks = nil, slices.Clone(w.socks)
	for range 20 {
		if len(w.socks) == 0 {
			break
		}
		x.network(&w, wopDetach, 0, r)
	}
	for range 50 {
		at, ok := w.x.NextDeadline()
		if !ok {
			break
		}
		w.now = at
		w.x, w.s, _ = w.x.Tick(w.s, at)
	}
	if w.x.Bytes() != 0 {
		r.Fail("%d bytes are kept for nobody", w.x.Bytes())
	}
}
