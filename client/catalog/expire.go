package catalog

import (
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle/clock"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// A server without sessions says how long a list is fresh. That is a hint when to read it again, not a
// reason to wait: many say 0, and every call would wait for a list. So an expired list is read when it is
// looked up, at most once in Config.MinInterval, and is used until then. It sets no deadline (CACH-010).
// Config.TTL, announcements and links apply as usual (CACH-014). The expiry is ignored for a list whose
// changes are announced. It applies to each list of each server separately (CACH-011).

// lasts records a server's statements about a list that was read to its end.
func (c *Catalog) lasts(l *reading, ev *manager.Event) {
	l.expires, l.public = table.Never, false
	if !ev.FreshUntil.IsZero() {
		l.expires = c.clock.Of(ev.FreshUntil)
		l.public = rawjson.Text(string(ev.Session.Body), "cacheScope") == "public"
	}
}

// expired reports whether a call that began at since must read a list again only because of its
// server's expiry (CACH-008, CACH-009).
func (c *Catalog) expired(m manager.Manager, s *source, kind int, since int64) bool {
	l, now := &s.lists[kind], c.clock.Now()
	return s.state == manager.Ready && l.op.IsZero() && l.stamp < since && l.expires <= now &&
		max(l.mayBegin(), clock.Later(l.asked, max(c.cfg.MinInterval, 0))) <= now && !m.Tells(s.Name, protocol.Lists()[kind])
}

// outlasts reports whether a list is valid for another link: it has not expired, and is the same for all
// clients (CACH-013).
func (c *Catalog) outlasts(l *reading) bool {
	return l.list != nil && l.public && !l.old && !l.lostSince && l.expires != table.Never && c.clock.Now() < l.expires
}
