package many

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/calls"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// called is a Caller with its network and an application that calls at random.
type called struct {
	*run
	net     *network
	c       calls.Caller
	alarm   alarm
	opts    map[string]manager.Options
	dices   map[string]dice
	numbers map[string]int
	open    map[attempt.CallID]*job
	byMark  map[mark]*job
	batches map[attempt.BatchID]*batch
	ended   map[attempt.CallID]bool
	tools   map[string]map[string]bool // of each server, by the Changes
	local   map[attempt.Attempt]string // that run
	asked   map[asked]bool
	connect map[manager.Op]string
	tamper  tamper
}

// job is a call that has not settled.
type job struct {
	id     attempt.CallID
	server string // "" for a local tool or one with an ambiguous name
	number int
	name   string
	e      errand
	unsafe bool // it may be repeated
	gaveUp bool
	began  time.Time
	batch  attempt.BatchID
	index  int
}

// batch is a batch with open calls.
type batch struct {
	server string
	number int
	jobs   []*job
	gaveUp bool
}

// Calls runs a Caller, with its Calls and Manager: calls and batches of tools of servers and
// of the program, while lists change and servers connect and disconnect.
func Calls(opt Options) (Report, error) { return runCalls(opt, tamper{}) }

func runCalls(opt Options, t tamper) (Report, error) {
	r := newRun("calls", opt)
	x := newCalled(r)
	x.tamper = t
	if r.err != nil {
		return r.done()
	}
	for _, name := range r.names {
		x.join(name)
		x.life(name)
	}
	if !r.opt.Exact {
		x.lifeOfAll()
	}
	x.finish()
	return r.done()
}

func newCalled(r *run) *called {
	x := &called{run: r, opts: map[string]manager.Options{}, dices: map[string]dice{}, numbers: map[string]int{}, open: map[attempt.CallID]*job{},
		byMark: map[mark]*job{}, batches: map[attempt.BatchID]*batch{}, ended: map[attempt.CallID]bool{}, tools: map[string]map[string]bool{},
		local: map[attempt.Attempt]string{}, asked: map[asked]bool{}, connect: map[manager.Op]string{}}
	x.net = r.network("app", x)
	c, err := calls.New(callerConfig(r), Origin)
	if err != nil {
		r.fail("NewCaller: %v", err)
		return x
	}
	x.c = c
	for _, name := range r.names {
		x.dices[name] = newDice(r.opt.Seed, "calls of "+name)
		x.opts[name] = manager.Options{Endpoint: x.net.endpoint(name), Supervise: true, Resubscribe: true, OnDemand: onDemand(r.opt, name)}
		x.tools[name] = map[string]bool{}
	}
	return x
}

// onDemand draws whether the first call opens a server, with its own dice: everything else is drawn
// as without.
func onDemand(opt Options, name string) bool {
	d := newDice(opt.Seed, "on demand "+name)
	return d.chance(25)
}

// join connects a server.
func (x *called) join(name string) {
	if x.err != nil {
		return
	}
	c, out, err := x.c.Manage(x.clock.now, func(m manager.Manager) (manager.Manager, manager.Effects, error) {
		return m.Connect(x.clock.now, name, x.opts[name])
	})
	if err != nil {
		x.fail("Connect of %s: %v", name, err)
		return
	}
	x.step(c, out)
}

// finish completes the run, and looks for leftovers.
func (x *called) finish() {
	x.until(Origin.Add(x.opt.Length))
	x.net.closing = true
	for n := 0; n < 24 && (n < 2 || x.opt.Exact || len(x.open)+len(x.batches) > 0); n++ { // calls that wait for their turn; equally long in compared runs
		x.until(x.clock.now.Add(5 * time.Second))
	}
	if x.err != nil {
		return
	}
	for _, j := range x.open {
		x.fail("the call %s of %s has not settled", j.e.Mark, j.name)
	}
	for id, b := range x.batches {
		x.fail("the batch %d of %s has not settled: %v", id, b.server, x.c.Status())
	}
	if s := x.c.Status(); s.Running+s.Waiting+s.Batches > 0 {
		x.fail("all calls have settled, and the Caller has %+v", s)
	}
	x.net.idle()
	x.step(x.c.Close(x.clock.now))
	x.drain(x.clock.now.Add(time.Hour))
	x.over("", x.net, x.c.NextDeadline)
	if n := x.c.Tools().Len(); n > 0 {
		x.fail("the catalog is closed and has %d tools", n)
	}
}

// step takes the next Caller.
func (x *called) step(c calls.Caller, out calls.Output) {
	x.c = c
	x.report.Steps++
	if x.tamper.calls != nil {
		x.tamper.calls(&out)
	}
	x.net.do(out.Actions)
	for _, change := range out.Changes {
		x.changed(change)
	}
	x.check()
	for _, r := range out.LocalStop {
		if x.local[r.Attempt] == "" {
			x.fail("%v is revoked, and does not run", r.Attempt)
		}
		delete(x.local, r.Attempt)
	}
	for _, i := range out.LocalStart {
		x.invoke(i)
	}
	for _, p := range out.Progress {
		j := x.open[p.Call]
		if j == nil || !strings.Contains(string(p.Params), string(j.e.Mark)) {
			x.fail("progress of call %d is %s", p.Call, p.Params)
		}
		x.count("progress")
	}
	for _, r := range out.Done {
		x.settled(r)
	}
	for _, b := range out.Batches {
		x.settledBatch(b)
	}
	for _, ev := range out.Events {
		x.event(ev)
	}
	x.alarm.set(x.clock, x.tamper.due(x.c.NextDeadline), func() {
		x.step(x.c.Tick(x.clock.now))
		x.ticked(x.c.NextDeadline)
	})
}

