package worlds

import (
	"reflect"
	"slices"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/conformance/explore"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol"
)

// managerScope limits the world of a Manager.
type managerScope struct {
	ops                            string   // letters, see managerLetters
	names                          []string // one or two
	most                           int      // open operations
	links                          int      // transports before no other is opened
	attempts                       int
	health, breaker, alone, demand bool // alone: not supervised
	fallback                       bool
	dual                           bool // the server may have no sessions

	on   [managerOps]bool
	cfg  manager.Config
	opt  manager.Options
	form *explore.Form
}

var managerLetters = map[rune][]uint8{
	'c': {mopConnect}, 'R': {mopReplace}, 'n': {mopReconnect}, 'g': {mopDemand}, 'd': {mopDisconnect}, 'D': {mopDisconnectAll}, 'r': {mopRequest},
	'l': {mopList}, 'e': {mopError, mopMore}, 'p': {mopPing}, 's': {mopSubscribe}, 'u': {mopUnsubscribe}, 'v': {mopLevel}, 'h': {mopHealth}, 'x': {mopCancel},
	'o': {mopOpened, mopShake}, 'O': {mopOpenFailed}, 'b': {mopRefuse}, 'B': {mopOldVersion}, 'L': {mopLost}, 'C': {mopClosed}, 'E': {mopReply},
	'f': {mopSendFailed}, 't': {mopResponseLost}, 'q': {mopAsk}, 'k': {mopUnask}, 'a': {mopAnswer}, 'w': {mopWithin}, 'F': {mopFound}, 'K': {mopAck}, 'N': {mopNeedless}, 'P': {mopPause, mopResume}, 'T': {mopTime},
}

var managerScopes = []struct {
	name    string
	scope   managerScope
	nightly bool
}{
	{"connect", managerScope{ops: "coObBLCdT", most: 2, links: 2, attempts: 3}, false},
	{"alone", managerScope{ops: "coObBLCdTn", most: 2, links: 2, attempts: 3, alone: true}, false},
	{"demand", managerScope{ops: "cgorELOCdTn", most: 2, links: 2, attempts: 2, alone: true, demand: true}, false},
	{"replace", managerScope{ops: "cRnoObLCdDT", most: 2, links: 3, attempts: 2}, false},
	{"breaker", managerScope{ops: "coObLCdhnT", most: 2, links: 2, breaker: true}, false},
	{"fallback", managerScope{ops: "coObBLCdnT", most: 2, links: 3, attempts: 2, fallback: true}, false},
	{"request", managerScope{ops: "corREeLCdTxft", most: 2, links: 2, attempts: 2}, false},
	{"person", managerScope{ops: "coPrELCT", most: 2, links: 1, attempts: 2}, false},
	{"list", managerScope{ops: "colEexLCdT", most: 2, links: 2, attempts: 2}, false},
	{"ping", managerScope{ops: "copExLCT", most: 2, links: 2, attempts: 2, health: true}, false},
	{"check", managerScope{ops: "cohExT", most: 2, links: 2, attempts: 2}, true},
	{"asks", managerScope{ops: "coqaekLCdTw", most: 2, links: 2, attempts: 2}, false},
	{"subscribe", managerScope{ops: "cosuEeLnCvT", most: 2, links: 2, attempts: 2}, false},
	{"dual", managerScope{ops: "coObFKELNT", most: 1, links: 2, attempts: 2, health: true, dual: true}, false},
	{"dual-subscribe", managerScope{ops: "coFKEsuT", most: 1, links: 2, attempts: 2, health: true, dual: true}, false},
	{"two", managerScope{ops: "coOrELCdDT", names: []string{"a", "b"}, most: 2, links: 3, attempts: 2}, true},
	{"health", managerScope{ops: "cohExLCdT", most: 3, links: 2, attempts: 2}, true},
	{"all", managerScope{ops: "cRnoObBrxEelphqakLCdDftsT", most: 2, links: 2, attempts: 2}, true},
	{"all-2", managerScope{ops: "cRnoObBrxEelphqakLCdDftsT", names: []string{"a", "b"}, most: 3, links: 3, attempts: 2, health: true, breaker: true}, true},
}

