package many

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// managed is a Manager with its network and an application that asks at random.
type managed struct {
	*run
	net    *network
	cfg    manager.Config
	m      manager.Manager
	opts   map[string]manager.Options
	book   *book
	states map[manager.Link]manager.Condition
	asked  map[asked]string // open requests of servers, by their methods
	dices  map[string]dice  // for the requests to each server
	alarm  alarm
	kept   []kept
	tamper tamper
}

// asked is a request of a server, by numbers that a snapshot does not change.
type asked struct {
	link manager.Link
	seq  uint64
}

// kept is an old value with its text.
type kept struct {
	m    manager.Manager
	text []byte
}

// Manager runs only a Manager: random requests, listings, pings, cancellations, connects and
// disconnects.
func Manager(opt Options) (Report, error) { return runManager(opt, tamper{}) }

func runManager(opt Options, t tamper) (Report, error) {
	r := newRun("manager", opt)
	x := newManaged(r)
	x.tamper = t
	if r.err != nil {
		return r.done()
	}
	for _, name := range r.names {
		x.life(name)
	}
	if !r.opt.Exact {
		x.lifeOfAll()
	}
	x.finish()
	return r.done()
}

func newManaged(r *run) *managed {
	x := &managed{run: r, cfg: managerConfig(r.opt), opts: map[string]manager.Options{}, book: newBook(r),
		states: map[manager.Link]manager.Condition{}, asked: map[asked]string{}, dices: map[string]dice{}}
	x.net = r.network("app", x)
	m, err := manager.New(x.cfg, Origin)
	if err != nil {
		r.fail("New: %v", err)
	}
	x.m = m
	for _, name := range r.names {
		d := newDice(r.opt.Seed, "work on "+name)
		x.dices[name] = d
		x.opts[name] = manager.Options{
			Endpoint: x.net.endpoint(name), Supervise: d.chance(75), Resubscribe: d.chance(60),
			Meta: protocol.Raw(fmt.Sprintf(`{"trace":"<app to %s #0>"}`, name)),
		}
	}
	return x
}

// finish completes the run, and looks for leftovers.
func (x *managed) finish() {
	x.until(Origin.Add(x.opt.Length))
	x.net.closing = true
	x.until(x.clock.now.Add(maximumTimeout + time.Second))
	if x.err != nil {
		return
	}
	x.net.idle()
	x.disconnectAll()
	x.drain(x.clock.now.Add(time.Hour))
	if x.err != nil {
		return
	}
	for _, o := range x.book.open {
		x.fail("%s %s of %s has not ended", o.method, o.e.Mark, o.server)
	}
	x.over("", x.net, x.m.NextDeadline)
	if n := x.m.Len(); n > 0 {
		x.fail("%d names are left", n)
	}
	for s := range x.m.Closing() {
		x.fail("%v is left and %v", s.Link, s.Condition)
	}
	for a, method := range x.asked {
		x.fail("%s of %v is open", method, a.link)
	}
	x.empty()
}

// empty compares the result with a new Manager.
func (x *managed) empty() {
	fresh, err := manager.New(x.cfg, x.clock.now)
	if err != nil {
		x.fail("New: %v", err)
		return
	}
	if n, most := len(x.m.Snapshot()), len(fresh.Snapshot())+200; n > most {
		x.fail("the snapshot has %d bytes in the end, of a new Manager %d: %.2000s", n, most-200, x.m.Snapshot())
	}
	for _, k := range x.kept {
		if now := k.m.Snapshot(); !bytes.Equal(now, k.text) {
			x.fail("an old Manager has changed from\n%s\nto\n%s", k.text, now)
		}
	}
}

// step takes the next Manager.
func (x *managed) step(m manager.Manager, out manager.Effects) {
	x.m = m
	x.report.Steps++
	if err := m.Check(); err != nil {
		x.fail("Check: %v", err)
	}
	if x.tamper.output != nil {
		x.tamper.output(x.clock.now, &out)
	}
	x.net.do(out.Actions)
	for _, ev := range out.Events {
		x.take(ev)
	}
	if x.restores() {
		x.restore()
	}
	if x.report.Steps%500 == 0 && len(x.kept) < 5 {
		x.kept = append(x.kept, kept{m, m.Snapshot()})
	}
	x.alarm.set(x.clock, x.tamper.due(x.m.NextDeadline), func() {
		x.step(x.m.Tick(x.clock.now))
		x.ticked(x.m.NextDeadline)
	})
}

// restore replaces the Manager by a restored snapshot of it.
func (x *managed) restore() {
	data := x.tamper.data(x.m)
	m, err := manager.Restore(x.cfg, data, x.clock.now, func(name string) (manager.Options, bool) {
		opt, ok := x.opts[name]
		return opt, ok
	})
	if err != nil {
		x.fail("Restore: %v", err)
		return
	}
	x.restored(data, x.m, m, m.Check())
	x.m = m
}

