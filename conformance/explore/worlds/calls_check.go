package worlds

import (
	"reflect"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/calls"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/conformance/explore"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol"
)

// callsScope limits the world of a Caller.
type callsScope struct {
	ops      string // letters, see callsLetters
	most     int    // open calls
	attempts int
	unsafe   bool // calls that may have run are repeated
	trusted  bool // the tools say that repeating does no harm
	hold     bool // the servers are not ready yet
	demand   bool // they are opened on demand
	lane     bool // one call at a time
	modern   bool // the servers have no sessions
	two      bool // a second server has a tool with the same name, which answers before time passes

	on             [callsOps]bool
	attempt, total time.Duration
	cfg            calls.Config
	servers        []string
	form           *explore.Form
	end            string // what remains after the end
}

func callsLinks(ops ...uint8) []uint8 { return linksFrom(kopLinks, ops) }

var callsLetters = map[rune][]uint8{
	'K': callsLinks(mopFound, mopAck), 'k': {kopCall}, 'l': {kopLocal}, 'x': {kopCancel}, 'F': {kopFinish, kopFail}, 'a': {kopAnswer}, 'X': {kopClose}, 'T': {kopTime},
	'o': callsLinks(mopOpened, mopShake), 'O': callsLinks(mopOpenFailed), 'L': callsLinks(mopLost), 'C': callsLinks(mopClosed), 'E': callsLinks(mopReply),
	'e': callsLinks(mopError), 'f': callsLinks(mopSendFailed), 't': callsLinks(mopResponseLost), 'q': callsLinks(mopAsk), 'Q': callsLinks(mopUnask),
}

var callsScopes = []struct {
	name    string
	scope   callsScope
	nightly bool
}{
	{"once", callsScope{ops: "koEeftxT", most: 1, attempts: 1}, false},
	{"again", callsScope{ops: "koEftxT", most: 1, attempts: 2}, false},
	{"unsafe", callsScope{ops: "koEefLT", most: 1, attempts: 2, unsafe: true}, false},
	{"trusted", callsScope{ops: "koEtLT", most: 1, attempts: 2, trusted: true}, false},
	{"hold", callsScope{ops: "koOEexT", most: 1, attempts: 2, hold: true}, false},
	{"demand", callsScope{ops: "koOET", most: 1, attempts: 2, demand: true}, false},
	{"lane", callsScope{ops: "koExT", most: 2, attempts: 1, lane: true}, false},
	{"local", callsScope{ops: "lFxT", most: 2, attempts: 2}, false},
	{"two", callsScope{ops: "koELT", most: 1, attempts: 2, unsafe: true, two: true}, false},
	{"close", callsScope{ops: "klFoEXT", most: 2, attempts: 1}, false},
	{"asks", callsScope{ops: "koEqQaxT", most: 1, attempts: 1}, false},
	{"stateless", callsScope{ops: "koKEexL", most: 1, attempts: 2, modern: true}, false},
	{"stateless-lost", callsScope{ops: "koKELT", most: 1, attempts: 1, modern: true}, true},
	{"all-stateless", callsScope{ops: "klFoKOEeftxLXT", most: 2, attempts: 2, modern: true}, true},
	{"all", callsScope{ops: "klFoOEeftxLT", most: 2, attempts: 2}, true},
	{"all-2", callsScope{ops: "koEeftxqQaLXT", most: 2, attempts: 2, two: true}, true},
}

