package registry

import (
	"errors"
	"math"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// Run is a call of a session that an offered group is answering.
type Run struct {
	Call     server.Call // its handle
	Method   string      // tools/call, prompts/get or resources/read
	Name     string      // of a tool; other names are not kept
	Server   string      // the group
	Started  time.Time   // when the request came
	Deadline time.Time   // when a tool has to have answered; zero if it has for ever
	timeout  time.Duration
}

// Runs is the machine beside a State that gives the calls of its View their time. It is a value, as
// the State is. A Snapshot does not contain it: who restores the State either has the Runs still,
// which goes on with it, or calls that were open have no deadline. It keeps one Run for each open call, with texts of the View alone.
type Runs struct {
	view  *View
	open  table.Table[Run]
	now   int64
	late  uint64
	ended uint64
}

// NewRuns returns a Runs for a State that has the catalog of v.
func NewRuns(v *View) Runs { return Runs{view: v} }

// View returns what the session is offered.
func (r Runs) View() *View {
	if r.view == nil {
		return empty
	}
	return r.view
}

// Late returns how many answers came for calls that were over.
func (r Runs) Late() uint64 { return r.late }

// Ended returns how many calls were ended by Tick and Offer.
func (r Runs) Ended() uint64 { return r.ended }

// Open returns the calls that run, oldest first. The caller owns the slice.
func (r Runs) Open() (list []Run) {
	for leaf := range r.open.All() {
		list = append(list, leaf.V)
	}
	return list
}

// NextDeadline returns when the next tool has had its time; false if none is waited for.
func (r Runs) NextDeadline() (time.Time, bool) { return instant(r.open.Min()) }

// Watch takes in what came out of a step of the State: calls that began, and those that ended.
// Every Output of the State has to pass by it, before anything is done with it. It counts the time
// of a call from now, the time of that step.
func (r Runs) Watch(now time.Time, out server.Output) Runs {
	r.clock(now)
	for _, ev := range out.Events {
		if ev.Kind == lifecycle.RequestReceived {
			if run, ok := r.run(ev); ok {
				run.Started, _ = instant(r.now)
				due := later(r.now, run.timeout)
				run.Deadline, _ = instant(due)
				r.open = r.open.Put(ev.Call.Seq(), due, run)
			}
		}
	}
	for call := range out.EndedCalls() {
		r.open, _ = r.open.Delete(call.Seq())
	}
	return r
}

// run returns who answers a request; false for one of no group.
func (r Runs) run(ev server.Event) (Run, bool) {
	run := Run{Call: ev.Call, Method: ev.Method, timeout: NoTimeout}
	row := protocol.Revisions()[0].Row(ev.Method)
	if row == nil || row.Names == nil || row.Names.Use != ev.Method {
		return Run{}, false
	}
	info, _ := row.LooseParams(ev.Body, ev.Span) // which the State has checked
	run.Server = r.View().Owner(ev.Method, info.Subject)
	if ref, ok := r.View().Lookup(info.Subject); ok && row.Names == protocol.ToolList {
		run.Name, run.timeout = ref.Tool.Name, ref.Timeout
	}
	return run, run.Server != ""
}

// Tick ends the calls of tools that have had their time. The client gets a failed result that
// names the time, and a RequestExpired event with ErrTimeout in its Cause tells the driver, so
// that the context of the function ends with it. A call before NextDeadline does nothing.
func (r Runs) Tick(s server.State, now time.Time) (Runs, server.State, server.Output) {
	r.clock(now)
	var out server.Output
	var due []*table.Leaf[Run]
	r.open, due = r.open.Expire(r.now)
	for _, leaf := range due {
		run := leaf.V
		err := &NameError{Err: ErrTimeout, Kind: "tool", Name: run.Name, Server: run.Server}
		s = r.end(s, &out, run, &lifecycle.Cause{Kind: lifecycle.CauseTimedOut, Err: err}, lateText(run.timeout))
	}
	return r, s, out
}

// Offer gives the session another view: its catalog is announced as State.SetCatalog does it, and
// the calls of groups that are not offered any more end. The client gets a failed result or an
// error, and a RequestExpired event has ErrRemoved in its Cause. Errors: ErrNil, and those of
// State.SetCatalog.
func (r Runs) Offer(s server.State, now time.Time, v *View) (Runs, server.State, server.Output, error) {
	if v == nil {
		return r, s, server.Output{}, ErrNil
	}
	return r.offer(s, now, v, v.Catalog())
}

func (r Runs) offer(s server.State, now time.Time, v *View, c *server.Catalog) (Runs, server.State, server.Output, error) {
	next, out, err := s.SetCatalog(now, c)
	if err != nil {
		return r, s, server.Output{}, err
	}
	r.clock(now)
	r.view = v
	for _, run := range r.Open() {
		if !v.Has(run.Server) {
			err := &NameError{Err: ErrRemoved, Kind: "server", Name: run.Server}
			next = r.end(next, &out, run, &lifecycle.Cause{Kind: lifecycle.CauseAbandoned, Err: err}, goneText)
			r.open, _ = r.open.Delete(run.Call.Seq())
		}
	}
	return r, next, out, nil
}

// end answers a call in the place of its function.
func (r *Runs) end(s server.State, out *server.Output, run Run, cause *lifecycle.Cause, text string) server.State {
	at, _ := instant(r.now)
	run.Call = s.Call(run.Call.Seq(), run.Call.Key()) // s may have been restored since
	var next server.State
	var o server.Output
	var err error
	if run.Method == protocol.ToolList.Use {
		next, o, err = s.Respond(at, run.Call, protocol.ErrorResult(text))
	} else {
		next, o, err = s.Fail(at, run.Call, protocol.InternalError("not available any more"))
	}
	if err != nil { // it is over, and this Runs was not told
		return s
	}
	r.ended++
	o.Events = append([]server.Event{{Kind: lifecycle.RequestExpired, Call: run.Call, Method: run.Method, Cause: cause}}, o.Events...)
	out.Merge(o)
	return next
}

// Finish answers a call as State.Finish does. An answer that comes late is dropped and counted;
// that is no error.
func (r Runs) Finish(s server.State, now time.Time, a server.Answer) (Runs, server.State, server.Output, error) {
	next, out, err := s.Finish(now, a)
	if errors.Is(err, lifecycle.ErrGone) {
		r.clock(now)
		r.late++
		return r, s, server.Output{}, nil
	}
	return r.Watch(now, out), next, out, err
}

func (r *Runs) clock(now time.Time) { r.now = max(r.now, nanos(now)) }

// nanos returns a time as a number, 0 for the zero Time.
func nanos(t time.Time) int64 {
	switch {
	case t.IsZero():
		return 0
	case t.Year() < 1970:
		return 0
	case t.Year() > 2261:
		return math.MaxInt64 - 1
	}
	return t.UnixNano()
}

// later returns when a time has passed, table.Never if that is never.
func later(now int64, d time.Duration) int64 {
	if d == NoTimeout || now > math.MaxInt64-1-int64(d) {
		return table.Never
	}
	return now + int64(d)
}

// epoch is where the numbers begin.
var epoch = time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC)

// instant returns the time of a number; false for table.Never.
func instant(n int64) (time.Time, bool) {
	if n == table.Never {
		return time.Time{}, false
	}
	return epoch.Add(time.Duration(n)), true
}
