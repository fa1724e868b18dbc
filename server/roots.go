package server

import (
	"slices"
	"strings"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// RootsRead is the event of a Roots: the answer of the client came, or none. Err or
// Cause says why there is none; the copy is the old one then. It is no more about who
// called Want first than about who did later.
const RootsRead = lifecycle.KindServer

// Roots keeps a copy of the roots of the client (roots page): asked for once, and again
// after the client has announced a change. It is a value like a State, and no part of a
// Snapshot: it is soon made anew. The zero Roots is ready.
type Roots struct {
	req   Req
	opt   RequestOptions // of the last Want
	list  []protocol.Root
	fresh bool // list is what the client last announced
	stale bool // what the client is being asked for has changed since
}

// List returns the roots; fresh is false if they were never read or have changed since.
// Roots whose uri the specification forbids are not among them. The slice must not be
// changed.
func (r Roots) List() (roots []protocol.Root, fresh bool) { return r.list, r.fresh }

// Want asks the client for its roots, unless they are fresh or asked for already. Handle
// takes the answer in. It needs no time: the State's clock is current. What goes out within
// a call ends with the call, for all who wait. Errors: those of Request.
func (r Roots) Want(s State, opt RequestOptions) (Roots, State, Output, error) {
	if r.fresh || !r.req.IsZero() {
		return r, s, Output{}, nil
	}
	next, out, err := s.Request(time.Time{}, protocol.ListRootsParams{}, opt)
	if err != nil {
		return r, s, Output{}, err
	}
	r.req, r.opt, r.stale = out.Req, opt, false
	return r, next, out, nil
}

// Handle takes in an Output of the State. It returns the Output with RootsRead in the
// place of the answer to Want. If the client announced a change before it answered, it
// is asked once more. It folds like Handlers.Handle; every Output of the State has to
// pass through it.
func (r Roots) Handle(s State, out Output) (Roots, State, Output) {
	again := false
	for i, ev := range out.Events {
		switch {
		case ev.Kind == lifecycle.PhaseChanged && ev.To == protocol.Initializing:
			r = Roots{}
		case ev.Kind == lifecycle.NotificationReceived && ev.Method == protocol.MethodRootsListChanged.String():
			r.fresh, r.stale = false, true
		case r.req.IsZero() || ev.Req != r.req || ev.Kind != lifecycle.ResponseReceived && ev.Kind != lifecycle.RequestFailed:
		default:
			r.req, again = Req{}, r.stale
			if ev.Failure() == nil {
				r.list, r.fresh = kept(ev), !r.stale
			}
			out.Events = slices.Clone(out.Events)
			out.Events[i].Kind = RootsRead
		}
	}
	if again && s.Phase() == protocol.Ready {
		opt := r.opt
		opt.Within, opt.Supersede = Call{}, Req{} // that one has had its answer
		var o Output
		var err error
		r, s, o, err = r.Want(s, opt)
		out.Send = append(slices.Clip(out.Send), o.Send...)
		if err != nil {
			cause := &Cause{Kind: lifecycle.CauseNotSent, Err: err}
			out.Events = append(slices.Clip(out.Events), Event{Kind: RootsRead, Method: protocol.MethodRootsList.String(), Cause: cause})
		}
	}
	return r, s, out
}

// kept returns the roots of an answer that are what roots are. The answer itself is not
// kept.
func kept(ev Event) (list []protocol.Root) {
	r, _ := protocol.Decode[protocol.ListRootsResult](ev.Body) // the State has checked it
	for _, root := range r.Roots {
		if protocol.ValidRootURI(root.URI) {
			list = append(list, protocol.Root{
				URI: strings.Clone(root.URI), Name: strings.Clone(root.Name), Meta: protocol.Meta(strings.Clone(string(root.Meta))),
			})
		}
	}
	return list
}
