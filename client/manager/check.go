package manager

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
)

// Check returns an error if an invariant of the Manager does not hold. No action of a caller or a
// server can make it fail; tests call it after every step.
func (m Manager) Check() error {
	if m.env == nil {
		return errors.New("manager: the zero Manager")
	}
	if err := errors.Join(m.conns.Check(), m.names.Check(), m.closing.Check(), m.ops.Check()); err != nil {
		return err
	}
	owed := map[uint64][]uint64{} // slots of operations that purposes and waiters will fill
	last := uint64(0)
	for leaf := range m.conns.All() {
		c := leaf.V
		n := m.names.Get(m.hash(c.name), c.name)
		switch {
		case n == nil || *n != c.number || leaf.Key != *n:
			return fmt.Errorf("manager: %v is not found by its name", c.link())
		case *n > m.numbers || *n <= last:
			return fmt.Errorf("manager: the number of %v", c.link())
		case leaf.Deadline != m.nextDeadline(c):
			return fmt.Errorf("manager: the deadline of %v", c.link())
		}
		last = *n
		if err := m.checkConn(c, owed); err != nil {
			return fmt.Errorf("manager: %v (%v): %w", c.link(), c.condition, err)
		}
	}
	if m.names.Len() != m.conns.Len() {
		return fmt.Errorf("manager: %d names of %d connections", m.names.Len(), m.conns.Len())
	}
	for leaf := range m.closing.All() {
		if leaf.Key > m.epochs || leaf.Deadline == table.Never && !m.distant() {
			return fmt.Errorf("manager: closing %d", leaf.Key)
		}
		owed[leaf.V.waiter.op] = append(owed[leaf.V.waiter.op], leaf.V.waiter.slot)
	}
	return m.checkOps(owed)
}

// checkOps checks that something will end each operation.
func (m *Manager) checkOps(owed map[uint64][]uint64) error {
	for leaf := range m.ops.All() {
		p, want, come := leaf.V, 1, owed[leaf.Key]
		if p.kind == opHealth || p.kind == opDisconnectAll {
			want = p.slots - p.checkups.Len()
		}
		slices.Sort(come)
		if leaf.Key > m.seq || want < 1 || len(come) != want || len(slices.Compact(slices.Clone(come))) != want ||
			slices.ContainsFunc(come, func(slot uint64) bool { return p.checkups.Get(slot) != nil }) {
			return fmt.Errorf("manager: op %d (%s) waits for %d, and slots %d will come", leaf.Key, p.method, want, owed[leaf.Key])
		}
	}
	return nil
}

// checkConn checks one connection, and collects the slots that its purposes and waiters will fill.
func (m *Manager) checkConn(c *conn, owed map[uint64][]uint64) error {
	if err := errors.Join(c.client.Check(), c.purposes.Check(), c.want.order.Check()); err != nil {
		return err
	}
	open := map[uint64]bool{}
	for r := range c.client.Outbound() {
		if c.condition != Handshaking {
			open[r.Req.Seq()] = true
		}
	}
	pings, restoring, listens, acked := 0, 0, c.listens == 0, c.acked == 0
	for leaf := range c.purposes.All() {
		if !open[leaf.Key] {
			return fmt.Errorf("a purpose of request %d, which is not open", leaf.Key)
		}
		switch leaf.V.kind {
		case forOp, forCheckup:
			owed[leaf.V.op] = append(owed[leaf.V.op], leaf.V.slot)
		case forPing:
			pings++
		case forResume:
			restoring++
		case forListen:
			listens, acked = listens || leaf.Key == c.listens, acked || leaf.Key == c.acked
		}
	}
	for _, w := range c.waiters {
		owed[w.op] = append(owed[w.op], w.slot)
	}
	switch {
	case len(open) != c.purposes.Len():
		return fmt.Errorf("%d requests for %d purposes", len(open), c.purposes.Len())
	case c.epoch == 0 && c.condition != Idle || c.epoch > m.epochs:
		return errors.New("the epoch")
	case pings > 1 || (pings == 1) != c.pinging && c.condition == Ready:
		return errors.New("pings")
	case (!listens || !acked || c.listens != c.acked && c.again == table.Never) && c.condition == Ready:
		return errors.New("subscriptions without a session")
	case restoring != c.resume.open && c.condition == Restoring:
		return errors.New("restoring")
	case c.want.by.Len() != c.want.order.Len() || c.want.by.Len() > c.set.keep:
		return errors.New("subscriptions")
	}
	return m.checkCondition(c)
}

// checkCondition checks that the fields match the condition.
func (m *Manager) checkCondition(c *conn) error {
	phase := c.client.Phase()
	timed := c.until != table.Never || m.distant() || c.opens() && m.env.human < 0
	ok := false
	switch c.condition {
	case Idle:
		ok = !timed && c.purposes.Len() == 0 && len(c.waiters) == 0 && c.set.opt.OnDemand
	case Connecting:
		ok = phase == lifecycle.Uninitialized && timed && c.purposes.Len() == 0
	case Handshaking:
		ok = phase == lifecycle.Initializing && timed && c.purposes.Len() == 0
	case Restoring:
		ok = phase == lifecycle.Ready && timed && c.resume.open > 0
	case Ready:
		ok = phase == lifecycle.Ready && len(c.waiters) == 0 && !m.silent(c)
	case Waiting:
		ok = timed && c.purposes.Len() == 0 && c.set.opt.Supervise
	case Failed:
		ok = (c.until == table.Never || c.set.opt.OnDemand) && c.purposes.Len() == 0 && len(c.waiters) == 0
	}
	if !ok {
		return fmt.Errorf("does not go with phase %v", phase)
	}
	return nil
}

// distant reports whether the clock is so far from the origin that deadlines may exceed the largest
// instant: these never come.
func (m *Manager) distant() bool { return m.clock.Now() > math.MaxInt64/2 }
