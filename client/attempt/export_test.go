package attempt

import (
	"fmt"
	"strings"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/clock"
	"github.com/sansmcp/mcp/lifecycle/table"
)

// Dump writes down all that an Executor keeps, so that two can be compared.
func (x Executor) Dump() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("clock %v running %d random %d last %d %d %d begun %d settled %d late %d", x.clock, x.running, x.random, x.lastCall, x.lastBatch, x.ticket, x.begun, x.ended, x.late)
	for leaf := range x.calls.All() {
		c := leaf.V
		line("call %d due %d state %d attempt %d step %d started %d deadline %d ticket %d args %s last %v", leaf.Key, leaf.Deadline, c.state, c.attempt, c.step, c.started, c.deadline, c.ticket, c.args, c.last)
		line("  %s lane %s %d %+v policy %+v batch %d %d fault %v", c.tool, c.name, c.lane, c.hints, *c.policy, c.batch, c.index, c.fault)
	}
	for leaf := range x.batches.All() {
		v := leaf.V
		line("batch %d due %d %+v next %d active %d failed %d stopping %v swept %v reason %s", leaf.Key, leaf.Deadline, *v.batchSpec, v.next, v.active, v.failed, v.stopping, v.swept, v.reason)
		for r := range v.results.All() {
			line("  %+v %+v %v", r.V, r.V.Outcome.Result, r.V.Outcome.Err)
		}
	}
	for leaf := range x.lanes.All() {
		l := leaf.V
		line("lane %d due %d %s %+v bucket %+v running %d waiting %d head %d queue%s", leaf.Key, leaf.Deadline, l.name, *l.opt, l.bucket, l.running, l.waiting, l.head, dump(l.queue))
	}
	line("ready%s", dump(x.ready))
	line("idle%s", dump(x.idle))
	return b.String()
}

func dump[V any](t table.Table[V]) string {
	var b strings.Builder
	for leaf := range t.All() {
		fmt.Fprintf(&b, " %d due %d %v", leaf.Key, leaf.Deadline, leaf.V)
	}
	return b.String()
}

// TokenBucket is the bucket of a Rate with a clock of its own.
type TokenBucket struct {
	rate  Rate
	clock clock.Clock
	bucket
}

// NewTokenBucket returns a full bucket.
func NewTokenBucket(r Rate, now time.Time) (TokenBucket, error) {
	var f lifecycle.Filler
	r.fill(&f, "Rate")
	return TokenBucket{rate: r, clock: clock.New(now), bucket: bucket{credit: r.full()}}, f.Err("attempt")
}

// Take takes a token if there is one.
func (b TokenBucket) Take(now time.Time) (TokenBucket, bool) {
	if b.Wait(now) > 0 {
		return b, false
	}
	b.clock.Take(now)
	b.bucket = b.take(&b.rate, b.clock.Now())
	return b, true
}

// Wait returns how long it takes until there is a token.
func (b TokenBucket) Wait(now time.Time) time.Duration {
	b.clock.Take(now)
	return b.wait(&b.rate, b.clock.Now(), int64(b.rate.Per))
}

func (h Hints) Repeatable() bool { return h.repeatable() }
