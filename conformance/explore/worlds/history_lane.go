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

// lane is a client and a server with their connection. Over HTTP, web contains the States and the
// network.
type lane struct {
	web
	up, down  []string // on a pipe
	mine      []owned  // requests of the client
	held      []holding
	inquiries []owned // requests of the server
	todo      []happened
	said      []string
}

// owned is a request, with the number of its purpose.
type owned struct {
	seq  uint64
	n    int
	list bool
}

// holding is a call that the application of the server holds.
type holding struct {
	seq, key uint64
	n        int
	ends     bool // it ends with the answer to the question
}

// happened is an event that an application has not handled.
type happened struct {
	server bool
	ev     lifecycle.Event
}

// laneKind is the configuration of a lane.
type laneKind struct {
	name      string
	speaks    string // the revision
	functions bool   // the server has functions, not a loop
	restored  bool   // between steps a State is kept only as a snapshot
	batches   bool
	http      bool
	json      bool // immediate answers are JSON
	cut       bool // all connections break before each exchange, and the newest ones are the fastest
	restarts  bool // the server restarts before each exchange
}

var laneKinds = [...]laneKind{
	{name: "loop", speaks: "2025-11-25"},
	{name: "restored", speaks: "2025-11-25", restored: true},
	{name: "functions", speaks: "2025-11-25", functions: true},
	{name: "batches", speaks: "2025-03-26", batches: true},
	{name: "http", speaks: "2025-11-25", http: true},
	{name: "http-cut", speaks: "2025-11-25", http: true, json: true, cut: true},
	{name: "http-restarted", speaks: "2025-11-25", http: true, restarts: true},
	{name: "stateless", speaks: "2026-07-28"},
	{name: "stateless-functions", speaks: "2026-07-28", functions: true, restored: true},
}

// laneSetup is a laneKind with what it needs.
type laneSetup struct {
	laneKind
	revision protocol.Revision
	client   client.Config
	server   server.Config
	web      webScope
}

// clone copies what is changed in place.
func (l *lane) clone() {
	l.talks, l.socks = slices.Clone(l.talks), slices.Clone(l.socks)
	l.up, l.down, l.mine, l.held, l.inquiries = slices.Clone(l.up), slices.Clone(l.down), slices.Clone(l.mine), slices.Clone(l.held), slices.Clone(l.inquiries)
	l.said = slices.Clone(l.said)
}

// watch records the events of an Output.
func (l *lane) watch(server bool, out *lifecycle.Output) {
	for _, ev := range out.Events {
		l.todo = append(l.todo, happened{server, ev})
	}
}

// client records a step of the client.
func (x *historyScope) client(c client.State, out client.Output) {
	l := x.cur
	l.c = c
	if x.kind.restored {
		l.c = must(client.Restore(x.kind.client, c.Snapshot(), l.now))
	}
	if x.kind.http {
		x.kind.web.sent(&l.web, out, quiet)
		return
	}
	l.watch(false, &out)
	l.up = texts(l.up, out)
}

// server records a step of the server.
func (x *historyScope) server(s server.State, out server.Output) {
	l := x.cur
	if x.kind.http {
		x.kind.web.server(&l.web, s, out, quiet)
		return
	}
	l.s = s
	if x.kind.restored {
		l.s = must(server.Restore(x.kind.server, s.Snapshot(), l.now))
	}
	l.watch(true, &out)
	l.down = texts(l.down, out)
}

func texts(list []string, out lifecycle.Output) []string {
	for i := range out.Send {
		list = append(list, string(jsonrpc.Append(nil, out.Send[i].Message)))
	}
	return list
}

// exchange continues until nothing is under way.
func (x *historyScope) exchange() {
	l := x.cur
	x.react()
	if x.kind.cut {
		for i := len(l.talks) - 1; i >= 0; i-- {
			if k := &l.talks[i]; k.at != nowhere && k.at != outbound {
				x.kind.web.closed(&l.web, i, quiet)
			}
		}
	}
	if x.kind.restarts {
		x.kind.web.network(&l.web, wopRestart, 0, quiet)
	}
	for range 1000 {
		if x.kind.http {
			if !x.traffic() {
				return
			}
		} else if !x.pipe() {
			return
		}
		x.react()
	}
	l.said = append(l.said, "never comes to rest")
}

// pipe delivers a message on a pipe, or lets time pass; false if there is nothing to do.
func (x *historyScope) pipe() bool {
	l := x.cur
	switch {
	case len(l.up) > 0:
		var m jsonrpc.Message
		if m, l.up = x.take(l.up); x.kind.functions {
			x.server(x.inline.Receive(l.s, l.now, m))
		} else {
			x.server(l.s.Receive(l.now, m))
		}
	case len(l.down) > 0:
		var m jsonrpc.Message
		m, l.down = x.take(l.down)
		x.client(l.c.Receive(l.now, m))
	default:
		at, ok := l.s.NextDeadline()
		if !ok || at.Sub(l.now) > 2*unit {
			return false
		}
		l.now = at
		x.server(l.s.Tick(l.now))
	}
	return true
}