// managerRules are those of the world of a Manager.
var managerRules = []explore.Rule{
	{At: "manager.Manager", As: explore.Origin, By: "clock"},
	{At: "manager.Manager.env", As: explore.Skip, Why: "the same throughout"},
	{At: "manager.Manager.step", As: explore.Skip, Why: "it only counts"},
	{At: "manager.Manager.epochs", As: explore.Skip, Why: "above all epochs; the next is one more"},
	{At: "manager.Manager.seq", As: explore.Skip, Why: "above all operations; the next is one more"},
	{At: "manager.Manager.numbers", As: explore.Skip, Why: "above all numbers; the next is one more"},
	{At: "manager.Manager.late", As: explore.Skip, Why: "it only counts"},
	{At: "manager.Manager.random", As: explore.Skip, Why: "the worlds have no jitter"},
	{At: "manager.Manager.conns", Key: explore.Order},
	{At: "manager.Manager.names", As: explore.Skip, Why: "an index of conns"},
	{At: "manager.Manager.closing", Key: explore.Epoch},
	{At: "manager.Manager.ops", Key: explore.Op},
	{At: "manager.conn", As: explore.Scope, By: "epoch"},
	{At: "manager.rare.number", As: explore.Order},
	{At: "manager.rare.set", As: explore.Skip, Why: "all connections of a scope have the same Options"},
	{At: "manager.rare.since", As: explore.Skip, Why: "for Status"},
	{At: "manager.conn.epoch", As: explore.Epoch},
	{At: "manager.conn.seen", As: explore.Skip, Why: "the time of a State, as engine.clock.now"},
	{At: "manager.conn.until", As: explore.Until},
	{At: "manager.rare.err", As: explore.Present, Why: "its text is for Status"},
	{At: "manager.rare.readyCount", As: explore.Skip, Why: "it only counts"},
	{At: "manager.rare.failures", As: explore.Custom, Call: few, Why: "five are as many as more: the delay has its cap"},
	{At: "manager.rare.latency", As: explore.Present, Why: "beside Status it says whether a ping was ever answered"},
	{At: "manager.conn.ping", As: explore.Until},
	{At: "manager.conn.heard", As: explore.Since, If: "pinging"},
	{At: "manager.conn.purposes", Key: explore.Own},
	{At: "manager.rare.listens", As: explore.Own},
	{At: "manager.rare.acked", As: explore.Own},
	{At: "manager.conn.again", As: explore.Until},
	{At: "manager.purpose.op", As: explore.Op},
	{At: "manager.purpose.sent", As: explore.Skip, Why: "for the latency that is told"},
	{At: "manager.waiter.op", As: explore.Op},
	{At: "manager.wanted.order", Key: explore.Ours, Why: "these numbers have nothing to do with others"},
	{At: "manager.wanted.by", As: explore.Skip, Why: "an index of order"},
	{At: "manager.wanted.last", As: explore.Skip, Why: "above all numbers; the next is one more"},
	{At: "manager.resume.left", Key: explore.Order},
	{At: "manager.closing.since", As: explore.Skip, Why: "for the text of an error"},
	{At: "manager.op.req", As: explore.Skip, Why: "purpose.op says the same"},
	{At: "manager.op.sent", As: explore.Since, Most: 4 * unit, Live: func(op reflect.Value) bool {
		return op.FieldByName("req").Uint() != 0 && op.FieldByName("list").IsNil()
	}},
	{At: "manager.listing.until", As: explore.Until},
	{At: "manager.listing.fresh", As: explore.Until},
	{At: "manager.Link.Epoch", As: explore.Epoch},
	{At: "manager.Checkup.Latency", As: explore.Skip, Why: "what is told"},
	{At: "manager.Checkup.Err", As: explore.Present, Why: "what is told"},
	{At: "client.Pager.list", As: explore.Shared},
	{At: "client.Pager.epoch", As: explore.Skip, Why: "that of the connection, with which it ends"},
	{At: "client.Pager.req", As: explore.Skip, Why: "purpose.op says the same"},
	{At: "backoff.Breaker.opt", As: explore.Skip, Why: "the same throughout"},
	{At: "backoff.Breaker.now", As: explore.Skip, Why: "never later than the time of the node"},
	{At: "backoff.Breaker.until", As: explore.Until},
	{At: "worlds.managed.now", As: explore.Skip, Why: "all instants are written from here"},
	{At: "worlds.managed.last", As: explore.Skip, Why: "above all numbers"},
	{At: "worlds.managed.dead", As: explore.Skip, Why: "any link that is over will do"},
	{At: "worlds.mlink", As: explore.Scope, By: "epoch"},
	{At: "worlds.mlink.epoch", As: explore.Epoch},
	{At: "worlds.mlink.asked", As: explore.Skip, Why: "above all ids of the server; the next is one more"},
	{At: "worlds.mreq.id", As: explore.Own},
	{At: "worlds.mask.id", As: explore.Peer},
	{At: "worlds.mop.seq", As: explore.Op},
	{At: "worlds.mop.from", As: explore.Skip, Why: "its time is bounded by deadlines of the Manager, which are written"},
}

