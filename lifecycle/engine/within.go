package engine

import (
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
)

// Requests of ours that are made within a call end with it, unless it was answered: who
// gave up a call waits for nothing that was asked on its behalf. An inbound entry knows
// the ids of the open requests within it, so that the cost is theirs and not that of
// every request that is open.

// join notes that request id of ours is made within a call, which is open or none.
func (c *Core) join(within callRef, id uint64) {
	leaf := within.get(c)
	if leaf == nil {
		return
	}
	var x inboundExt
	if leaf.V.ext != nil {
		x = *leaf.V.ext
	}
	x.inner = x.inner.Put(id, table.Never, struct{}{})
	c.extend(leaf, &x)
}

// leave notes that request id of ours, which was made within a call, has ended.
func (c *Core) leave(within callRef, id uint64) {
	leaf := within.get(c)
	if leaf == nil || leaf.V.ext == nil {
		return
	}
	x := *leaf.V.ext
	x.inner, _ = x.inner.Delete(id)
	c.extend(leaf, &x)
}

// extend replaces what an inbound entry has beside the usual.
func (c *Core) extend(leaf *table.Leaf[Inbound], x *inboundExt) {
	v := leaf.V
	v.ext = x
	c.in = c.in.Put(leaf.Key, leaf.Deadline, v)
}

// endWithin withdraws the open requests within a call that has left the table.
func (c *Core) endWithin(v *Inbound, o *lifecycle.Output) {
	if v.ext == nil || v.ext.inner.Len() == 0 {
		return
	}
	const reason = "the call is over"
	cause := &lifecycle.Cause{Kind: lifecycle.CauseCancelled, Reason: reason}
	for inner := range v.ext.inner.All() {
		leaf := c.out.Get(inner.Key)
		if leaf == nil {
			continue
		}
		c.drop(leaf)
		c.withdraw(leaf, reason, o)
		c.fail(leaf, cause, o)
	}
}
