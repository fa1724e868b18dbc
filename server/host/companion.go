package host

import (
	"cmp"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/server"
)

// accompany makes the Companion.
func (d *Host) accompany() {
	if d.ask != nil {
		d.c = d.ask(server.Peer{})
	}
}

// receive passes a message to the session, after giving it the catalog of the Companion's functions,
// or of those of the Host if it has none.
func (d *Host) receive(m jsonrpc.Message) (out server.Output) {
	now := time.Now()
	if d.c != nil {
		if h := d.c.Handlers(); h != d.own {
			d.own = h
			if s, o, err := d.s.Offer(now, cmp.Or(h, d.h)); err == nil {
				d.s, out = s, o
			}
		}
	}
	s, more := d.s.Receive(now, m)
	if d.s = s; out.IsZero() {
		return more
	}
	out.Merge(more)
	return out
}
