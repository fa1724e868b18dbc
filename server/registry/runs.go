package registry

import (
	"errors"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// OpenCall is a call of a session that an offered group is answering.
type OpenCall struct {
	Call     server.Call // its handle
	Method   string      // tools/call, prompts/get or resources/read
	Name     string      // of a tool; other names are not kept
	Group    string      // the group
	Started  time.Time   // when the request came
	Deadline time.Time   // when a tool has to have answered; zero without limit, or while it waits for the client
	timeout  time.Duration
	left     int64 // what is left of its time while it waits for the client; 0 while it does not
}

// CallDeadlines is the machine beside a State that gives the calls of its View their time. It is a value, as
// the State is; server.Keep makes a Companion of it. The time of a call stands still while its
// function waits for an answer of the client, as of a person who is asked (elicitation): that has
// its own, lifecycle.Timeouts.Human. A Snapshot does not contain it: who restores the State either has the CallDeadlines still,
// which goes on with it, or calls that were open have no deadline. It keeps one OpenCall for each open call, with texts of the View alone.
type CallDeadlines struct {
	view   *View
	open   table.Table[OpenCall]
	origin time.Time // what times count from: the first that was seen
	now    int64
	held   int // calls whose time stands still
	late   uint64
	ended  uint64
}

// NewCallDeadlines returns a CallDeadlines for a State that has the catalog of v.
func NewCallDeadlines(v *View) CallDeadlines { return CallDeadlines{view: v} }

// View returns what the session is offered.
func (r CallDeadlines) View() *View {
	if r.view == nil {
		return empty
	}
	return r.view
}

// Late returns how many answers came for calls that were over.
func (r CallDeadlines) Late() uint64 { return r.late }

// Ended returns how many calls were ended by Step and Offer.
func (r CallDeadlines) Ended() uint64 { return r.ended }

// Open returns the calls that run, oldest first. The caller owns the slice.
func (r CallDeadlines) Open() (list []OpenCall) {
	for leaf := range r.open.All() {
		list = append(list, leaf.V)
	}
	return list
}

// NextDeadline returns when the next tool has had its time; false if none is waited for.
func (r CallDeadlines) NextDeadline() (time.Time, bool) { return r.at(r.open.Min()) }

// Handlers returns the functions of the View, for server.Keep.
func (r CallDeadlines) Handlers() *server.Handlers { return r.View().Handlers() }

// Step takes in what came out of a step of the State, of which every Output has to pass by it before
// anything is done with it: calls that began, whose time counts from now, and those that ended. It
// ends the calls of tools that have had their time: the client gets a failed result that names the
// time, and a RequestExpired event with ErrTimeout in its Cause tells the driver, so that the context
// of the function ends with it. A call that ended where nobody told CallDeadlines, as in a turn of another
// process, is forgotten.
func (r CallDeadlines) Step(s server.State, now time.Time, out server.Output) (CallDeadlines, server.State, server.Output) {
	r = r.watch(now, out)
	if r.open.Len() == 0 {
		return r, s, out
	}
	r = r.prune(s).hold(s)
	if r.open.Min() > r.now {
		return r, s, out
	}
	return r.expire(s, out)
}

// watch takes in what came out of a step of the State.
func (r CallDeadlines) watch(now time.Time, out server.Output) CallDeadlines {
	r.clock(now)
	for _, ev := range out.Events {
		if ev.Kind == lifecycle.RequestReceived {
			if run, ok := r.run(ev); ok {
				run.Started, _ = r.at(r.now)
				r = r.put(run, later(r.now, run.timeout))
			}
		}
	}
	for call := range out.EndedCalls() {
		r = r.drop(call.Seq())
	}
	return r
}

// put keeps a run that is due then.
func (r CallDeadlines) put(run OpenCall, due int64) CallDeadlines {
	run.Deadline, _ = r.at(due)
	r.open = r.open.Put(run.Call.Seq(), due, run)
	return r
}

// drop forgets a run.
func (r CallDeadlines) drop(seq uint64) CallDeadlines {
	next, leaf := r.open.Delete(seq)
	if r.open = next; leaf != nil && leaf.V.left > 0 {
		r.held--
	}
	return r
}

// run returns who answers a request; false for one of no group.
func (r CallDeadlines) run(ev server.Event) (OpenCall, bool) {
	run := OpenCall{Call: ev.Call, Method: ev.Method, timeout: lifecycle.NoTimeout}
	row := protocol.Revisions()[0].Row(ev.Method)
	if row == nil || row.Names == nil || row.Names.Use != ev.Method {
		return OpenCall{}, false
	}
	info, _ := row.LooseParams(ev.Body, ev.Span) // which the State has checked
	run.Group = r.View().Owner(ev.Method, info.Subject)
	if ref, ok := r.View().Lookup(info.Subject); ok && row.Names == protocol.ToolList {
		run.Name, run.timeout = ref.Tool.Name, ref.Timeout
	}
	return run, run.Group != ""
}

// expire ends the calls of tools that have had their time.
func (r CallDeadlines) expire(s server.State, out server.Output) (CallDeadlines, server.State, server.Output) {
	var due []*table.Leaf[OpenCall]
	r.open, due = r.open.Expire(r.now)
	for _, leaf := range due {
		run := leaf.V
		err := &NameError{Err: ErrTimeout, Kind: "tool", Name: run.Name, Group: run.Group}
		s = r.end(s, &out, run, &lifecycle.Cause{Kind: lifecycle.CauseTimedOut, Err: err}, lateText(run.timeout))
	}
	return r, s, out
}

// Offer gives the session another view: its catalog is announced as State.SetCatalog does it, and
// the calls of groups that are not offered any more end. The client gets a failed result or an
// error, and a RequestExpired event has ErrRemoved in its Cause. Errors: ErrNil, and those of
// State.SetCatalog.
func (r CallDeadlines) Offer(s server.State, now time.Time, v *View) (CallDeadlines, server.State, server.Output, error) {
	if v == nil {
		return r, s, server.Output{}, ErrNil
	}
	return r.offer(s, now, v, v.Catalog())
}

func (r CallDeadlines) offer(s server.State, now time.Time, v *View, c *server.Catalog) (CallDeadlines, server.State, server.Output, error) {
	next, out, err := s.SetCatalog(now, c)
	if err != nil {
		return r, s, server.Output{}, err
	}
	r.clock(now)
	r.view = v
	for _, run := range r.Open() {
		if !v.Has(run.Group) {
			err := &NameError{Err: ErrRemoved, Kind: "group", Name: run.Group}
			next = r.end(next, &out, run, &lifecycle.Cause{Kind: lifecycle.CauseAbandoned, Err: err}, goneText)
			r = r.drop(run.Call.Seq())
		}
	}
	return r, next, out, nil
}

// end answers a call in the place of its function.
func (r *CallDeadlines) end(s server.State, out *server.Output, run OpenCall, cause *lifecycle.Cause, text string) server.State {
	at, _ := r.at(r.now)
	run.Call = s.Call(run.Call.Seq(), run.Call.Key()) // s may have been restored since
	var next server.State
	var o server.Output
	var err error
	if run.Method == protocol.ToolList.Use {
		next, o, err = s.Respond(at, run.Call, protocol.ErrorResult(text))
	} else {
		next, o, err = s.Fail(at, run.Call, protocol.InternalError(goneText))
	}
	if err != nil { // it is over, and this CallDeadlines was not told
		return s
	}
	r.ended++
	o.Events = append([]server.Event{{Kind: lifecycle.RequestExpired, Call: run.Call, Method: run.Method, Cause: cause}}, o.Events...)
	out.Merge(o)
	return next
}

// Finish answers a call as State.Finish does. An answer that comes late is dropped and counted;
// that is no error.
func (r CallDeadlines) Finish(s server.State, now time.Time, a server.Answer) (CallDeadlines, server.State, server.Output, error) {
	next, out, err := s.Finish(now, a)
	if errors.Is(err, lifecycle.ErrGone) {
		r.clock(now)
		r.late++
		return r, s, server.Output{}, nil
	}
	return r.watch(now, out), next, out, err
}

// clock takes the time in. The zero time, and one before, count as the latest that was seen.
func (r *CallDeadlines) clock(now time.Time) {
	if r.origin.IsZero() {
		r.origin = now
	}
	if !now.IsZero() {
		r.now = max(r.now, int64(now.Sub(r.origin)))
	}
}

// at returns the time of a number; false for table.Never.
func (r CallDeadlines) at(n int64) (time.Time, bool) {
	if n == table.Never {
		return time.Time{}, false
	}
	return r.origin.Add(time.Duration(n)), true
}
