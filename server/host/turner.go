package host

import (
	"time"

	"github.com/sansmcp/mcp/server"
)

// A Turner owns a session and runs one function at a time on its newest State. Each change of the
// session is such a turn: get the State, apply a transition, store the next State, and only then
// act on the Output.
//
// A Turner that shares its State with other processes may run f again, with a newer State, before
// Turn returns: f must have no effects except on captured variables.
//
// Turn handles the results of f:
//
//   - It stores the State, and acts on the Output, even with an error of f: then the State is
//     unchanged and the Output empty, except for server.State.Finish. A State of the same Step need
//     not be stored.
//   - It passes the whole Output to Calls.Handle, and new requests to Calls.Start: in the order of
//     the turns, after the State is stored, and before f of a later turn runs. Both return at once
//     and take no turn.
//   - It returns the error of f. Without one it returns nil, lifecycle.ErrGone after the end of the
//     session (f need not run), or why the State could not be stored. Then nothing has happened.
//
// Turn may be called by any goroutine, but not within f. If a Turner has a method
//
//	State() server.State
//
// server.Caller.State uses it, even after the end of the session; otherwise that takes a turn. If
// it has a method
//
//	Idle()
//
// it is called between turns when the last function of its Calls has returned: then Calls.Idle may
// be true, and the resources of the session may be freed.
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
