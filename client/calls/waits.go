package calls

import (
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// place is the key of the calls that wait for a server. A collision of two servers only causes
// needless lookups.
func place(server string) uint64 { return engine.Hash([2]uint64{}, 'w', server) }

// rest ends the current attempt of a call, and returns the call as it was.
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

// wait makes a call wait for a server; it reports false if a call already waits at its place.
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

// unwait ends the wait of a call for a server.
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

// waitsOn reports whether a call must continue to wait, without a lookup: the server has not brought
// another tool of its name, and others are left to wait for. It takes one table lookup, because many
// calls may wait for many servers.
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
