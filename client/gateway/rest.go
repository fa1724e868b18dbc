package gateway

import (
	"time"

	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server"
)

// restless reports whether to end the servers of the session because its client has left, and
// otherwise when to check again; the zero time is never. heard reports that the client did something
// in this step.
func (x *session) restless(r relay.Relay, s server.State, now time.Time, heard bool) (rest bool, look time.Time) {
	after := x.g.opt.RestAfter
	if x.idle == nil || after == lifecycle.NoTimeout || r.Resting() {
		return false, time.Time{}
	}
	since, idle := x.idle()
	if heard || !idle || s.Status().Inbound > 0 {
		return false, now.Add(after)
	}
	if look = since.Add(after); look.After(now) {
		return false, look
	}
	return true, time.Time{}
}

// earlier returns the earlier of two times; the zero time is never.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
