package many

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/calls"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// life lets the application call tools of a server, repeatedly.
func (x *called) life(server string) {
	d := x.dices[server]
	x.clock.after(d.span(time.Millisecond, 300*time.Millisecond), func() {
		if x.net.closing || x.err != nil {
			return
		}
		switch n := d.IntN(100); {
		case n < 60:
			x.call(server, d)
		case n < 70:
			x.batch(server, d)
		case n < 80:
			x.giveUp(server, d)
		case n < 84:
			x.onList(server, "Invalidate", func(t catalog.Catalog, m manager.Manager) (catalog.Catalog, manager.Manager, catalog.Update, error) {
				return t.Invalidate(m, x.clock.now, server)
			})
		case n < 88:
			x.onList(server, "Refresh", func(t catalog.Catalog, m manager.Manager) (catalog.Catalog, manager.Manager, catalog.Update, error) {
				return t.Refresh(m, x.clock.now, server)
			})
		case n < 90 && !x.opt.Exact: // a name that nobody has waits for all lists
			x.move(server)
		case n < 92:
			x.reconnect(server)
		}
		x.life(server)
	})
}

// request draws a call of a tool of a server.
func (x *called) request(server string, d dice) (calls.Request, *job) {
	x.numbers[server]++
	e := d.errand(newMark("app", server, x.numbers[server]))
	j := &job{server: server, number: x.numbers[server], e: e, name: naming.Form{}.ID(server, workTool), began: x.clock.now}
	if d.chance(5) {
		j.name = naming.Form{}.ID(server, "nothing")
	}
	r := calls.Request{Name: j.name, Arguments: e.arguments(), Progress: d.chance(60)}
	if d.chance(30) {
		j.unsafe = true
		r.Policy = &attempt.Policy{Attempt: attemptTimeout, Total: totalTimeout, RetryUnsafe: true, Retry: backoff.Policy{Base: 50 * time.Millisecond, Attempts: attempts}}
	}
	return r, j
}

// call calls a tool of a server.
func (x *called) call(server string, d dice) {
	r, j := x.request(server, d)
	c, out, err := x.c.Call(x.clock.now, r)
	if err != nil {
		x.refused(server, err)
		return
	}
	x.begin(out.Call, j)
	x.step(c, out)
}

// refused handles a refused call: the queue must be full.
func (x *called) refused(server string, err error) {
	x.count("refused")
	x.note(server, "refused")
	if !errors.Is(err, attempt.ErrOverloaded) || x.c.Status().Waiting == 0 {
		x.fail("a call of %s: %v (%+v)", server, err, x.c.Status())
	}
}

// begin enters a call.
func (x *called) begin(id attempt.CallID, j *job) {
	if id == 0 || x.open[id] != nil || x.ended[id] {
		x.fail("a call has the handle %d", id)
	}
	j.id = id
	x.open[id] = j
	if j.e.Mark != "" {
		x.byMark[j.e.Mark] = j
	}
	x.net.unsafe[j.e.Mark] = j.unsafe
	x.count("calls")
	x.note(j.server, "%d call %s %s", j.number, j.name, j.e.Do)
}

// batch calls several tools of a server as one.
func (x *called) batch(server string, d dice) {
	limit := 1 + d.IntN(3)
	opt := attempt.BatchOptions{Strategy: pick(d, []int{0, attempt.Parallel, limit}), FailFast: d.chance(30),
		Immediate: pick(d, []bool{false, true}), Grace: graceTime}
	b := &batch{server: server, number: x.numbers[server]}
	var list []calls.Request
	for range d.IntN(6) {
		r, j := x.request(server, d)
		list, b.jobs = append(list, r), append(b.jobs, j)
	}
	c, out, err := x.c.Batch(x.clock.now, list, opt)
	if err != nil {
		x.refused(server, err)
		return
	}
	first := attempt.CallID(0)
	for id := range x.open {
		first = max(first, id)
	}
	for id := range x.ended {
		first = max(first, id)
	}
	for i, j := range b.jobs {
		j.batch, j.index = out.Batch, i
		x.begin(first+1+attempt.CallID(i), j)
	}
	x.batches[out.Batch] = b
	x.count("batches")
	x.note(server, "batch of %d from %d, %v, fail fast %v", len(list), b.number, opt.Strategy, opt.FailFast)
	x.step(c, out)
}

