package server

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
)

// RootsRead is the kind of the event that a Roots reports when its request has ended. If no roots
// came, Err or Cause says why, and the old copy stays. If the Cause is ErrRoots, the copy is new
// but incomplete. One event is for all calls of Want that waited for the answer.
const RootsRead = lifecycle.KindServer

// ErrRoots means that the client has more roots than a Roots keeps, or longer ones.
var ErrRoots = errors.New("server: the client has too many roots")

// Roots keeps a copy of the client's roots (roots page). It asks for them once, and again after the
// client has announced a change. A Roots is a value, as a State is. A Snapshot omits it: use a new one
// after Restore. The zero Roots is ready to use.
type Roots struct {
	// MaxRoots is how many roots are kept, MaxBytes how many bytes their texts may have together,
	// where each root counts 64 bytes more. The first ones are kept, and ErrRoots reports that there
	// are more. Memory stays below twice MaxBytes. Zero or less means 1000 and 1 MiB.
	MaxRoots, MaxBytes int

	of    engine.Epoch // the session
	req   Req
	opt   RequestOptions // of the last Want
	list  []protocol.Root
	fresh bool // list is current
	stale bool // the client has announced a change since the request
	twice bool // the request repeats a stale one
}

// List returns the roots; fresh is false if they were never read or have changed since, or if the
// session is not ready. They are as the client wrote them, except that roots with an empty uri are
// left out. A uri that the specification forbids, such as "file:///Users/Jane Doe", may be among them:
// check it by protocol.ValidRootURI. The caller must judge where its path leads. Do not change the
// slice.
func (r Roots) List() (roots []protocol.Root, fresh bool) { return r.list, r.fresh }

// Want asks the client for its roots, unless they are fresh or already requested (ROOT-024). The
// answer arrives in Handle. A request within a call ends with the call, for all callers of Want.
// Errors: those of Request.
func (r Roots) Want(s State, now time.Time, opt RequestOptions) (Roots, State, Output, error) {
	was := r
	r.begin(s)
	if r.fresh || !r.req.IsZero() {
		return r, s, Output{}, nil
	}
	next, out, err := s.Request(now, protocol.ListRootsParams{}, opt)
	if err != nil {
		return was, s, Output{}, err
	}
	r.req, r.opt, r.stale, r.twice = out.Req, opt, false, false
	return r, next, out, nil
}

// Handle returns an Output of the State with RootsRead in place of the answer to Want. If the client
// announced a change before it answered, Handle asks once more; after that the next Want does,
// because a client that always announces a change would be asked without end (ROOT-008, ROOT-023).
// Pass every Output of the State through it: r.Handle(s.Receive(now, m)).
func (r Roots) Handle(s State, out Output) (Roots, State, Output) {
	r.begin(s)
	again := false
	for i, ev := range out.Events {
		switch {
		case ev.Kind == lifecycle.NotificationReceived && ev.Method == protocol.MethodRootsListChanged:
			r.fresh, r.stale = false, true
		case r.req.IsZero() || ev.Req != r.req || ev.Kind != lifecycle.ResponseReceived && ev.Kind != lifecycle.RequestFailed:
		default:
			r.req, again = Req{}, r.stale && !r.twice
			out.Events = slices.Clone(out.Events)
			out.Events[i].Kind = RootsRead
			if ev.Failure() == nil {
				list, all := r.kept(ev)
				if r.list = list; !all {
					out.Events[i].Cause = &Cause{Kind: lifecycle.CauseInvalidResponse, Err: ErrRoots}
				}
				r.fresh = !r.stale
			}
		}
	}
	r.fresh = r.fresh && s.Phase() == protocol.Ready
	if again && s.Phase() == protocol.Ready {
		opt := r.opt
		opt.Within, opt.Replaces = Call{}, Req{} // both have ended
		var o Output
		var err error
		r, s, o, err = r.Want(s, time.Time{}, opt)
		r.twice = true
		out.Send = append(slices.Clip(out.Send), o.Send...)
		if err != nil {
			cause := &Cause{Kind: lifecycle.CauseNotSent, Err: err}
			out.Events = append(slices.Clip(out.Events), Event{Kind: RootsRead, Method: protocol.MethodRootsList, Cause: cause})
		}
	}
	return r, s, out
}

// begin starts again for another session, whose client may be another one.
func (r *Roots) begin(s State) {
	if of := s.core.Epoch(); r.of != of {
		*r = Roots{MaxRoots: r.MaxRoots, MaxBytes: r.MaxBytes, of: of}
	}
}

// kept returns the roots of an answer up to the limits; all is false if there are more. The answer
// itself is not kept.
func (r Roots) kept(ev Event) (list []protocol.Root, all bool) {
	answer, _ := protocol.Decode[protocol.ListRootsResult](ev.Body) // the State has checked it
	most, room := cmp.Or(max(r.MaxRoots, 0), 1000), cmp.Or(max(r.MaxBytes, 0), 1<<20)
	for _, root := range answer.Roots {
		if root.URI == "" {
			continue
		}
		if room -= len(root.URI) + len(root.Name) + len(root.Meta) + rootCost; room < 0 || len(list) == most {
			return list, false
		}
		list = append(list, protocol.Root{
			URI: strings.Clone(root.URI), Name: strings.Clone(root.Name), Meta: protocol.Meta(strings.Clone(string(root.Meta))),
		})
	}
	return list, true
}

// rootCost is the memory that a root needs in addition to its texts, in bytes.
const rootCost = 64
