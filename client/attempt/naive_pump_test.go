package attempt_test

import (
	"slices"
	"time"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// pump goes on until nothing changes.
func (m *naive) pump() {
	for {
		for len(m.touched) > 0 {
			b := m.touched[0]
			m.touched = m.touched[1:]
			m.advance(b)
		}
		if m.cfg.Running > 0 && m.count("running", nil) >= m.cfg.Running {
			return
		}
		c := m.first()
		if c == nil {
			return
		}
		m.run(c)
	}
}

func (m *naive) advance(b *naiveBatch) {
	for slices.Contains(m.batches, b) {
		if len(b.results) == len(b.calls) {
			m.batches = slices.DeleteFunc(m.batches, func(x *naiveBatch) bool { return x == b })
			done := attempt.BatchDone{Batch: b.id, Failed: -1}
			for i := range b.calls {
				if done.Failed < 0 && b.results[i].Outcome.Err != nil {
					done.Failed = i
				}
				done.Results = append(done.Results, b.results[i])
			}
			m.out.Batches = append(m.out.Batches, done)
			return
		}
		if b.stopping && !b.swept {
			m.stop(b, b.opt.Immediate)
			continue
		}
		if b.stopping || b.next == len(b.calls) || b.active >= b.width {
			return
		}
		c := b.calls[b.next]
		b.next++
		if m.find(c.id) != nil {
			b.active++
			m.turn(c)
		}
	}
}

// first returns the call that starts next, nil if none can.
func (m *naive) first() (best *naiveCall) {
	blocked := map[string]bool{}
	queued := slices.Clone(m.calls)
	slices.SortFunc(queued, func(a, b *naiveCall) int { return a.ticket - b.ticket })
	for _, c := range queued {
		if c.doing != "queued" || blocked[c.req.Lane] {
			continue
		}
		blocked[c.req.Lane] = true // only the first of each
		l := m.lane(c.req.Lane)
		if l.opt.Running > 0 && m.count("running", &c.req.Lane) >= l.opt.Running {
			continue
		}
		if l.wait() > 0 && !l.opt.Reject {
			continue
		}
		return c
	}
	return nil
}

func (m *naive) run(c *naiveCall) {
	if !c.total.IsZero() && !m.now.Before(c.total) {
		m.due(c)
		return
	}
	l := m.lane(c.req.Lane)
	if d := l.wait(); d > 0 {
		m.settle(c, attempt.Outcome{Err: &toolerror.Error{Kind: toolerror.RateLimited, After: d}})
		return
	}
	l.credit -= int64(l.opt.Rate.Per)
	c.attempt++
	m.fresh[c.id] = true
	c.doing, c.due = "running", c.total
	if c.policy.Attempt > 0 {
		if until := m.now.Add(c.policy.Attempt); c.due.IsZero() || until.Before(c.due) {
			c.due = until
		}
	}
	m.out.Start = append(m.out.Start, attempt.Start{
		Attempt: attempt.Attempt{Call: c.id, Number: c.attempt}, Deadline: c.due,
		Request: attempt.Request{Tool: c.req.Tool, Arguments: c.req.Arguments},
	})
}

// next returns when something is due; zero if never.
func (m *naive) next() (t time.Time) {
	sooner := func(d time.Time) {
		if !d.IsZero() && (t.IsZero() || d.Before(t)) {
			t = d
		}
	}
	blocked := map[string]bool{}
	queued := slices.Clone(m.calls)
	slices.SortFunc(queued, func(a, b *naiveCall) int { return a.ticket - b.ticket })
	for _, c := range queued {
		sooner(c.due)
		if c.doing != "queued" || blocked[c.req.Lane] {
			continue
		}
		blocked[c.req.Lane] = true
		l := m.lane(c.req.Lane)
		if d := l.wait(); d > 0 && !l.opt.Reject && (l.opt.Running == 0 || m.count("running", &c.req.Lane) < l.opt.Running) {
			sooner(m.now.Add(d))
		}
	}
	for _, b := range m.batches {
		sooner(b.grace)
	}
	return t
}
