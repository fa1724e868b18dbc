package host

import (
	"time"

	"github.com/sansmcp/mcp/server"
)

// A Turner owns a session and runs one function at a time on its newest State. Each change of the
// session is such a turn: get the State, apply a transition, keep the next State, and only then act
// on the Output.
//
// A Turner that keeps its State where others may change it may run f again, with a newer State,
// before Turn returns. So f must have no effects except through variables that it captures.
//
// Turn does this with what f returned:
//
//   - It keeps the State, and acts on the Output, even with an error of f: then the State is
//     the one that f was given, and the Output empty, except after server.State.Finish. A
//     State of the same Step need not be kept.
//   - It passes the whole Output to Calls.Handle, and the requests in it to Calls.Start: in
//     the order of the turns, after the State is kept, and before f of a later turn runs.
//     That is why both return at once, and why neither makes a turn.
//   - It returns the error of f. Without one it returns nil, lifecycle.ErrGone after the end
//     of the session (f need not run), or why the State could not be kept. Then nothing has
//     happened.
//
// Turn may be called by any goroutine, but not within f. If a Turner also has a method
//
//	State() server.State
//
// it is called for server.Caller.State, also after the end of the session; without it that makes a
// turn. If a Turner has a method
//
//	Idle()
//
// it is called when the last function of its Calls has returned, between turns: Calls.Idle may be
// true from then on, and what the process holds for the session may be dropped.
type Turner interface {
	// Turn runs f and acts on its results.
	Turn(f func(s server.State, now time.Time) (server.State, server.Output, error)) error
}

// look takes a turn that changes nothing, and returns the session as it was then.
func look(t Turner) (now server.State, err error) {
	err = t.Turn(func(s server.State, _ time.Time) (server.State, server.Output, error) {
		now = s
		return s, server.Output{}, nil
	})
	return now, err
}