// settled handles the end of a call.
func (x *called) settled(r attempt.Result) {
	j := x.open[r.Call]
	if j == nil {
		x.fail("call %d settles, and is not open (before: %v)", r.Call, x.ended[r.Call])
		return
	}
	delete(x.open, r.Call)
	delete(x.byMark, j.e.Mark)
	x.ended[r.Call] = true
	outcome := "ok"
	if r.Outcome.Err != nil {
		outcome = r.Outcome.Err.Kind.Code()
	}
	x.count("settled: " + outcome)
	x.note(j.server, "%d settled: %s after %d attempts", j.number, outcome, r.Outcome.Attempts)
	if r.Tool != j.name || r.Batch != j.batch || r.Index != j.index {
		x.fail("call %d of %s, %d in batch %d, settles as %s, %d in batch %d", r.Call, j.name, j.index, j.batch, r.Tool, r.Index, r.Batch)
	}
	if r.Outcome.Attempts > attempts {
		x.fail("%s was tried %d times", j.e.Mark, r.Outcome.Attempts)
	}
	x.judge(j, r.Outcome)
}

// judge checks the outcome of a call.
func (x *called) judge(j *job, o attempt.Outcome) {
	text := ""
	if o.Result != nil {
		text = protocol.TextOf(o.Result.Content)
	}
	if o.Err != nil {
		text += o.Err.Text
	}
	x.marked(j.e.Mark, "settles", text)
	if o.Err == nil {
		if j.server != "" && !strings.Contains(text, string(j.e.Mark)+" done by "+j.server) {
			x.fail("%s settles with %.200q", j.e.Mark, text)
		}
		return
	}
	named := strings.HasSuffix(j.name, "nothing")
	odd := false
	switch o.Err.Kind {
	case toolerror.Cancelled:
		odd = !j.gaveUp && j.batch == 0
	case toolerror.RemoteTool:
		odd = j.e.Do != "fail"
	case toolerror.RemoteRPC:
		odd = j.e.Do != "refuse" || o.Err.Code != -32050
	case toolerror.UnknownTool:
		odd = !named && j.server != "" && x.tools[j.server][workTool]
	case toolerror.Timeout:
		odd = x.clock.now.Sub(j.began) < min(attemptTimeout, totalTimeout)
	case toolerror.ConnectionLost, toolerror.Unavailable, toolerror.RateLimited:
	default:
		odd = j.e.Do != "wrong"
	}
	if odd {
		x.fail("%s, which is to %s, settles with %v after %v: %v", j.e.Mark, j.e.Do, o.Err.Kind, x.clock.now.Sub(j.began), o.Err)
	}
}

// settledBatch handles the end of a batch: each of its calls has a result, in order.
func (x *called) settledBatch(done attempt.BatchDone) {
	b := x.batches[done.Batch]
	if b == nil {
		x.fail("batch %d settles, and is not open", done.Batch)
		return
	}
	delete(x.batches, done.Batch)
	if len(done.Results) != len(b.jobs) {
		x.fail("a batch of %d settles with %d results", len(b.jobs), len(done.Results))
		return
	}
	failed := -1
	for i, r := range done.Results {
		if r.Call != b.jobs[i].id || r.Index != i || !x.ended[r.Call] {
			x.fail("result %d of batch %d is that of call %d, not %d", i, done.Batch, r.Call, b.jobs[i].id)
		}
		if r.Outcome.Err != nil && failed < 0 {
			failed = i
		}
	}
	if done.Failed != failed {
		x.fail("batch %d says that %d failed first, and it was %d", done.Batch, done.Failed, failed)
	}
	x.note(b.server, "batch from %d settled", b.number)
}

