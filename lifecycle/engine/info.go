package engine

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
)

// inboundByAge returns the open calls, oldest first.
func (c *Core) inboundByAge() []*table.Leaf[Inbound] {
	list := slices.Collect(c.in.All())
	slices.SortFunc(list, func(a, b *table.Leaf[Inbound]) int { return cmp.Compare(a.V.Seq, b.V.Seq) })
	return list
}

// At returns the time of an instant, as Now and After give them; zero for table.Never.
func (c *Core) At(t int64) time.Time {
	if t == table.Never {
		return time.Time{}
	}
	return c.birth.at.Add(time.Duration(t))
}

// Calls returns the open inbound requests, oldest first.
func (c *Core) Inbound() iter.Seq[lifecycle.CallInfo] {
	list := c.inboundByAge()
	return func(yield func(lifecycle.CallInfo) bool) {
		for _, leaf := range list {
			info := lifecycle.CallInfo{Call: c.call(leaf), ID: leaf.V.ID, Method: leaf.V.name()}
			if x := leaf.V.ext; x != nil {
				info.ProgressToken = x.token
			}
			if !yield(info) {
				return
			}
		}
	}
}

// Reqs returns the requests of ours that await the peer, oldest first.
func (c *Core) Outbound() iter.Seq[lifecycle.ReqInfo] {
	t := c.out
	return func(yield func(lifecycle.ReqInfo) bool) {
		for leaf := range t.All() {
			info := lifecycle.ReqInfo{
				Req: c.Req(leaf.Key), ID: jsonrpc.Int(int64(leaf.Key)), Method: leaf.V.name(), Within: leaf.V.within.call(c),
				Deadline: c.At(leaf.Deadline), Maximum: c.At(leaf.V.maxDeadline),
			}
			switch x := leaf.V.ext; {
			case x != nil && !x.token.IsZero():
				info.ProgressToken = x.token
			case leaf.V.progress:
				info.ProgressToken = info.ID
			}
			if !yield(info) {
				return
			}
		}
	}
}
