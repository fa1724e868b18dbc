package registry

import (
	"time"

	"github.com/sansmcp/mcp/server"
)

// Follow returns a Companion that offers its session the View that newest returns, from each step on, and
// gives calls the timeouts of their tools: a call that times out, or whose group is no longer offered, ends,
// the client gets a failed result or an error that says why, and a RequestExpired event has ErrTimeout or
// ErrRemoved in its Cause. The time of a call stands still while its function waits for an answer of the
// client, such as that of a person (elicitation), which has its own limit, lifecycle.Timeouts.Human. A
// Snapshot of the State omits the deadlines: restored calls have none. For example, this offers each user
// other tools:
//
//	opt.Companion = func(p server.Peer) server.Companion {
//		return registry.Follow(func() *registry.View { return scopes().View(p.Principal) })
//	}
//
// newest is called by any goroutine, in each turn and before each message: it must return the same
// *View until something changes, and must not block. A nil View offers nothing. Kinds of lists that
// the session has not declared are not offered: New declares kinds from the start.
func Follow(newest func() *View) server.Companion {
	return server.Keep(follower{newCallDeadlines(newest()), newest})
}

// Companion returns a Companion for a session that is offered v and nothing else: calls have the
// timeouts of their tools. Each session needs its own.
func (v *View) Companion() server.Companion { return Follow(func() *View { return v }) }

// follower is a callDeadlines that always has the newest View.
type follower struct {
	callDeadlines
	newest func() *View
}

// Step implements server.Stepper.
func (f follower) Step(s server.State, now time.Time, out server.Output) (follower, server.State, server.Output) {
	f.callDeadlines, s, out = f.callDeadlines.Step(s, now, out)
	if v := f.newest().orEmpty(); v != f.view {
		if d, next, more, err := f.Offer(s, now, v); err == nil { // s is not the zero State, as at the end
			f.callDeadlines, s = d, next
			out.Merge(more)
		}
	}
	return f, s, out
}

// Handlers returns the functions of the newest View.
func (f follower) Handlers() *server.Handlers { return f.newest().Handlers() }

// SkipsBriefCalls reports that calls which end at once need no deadline.
func (f follower) SkipsBriefCalls() bool { return true }