// callsRules are the rules of the world of a Caller, in addition to those of a Catalog.
var callsRules = []explore.Rule{
	{At: "catalog.reading.stamp", As: explore.Since, Most: 4 * unit, If: "list", Why: "no call takes longer, and nothing is stale in so short a time"},
	{At: "catalog.reading.asked", As: explore.Since, Most: 4 * unit, If: "began", Why: "as stamp, which it becomes"},
	{At: "catalog.source.since", As: explore.Since, Most: 4 * unit, Live: demanded, Why: "for calls that wait for a server that is opened on demand"},
	{At: "catalog.item.uid", As: explore.Ours, Why: "these numbers have nothing to do with others"},
	{At: "catalog.list.version", As: explore.Skip, Why: "it tells lists apart for others"},
	{At: "catalog.Item.Number", As: explore.Ours},
	{At: "catalog.Item.Kind", As: explore.Skip, Why: "there are tools alone"},
	{At: "catalog.Item.Health", As: explore.Skip, Why: "as it was when the call was bound"},
	{At: "catalog.Item.Stale", As: explore.Skip, Why: "as it was when the call was bound"},
	{At: "calls.Caller.form", As: explore.Skip, Why: "the same throughout"},
	{At: "calls.Caller.whole", As: explore.Skip, Why: "the same throughout"},
	{At: "calls.Caller.last", As: explore.Skip, Why: "above all calls; the next is one more"},
	{At: "calls.Caller.calls", Key: explore.Call},
	{At: "calls.Caller.ops", Key: explore.Op},
	{At: "calls.Caller.waits", As: explore.Custom, Call: waiting},
	{At: "calls.Tools.used", As: explore.Custom, Call: known, Why: "the definition follows from the item"},
	{At: "calls.Binding.Tool", As: explore.Skip, Why: "it follows from the item"},
	{At: "calls.doing.due", As: explore.Until},
	{At: "calls.doing.since", As: explore.Since, Most: 4 * unit, Why: "no call takes longer"},
	{At: "calls.doing.seen", As: explore.Ours},
	{At: "attempt.CallID", As: explore.Call},
	{At: "attempt.Executor", As: explore.Origin, By: "clock"},
	{At: "attempt.Executor.cfg", As: explore.Skip, Why: "the same throughout"},
	{At: "attempt.Executor.calls", Key: explore.Call},
	{At: "attempt.Executor.batches", Key: explore.Order},
	{At: "attempt.Executor.ready", Key: explore.Order},
	{At: "attempt.Executor.random", As: explore.Skip, Why: "the worlds have no jitter"},
	{At: "attempt.Executor.lastCall", As: explore.Skip, Why: "above all calls; the next is one more"},
	{At: "attempt.Executor.lastBatch", As: explore.Skip, Why: "above all batches; the next is one more"},
	{At: "attempt.Executor.ticket", As: explore.Skip, Why: "above all tickets; the next is one more"},
	{At: "attempt.Executor.steps", As: explore.Skip, Why: "it only counts"},
	{At: "attempt.Executor.begun", As: explore.Skip, Why: "it only counts"},
	{At: "attempt.Executor.ended", As: explore.Skip, Why: "it only counts"},
	{At: "attempt.Executor.late", As: explore.Skip, Why: "it only counts"},
	{At: "attempt.call.step", As: explore.Skip, Why: "it says something within a step"},
	{At: "attempt.call.started", As: explore.Skip, Why: "for Elapsed"},
	{At: "attempt.call.deadline", As: explore.Until},
	{At: "attempt.call.ticket", As: explore.Order},
	{At: "attempt.call.last", As: explore.Present, Why: "what is told of the attempt before"},
	{At: "attempt.spec.policy", As: explore.Skip, Why: "the same throughout"},
	{At: "attempt.spec.fault", As: explore.Present, Why: "what is told"},
	{At: "attempt.spec.batch", As: explore.Order},
	{At: "attempt.lane.opt", As: explore.Skip, Why: "the same throughout"},
	{At: "attempt.lane.queue", Key: explore.Order},
	{At: "attempt.lane.bucket", As: explore.Skip, Why: "the worlds have no rate"},
	{At: "attempt.lane.head", As: explore.Order},
	{At: "worlds.tried.from", As: explore.Skip, Why: "its time is bounded by deadlines of the Executor, which are written"},
	{At: "worlds.tried.rest", As: explore.Since, Most: unit, Why: "the delay between attempts is no longer"},
	{At: "worlds.sentAt", As: explore.Scope, By: "epoch"},
	{At: "worlds.sentAt.epoch", As: explore.Epoch},
	{At: "worlds.sentAt.id", As: explore.Own},
	{At: "worlds.sentAt.since", As: explore.Skip, Why: "its time is bounded by deadlines of the Executor, which are written"},
}

func demanded(source reflect.Value) bool { return source.FieldByName("demand").Bool() }

// waiting writes which calls wait for which server.
func waiting(f *explore.Form, v reflect.Value) {
	for leaf := range explore.Leaves(v) {
		f.Int(int64(leaf.FieldByName("Key").Uint()))
		for call := range explore.Leaves(leaf.FieldByName("V")) {
			f.Number(explore.Call, 0, call.FieldByName("Key").Uint())
		}
	}
}

