package attempt

import (
	"testing"
	"time"

	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// busy returns an Executor that has something of everything: calls in all states, a lane that waits
// for a token, a batch with results and failures, and one that is stopping.
func busy(t *testing.T) Executor {
	const sec = time.Second
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	retry := backoff.Policy{Base: 2 * sec, Attempts: 3}
	x, err := New(Config{
		Running: 4, Policy: Policy{Attempt: 5 * sec, Total: 60 * sec, Retry: retry}, Seed: 9,
		Lanes: []Lane{{Name: "metered", Rate: Rate{Tokens: 1, Per: 7 * sec}}, {Name: "one", Running: 1}},
	}, start)
	var out Output
	next := func(y Executor, o Output, e error) {
		if x, out = y, o; e != nil {
			t.Fatal(e)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, lane := range []string{"metered", "one", "metered", "one"} {
		next(x.Call(start, Request{Tool: "a", Lane: lane, Arguments: `{"q":1}`, Hints: Hints{Idempotent: true}}))
	}
	next(x.Start(start, []Request{
		{Tool: "ok"}, {Tool: "waits", Hints: Hints{Local: true}}, {Tool: "runs"}, {Tool: "failed", Fault: toolerror.Unknown("failed", []string{"x"})},
		{Tool: "bad", Arguments: "[]"}, {Tool: "pending"},
	}, BatchOptions{Strategy: 2, Policy: &Policy{Retry: retry, RetryUnsafe: true}}))
	started := out.Start
	x, _ = x.Finish(start.Add(sec), started[0].Attempt, Outcome{Result: protocol.TextResult("x")})
	x, _ = x.Finish(start.Add(sec), started[1].Attempt, Outcome{Err: &toolerror.Error{Kind: toolerror.RateLimited, After: 1500 * time.Millisecond}})
	next(x.Start(start.Add(sec), []Request{{Tool: "lasts"}, {Tool: "b"}}, BatchOptions{FailFast: true}))
	next(x.CancelBatch(start.Add(sec), out.Batch, "enough"))
	return x
}

// TestCheckFinds shows that Check finds what it is for: an Executor that has something of
// everything is damaged in one place at a time.
func TestCheckFinds(t *testing.T) {
	fresh := busy(t)
	if err := fresh.Check(); err != nil {
		t.Fatal(err)
	}
	// one returns the first call in a state.
	one := func(x *Executor, s state) *table.Leaf[call] {
		for leaf := range x.calls.All() {
			if leaf.V.state == s {
				return leaf
			}
		}
		t.Fatalf("no call in state %d", s)
		return nil
	}
	// with changes a call, and spec what never changes of it.
	with := func(s state, do func(c *call, due *int64)) func(x *Executor) {
		return func(x *Executor) {
			leaf := one(x, s)
			c, due := leaf.V, leaf.Deadline
			do(&c, &due)
			x.calls = x.calls.Put(leaf.Key, due, c)
		}
	}
	inSpec := func(s state, do func(s *spec)) func(x *Executor) {
		return with(s, func(c *call, _ *int64) {
			own := *c.spec
			do(&own)
			c.spec = &own
		})
	}
	inLane := func(name string, do func(l *lane, due *int64)) func(x *Executor) {
		return func(x *Executor) {
			leaf := x.lanes.Get(laneKey(name))
			l, due := leaf.V, leaf.Deadline
			do(&l, &due)
			x.lanes = x.lanes.Put(leaf.Key, due, l)
		}
	}
	inBatch := func(id uint64, do func(b *batch, due *int64)) func(x *Executor) {
		return func(x *Executor) {
			leaf := x.batches.Get(id)
			b, due := leaf.V, leaf.Deadline
			do(&b, &due)
			x.batches = x.batches.Put(id, due, b)
		}
	}
	inBatchSpec := func(id uint64, do func(b *batchSpec)) func(x *Executor) {
		return inBatch(id, func(b *batch, _ *int64) {
			own := *b.batchSpec
			do(&own)
			b.batchSpec = &own
		})
	}
	for name, damage := range map[string]func(x *Executor){
		"a handle that was never given":          func(x *Executor) { x.lastCall = 3 },
		"a call without a lane":                  func(x *Executor) { x.lanes, _ = x.lanes.Delete(one(x, waiting).V.lane) },
		"too many attempts":                      with(running, func(c *call, _ *int64) { c.attempt = 9 }),
		"no attempt of a call that runs":         with(running, func(c *call, _ *int64) { c.attempt = 0 }),
		"a pending call with a deadline":         with(pending, func(_ *call, due *int64) { *due = 1 }),
		"a queued call that has a fault":         inSpec(queued, func(s *spec) { s.fault = &toolerror.Error{} }),
		"a queued call without a ticket":         with(queued, func(c *call, _ *int64) { c.ticket = 0 }),
		"a queued call with another ticket":      with(queued, func(c *call, _ *int64) { c.ticket++ }),
		"a ticket that was never given":          func(x *Executor) { x.ticket = 1 },
		"a queued call that is due too early":    with(queued, func(_ *call, due *int64) { *due = 1 }),
		"a call that waits for ever":             with(waiting, func(_ *call, due *int64) { *due = table.Never }),
		"a call that runs beyond its total time": with(running, func(c *call, due *int64) { c.deadline, *due = 5, 6 }),
		"a call without a state":                 with(running, func(c *call, _ *int64) { c.state = ended }),
		"a call in a batch that is not there":    inSpec(waiting, func(s *spec) { s.batch = 99 }),
		"a call in the wrong place of its batch": inSpec(waiting, func(s *spec) { s.index++ }),
		"a pending call that has started":        inBatch(1, func(b *batch, _ *int64) { b.next++ }),
		"running is miscounted":                  func(x *Executor) { x.running++ },
		"more run than may":                      func(x *Executor) { c := *x.cfg; c.Running = 1; x.cfg = &c },
		"a lane counts too many":                 inLane("", func(l *lane, _ *int64) { l.running++ }),
		"a lane waits for nothing":               inLane("metered", func(_ *lane, due *int64) { *due = table.Never }),
		"a lane waits without need":              inLane("", func(_ *lane, due *int64) { *due = 5 }),
		"a lane is listed without room":          inLane("one", func(l *lane, _ *int64) { l.head = first(l.queue).Key }),
		"a lane is said to be listed": func(x *Executor) {
			inLane("metered", func(l *lane, due *int64) { l.head, *due = first(l.queue).Key, table.Never })(x)
		},
		"a lane is listed under another ticket": func(x *Executor) {
			inLane("metered", func(l *lane, due *int64) { l.head, *due = first(l.queue).Key, table.Never })(x)
			x.ready = x.ready.Put(first(x.lanes.Get(laneKey("metered")).V.queue).Key+1, table.Never, laneKey("metered"))
		},
		"a queue has a call that is not queued": inLane("metered", func(l *lane, _ *int64) { l.queue = l.queue.Put(99, table.Never, 7) }),
		"more run in a lane than may": inLane("", func(l *lane, _ *int64) {
			opt := *l.opt
			opt.Running = 1
			l.opt = &opt
		}),
		"a lane that nobody lists": func(x *Executor) { x.lanes = x.lanes.Put(1, table.Never, lanes0()) },
		"a call could start":       func(x *Executor) { x.ready = x.ready.Put(99, table.Never, 1); c := *x.cfg; c.Running = 0; x.cfg = &c },
		"something is listed that is not there": func(x *Executor) {
			x.ready = x.ready.Put(99, table.Never, 1)
			c := *x.cfg
			c.Running = x.running
			x.cfg = &c
		},
		"an idle lane that is not there": func(x *Executor) { x.idle = x.idle.Put(1, 5, struct{}{}) },
		"a batch that is done":           func(x *Executor) { x.batches = x.batches.Put(9, table.Never, doneBatch()) },
		"a batch with a call of another one": func(x *Executor) {
			leaf := x.calls.Get(11)
			c, own := leaf.V, *leaf.V.spec
			own.index, c.spec = 1, &own
			x.calls = x.calls.Put(leaf.Key, leaf.Deadline, c)
			inBatch(2, func(b *batch, _ *int64) { b.next = 2 })(x)
			inBatchSpec(2, func(b *batchSpec) { b.first, b.size = 10, 2 })(x)
		},
		"a batch with a call that is live and has ended": inBatch(1, func(b *batch, _ *int64) { b.results = b.results.Put(1, table.Never, Result{}) }),
		"a batch with the wrong first failure":           inBatch(1, func(b *batch, _ *int64) { b.failed = 0 }),
		"a batch with too many under way":                inBatchSpec(1, func(b *batchSpec) { b.width = 1 }),
		"a batch that could go on":                       inBatchSpec(1, func(b *batchSpec) { b.width = 3 }),
		"a batch that is stopping and has pending calls": inBatch(1, func(b *batch, _ *int64) { b.stopping = true }),
		"a batch with a grace that is not stopping":      inBatch(1, func(_ *batch, due *int64) { *due = 9 }),
	} {
		x := fresh
		damage(&x)
		if err := x.Check(); err == nil {
			t.Errorf("%s: Check finds nothing", name)
		}
	}
	if err := fresh.Check(); err != nil {
		t.Error(err)
	}
}

// lanes0 is a lane without calls.
func lanes0() lane { return lane{opt: &Lane{}} }

// doneBatch is a batch of one call that has ended.
func doneBatch() batch {
	b := batch{batchSpec: &batchSpec{first: 1000, size: 1, width: 1}, next: 1, failed: -1}
	b.results = b.results.Put(0, table.Never, Result{})
	return b
}
