package many

import (
	"errors"
	"fmt"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// life lets the application use a server, repeatedly.
func (x *managed) life(server string) {
	d := x.dices[server]
	x.clock.after(d.span(time.Millisecond, 250*time.Millisecond), func() {
		if x.net.closing {
			return
		}
		x.act(server, d)
		x.life(server)
	})
}

// verb is something that an application does with a server.
type verb struct {
	weight int
	do     func(x *managed, server string, d dice)
}

func (v verb) often() int { return v.weight }

// verbs are the verbs for a named server, with their frequency.
var verbs = []verb{
	{45, (*managed).callTool},
	{8, (*managed).readResource},
	{5, (*managed).getPrompt},
	{5, (*managed).complete},
	{4, (*managed).custom},
	{8, (*managed).list},
	{5, (*managed).ping},
	{10, (*managed).cancel},
	{5, (*managed).subscribe},
	{3, (*managed).setLevel},
	{3, (*managed).roots},
	{2, (*managed).disconnect},
	{1, (*managed).replace},
	{1, (*managed).reconnect},
	{1, (*managed).idle},
	{2, (*managed).misuse},
}

// act does something with a server.
func (x *managed) act(server string, d dice) {
	if x.stateOf(server) == manager.Idle {
		x.connect(server, false)
		return
	}
	if x.stateOf(server) == manager.Failed && d.chance(30) {
		x.reconnect(server, d)
		return
	}
	verbs[weighed(d, verbs, verb.often)].do(x, server, d)
}

// begun handles the results of a verb: o is the operation that it began.
func (x *managed) begun(m manager.Manager, out manager.Effects, err error, o op) {
	state := x.stateOf(o.server)
	if err != nil {
		x.count("refused " + o.method)
		x.note(o.server, "%s refused: %v", o.method, err)
		var e *manager.Error
		switch {
		case !errors.As(err, &e):
			x.fail("%s of %s: %T: %v", o.method, o.server, err, err)
		case errors.Is(err, manager.ErrUnavailable) == (state == manager.Ready):
			x.fail("%s of %s, which is %v: %v", o.method, o.server, state, err)
		}
		if !out.IsZero() {
			x.fail("%s of %s was refused, and its Output is %+v", o.method, o.server, out)
		}
		return
	}
	x.book.begin(out.Op, o)
	x.step(m, out)
}

// options draws the settings of a request, and the times that go with them.
func (x *managed) options(d dice) (opt manager.RequestOptions, o op) {
	wait := requestTimeout
	if d.chance(30) {
		opt.Timeout = d.span(50*time.Millisecond, 3*time.Second)
		wait = opt.Timeout
	}
	o.wait, o.early, o.latest = wait, x.clock.now.Add(wait), x.clock.now.Add(max(wait, maximumTimeout))
	if d.chance(60) {
		opt.Progress = true
	}
	if d.chance(20) {
		opt.ResetOnProgress = true
		wait = max(wait, maximumTimeout)
	}
	o.bound = x.clock.now.Add(wait)
	return opt, o
}

func (x *managed) mark(server string) mark {
	return newMark(x.net.party, server, x.book.numbers[server]+1)
}

func (x *managed) callTool(server string, d dice) {
	e := d.errand(x.mark(server))
	opt, o := x.options(d)
	m, out, err := x.m.CallTool(x.clock.now, server, workTool, e.arguments(), opt)
	x.begun(m, out, err, o.of(server, protocol.MethodToolsCall, e))
}

func (x *managed) readResource(server string, d dice) {
	e := errand{Mark: x.mark(server), Do: "answer"}
	opt, o := x.options(d)
	m, out, err := x.m.Request(x.clock.now, server, protocol.ReadResourceParams{URI: "mark:" + uriOf(e.Mark)}, opt)
	x.begun(m, out, err, o.of(server, protocol.MethodResourcesRead, e))
}

func (x *managed) getPrompt(server string, d dice) {
	e := errand{Mark: x.mark(server), Do: "answer"}
	opt, o := x.options(d)
	m, out, err := x.m.GetPrompt(x.clock.now, server, "ask", protocol.Raw(fmt.Sprintf(`{"mark":%q}`, e.Mark)), opt)
	x.begun(m, out, err, o.of(server, protocol.MethodPromptsGet, e))
}

func (x *managed) complete(server string, d dice) {
	e := errand{Mark: x.mark(server), Do: "answer"}
	opt, o := x.options(d)
	m, out, err := x.m.Complete(x.clock.now, server, protocol.CompleteParams{
		Ref: protocol.PromptReference("ask"), Argument: protocol.CompleteArgument{Name: "mark", Value: string(e.Mark)},
	}, opt)
	x.begun(m, out, err, o.of(server, protocol.MethodCompletionComplete, e))
}

func (x *managed) custom(server string, d dice) {
	e := d.errand(x.mark(server))
	opt, o := x.options(d)
	m, out, err := x.m.Request(x.clock.now, server, protocol.RawRequest{Name: server + "/ask", Body: e.arguments()}, opt)
	if e.Do == "wrong" {
		e.Do = "odd"
	}
	x.begun(m, out, err, o.of(server, server+"/ask", e))
}

func (x *managed) list(server string, d dice) {
	method := pick(d, []string{protocol.MethodToolsList, protocol.MethodResourcesList, protocol.MethodResourceTemplatesList, protocol.MethodPromptsList})
	budget := manager.Budget{Total: d.span(200*time.Millisecond, 4*time.Second)}
	if d.chance(20) {
		budget.Pages = 1 + d.IntN(3)
	}
	m, out, err := x.m.List(x.clock.now, server, method, budget)
	x.begun(m, out, err, op{server: server, method: method, bound: x.clock.now.Add(budget.Total)})
}

func (x *managed) ping(server string, _ dice) {
	m, out, err := x.m.Request(x.clock.now, server, protocol.PingParams{}, manager.RequestOptions{})
	x.begun(m, out, err, op{server: server, method: protocol.MethodPing, bound: x.clock.now.Add(pingTimeout)})
}

// cancel cancels one of the operations.
func (x *managed) cancel(server string, d dice) {
	open := x.sorted(server)
	if len(open) == 0 {
		return
	}
	o := pick(d, open)
	m, out, err := x.m.Cancel(x.clock.now, o.id, "not needed "+string(o.e.Mark))
	switch {
	case errors.Is(err, lifecycle.ErrPhase) && (o.method == "connect" || o.method == "reconnect" || o.method == "disconnect"):
		return
	case err != nil:
		x.fail("Cancel of %s %s: %v", o.method, o.e.Mark, err)
		return
	}
	o.gaveUp = true
	x.count("cancelled")
	x.step(m, out)
	if x.book.open[o.id] != nil {
		x.fail("%s %s of %s was cancelled, and has not ended in that step", o.method, o.e.Mark, server)
	}
	if _, _, err := x.m.Cancel(x.clock.now, o.id, "again"); !errors.Is(err, lifecycle.ErrGone) {
		x.fail("Cancel of %s, which has ended: %v", o.e.Mark, err)
	}
}

func (x *managed) subscribe(server string, d dice) {
	opt, o := x.options(d)
	uri := pick(d, []string{"file:///shared", "own:" + server})
	if d.chance(30) {
		m, out, err := x.m.Request(x.clock.now, server, protocol.UnsubscribeParams{URI: uri}, opt)
		x.begun(m, out, err, o.of(server, protocol.MethodResourcesUnsubscribe, errand{}))
		return
	}
	m, out, err := x.m.Request(x.clock.now, server, protocol.SubscribeParams{URI: uri}, opt)
	x.begun(m, out, err, o.of(server, protocol.MethodResourcesSubscribe, errand{}))
}

func (x *managed) setLevel(server string, d dice) {
	opt, o := x.options(d)
	level := pick(d, []protocol.LoggingLevel{protocol.LevelDebug, protocol.LevelError, protocol.LevelEmergency})
	m, out, err := x.m.Request(x.clock.now, server, protocol.SetLevelParams{Level: level}, opt)
	x.begun(m, out, err, o.of(server, protocol.MethodLoggingSetLevel, errand{}))
}

func (x *managed) roots(server string, _ dice) {
	m, out, err := x.m.Notify(x.clock.now, server, protocol.RootsListChangedParams{}, manager.Call{})
	if err != nil {
		if errors.Is(err, manager.ErrUnavailable) == (x.stateOf(server) == manager.Ready) {
			x.fail("Notify of %s, which is %v: %v", server, x.stateOf(server), err)
		}
		return
	}
	x.step(m, out)
}

func (x *managed) connect(server string, replace bool) {
	opt := x.opts[server]
	opt.Replace = replace
	m, out, err := x.m.Connect(x.clock.now, server, opt)
	if err != nil {
		x.fail("Connect of %s: %v", server, err)
		return
	}
	x.book.begin(out.Op, op{server: server, method: "connect", bound: x.clock.now.Add(2 * connectTimeout)})
	x.step(m, out)
}

func (x *managed) replace(server string, _ dice) { x.connect(server, true) }

func (x *managed) reconnect(server string, _ dice) {
	m, out, err := x.m.Reconnect(x.clock.now, server)
	if err != nil {
		x.fail("Reconnect of %s: %v", server, err)
		return
	}
	x.book.begin(out.Op, op{server: server, method: "reconnect", bound: x.clock.now.Add(2 * connectTimeout)})
	x.step(m, out)
}

func (x *managed) disconnect(server string, _ dice) {
	m, out := x.m.Disconnect(x.clock.now, server)
	x.book.begin(out.Op, op{server: server, method: "disconnect", bound: x.clock.now.Add(closeTimeout)})
	x.step(m, out)
	if _, taken := x.m.Link(server); taken {
		x.fail("%s was disconnected, and its name is not free", server)
	}
	for _, o := range x.sorted(server) {
		if o.method != "disconnect" {
			x.fail("%s was disconnected, and %s %s has not ended", server, o.method, o.e.Mark)
		}
	}
}

// idle ticks before the next deadline, which must have no effect.
func (x *managed) idle(server string, _ dice) {
	if at, ok := x.m.NextDeadline(); ok && !at.After(x.clock.now) {
		return
	}
	m, out := x.m.Tick(x.clock.now)
	if !out.IsZero() {
		x.fail("a Tick before its time asks for %+v", out)
	}
	x.step(m, out)
}

// misuse calls verbs that must fail.
func (x *managed) misuse(server string, d dice) {
	now := x.clock.now
	check := func(what string, m manager.Manager, out manager.Effects, err error) {
		if err == nil || !out.IsZero() {
			x.fail("%s: error %v, Output %+v", what, err, out)
		}
		if d.chance(20) && string(m.Snapshot()) != string(x.m.Snapshot()) {
			x.fail("%s: %v, but something has changed", what, err)
		}
	}
	m, out, err := x.m.CallTool(now, "nobody", workTool, "", manager.RequestOptions{})
	check("a call of nobody", m, out, err)
	m, out, err = x.m.CallTool(now, server, workTool, "[1]", manager.RequestOptions{})
	check("a call with a list", m, out, err)
	m, out, err = x.m.CallTool(now, server, workTool, "", manager.RequestOptions{Timeout: -5})
	check("a call with a negative timeout", m, out, err)
	if x.stateOf(server) != manager.Failed {
		m, out, err = x.m.Connect(now, server, x.opts[server])
		check("Connect of a name in use", m, out, err)
		if !errors.Is(err, manager.ErrNameInUse) {
			x.fail("Connect of a name in use: %v", err)
		}
	}
	m, out, err = x.m.Cancel(now, manager.OpOf(1<<40), "")
	check("Cancel of no operation", m, out, err)
	m, out, err = x.m.Respond(now, manager.Call{Link: manager.Link{Server: server, Epoch: 1 << 40}}, protocol.Raw(`{}`))
	check("Respond to nothing", m, out, err)
	m, out = x.m.Report(now, manager.Report{Kind: manager.Received, Link: manager.Link{Server: server, Epoch: 1 << 40}, Message: x.stray()})
	if !out.IsZero() {
		x.fail("a message of a link that never was asks for %+v", out)
	}
	x.step(m, out)
	m, out = x.m.Report(now, manager.Report{Kind: manager.Ended, Link: manager.Link{Server: server, Epoch: 1 << 40}})
	if !out.IsZero() {
		x.fail("the end of a link that never was asks for %+v", out)
	}
	x.step(m, out)
}
