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

// at returns the time of an instant, zero for table.Never.
func (c *Core) at(t int64) time.Time {
	if t == table.Never {
		return time.Time{}
	}
	return c.origin.Add(time.Duration(t))
}

// CallInfo describes an open inbound request.
type CallInfo struct {
	Call          lifecycle.Call // its handle
	ID            jsonrpc.ID     // its wire id
	Method        string         // its method
	ProgressToken jsonrpc.ID     // zero: the peer wants no progress
}

// Calls returns the open inbound requests, oldest first.
func (c *Core) Calls() iter.Seq[CallInfo] {
	list := c.inboundByAge()
	return func(yield func(CallInfo) bool) {
		for _, leaf := range list {
			info := CallInfo{Call: lifecycle.MakeCall(leaf.V.Seq, leaf.Key), ID: leaf.V.ID, Method: leaf.V.name()}
			if x := leaf.V.ext; x != nil {
				info.ProgressToken = x.token
			}
			if !yield(info) {
				return
			}
		}
	}
}

// ReqInfo describes a request of ours that awaits the peer.
type ReqInfo struct {
	Req    lifecycle.Req  // its handle
	ID     jsonrpc.ID     // its wire id
	Method string         // its method
	Within lifecycle.Call // the inbound request it was made for; it may be closed by now

	Deadline      time.Time  // when it times out, if nothing comes; zero: never
	Maximum       time.Time  // the latest that progress can put this off; zero: without end
	ProgressToken jsonrpc.ID // the token that it went out with; zero: it asked for no progress
}

// Reqs returns the requests of ours that await the peer, oldest first.
func (c *Core) Reqs() iter.Seq[ReqInfo] {
	t := c.out
	return func(yield func(ReqInfo) bool) {
		for leaf := range t.All() {
			info := ReqInfo{
				Req: reqOf(leaf.Key), ID: jsonrpc.Int(int64(leaf.Key)), Method: leaf.V.name(), Within: leaf.V.Within,
				Deadline: c.at(leaf.Deadline), Maximum: c.at(leaf.V.hard),
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