// newManager returns the world of a scope.
func newManager(name string, x managerScope, revision string) *explore.World[managed] {
	for _, letter := range x.ops {
		for _, op := range managerLetters[letter] {
			x.on[op] = true
		}
	}
	if x.names == nil {
		x.names = []string{"a"}
	}
	x.cfg = manager.Config{
		Client:    client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}, Serve: []string{"sampling/createMessage"}},
		Timeouts:  manager.Timeouts{Connect: 3 * unit, Request: 2 * unit, Maximum: 4 * unit, Ping: unit, Close: unit, Inbound: 2 * unit},
		Health:    manager.Health{Interval: lifecycle.NoTimeout},
		Backoff:   backoff.Policy{Base: unit, Cap: 2 * unit, Attempts: x.attempts},
		StableFor: 2 * unit,
		Budget:    manager.Budget{Total: 2 * unit},
	}
	if revision != "" {
		x.cfg.Client.Revisions = []protocol.Revision{protocol.Revisions()[0], revisionOf(revision)}
	}
	if x.on[mopPause] {
		x.cfg.Client.Timeouts.Human = 5 * unit
	}
	if x.dual {
		x.cfg.Client.Revisions = protocol.AllRevisions()
	}
	if x.health {
		x.cfg.Health = manager.Health{Interval: 2 * unit, Misses: 2}
	}
	if x.breaker {
		x.cfg.Breaker = backoff.BreakerOptions{Threshold: 2, Cooldown: 2 * unit}
	}
	x.opt = manager.Options{Endpoint: "x", Supervise: !x.alone, OnDemand: x.demand, Resubscribe: x.on[mopSubscribe]}
	if x.fallback {
		x.opt.Fallbacks = []manager.Fallback{{Endpoint: "y"}}
	}
	x.form = explore.NewForm(origin, engineRules, managerRules)
	return &explore.World[managed]{
		Name: "manager/" + name, Root: managed{m: must(manager.New(x.cfg, origin)), now: origin}, Ops: managerNames[:],
		Actions: x.actions, Step: x.step, Check: x.check, Rules: x.form,
		Form: func(w *managed) []byte { return x.form.Append(w.now, w) },
	}
}

func (x *managerScope) same(a, b *managed) bool { return x.form.Same(a.now, a, b.now, b) }

// longest is how long an operation may take. The time stops while a server asks.
func (x *managerScope) longest(kind uint8) time.Duration {
	switch {
	case kind == mopHealth, kind == mopConnect && x.opt.Resubscribe:
		return 6 * unit
	case kind == mopConnect && x.on[mopPause]: // a person comes at the last moment, and then the server has its time
		return 3*unit + 5*unit + 3*unit
	case kind == mopRequest && x.on[mopPause]:
		return 4 * unit
	case kind == mopConnect: // with all that it falls back to
		return 3 * unit
	case kind == mopDisconnect || kind == mopPing:
		return unit
	case x.on[mopAsk]:
		return 4 * unit
	}
	return 2 * unit
}

// check checks a new node.
func (x *managerScope) check(w *managed, r *explore.Report) {
	if err := w.m.Check(); err != nil {
		r.Fail("%v", err)
	}
	n := 0
	for st := range w.m.Statuses() {
		if st.Condition.Live() {
			n++
			if l := w.link(st.Link.Epoch); l == nil || l.state >= linkClosing || (l.state == linkOpening) != (st.Condition == manager.Connecting) {
				r.Fail("a connection without its transport")
			}
		}
	}
	for st := range w.m.Closing() {
		n++
		if l := w.link(st.Link.Epoch); l == nil || l.state < linkClosing {
			r.Fail("a connection without its transport")
		}
	}
	if n != len(w.links) {
		r.Fail("%d transports for %d connections", len(w.links), n)
	}
	if at, ok := w.m.NextDeadline(); ok && !at.After(w.now) {
		r.Reach("due at once")
	} else if m, e := w.m.Tick(w.now); !e.IsZero() {
		r.Fail("an early Tick does something")
	} else if next := *w; true {
		if next.m = m; !x.same(w, &next) {
			r.Fail("an early Tick changes something")
		}
	}
	if r.Every(7) {
		x.refused(w, r)
		x.probe(w, r)
	}
	if x.dual && r.Every(5) {
		x.hears(*w, r)
	}
	if r.Every(11) {
		x.ends(*w, r)
	}
	if r.Every(61) {
		x.restored(w, r)
	}
}

