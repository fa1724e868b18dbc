package worlds

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/calls"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/conformance/explore"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// calling is a Caller with arbitrary servers, and its user.
type calling struct {
	c      calls.Caller
	net    managed // the transports; it has no Manager of its own
	calls  []tried // that have not ended
	runs   []attempt.Attempt
	closed bool // Close was called
}

// tried is a call in the records of the world.
type tried struct {
	id       attempt.CallID
	slot     uint8     // unique; its arguments name it
	local    bool      // of a local tool
	from     time.Time // when it was made
	sent     uint8     // how often it was sent
	out      sentAt    // its request, if a server has it
	rest     time.Time // when its last request ended; zero without one
	doubt    bool      // an ended request of it may have run
	answered bool
}

// sentAt is a request of a call at a server.
type sentAt struct {
	epoch, id uint64
	since     time.Time
}

// The operations of the user. Those of the links follow.
const (
	kopTime uint8 = iota
	kopCall
	kopLocal
	kopCancel
	kopFinish
	kopFail
	kopAnswer
	kopClose
	kopLinks
	callsOps = kopLinks + managerOps - mopOpened
)

var callsNames = append([]string{"time", "call", "call a local tool", "cancel", "finish", "fail", "answer", "close"}, managerNames[mopOpened:]...)

func (x *callsScope) actions(dst []explore.Action, w *calling) []explore.Action {
	add := func(op uint8, arg int) {
		if x.on[op] {
			dst = append(dst, explore.Action{Op: op, Arg: uint8(arg)})
		}
	}
	if len(w.calls) < x.most && !w.closed {
		add(kopCall, 0)
		add(kopLocal, 0)
	}
	for i := range w.calls {
		add(kopCancel, i)
	}
	for i := range w.runs {
		add(kopFinish, i)
		add(kopFail, i)
	}
	for i, name := range x.servers {
		c, _ := w.c.Manager().Client(name)
		for range c.Inbound() {
			add(kopAnswer, i)
			break
		}
	}
	if !w.closed {
		add(kopClose, 0)
	}
	busy := false
	for i := range w.net.links {
		l := &w.net.links[i]
		calm := l.name == "b"
		busy = busy || calm && (l.state != linkOpen || len(l.reqs) > 0)
		l.actions(i, func(op uint8, arg int) {
			if l.ends(op, arg) {
				return // subscriptions stay open
			}
			if !calm || op != mopLost && op != mopOpenFailed {
				add(kopLinks+op-mopOpened, arg)
			}
		})
	}
	if _, ok := w.c.NextDeadline(); ok && !busy {
		add(kopTime, 0)
	}
	return dst
}

// step does an action.
func (x *callsScope) step(w calling, a explore.Action, r *explore.Report) (calling, bool) {
	w.net.links, w.calls, w.runs = slices.Clone(w.net.links), slices.Clone(w.calls), slices.Clone(w.runs)
	now := w.net.now
	var out calls.Output
	var err error
	switch a.Op {
	case kopTime:
		if at, _ := w.c.NextDeadline(); at.After(now) {
			w.net.now, now = at, at
		}
		w.c, out = w.c.Tick(now)
		w = x.taken(w, a, out, r)
		if at, ok := w.c.NextDeadline(); ok && !at.After(now) {
			r.Fail("something is due after Tick")
		}
		return w, true
	case kopCall, kopLocal:
		c := tried{slot: w.free(), local: a.Op == kopLocal, from: now}
		name := "t"
		if c.local {
			name = "l"
		}
		w.c, out, err = w.c.Call(now, calls.Request{Name: name, Arguments: protocol.Raw(fmt.Sprintf(`{"n":%d}`, c.slot))})
		c.id = out.Call
		w.calls = append(w.calls, c)
	case kopCancel:
		id := w.calls[a.Arg].id
		w.c, out, err = w.c.Cancel(now, id, "enough")
		if !slices.ContainsFunc(out.Done, func(d attempt.Result) bool { return d.Call == id && d.Outcome.Err.Kind == toolerror.Cancelled }) {
			r.Fail("a cancelled call does not end at once")
		}
	case kopFinish, kopFail:
		run, o := w.runs[a.Arg], attempt.Outcome{Result: protocol.TextResult("ok")}
		if a.Op == kopFail {
			o = attempt.Outcome{Err: &toolerror.Error{Kind: toolerror.Timeout}}
		}
		w.runs = slices.Delete(w.runs, int(a.Arg), int(a.Arg)+1)
		if c := w.call(run.Call); c != nil {
			c.rest, c.answered, c.doubt = now, a.Op == kopFinish, c.doubt || a.Op == kopFail
		}
		w.c, out = w.c.Finish(now, run, o)
	case kopAnswer:
		w.c, out, err = w.c.Manage(now, func(m manager.Manager) (manager.Manager, manager.Effects, error) {
			c, _ := m.Client(x.servers[a.Arg])
			l, _ := m.Link(x.servers[a.Arg])
			for info := range c.Inbound() {
				return m.Respond(now, manager.Call{Link: l, Call: info.Call}, askResult)
			}
			return m, manager.Effects{}, nil
		})
	case kopClose:
		w.closed = true
		w.c, out = w.c.Close(now)
		w.net.ops = append(slices.Clone(w.net.ops), mop{seq: out.Op.Seq(), kind: mopDisconnect, from: now})
	default:
		return x.reported(w, a, r), true
	}
	if err != nil {
		r.Fail("%s: %v", callsNames[a.Op], err)
	}
	return x.taken(w, a, out, r), true
}

