package exec

import (
	"fmt"
	"strings"

	"github.com/sansmcp/mcp/lifecycle/table"
)

// Dump writes down all that an Executor keeps, so that two can be compared.
func (x Executor) Dump() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("now %d running %d random %d last %d %d %d begun %d settled %d late %d", x.now, x.running, x.random, x.lastCall, x.lastBatch, x.ticket, x.begun, x.settled, x.late)
	for leaf := range x.calls.All() {
		c := leaf.V
		line("call %d due %d state %d attempt %d step %d turn %d total %d ticket %d args %s last %v", leaf.Key, leaf.Deadline, c.state, c.attempt, c.step, c.turn, c.total, c.ticket, c.args, c.last)
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