// probe checks that reports of ended, closing or unknown links do nothing.
func (x *managerScope) probe(w *managed, r *explore.Report) {
	links := []manager.Link{{Server: "a", Epoch: w.last[1] + 100}}
	if !w.dead.IsZero() {
		links = append(links, w.dead)
	}
	last := []manager.ReportKind{manager.OpenFailed, manager.Ended}
	for i := range w.links {
		l := w.links[i].link()
		if w.links[i].state >= linkClosing {
			links = append(links, l)
		}
		links = append(links, manager.Link{Server: l.Server + "x", Epoch: l.Epoch})
	}
	for _, l := range links {
		for kind := manager.Opened; kind <= manager.Ended; kind++ {
			if at := w.link(l.Epoch); at != nil && at.link() == l && slices.Contains(last, kind) {
				continue // they end a closing link
			}
			for _, text := range []string{`{"jsonrpc":"2.0","id":2,"result":{"content":[]}}`, `{"jsonrpc":"2.0","id":9,"method":"ping"}`} {
				m, e := w.m.Report(w.now, manager.Report{Kind: kind, Link: l, Message: jsonrpc.DecodeString(text)})
				next := *w
				if next.m = m; !e.IsZero() || !x.same(w, &next) || m.LateReports() != w.m.LateReports()+1 {
					r.Fail("a report of a link that is not open does something: %v", kind)
				}
			}
		}
	}
}

// refused checks that a failing verb changes nothing.
func (x *managerScope) refused(w *managed, r *explore.Report) {
	for what, verb := range []func() (manager.Manager, manager.Effects, error){
		func() (manager.Manager, manager.Effects, error) {
			return w.m.Request(w.now, "nobody", protocol.PingParams{}, manager.RequestOptions{})
		},
		func() (manager.Manager, manager.Effects, error) {
			return w.m.Request(w.now, "a", protocol.CallToolParams{Name: "t"}, manager.RequestOptions{Timeout: -2})
		},
		func() (manager.Manager, manager.Effects, error) {
			return w.m.List(w.now, "a", "ping", manager.Budget{})
		},
		func() (manager.Manager, manager.Effects, error) { return w.m.Cancel(w.now, manager.OpOf(1<<40), "") },
		func() (manager.Manager, manager.Effects, error) { return w.m.Reconnect(w.now, "nobody") },
	} {
		if m, e, err := verb(); err == nil || m != w.m || !e.IsZero() {
			r.Fail("verb %d: a refused verb does something, or is not refused", what)
		}
	}
}

// ends checks that nothing remains after the end.
func (x *managerScope) ends(w managed, r *explore.Report) {
	w.links, w.ops = slices.Clone(w.links), slices.Clone(w.ops)
	m, e := w.m.DisconnectAll(w.now)
	w.m = m
	w, _ = x.taken(w, e, nil, mopDisconnectAll, mopDisconnect, r)
	for range 20 {
		at, ok := w.m.NextDeadline()
		if !ok {
			break
		}
		w.now = at
		w.m, e = w.m.Tick(at)
		w, _ = x.taken(w, e, nil, mopTime, 0, r)
	}
	if len(w.ops) > 0 || len(w.links) > 0 || w.m.Len() > 0 && !x.demand {
		r.Fail("after the end there are %d operations, %d transports, %d names", len(w.ops), len(w.links), w.m.Len())
	}
}

// restored checks that a restored snapshot continues like the original.
func (x *managerScope) restored(w *managed, r *explore.Report) {
	was := *w
	was.m, _ = w.m.Tick(w.now) // a snapshot counts from the last step, so expired deadlines are handled first
	m, err := manager.Restore(x.cfg, was.m.Snapshot(), w.now, func(string) (manager.Options, bool) { return x.opt, true })
	if err != nil {
		r.Fail("Restore: %v", err)
		return
	}
	back := was
	if back.m = m; !x.same(&was, &back) {
		r.Fail("what a snapshot comes back as is another Manager: %s", x.form.Difference(w.now, &was, &back))
		return
	}
	for _, a := range x.actions(nil, &was) {
		there, ok := x.step(was, a, quiet)
		again, ok2 := x.step(back, a, quiet)
		if ok != ok2 || ok && !x.same(&there, &again) {
			r.Fail("what a snapshot comes back as goes on in another way: %s", managerNames[a.Op])
		}
	}
}