// free returns the lowest unused slot.
func (w *calling) free() (slot uint8) {
	for slices.ContainsFunc(w.calls, func(c tried) bool { return c.slot == slot }) {
		slot++
	}
	return slot
}

// call returns an open call, or nil.
func (w *calling) call(id attempt.CallID) *tried {
	if i := slices.IndexFunc(w.calls, func(c tried) bool { return c.id == id }); i >= 0 {
		return &w.calls[i]
	}
	return nil
}

// reported does an act of a transport or of the server behind it.
func (x *callsScope) reported(w calling, a explore.Action, r *explore.Report) calling {
	op := a.Op - kopLinks + mopOpened
	l := &w.net.links[int(a.Arg)&(1<<mopMost-1)]
	if op >= mopReply && op <= mopResponseLost { // the outcome of a call
		if c := w.asked(l.epoch, l.reqs[int(a.Arg)>>mopMost].id); c != nil {
			c.out, c.rest = sentAt{}, w.net.now
			c.doubt = c.doubt || op == mopResponseLost
			c.answered = op <= mopError
		}
	}
	rep := w.net.report(explore.Action{Op: op, Arg: a.Arg}, func(_ uint64, q mreq) string {
		body := `{"content":[]}`
		if q.method == protocol.ToolList.Method {
			body = `{"tools":[{"name":"t","inputSchema":{"type":"object"},"annotations":{"idempotentHint":true}}]}`
		}
		if x.modern {
			body = complete(q.method, body)
		}
		return body
	})
	if rep.Kind == manager.SendFailed || rep.Kind == manager.ResponseLost {
		c, _ := w.c.Manager().Client(rep.Link.Server)
		rep.Req = c.Req(rep.Req.Seq())
	}
	var out calls.Output
	w.c, out = w.c.Report(w.net.now, rep)
	return x.taken(w, a, out, r)
}

// asked returns the call of a request at a server, or nil.
func (w *calling) asked(epoch, id uint64) *tried {
	if i := slices.IndexFunc(w.calls, func(c tried) bool { return c.out.epoch == epoch && c.out.id == id }); i >= 0 {
		return &w.calls[i]
	}
	return nil
}

// taken records the effects of a step.
func (x *callsScope) taken(w calling, a explore.Action, out calls.Output, r *explore.Report) calling {
	x.ends(&w, r)
	for i := range out.Actions {
		act := &out.Actions[i]
		w.net.act(act, r)
		x.ends(&w, r)
		if act.Kind == manager.ActSend && act.Out.Message.Method == "tools/call" {
			x.goes(&w, &act.Out.Message, w.net.link(act.Link.Epoch), r)
		}
	}
	for _, stop := range out.LocalStop {
		i := slices.Index(w.runs, stop.Attempt)
		if i < 0 {
			r.Fail("a local tool is stopped that does not run")
			continue
		}
		w.runs = slices.Delete(w.runs, i, i+1)
		if c := w.call(stop.Attempt.Call); c != nil {
			c.rest, c.doubt = w.net.now, true
		}
	}
	for _, start := range out.LocalStart {
		c := w.call(start.Attempt.Call)
		if c == nil || slices.ContainsFunc(w.runs, func(run attempt.Attempt) bool { return run.Call == c.id }) {
			r.Fail("a local tool is run twice at once, or for nobody")
			continue
		}
		w.runs = append(w.runs, start.Attempt)
		x.again(&w, c, r)
	}
	for i := range out.Done {
		x.done(&w, &out.Done[i], a, r)
	}
	for i := range out.Events {
		r.Reach(out.Events[i].Kind.String())
		if out.Events[i].Kind == manager.OpDone && !w.connected(out.Events[i].Op) {
			r.Fail("an operation of the Caller is told: %s", out.Events[i].Method)
		}
	}
	return w
}