// check checks the invariants of every step.
func (x *called) check() {
	for _, m := range []any{x.c, x.c.Tools(), x.c.Manager()} {
		if c, ok := m.(interface{ Check() error }); ok {
			if err := c.Check(); err != nil {
				x.fail("Check: %v", err)
			}
		}
	}
	if x.report.Steps%50 != 0 {
		return
	}
	seen := map[string]bool{}
	for _, b := range x.c.Tools().List() {
		if seen[b.Name] {
			x.fail("the name %q is listed twice", b.Name)
		}
		seen[b.Name] = true
		if !b.Local() && b.Tool.Description != "of "+b.Server {
			x.fail("%q of %s is described as %q", b.Name, b.Server, b.Tool.Description)
		}
		if again, err := x.c.Tools().Lookup(b.Name); err != nil || again.Server != b.Server || again.Tool.Name != b.Tool.Name {
			x.fail("%q is that of %q, and resolves to that of %q: %v", b.Name, b.Server, again.Server, err)
		}
	}
	all := map[string]map[string]bool{}
	for _, name := range x.names {
		all[name] = map[string]bool{}
	}
	for _, b := range x.c.Tools().ListAll() {
		if !b.Local() {
			all[b.Server][b.Tool.Name] = true
		}
	}
	for _, name := range x.names {
		if got, want := fmt.Sprint(all[name]), fmt.Sprint(x.tools[name]); got != want {
			x.fail("the tools of %s are %s, and the Changes had %s", name, got, want)
		}
	}
}

// changed handles a change of the tools of a server.
func (x *called) changed(c catalog.Change) {
	x.count("changes")
	if c.Server == "" {
		return
	}
	x.note(c.Server, "+%d -%d ~%d rejected %d, %v to %v: %v", len(c.Added), len(c.Removed), len(c.Changed), len(c.Dropped), c.Before, c.Health, c.Err != nil)
	tools := x.tools[c.Server]
	for _, r := range c.Removed {
		if !tools[r.Key] || r.Server != c.Server {
			x.fail("%v is removed, and was not there", r)
		}
		delete(tools, r.Key)
	}
	for _, r := range c.Added {
		if tools[r.Key] || r.Server != c.Server {
			x.fail("%v is added, and was there", r)
		}
		tools[r.Key] = true
	}
	for _, r := range c.Changed {
		x.fail("%v is changed, and no server changes a tool", r)
	}
}

// event handles an event of the Manager.
func (x *called) event(ev manager.Event) {
	server, s := ev.Link.Server, ev.Session
	switch ev.Kind {
	case manager.ServerChanged:
		x.count("now " + ev.To.String())
		x.note(server, "%v to %v", ev.From, ev.To)
	case manager.SessionEvent:
		for _, m := range marks(string(s.Body)) {
			if !m.of("app", server) {
				x.fail("%v of %v has what is marked %s", s.Kind, ev.Link, m)
			}
		}
		if s.Method == protocol.MethodToolsListChanged && slices.Contains(x.c.Tools().Sources(), server) {
			x.fail("list_changed of %s is left to others", server)
		}
		key := asked{ev.Link, s.Call.Seq()}
		switch s.Kind {
		case lifecycle.RequestReceived:
			x.asked[key] = true
			x.reply(ev)
		case lifecycle.RequestCancelled, lifecycle.RequestExpired, lifecycle.RequestLost:
			delete(x.asked, key)
		}
	}
}

// reply answers a request of a server.
func (x *called) reply(ev manager.Event) {
	d, key := x.dices[ev.Link.Server], asked{ev.Link, ev.Session.Call.Seq()}
	if d.chance(10) {
		return
	}
	said := ""
	if found := marks(string(ev.Session.Body)); len(found) > 0 {
		said = string(found[0])
	}
	x.clock.after(d.span(0, 300*time.Millisecond), func() {
		if !x.asked[key] {
			return
		}
		delete(x.asked, key)
		c, out, err := x.c.Manage(x.clock.now, func(m manager.Manager) (manager.Manager, manager.Effects, error) {
			return m.Respond(x.clock.now, ev.Call, reply(ev.Session.Method, said))
		})
		if err != nil {
			x.fail("the answer to %s of %v: %v", ev.Session.Method, ev.Link, err)
			return
		}
		x.step(c, out)
	})
}

// happened passes a report of the network to the Caller: a result ends its call in the same step.
func (x *called) happened(r manager.Report) bool {
	at, ok := x.c.NextDeadline()
	due := ok && !at.After(x.clock.now) // any step handles expired deadlines
	c, out := x.c.Report(x.clock.now, r)
	x.step(c, out)
	if body := string(r.Message.Body); r.Message.Kind == jsonrpc.KindResult && current(x.c.Manager(), r.Link) && !strings.Contains(body, " late") && !asks(r.Message.Body) {
		for _, m := range marks(body) {
			if j := x.byMark[m]; j != nil && !j.unsafe {
				x.fail("%s was answered, and has not settled in that step", m)
			}
		}
	}
	return !due && len(out.Actions)+len(out.Events)+len(out.Done)+len(out.Changes)+len(out.Progress) > 0
}

// mine returns the open calls that concern a server, oldest first.
func (x *called) mine(server string) (list []*job) {
	for _, j := range x.open {
		if j.server == server && !j.gaveUp && j.batch == 0 {
			list = append(list, j)
		}
	}
	slices.SortFunc(list, func(a, b *job) int { return a.number - b.number })
	return list
}
