package manager

import (
	"github.com/sansmcp/mcp/lifecycle/table"
)

// maxChanges is how many changes of one server an Inbox keeps one by one. It is many more than
// connecting, losing and closing a server take, and bounds one that comes and goes for as long
// as nobody looks.
const maxChanges = 16

// changes counts the changes of each server that wait: a value.
type changes struct {
	count  index // server → how many
	newest index // server → the number of the last of them
}

// full returns the number of the newest change of a server that has as many as may wait.
func (c changes) full(server string) (uint64, bool) {
	if n, _ := c.count.get(noKey, server); n < maxChanges {
		return 0, false
	}
	return c.newest.get(noKey, server)
}

// with notes that one more waits, under a number.
func (c changes) with(server string, number uint64) changes {
	n, _ := c.count.get(noKey, server)
	c.count = c.count.without(noKey, server).with(noKey, server, n+1)
	c.newest = c.newest.without(noKey, server).with(noKey, server, number)
	return c
}

// without notes that the oldest was taken out.
func (c changes) without(server string) changes {
	n, _ := c.count.get(noKey, server)
	if c.count = c.count.without(noKey, server); n > 1 {
		c.count = c.count.with(noKey, server, n-1)
		return c
	}
	c.newest = c.newest.without(noKey, server)
	return c
}

// concat puts a change in the place of the one before it, of which it keeps where that began
// and, if it says nothing itself, why.
func (q Inbox) coalesce(n uint64, ev Event) Inbox {
	old := q.queue.Get(n).V
	if old.ev.Link == ev.Link {
		ev.From = old.ev.From
	}
	if ev.Err == nil {
		ev.Err = old.ev.Err
	}
	q.drops.Coalesced++
	q.queue = q.queue.Put(n, table.Never, letter{ev, control, ""})
	return q
}
