package catalog

import (
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle/clock"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// A server without sessions says how long a list is fresh. That is a hint for when to read it again, and no
// reason to wait: many say 0, and a call would wait for a list each time. So a list that has expired is read
// when it is looked for, once in Config.MinInterval at the most, and serves meanwhile. Nothing is due by
// it (CACH-010). What Config.TTL, announcements and links say counts as ever (CACH-014). One whose changes
// are told need not be read for it. Each list of each server is for itself (CACH-011).

// lasts takes in what a server says of a list that was read to its end.
func (c *Catalog) lasts(l *reading, ev *manager.Event) {
	l.expires, l.public = table.Never, false
	if !ev.FreshUntil.IsZero() {
		l.expires = c.clock.Of(ev.FreshUntil)
		l.public = rawjson.Text(string(ev.Session.Body), "cacheScope") == "public"
	}
}

// expired reports whether a list is to be read again for a call that began at since, by what its server
// says of it alone (CACH-008, CACH-009).
func (c *Catalog) expired(m manager.Manager, s *source, kind int, since int64) bool {
	l, now := &s.lists[kind], c.clock.Now()
	return s.state == manager.Ready && l.op.IsZero() && l.stamp < since && l.expires <= now &&
		max(l.mayBegin(), clock.Later(l.asked, max(c.cfg.MinInterval, 0))) <= now && !m.Tells(s.Name, protocol.Lists()[kind])
}

// outlasts reports whether a list is good for another link: it has not expired, and is the same for all, so that it
// does not matter who asks (CACH-013).
func (c *Catalog) outlasts(l *reading) bool {
	return l.list != nil && l.public && !l.old && !l.lostSince && l.expires != table.Never && c.clock.Now() < l.expires
}