// take removes what is delivered at once.
func (x *historyScope) take(list []string) (jsonrpc.Message, []string) {
	if !x.kind.batches || len(list) == 1 || x.cur.c.Phase() != lifecycle.Ready {
		return jsonrpc.DecodeString(list[0]), list[1:]
	}
	var all []jsonrpc.Message
	for _, text := range list {
		all = append(all, jsonrpc.DecodeString(text))
	}
	return jsonrpc.DecodeString(string(jsonrpc.Append(nil, jsonrpc.BatchOf(all...)))), nil
}

// traffic does the next step over HTTP; false if there is none.
func (x *historyScope) traffic() bool {
	l := x.cur
	acts := x.kind.web.actions(nil, &l.web)
	if x.kind.cut { // other connections are faster here
		slices.Reverse(acts)
	}
	for _, op := range []uint8{wopEvent, wopHead, wopArrive, wopDetach, wopBegin} {
		if i := slices.IndexFunc(acts, func(a explore.Action) bool { return a.Op == op }); i >= 0 {
			x.kind.web.network(&l.web, op, int(acts[i].Arg), quiet)
			return true
		}
	}
	at, ok := l.web.deadline()
	waits := slices.ContainsFunc(l.talks, func(k talk) bool { return k.x.Phase() == exchange.Waiting })
	if ok && (waits || at.Sub(l.now) <= 2*unit) || l.order.Waiting() > 0 {
		x.kind.web.network(&l.web, wopTime, 0, quiet)
		return true
	}
	return false
}

// newHistory returns the world of a scope.
func newHistory(name string, x historyScope) *explore.World[histories] {
	object := jsonrpc.Raw(`{"type":"object"}`)
	for _, tool := range historyTools {
		x.items[0].Tools = append(x.items[0].Tools, protocol.Tool{Name: tool, InputSchema: object})
	}
	x.items[1].Tools = append(slices.Clone(x.items[0].Tools), protocol.Tool{Name: "more", InputSchema: object})
	for i := range x.items {
		x.lists[i] = must(server.NewCatalog(x.items[i]))
	}
	p := &x
	p.functions()
	never := lifecycle.Timeouts{Request: lifecycle.NoTimeout, Human: lifecycle.NoTimeout, Maximum: lifecycle.NoTimeout}
	var n histories
	for i, k := range laneKinds {
		rev := revisionOf(k.speaks)
		s := laneSetup{laneKind: k, revision: rev}
		s.client = client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}, Serve: []string{"sampling/createMessage"}, Timeouts: never, Revisions: []protocol.Revision{rev}}
		s.server = server.Config{
			Info: protocol.Implementation{Name: "s", Version: "1"}, Catalog: p.lists[0], Serve: []string{"tools/call"}, Logging: true, Timeouts: never,
			ListChanged: protocol.CapToolsListChanged, ChangeDelay: unit, Revisions: protocol.AllRevisions(),
		}
		s.web = webScope{most: [budgets]int{nTime: 1 << 30}, json: k.json, client: s.client, server0: s.server, streams: streams.Options{Keep: 20 * time.Minute}}
		s.web.watch = func(server bool, out *lifecycle.Output) { p.cur.watch(server, out) }
		p.kinds[i] = s
		l := &n.lanes[i]
		l.now, l.c, l.s = origin, must(client.New(s.client, origin)), must(server.New(s.server, origin))
		p.turn(&n, i)
		if k.http {
			p.kind.web.open(&l.web, quiet)
		} else {
			c, out, err := l.c.Connect(l.now, "")
			must(c, err)
			p.client(c, out)
		}
		kind := *p.kind
		p.kind.cut, p.kind.restarts = false, false
		p.exchange()
		p.kind.cut, p.kind.restarts = kind.cut, kind.restarts
		if l.c.Phase() != lifecycle.Ready || l.c.Revision() != rev {
			panic("worlds: no connection: " + k.name)
		}
		l.said = nil
	}
	p.form = explore.NewForm(origin, engineRules, historyRules)
	return &explore.World[histories]{
		Name: "history/" + name, Root: n, Ops: historyNames[:], Actions: p.actions, Step: p.step, Check: p.check, Rules: p.form,
		Form: func(n *histories) []byte {
			a, b := &n.lanes[0], &n.lanes[7]
			return p.form.Append(a.now, &n.agenda, &a.c, &a.s, &b.c, &b.s)
		},
	}
}

// historyRules are the rules of the agenda. The other lanes follow from it, or their histories differ.
var historyRules = []explore.Rule{
	{At: "worlds.agenda.last", As: explore.Skip, Why: "above all numbers"},
	{At: "worlds.hcall.n", As: explore.Order},
}