// take handles an event.
func (x *managed) take(ev manager.Event) {
	server := ev.Link.Server
	switch ev.Kind {
	case manager.OpDone:
		x.book.end(ev)
	case manager.ServerChanged:
		if was := x.states[ev.Link]; was != ev.From && was != 0 || ev.From == ev.To {
			x.fail("%v changes from %v to %v, and was %v", ev.Link, ev.From, ev.To, was)
		}
		x.states[ev.Link] = ev.To
		x.count("now " + ev.To.String())
		x.note(server, "%v to %v, again in %v: %v", ev.From, ev.To, left(x.clock.now, ev.RetryAt), ev.Err)
	case manager.PingsMissed:
		x.note(server, "misses %d", ev.Misses)
	case manager.RestoreFailed:
		x.count("not restored")
		x.note(server, "not restored: %s %s", ev.Method, ev.URI)
	case manager.SessionEvent:
		x.session(ev)
	default:
		x.fail("an event of the kind %v", ev.Kind)
	}
}

func left(now, t time.Time) time.Duration {
	if t.IsZero() {
		return 0
	}
	return t.Sub(now)
}

// session handles an event of a session: whatever it concerns belongs to that server.
func (x *managed) session(ev manager.Event) {
	server, s := ev.Link.Server, ev.Session
	for _, m := range marks(string(s.Body)) {
		if !m.of(x.net.party, server) {
			x.fail("%v of %v has what is marked %s", s.Kind, ev.Link, m)
		}
	}
	x.count("session " + s.Kind.String())
	x.note(server, "%v %s %s", s.Kind, s.Method, s.Rule)
	key := asked{ev.Link, s.Call.Seq()}
	switch s.Kind {
	case lifecycle.ProgressReceived:
		x.book.progressed(ev)
	case lifecycle.RequestReceived:
		if x.asked[key] != "" || ev.Call.Link != ev.Link || ev.Call.Call != s.Call {
			x.fail("%v asks %s twice, or as %v", ev.Link, s.Method, ev.Call)
		}
		x.asked[key] = s.Method
		c, _ := x.m.Client(server)
		switch {
		case c.Revision().Stateless(): // the request that asks waits, whoever the question is for
			x.book.people.asks(key)
		case waitsForPeople(s.Method):
			x.book.people.asks(key)
			x.book.holding.asks(key)
		}
		x.reply(ev)
	case lifecycle.RequestCancelled, lifecycle.RequestExpired, lifecycle.RequestLost:
		if x.asked[key] == "" {
			x.fail("%v of %v, which is not open", s.Kind, ev.Link)
		}
		delete(x.asked, key)
		x.book.told(key)
	case lifecycle.ResponseReceived, lifecycle.RequestFailed:
		x.fail("%v comes as an event of the session of %v: %s", s.Kind, ev.Link, s.Method)
	}
}

// reply answers a request of a server, after a while or never.
func (x *managed) reply(ev manager.Event) {
	d := x.dices[ev.Link.Server]
	if d.chance(10) {
		return
	}
	key := asked{ev.Link, ev.Session.Call.Seq()}
	said := ""
	if found := marks(string(ev.Session.Body)); len(found) > 0 {
		said = string(found[0])
	}
	refuse := d.chance(15)
	x.clock.after(d.span(0, 300*time.Millisecond), func() {
		if x.asked[key] == "" {
			return
		}
		delete(x.asked, key)
		x.book.told(key)
		call := ev.Call // even if the Manager has been restored since
		var m manager.Manager
		var out manager.Effects
		var err error
		if refuse {
			m, out, err = x.m.Fail(x.clock.now, call, jsonrpc.Error{Code: protocol.CodeUserRejected, Message: said + " rejected"})
		} else {
			m, out, err = x.m.Respond(x.clock.now, call, reply(ev.Session.Method, said))
		}
		if err != nil {
			x.fail("the answer to %s of %v: %v", ev.Session.Method, ev.Link, err)
			return
		}
		x.step(m, out)
		x.net.replied(mark(said))
	})
}

// reply is what the application answers to a request of a server.
func reply(method, said string) protocol.Result {
	switch method {
	case protocol.MethodSamplingCreateMessage:
		return jsonrpc.Raw(fmt.Sprintf(`{"role":"assistant","model":"m","content":{"type":"text","text":%q}}`, said+" sampled"))
	case protocol.MethodElicitationCreate:
		return jsonrpc.Raw(fmt.Sprintf(`{"action":"accept","content":{"word":%q}}`, said+" filled in"))
	}
	return jsonrpc.Raw(`{"roots":[{"uri":"file:///root"}]}`)
}

// happened passes a report of the network to the Manager: a response ends its operation in the same
// step.
func (x *managed) happened(r manager.Report) bool {
	if r.Kind == manager.Received && x.tamper.link != nil {
		r.Link = x.tamper.link(r.Link)
	}
	m, out := x.m.Report(x.clock.now, r)
	x.step(m, out)
	if msg := r.Message; msg.Kind == jsonrpc.KindResult || msg.Kind == jsonrpc.KindError {
		text := string(msg.Body)
		if msg.Err != nil {
			text = msg.Err.Message
		}
		for _, mk := range marks(text) {
			if asks(msg.Body) {
				break
			}
			if o := x.book.byMark[mk]; o != nil && current(x.m, r.Link) && !strings.Contains(text, " late") {
				x.fail("%s was answered, and has not ended in that step", mk)
			}
		}
	}
	return !out.IsZero()
}

// current reports whether a link is that which its name has.
func current(m manager.Manager, l manager.Link) bool {
	now, ok := m.Link(l.Server)
	return ok && now == l
}
