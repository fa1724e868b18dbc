package engine

import (
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
)

// Owner returns what the handles of this Core point at.
func (c *Core) Owner() *lifecycle.Owner {
	if c.birth == nil {
		return nil
	}
	return &c.birth.owner
}

// Call returns the handle with the given numbers. Whether it is open shows when it is
// used.
func (c *Core) Call(seq, key uint64) lifecycle.Call { return lifecycle.MakeCall(c.Owner(), seq, key) }

// Req returns the handle with the given number.
func (c *Core) Req(seq uint64) lifecycle.Req { return lifecycle.MakeReq(c.Owner(), seq) }

func (c *Core) call(leaf *table.Leaf[Inbound]) lifecycle.Call { return c.Call(leaf.V.Seq, leaf.Key) }

// lookup returns the entry of a call, nil if it is gone or of another State.
func (c *Core) lookup(call lifecycle.Call) *table.Leaf[Inbound] {
	leaf := c.in.Get(call.Key())
	if leaf == nil || leaf.V.Seq != call.Seq() || !call.OwnedBy(c.Owner()) {
		return nil
	}
	return leaf
}

// find returns the entry of a request of ours, nil if it is gone or of another State.
func (c *Core) find(req lifecycle.Req) *table.Leaf[Outbound] {
	if req.IsZero() || !req.OwnedBy(c.Owner()) {
		return nil
	}
	return c.out.Get(req.Seq())
}

// callRef is a Call of the Core that keeps it, without the owner.
type callRef struct{ seq, key uint64 }

func refOf(call lifecycle.Call) callRef { return callRef{call.Seq(), call.Key()} }

func (r callRef) call(c *Core) lifecycle.Call {
	if r.seq == 0 {
		return lifecycle.Call{}
	}
	return c.Call(r.seq, r.key)
}

// get returns the entry of the call, nil if there is none or it is gone.
func (r callRef) get(c *Core) *table.Leaf[Inbound] {
	if r.seq == 0 {
		return nil
	}
	if leaf := c.in.Get(r.key); leaf != nil && leaf.V.Seq == r.seq {
		return leaf
	}
	return nil
}
