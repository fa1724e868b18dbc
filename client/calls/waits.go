package calls

import (
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// place is where the calls are that wait for a server. Servers that share one only look in vain
// sometimes.
func place(server string) uint64 { return engine.Hash([2]uint64{}, 'w', server) }

// rest ends what a call does at the moment, and returns what that was.
func (c *Caller) rest(id uint64) call {
	was := c.calls.Get(id).V
	for _, server := range was.waits {
		c.unwait(server, id)
	}
	rec := was
	rec.doing = doing{}
	c.calls = c.calls.Put(id, table.Never, rec)
	return was
}

// wait has a call wait for a server; it reports whether there was none at its place yet.
func (c *Caller) wait(server string, id uint64) bool {
	set := c.waiting(server)
	if set.Get(id) != nil {
		return false
	}
	c.waits = c.waits.Put(place(server), table.Never, set.Put(id, table.Never, nothing{}))
	return true
}

// waiting returns the calls that wait for a server.
func (c *Caller) waiting(server string) (set table.Table[nothing]) {
	if leaf := c.waits.Get(place(server)); leaf != nil {
		set = leaf.V
	}
	return set
}

// unwait ends that.
func (c *Caller) unwait(server string, id uint64) {
	set, leaf := c.waiting(server).Delete(id)
	switch {
	case leaf == nil:
	case set.Len() == 0:
		c.waits, _ = c.waits.Delete(place(server))
	default:
		c.waits = c.waits.Put(place(server), table.Never, set)
	}
}

// waitsOn reports whether a call has to go on waiting whatever Seek would say: what the server
// has brought is no other tool of its name, and there are more servers to wait for. It costs one look
// at a table, for there may be many calls that wait for many servers.
func (c *Caller) waitsOn(id uint64, server string) bool {
	rec := c.calls.Get(id).V
	if rec.left < 2 || c.t.NumberOf(protocol.ToolList, rec.name) != rec.seen || !c.t.Settled(protocol.ToolList, server, rec.since) {
		return false
	}
	c.unwait(server, id)
	rec.left--
	c.calls = c.calls.Put(id, table.Never, rec)
	return true
}