// known writes the numbers of the items whose definitions are kept.
func known(f *explore.Form, v reflect.Value) {
	for leaf := range explore.Leaves(v) {
		f.Number(explore.Ours, 0, leaf.FieldByName("V").Elem().FieldByName("number").Uint())
	}
}

// newCalls returns the world of a scope.
func newCalls(name string, x callsScope, revision string) *explore.World[calling] {
	for _, letter := range x.ops {
		for _, op := range callsLetters[letter] {
			x.on[op] = true
		}
	}
	x.attempt, x.total = 2*unit, 4*unit
	x.servers = []string{"a", "b"}[:1]
	sources := []catalog.Source{{Name: "a"}}
	if x.two {
		x.servers, sources = []string{"a", "b"}, append(sources, catalog.Source{Name: "b"})
	}
	x.cfg = calls.Config{
		Manager: manager.Config{
			Client:    client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}, Serve: []string{"sampling/createMessage"}},
			Timeouts:  manager.Timeouts{Connect: 2 * unit, Request: 2 * unit, Maximum: 4 * unit, Ping: unit, Close: unit, Inbound: 2 * unit},
			Health:    manager.Health{Interval: lifecycle.NoTimeout},
			Backoff:   backoff.Policy{Base: unit, Cap: unit},
			StableFor: unit,
		},
		Catalog: catalog.Config{
			Sources: sources, Local: []protocol.Tool{{Name: "l", InputSchema: `{"type":"object"}`}}, Naming: naming.Policy{Names: naming.Plain},
			Total: 2 * unit, MinInterval: unit, Retry: backoff.Policy{Base: unit, Cap: unit},
		},
		Attempts: attempt.Config{Policy: attempt.Policy{
			Attempt: x.attempt, Total: x.total, Retry: backoff.Policy{Base: unit, Cap: unit, Attempts: x.attempts}, RetryUnsafe: x.unsafe,
		}},
	}
	if x.modern {
		x.cfg.Manager.Client.Revisions = protocol.AllRevisions()
	}
	if x.lane {
		x.cfg.Attempts.Lane.Running = 1
	}
	if revision != "" {
		x.cfg.Manager.Client.Revisions = []protocol.Revision{protocol.Revisions()[0], revisionOf(revision)}
	}
	x.form = explore.NewForm(origin, engineRules, managerRules, catalogRules, callsRules)
	w := calling{net: managed{now: origin}, c: must(calls.New(x.cfg, origin))}
	for _, server := range x.servers {
		c, out, err := w.c.Manage(origin, func(m manager.Manager) (manager.Manager, manager.Effects, error) {
			return m.Connect(origin, server, manager.Options{Endpoint: "x", Supervise: !x.demand, OnDemand: x.demand, TrustAnnotations: x.trusted})
		})
		w.c = must(c, err)
		w.net.ops = append(w.net.ops, mop{seq: out.Op.Seq(), kind: mopConnect, from: origin})
		w = x.taken(w, explore.Action{}, out, quiet)
	}
	if !x.hold {
		w = x.calm(w, quiet, func(w *calling) bool { return false })
	}
	x.end = x.ended(w, quiet)
	return &explore.World[calling]{
		Name: "calls/" + name, Root: w, Ops: callsNames, Actions: x.actions, Step: x.step, Check: x.check, Rules: x.form,
		Form: func(w *calling) []byte { return x.form.Append(w.net.now, w) },
	}
}

func (x *callsScope) same(a, b *calling) bool { return x.form.Same(a.net.now, a, b.net.now, b) }

