package registry

import (
	"time"

	"github.com/sansmcp/mcp/server"
)

// Follow returns a Companion that offers its session the View of newest, at each step, and gives calls the
// timeouts of their tools. When a call times out, or its group is no longer offered, it ends: the client
// gets a failed result or an error with the reason, and a RequestExpired event has ErrTimeout or ErrRemoved
// in its Cause. The timeout of a call is paused while its function waits for an answer of the client, such
// as that of a person (elicitation): lifecycle.Timeouts.Human bounds that. A Snapshot of the State omits the
// timeouts: restored calls have none. For the tools of a user:
//
//	opt.Companion = func(p server.Peer) server.Companion {
//		return registry.Follow(func() *registry.View { return scopes().View(p.Principal) })
//	}
//
// newest is called by any goroutine, in each turn and before each message: it must return the same
// *View until something changes, and must not block. A nil View is empty. Kinds of lists that the
// session has not declared are omitted: Registry.New declares kinds from the start.
func Follow(newest func() *View) server.Companion {
	return server.Keep(follower{newCallDeadlines(newest()), newest})
}

// Companion returns a Companion for a session that is offered v and nothing else: calls have the
// times of their tools. Each session needs its own.
func (v *View) Companion() server.Companion { return Follow(func() *View { return v }) }

// follower is a callDeadlines whose View is always the newest.
type follower struct {
	callDeadlines
	newest func() *View
}

// Step implements server.Stepper.
func (f follower) Step(s server.State, now time.Time, out server.Output) (follower, server.State, server.Output) {
	f.callDeadlines, s, out = f.callDeadlines.Step(s, now, out)
	if v := f.newest().orEmpty(); v != f.view {
		if d, next, more, err := f.Offer(s, now, v); err == nil { // s is not the zero State, at the end
			f.callDeadlines, s = d, next
			out.Merge(more)
		}
	}
	return f, s, out
}

// Handlers returns the functions of the newest View.
func (f follower) Handlers() *server.Handlers { return f.newest().Handlers() }

// SkipsBriefCalls reports that only calls that take a while need a time.
func (f follower) SkipsBriefCalls() bool { return true }