// connected records the end of an operation of the application.
func (w *calling) connected(op manager.Op) bool {
	i := slices.IndexFunc(w.net.ops, func(o mop) bool { return o.seq == op.Seq() })
	if i >= 0 {
		w.net.ops = slices.Delete(slices.Clone(w.net.ops), i, i+1)
	}
	return i >= 0
}

// ends records requests of calls that no server has any longer, without an answer.
func (x *callsScope) ends(w *calling, r *explore.Report) {
	for i := range w.calls {
		c := &w.calls[i]
		if l := w.net.link(c.out.epoch); c.out.id != 0 && (l == nil || !slices.ContainsFunc(l.reqs, func(q mreq) bool { return q.id == c.out.id })) {
			if w.net.now.Sub(c.out.since) > x.attempt {
				r.Fail("an attempt takes too long")
			}
			c.out, c.rest, c.doubt = sentAt{}, w.net.now, true
		}
	}
}

// goes records a request of a call.
func (x *callsScope) goes(w *calling, m *jsonrpc.Message, l *mlink, r *explore.Report) {
	arguments, _ := rawjson.Get(string(m.Body), "arguments")
	n, _ := rawjson.Get(arguments, "n")
	slot, _ := strconv.Atoi(n)
	i := slices.IndexFunc(w.calls, func(c tried) bool { return int(c.slot) == slot })
	if i < 0 || n == "" || l == nil {
		r.Fail("a server is asked for a call that nobody made")
		return
	}
	c := &w.calls[i]
	if c.out.id != 0 {
		r.Fail("a call is made twice at once")
	}
	x.again(w, c, r)
	c.out = sentAt{l.epoch, l.reqs[len(l.reqs)-1].id, w.net.now}
}

// again checks that a call may be sent, perhaps repeatedly.
func (x *callsScope) again(w *calling, c *tried, r *explore.Report) {
	switch {
	case c.answered:
		r.Fail("a call is made again that was answered")
	case c.doubt && !x.unsafe && !x.trusted && !c.local:
		r.Fail("a call is made again that may have run")
	case c.doubt:
		r.Reach("made again, though it may have run")
	case c.sent > 0:
		r.Reach("made again")
	}
	if !c.rest.IsZero() && w.net.now.Sub(c.rest) < unit {
		r.Fail("a call is made again too soon")
	}
	if c.sent++; int(c.sent) > x.attempts {
		r.Fail("a call is made too often")
	}
}

// done records the end of a call.
func (x *callsScope) done(w *calling, d *attempt.Result, a explore.Action, r *explore.Report) {
	i := slices.IndexFunc(w.calls, func(c tried) bool { return c.id == d.Call })
	if i < 0 {
		r.Fail("a call ends that is not open")
		return
	}
	c, o := w.calls[i], d.Outcome
	w.calls = slices.Delete(w.calls, i, i+1)
	what := "answered"
	if o.Err != nil {
		what = o.Err.Kind.Code()
	}
	r.Reach("call: " + what + ", " + o.Delivery.String())
	want := lifecycle.NotSent
	switch {
	case c.doubt:
		want = lifecycle.MayHaveRun
	case c.answered:
		want = lifecycle.Answered
	}
	if o.Delivery != want {
		r.Fail("a call that %v is told as %v", want, o.Delivery)
	}
	age, over := w.net.now.Sub(c.from), toolerror.Kind(0)
	if o.Err != nil {
		over = o.Err.Kind
	}
	if over == toolerror.Timeout && !c.local && age < min(x.attempt, x.total) {
		r.Fail("a call is over before its time")
	}
	retry := over == toolerror.Timeout || over == toolerror.ConnectionLost || over == toolerror.Unavailable
	if retry && o.Attempts < x.attempts && age+unit < x.total && (!c.doubt || x.unsafe) && a.Op != kopClose && !w.closed {
		r.Fail("a call is given up too soon")
	}
}