// check checks a new node.
func (x *callsScope) check(w *calling, r *explore.Report) {
	if err := w.c.Check(); err != nil {
		r.Fail("%v", err)
	}
	if st := w.c.Status(); st.Running+st.Waiting != len(w.calls) {
		r.Fail("the books have %d calls, the Caller %d", len(w.calls), st.Running+st.Waiting)
	}
	for _, c := range w.calls {
		if w.net.now.Sub(c.from) >= x.total {
			r.Fail("a call takes too long")
		}
	}
	for i := range w.net.links {
		l := &w.net.links[i]
		for _, q := range l.reqs {
			if q.method == "tools/call" && w.asked(l.epoch, q.id) == nil {
				r.Fail("a server works on a call that has ended")
			}
		}
	}
	next := *w
	var out calls.Output
	if next.c, out = w.c.Tick(w.net.now); !silent(out) || !x.same(w, &next) {
		if at, ok := w.c.NextDeadline(); !ok || at.After(w.net.now) {
			r.Fail("an early Tick does something")
		}
	}
	if r.Every(5) {
		x.refuses(w, r)
	}
	if r.Every(19) {
		x.heals(*w, r)
	}
	if r.Every(7) {
		if end := x.ended(*w, r); end != x.end && !x.demand { // such a server stays, with its last status
			r.Fail("something is kept after the end")
		}
	}
}

// silent reports whether an Output is empty.
func silent(out calls.Output) bool {
	return nothing(out.Update) && len(out.LocalStop)+len(out.LocalStart)+len(out.Progress)+len(out.Done)+len(out.Batches) == 0
}

// refuses checks that a failing verb, and a late outcome, change nothing.
func (x *callsScope) refuses(w *calling, r *explore.Report) {
	now, bad := w.net.now, attempt.Policy{Attempt: -2}
	for what, verb := range []func() (calls.Caller, calls.Output, error){
		func() (calls.Caller, calls.Output, error) { return w.c.Cancel(now, 1<<40, "") },
		func() (calls.Caller, calls.Output, error) {
			return w.c.Call(now, calls.Request{Name: "t", Policy: &bad})
		},
		func() (calls.Caller, calls.Output, error) {
			return w.c.Batch(now, []calls.Request{{Name: "t"}, {Name: "t", Policy: &bad}}, attempt.BatchOptions{})
		},
	} {
		next := *w
		var out calls.Output
		var err error
		if next.c, out, err = verb(); err == nil || !silent(out) || !x.same(w, &next) {
			r.Fail("verb %d: a refused verb does something, or is not refused", what)
		}
	}
	for _, c := range w.calls {
		next := *w
		var out calls.Output
		if next.c, out = w.c.Finish(now, attempt.Attempt{Call: c.id, Number: 9}, attempt.Outcome{}); !silent(out) || !x.same(w, &next) {
			r.Fail("the outcome of an attempt that does not run does something")
		}
	}
}

// calm lets all parties do what they are asked until nothing is left to do.
func (x *callsScope) calm(w calling, r *explore.Report, enough func(w *calling) bool) calling {
	calm := *x
	calm.on = [callsOps]bool{}
	order := append(callsLinks(mopOpened, mopShake, mopFound, mopAck, mopReply, mopClosed), kopFinish, kopAnswer, kopTime)
	for _, op := range order {
		calm.on[op] = true
	}
	for range 60 {
		acts := calm.actions(nil, &w)
		next := soonest(acts, order)
		if next < 0 || enough(&w) {
			break
		}
		w, _ = calm.step(w, acts[next], r)
	}
	return w
}

// heals checks that all calls end, and a further one is answered, if the servers do what they are asked.
func (x *callsScope) heals(w calling, r *explore.Report) {
	w = x.calm(w, r, func(*calling) bool { return false })
	if w.closed {
		return
	}
	w.net.now = w.net.now.Add(unit) // to retry what could not be opened at this instant
	for _, op := range []uint8{kopCall, kopLocal} {
		next, _ := x.step(w, explore.Action{Op: op}, r)
		told := &explore.Report{Faults: map[string]*explore.Fault{}, Reached: map[string]int{}}
		next = x.calm(next, told, func(w *calling) bool { return len(w.calls) == 0 })
		if len(next.calls) > 0 || told.Reached["call: answered, answered"] == 0 {
			r.Fail("a call is not answered though all is well")
		}
	}
}

// ended closes everything, and returns what remains.
func (x *callsScope) ended(w calling, r *explore.Report) string {
	if !w.closed {
		w, _ = x.step(w, explore.Action{Op: kopClose}, r)
	}
	if len(w.calls) > 0 {
		r.Fail("a call does not end by Close")
	}
	for range 20 {
		if _, ok := w.c.NextDeadline(); !ok {
			break
		}
		w, _ = x.step(w, explore.Action{Op: kopTime}, r)
	}
	return string(x.form.Append(w.net.now, &w))
}
