package calls

import (
	"errors"
	"fmt"

	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/protocol"
)

// Check returns the first invariant that does not hold, in any part. Tests call it.
func (c Caller) Check() error {
	return errors.Join(c.x.Check(), c.t.Check(), c.t.used.Check(), c.m.Check(), c.calls.Check(), c.ops.Check(), c.waits.Check(), c.checkCalls())
}

// checkCalls checks that the tables agree on each call.
func (c *Caller) checkCalls() error {
	if st := c.x.Status(); st.Running+st.Waiting != c.calls.Len() {
		return fmt.Errorf("calls: %d calls, and the Executor has %d and %d", c.calls.Len(), st.Running, st.Waiting)
	}
	there := map[catalog.ItemID]bool{}
	for i := range c.t.Items(protocol.ToolList, true) {
		there[i.Ref()] = true
	}
	for leaf := range c.t.used.All() {
		if !there[leaf.V.id] {
			return fmt.Errorf("calls: schema of the removed tool %v", leaf.V.id)
		}
	}
	waits, ops := 0, 0
	for leaf := range c.calls.All() {
		rec := leaf.V
		waits += rec.left
		places := map[uint64]bool{}
		for _, server := range rec.waits {
			if set := c.waits.Get(place(server)); set != nil && set.V.Get(leaf.Key) != nil {
				places[place(server)] = true
			}
		}
		if len(places) != rec.left || (rec.left == 0) != (rec.waits == nil) {
			return fmt.Errorf("calls: call %d waits for %d servers, not for %d", leaf.Key, len(places), rec.left)
		}
		if !rec.op.IsZero() {
			ops++
			if op := c.ops.Get(rec.op.Seq()); op == nil || uint64(op.V) != leaf.Key {
				return fmt.Errorf("calls: request of call %d missing", leaf.Key)
			}
		}
		running := rec.attempt.Number != 0
		if doing := rec.waits != nil || rec.local() && running || !rec.op.IsZero(); running != doing {
			return fmt.Errorf("calls: call %d: running is %v, doing is %v", leaf.Key, running, doing)
		}
	}
	for leaf := range c.waits.All() {
		waits -= leaf.V.Len()
	}
	for leaf := range c.ops.All() {
		if leaf.V != 0 {
			ops--
		}
	}
	if waits != 0 || ops != 0 {
		return fmt.Errorf("calls: %d waits and %d requests missing", waits, ops)
	}
	return nil
}
