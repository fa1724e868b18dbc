package attempt

import (
	"errors"
	"fmt"

	"github.com/sansmcp/mcp/lifecycle/table"
)

// Check returns the first invariant that does not hold, or nil. It takes linear time, and is for
// tests: no action of a caller can cause one.
func (x Executor) Check() error {
	counts := map[uint64]*lane{}
	runs := 0
	for leaf := range x.calls.All() {
		c := leaf.V
		l := counts[c.lane]
		if l == nil {
			l = &lane{}
			counts[c.lane] = l
		}
		if c.state == running {
			runs++
			l.running++
		} else {
			l.waiting++
		}
		if err := x.checkCall(leaf); err != nil {
			return fmt.Errorf("call %d: %w", leaf.Key, err)
		}
	}
	if runs != x.running {
		return errors.New("the number of running attempts is wrong")
	}
	if x.cfg != nil && x.cfg.Running > 0 && runs > x.cfg.Running {
		return errors.New("more attempts run than may")
	}
	if x.ready.Len() > 0 && x.room() {
		return errors.New("a call could start but has not")
	}
	heads := 0
	for leaf := range x.lanes.All() {
		if leaf.V.head != 0 {
			heads++
		}
		if err := x.checkLane(leaf, counts[leaf.Key]); err != nil {
			return fmt.Errorf("lane %q: %w", leaf.V.name, err)
		}
		delete(counts, leaf.Key)
	}
	if len(counts) > 0 || heads != x.ready.Len() {
		return errors.New("the lanes and their lists differ")
	}
	for leaf := range x.idle.All() {
		if l := x.lanes.Get(leaf.Key); l == nil || l.V.running+l.V.waiting > 0 || leaf.Deadline == table.Never {
			return errors.New("an idle lane does not exist, or is not idle")
		}
	}
	for leaf := range x.batches.All() {
		if err := x.checkBatch(leaf); err != nil {
			return fmt.Errorf("batch %d: %w", leaf.Key, err)
		}
	}
	return nil
}

func (x *Executor) checkCall(leaf *table.Leaf[call]) error {
	c := &leaf.V
	switch {
	case leaf.Key == 0 || leaf.Key > x.lastCall:
		return errors.New("its handle was never issued")
	case x.lanes.Get(c.lane) == nil:
		return errors.New("its lane does not exist")
	case c.attempt > c.policy.attempts() || c.attempt == c.policy.attempts() && c.state != running || c.attempt < 0:
		return errors.New("it was tried too often")
	case (c.state == running || c.state == waiting) && c.attempt == 0:
		return errors.New("it runs without an attempt")
	case c.state == pending && (c.batch == 0 || c.attempt > 0 || leaf.Deadline != table.Never):
		return errors.New("it is pending outside of a batch, or has begun")
	case c.state != pending && c.fault != nil:
		return errors.New("it has begun despite its fault")
	case (c.state == queued) != (c.ticket != 0):
		return errors.New("it is queued without a ticket, or has one without being queued")
	case c.state == queued && (leaf.Deadline != c.deadline || c.ticket > x.ticket):
		return errors.New("its deadline in the queue, or its ticket, is wrong")
	case c.state == waiting && (leaf.Deadline >= c.deadline || leaf.Deadline == table.Never):
		return errors.New("it waits beyond its deadline")
	case c.state == running && leaf.Deadline > c.deadline:
		return errors.New("it runs beyond its deadline")
	case c.state == ended || c.state > waiting:
		return errors.New("it has no state")
	}
	if c.batch == 0 {
		return nil
	}
	b := x.batches.Get(uint64(c.batch))
	if b == nil || c.index < 0 || c.index >= b.V.size || uint64(b.V.first)+uint64(c.index) != leaf.Key {
		return errors.New("it is not in its batch")
	}
	if (c.state == pending) != (c.index >= b.V.next) {
		return errors.New("it has started and is pending, or neither")
	}
	return nil
}

func (x *Executor) checkLane(leaf *table.Leaf[lane], count *lane) error {
	l := &leaf.V
	if count == nil {
		count = &lane{}
		if x.idle.Get(leaf.Key) == nil {
			return errors.New("it has no calls and is not listed as idle")
		}
	}
	for q := range l.queue.All() {
		if c := x.calls.Get(uint64(q.V)); c == nil || c.V.ticket != q.Key || c.V.lane != leaf.Key {
			return errors.New("its queue has a call that is not queued")
		}
	}
	room := l.queue.Len() > 0 && (l.opt.Running == 0 || l.running < l.opt.Running)
	switch {
	case count.running != l.running || count.waiting != l.waiting || l.queue.Len() > l.waiting:
		return errors.New("its counts are wrong")
	case l.opt.Running > 0 && l.running > l.opt.Running:
		return errors.New("more attempts run than may")
	case l.head != 0 && (!room || first(l.queue).Key != l.head):
		return errors.New("it is listed with a call that is not its first")
	case l.head != 0 && x.ready.Get(l.head) == nil:
		return errors.New("it is not listed")
	case room && l.head == 0 && leaf.Deadline == table.Never && x.clock.After(l.wait(x.clock.Now())) != table.Never: // which may be some centuries
		return errors.New("its first call waits without a reason")
	case leaf.Deadline != table.Never && (!room || l.head != 0):
		return errors.New("it waits for a token that it does not need")
	}
	return nil
}

func (x *Executor) checkBatch(leaf *table.Leaf[batch]) error {
	b := &leaf.V
	alive, active, failed := 0, 0, -1
	for i := range b.size {
		c, r := x.calls.Get(uint64(b.first)+uint64(i)), b.results.Get(uint64(i))
		if (c == nil) == (r == nil) {
			return errors.New("a call has ended and is live, or neither")
		}
		if c != nil {
			alive++
			if c.V.batch != BatchID(leaf.Key) {
				return errors.New("a call of another batch")
			}
			if c.V.state != pending {
				active++
			}
		} else if failed < 0 && r.V.Outcome.Err != nil {
			failed = i
		}
	}
	switch {
	case alive == 0:
		return errors.New("all its calls have ended")
	case active != b.active || b.failed != failed || b.next > b.size:
		return errors.New("its counts are wrong")
	case !b.stopping && active > b.width:
		return errors.New("too many calls are under way")
	case !b.stopping && active < b.width && b.next < b.size:
		return errors.New("a call could start but has not")
	case b.stopping && alive != active:
		return errors.New("it is stopping and has pending calls")
	case leaf.Deadline != table.Never && !b.stopping:
		return errors.New("it has a grace and is not stopping")
	}
	return nil
}