// giveUp cancels a call, or a batch, of a server.
func (x *called) giveUp(server string, d dice) {
	var ids []attempt.BatchID
	for id, b := range x.batches {
		if b.server == server && !b.gaveUp {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	list := x.mine(server)
	if len(ids) > 0 && d.chance(40) {
		id := pick(d, ids)
		x.batches[id].gaveUp = true
		c, out, err := x.c.CancelBatch(x.clock.now, id, "no need")
		if err != nil {
			x.fail("CancelBatch: %v", err)
			return
		}
		x.count("batches cancelled")
		x.step(c, out)
		return
	}
	if len(list) == 0 {
		return
	}
	j := pick(d, list)
	j.gaveUp = true
	c, out, err := x.c.Cancel(x.clock.now, j.id, "no need")
	if err != nil {
		x.fail("Cancel: %v", err)
		return
	}
	x.count("cancelled")
	x.step(c, out)
	if x.open[j.id] != nil {
		x.fail("%s was cancelled, and has not settled in that step", j.e.Mark)
	}
	if _, _, err := x.c.Cancel(x.clock.now, j.id, "again"); err == nil {
		x.fail("%s was cancelled twice", j.e.Mark)
	}
}

// onList does something to the catalog.
func (x *called) onList(server, what string, verb func(catalog.Catalog, manager.Manager) (catalog.Catalog, manager.Manager, catalog.Update, error)) {
	c, out, err := x.c.Catalog(x.clock.now, verb)
	there := slices.Contains(x.c.Tools().Sources(), server)
	if err != nil {
		if there != (what == "Attach") {
			x.fail("%s of %s: %v", what, server, err)
		}
		return
	}
	x.count(what)
	x.note(server, "%s", what)
	x.step(c, out)
}

// move removes a server from the catalog, or adds it again, after all others.
func (x *called) move(server string) {
	if slices.Contains(x.c.Tools().Sources(), server) {
		x.onList(server, "Detach", func(t catalog.Catalog, m manager.Manager) (catalog.Catalog, manager.Manager, catalog.Update, error) {
			return t.Detach(m, x.clock.now, server)
		})
		if _, err := x.c.Tools().Lookup(naming.Form{}.ID(server, workTool)); err == nil {
			x.fail("%s is detached, and its tools are there", server)
		}
		return
	}
	x.onList(server, "Attach", func(t catalog.Catalog, m manager.Manager) (catalog.Catalog, manager.Manager, catalog.Update, error) {
		return t.Attach(m, x.clock.now, catalog.Source{Name: server})
	})
}

func (x *called) reconnect(server string) {
	c, out, err := x.c.Manage(x.clock.now, func(m manager.Manager) (manager.Manager, manager.Effects, error) {
		return m.Reconnect(x.clock.now, server)
	})
	if err != nil {
		x.fail("Reconnect of %s: %v", server, err)
		return
	}
	x.count("reconnected")
	x.step(c, out)
}

// lifeOfAll calls local tools, and tools by ambiguous names.
func (x *called) lifeOfAll() {
	x.clock.after(x.dice.span(time.Millisecond, 300*time.Millisecond), func() {
		if x.net.closing || x.err != nil {
			return
		}
		if x.dice.chance(5) {
			c, out, err := x.c.SetLocal(x.clock.now, localTools(x.dice.IntN(4)))
			if err != nil {
				x.fail("SetLocal: %v", err)
				return
			}
			x.step(c, out)
		}
		name := pick(x.dice, []string{"local", "same", workTool, "odd-1", "nobody's", "more-2"})
		j := &job{name: name, began: x.clock.now, e: errand{Do: "wrong"}}
		c, out, err := x.c.Call(x.clock.now, calls.Request{Name: name, Arguments: protocol.Raw(fmt.Sprintf(`{"wait":%d}`, x.dice.IntN(3e8)))})
		if err != nil {
			x.refused("", err)
		} else {
			x.begin(out.Call, j)
			x.step(c, out)
		}
		x.lifeOfAll()
	})
}

// invoke runs a local tool, which may take too long, or never end.
func (x *called) invoke(i calls.LocalStart) {
	if x.local[i.Attempt] != "" {
		x.fail("%v is invoked twice", i.Attempt)
	}
	x.local[i.Attempt] = i.Tool
	if x.dice.chance(10) {
		return
	}
	x.clock.after(x.dice.span(0, 2*time.Second), func() {
		o := attempt.Outcome{Result: protocol.TextResult("done by the program")}
		if x.dice.chance(20) {
			o = attempt.FromError(i.Tool, errors.New("crashed"))
		}
		delete(x.local, i.Attempt)
		x.step(x.c.Finish(x.clock.now, i.Attempt, o))
	})
}
