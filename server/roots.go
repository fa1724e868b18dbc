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

// RootsRead is the kind of the event with which a Roots reports the end of its request. If it
// failed, Err or Cause says why, and the old copy stays. If the Cause is ErrRoots, the copy is new
// but incomplete. One event ends all waiting calls of Want.
const RootsRead = lifecycle.KindServer

// ErrRoots says that the client has too many or too long roots for a Roots.
var ErrRoots = errors.New("server: the client has too many roots")

// Roots keeps a copy of the client's roots (roots page). It asks for them once, and again after the
// client has announced a change. A Roots is a value, as a State is. A Snapshot omits it: use a new one
// after Restore. The zero Roots is ready to use.
type Roots struct {
	// MaxRoots is how many roots are kept, and MaxBytes how many bytes their texts may have together;
	// each root counts 64 bytes more. The first ones are kept, and ErrRoots reports that there are
	// more. Less than twice MaxBytes stays in memory. Zero or less means 1000 and 1 MiB.
	MaxRoots, MaxBytes int

	of    engine.Epoch // the session
	req   Req
	opt   RequestOptions // of the last Want
	list  []protocol.Root
	fresh bool // list is what the client last announced
	stale bool // what the client is being asked for has changed since
	twice bool // it is asked because of that
}

// List returns the roots; fresh is false if they were never read or have changed since, or if the
// session is not ready. They are as the client wrote them, except that roots with an empty uri are
// left out: a uri that the specification forbids, such as "file:///Users/Jane Doe", may be among them;
// check it by protocol.ValidRootURI. The caller judges where its path leads. Do not change the slice.
func (r Roots) List() (roots []protocol.Root, fresh bool) { return r.list, r.fresh }

// Want asks the client for its roots, unless they are fresh or asked for already (ROOT-024). Handle
// takes the answer. A request within a call ends with the call, for all callers of Want. Errors: those
// of Request.
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

// Handle takes an Output of the State and returns it with RootsRead in the place of the answer to
// Want. If the client announced a change before it answered, it is asked once more, and after that by
// the next Want: a client that always announces one would be asked without end (ROOT-008, ROOT-023).
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
		opt.Within, opt.Replaces = Call{}, Req{} // that one has had its answer
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

// begin begins anew with another session: its client may be another one.
func (r *Roots) begin(s State) {
	if of := s.core.Epoch(); r.of != of {
		*r = Roots{MaxRoots: r.MaxRoots, MaxBytes: r.MaxBytes, of: of}
	}
}

// kept returns the roots of an answer as far as the limits go; all is false if there are
// more. The answer itself is not kept.
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

// rootCost is what keeping a root takes beside its texts, in bytes.
const rootCost = 64
