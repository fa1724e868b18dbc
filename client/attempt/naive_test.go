package attempt_test

import (
	"slices"
	"time"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

func (m *naive) admit(r attempt.Request, p attempt.Policy, b *naiveBatch, index int) *naiveCall {
	m.ids++
	c := &naiveCall{id: m.ids, req: r, policy: p, batch: b, index: index, doing: "held", fault: r.Fault}
	if c.fault == nil {
		in := r.Input
		if p.Unchecked {
			in = nil
		}
		c.req.Arguments, c.fault = in.Check(r.Tool, r.Arguments)
	}
	m.calls = append(m.calls, c)
	return c
}

func (m *naive) overloaded(ids []attempt.CallID) bool {
	for _, id := range ids {
		c := m.find(id)
		if c == nil || c.doing == "running" {
			continue
		}
		if m.count("", nil)-m.count("running", nil) > m.cfg.Queue {
			return true
		}
		if l := m.lane(c.req.Lane); l.opt.Queue > 0 && m.count("", &c.req.Lane)-m.count("running", &c.req.Lane) > l.opt.Queue {
			return true
		}
	}
	return false
}

func (m *naive) call(now time.Time, r attempt.Request) bool {
	m.begin(now)
	p := m.cfg.Policy
	if r.Policy != nil {
		p = *r.Policy
	}
	c := m.admit(r, p, nil, 0)
	m.out.Call = c.id
	m.turn(c)
	m.pump()
	return !m.overloaded([]attempt.CallID{c.id})
}

func (m *naive) start(now time.Time, list []attempt.Request, opt attempt.BatchOptions, width int) bool {
	m.begin(now)
	m.bids++
	if opt.Grace == 0 {
		opt.Grace = 5 * time.Second
	}
	b := &naiveBatch{id: m.bids, opt: opt, width: width, results: map[int]attempt.Result{}}
	m.out.Batch = b.id
	m.batches = append(m.batches, b)
	var ids []attempt.CallID
	for i, r := range list {
		p := m.cfg.Policy
		if opt.Policy != nil {
			p = *opt.Policy
		}
		if r.Policy != nil {
			p = *r.Policy
		}
		c := m.admit(r, p, b, i)
		b.calls = append(b.calls, c)
		ids = append(ids, c.id)
	}
	if len(ids) > 0 {
		m.out.Call = ids[0]
	}
	m.touched = append(m.touched, b)
	m.pump()
	return !m.overloaded(ids)
}

func (m *naive) turn(c *naiveCall) {
	c.turn = m.now
	if c.fault != nil {
		m.settle(c, attempt.Outcome{Err: c.fault})
		return
	}
	if c.policy.Total > 0 {
		c.total = m.now.Add(c.policy.Total)
	}
	m.enqueue(c)
}

func (m *naive) enqueue(c *naiveCall) {
	m.tickets++
	c.doing, c.ticket, c.due = "queued", m.tickets, c.total
}

func (m *naive) settle(c *naiveCall, o attempt.Outcome) {
	o.Attempts = c.attempt
	if !c.turn.IsZero() {
		o.Elapsed = m.now.Sub(c.turn)
	}
	m.calls = slices.DeleteFunc(m.calls, func(x *naiveCall) bool { return x == c })
	r := attempt.Result{Call: c.id, Tool: c.req.Tool, Index: c.index, Outcome: o}
	if b := c.batch; b != nil {
		r.Batch = b.id
		if c.index < b.next {
			b.active--
		}
		b.results[c.index] = r
		if o.Err != nil && b.opt.FailFast && !b.stopping {
			b.stopping, b.reason = true, "another call of the batch has failed"
		}
		m.touched = append(m.touched, b)
	}
	m.out.Done = append(m.out.Done, r)
}

func (m *naive) resolve(now time.Time, a attempt.Attempt, o attempt.Outcome) {
	m.begin(now)
	c := m.find(a.Call)
	if c == nil || c.doing != "running" || c.attempt != a.Number {
		m.late++
		m.out.LateFinish = true
		m.pump()
		return
	}
	if o.Err == nil {
		m.settle(c, o)
	} else {
		m.fail(c, o)
	}
	m.pump()
}

func (m *naive) fail(c *naiveCall, o attempt.Outcome) {
	p, kind := c.policy, o.Err.Kind
	again := false
	switch kind {
	case toolerror.Timeout, toolerror.ConnectionLost:
		again = c.req.Hints.Repeatable() || p.RetryUnsafe
	case toolerror.Unavailable, toolerror.RateLimited:
		again = true
	}
	if p.Kinds != 0 && p.Kinds&attempt.KindsOf(kind) == 0 {
		again = false
	}
	if !again || c.attempt >= max(1, p.Retry.Attempts) || c.batch != nil && c.batch.stopping {
		m.settle(c, o)
		return
	}
	var u uint64
	if p.Retry.Jitter > 0 {
		m.random, u = m.random.Next()
	}
	d := p.Retry.Delay(c.attempt, u)
	if kind != toolerror.Timeout && o.Err.After > d {
		if d = o.Err.After; d > p.Retry.Filled().Cap {
			m.settle(c, o)
			return
		}
	}
	at := m.now.Add(d)
	if !c.total.IsZero() && !at.Before(c.total) {
		m.settle(c, o)
		return
	}
	if d == 0 {
		m.enqueue(c)
		return
	}
	c.doing, c.due = "waiting", at
}

func (m *naive) due(c *naiveCall) {
	over := !c.total.IsZero() && !m.now.Before(c.total)
	if c.doing == "waiting" && !over {
		m.enqueue(c)
		return
	}
	e := &toolerror.Error{Kind: toolerror.Timeout, After: c.policy.Attempt}
	if over {
		e.After = c.policy.Total
	}
	if c.doing == "running" {
		m.out.Stop = append(m.out.Stop, attempt.Stop{Attempt: attempt.Attempt{Call: c.id, Number: c.attempt}, Why: toolerror.Timeout})
		if !over {
			m.fail(c, attempt.Outcome{Err: e})
			return
		}
	}
	m.settle(c, attempt.Outcome{Err: e})
}

func (m *naive) cancelCall(c *naiveCall, reason string) {
	if c.doing == "running" {
		if m.fresh[c.id] {
			m.out.Start = slices.DeleteFunc(m.out.Start, func(s attempt.Start) bool { return s.Attempt.Call == c.id })
			c.attempt--
		} else {
			m.out.Stop = append(m.out.Stop, attempt.Stop{Attempt: attempt.Attempt{Call: c.id, Number: c.attempt}, Why: toolerror.Cancelled, Reason: reason})
		}
	}
	m.settle(c, attempt.Outcome{Err: &toolerror.Error{Kind: toolerror.Cancelled, Text: reason}})
}

func (m *naive) cancel(now time.Time, id attempt.CallID, reason string) bool {
	m.begin(now)
	c := m.find(id)
	if c == nil {
		return false
	}
	m.cancelCall(c, reason)
	m.pump()
	return true
}

func (m *naive) stop(b *naiveBatch, all bool) {
	b.swept, b.grace = true, time.Time{}
	if !all && b.opt.Grace != lifecycle.NoTimeout {
		b.grace = m.now.Add(b.opt.Grace)
	}
	for _, c := range b.calls {
		if m.find(c.id) != nil && (all || c.doing != "running") {
			m.cancelCall(c, b.reason)
		}
	}
	m.touched = append(m.touched, b)
}

func (m *naive) cancelBatch(now time.Time, id attempt.BatchID, reason string) bool {
	m.begin(now)
	for _, b := range m.batches {
		if b.id != id {
			continue
		}
		again := b.stopping
		if !again {
			b.stopping, b.reason = true, reason
		}
		m.stop(b, again || b.opt.Immediate)
		m.pump()
		return true
	}
	return false
}

func (m *naive) cancelAll(now time.Time, reason string) {
	m.begin(now)
	for _, b := range m.batches {
		b.stopping, b.reason, b.swept, b.grace = true, reason, true, time.Time{}
		m.touched = append(m.touched, b)
	}
	for _, c := range slices.Clone(m.calls) {
		m.cancelCall(c, reason)
	}
	m.pump()
}

func (m *naive) tick(now time.Time) {
	m.begin(now)
	var due []*naiveCall
	for _, c := range m.calls {
		if !c.due.IsZero() && !m.now.Before(c.due) {
			due = append(due, c)
		}
	}
	slices.SortStableFunc(due, func(a, b *naiveCall) int { return a.due.Compare(b.due) })
	for _, c := range due {
		m.due(c)
	}
	var over []*naiveBatch
	for _, b := range m.batches {
		if !b.grace.IsZero() && !m.now.Before(b.grace) {
			over = append(over, b)
		}
	}
	slices.SortStableFunc(over, func(a, b *naiveBatch) int { return a.grace.Compare(b.grace) })
	for _, b := range over {
		m.stop(b, true)
	}
	m.pump()
}
