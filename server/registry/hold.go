package registry

import (
	"time"

	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/server"
)

// prune drops calls that s has no longer open, once there are more calls here than there.
func (r CallDeadlines) prune(s server.State) CallDeadlines {
	if r.open.Len() <= s.Status().Inbound {
		return r
	}
	open := map[uint64]bool{}
	for info := range s.Inbound() {
		open[info.Call.Seq()] = true
	}
	for _, run := range r.Open() {
		if !open[run.Call.Seq()] {
			r = r.drop(run.Call.Seq())
		}
	}
	return r
}

// hold stops the time of calls that have asked the client something, and lets that of others go on.
func (r CallDeadlines) hold(s server.State) CallDeadlines {
	if r.held == 0 && s.Status().Outbound == 0 {
		return r
	}
	asked := map[uint64]bool{}
	for info := range s.Outbound() {
		asked[info.Within.Seq()] = true
	}
	for leaf := range r.open.All() { // of the table as it was
		run := leaf.V
		switch asks, due := asked[run.Call.Seq()], leaf.Deadline; {
		case asks && run.left == 0 && due > r.now && due != table.Never:
			run.left = due - r.now
			r.held++
			r = r.put(run, table.Never)
		case !asks && run.left > 0:
			due, run.left = later(r.now, time.Duration(run.left)), 0
			r.held--
			r = r.put(run, due)
		}
	}
	return r
}
