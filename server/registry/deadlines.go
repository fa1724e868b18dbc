package registry

import (
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/clock"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// openCall is a call of a session that an offered group is answering.
type openCall struct {
	Call     server.Call // its handle
	Method   string      // tools/call, prompts/get or resources/read
	Name     string      // of the tool; names of other items are not kept
	Group    string      // the group
	Started  time.Time   // when the request came
	Deadline time.Time   // when a tool must have answered; zero without limit, or while it waits for the client
	timeout  time.Duration
	left     int64 // the rest of its time while it waits for the client; 0 while it does not
}

// callDeadlines is the machine that gives the calls of its View their deadlines. It is a value, as
// the State is; Follow makes a Companion of it. The time of a call stands still while its function
// waits for an answer of the client, such as that of a person (elicitation), which has its own
// limit, lifecycle.Timeouts.Human. A Snapshot omits it: keep it with the State, or restored calls
// have no deadline. It keeps one openCall for each open call, with texts of the View alone.
type callDeadlines struct {
	view  *View
	open  table.Table[openCall]
	clock clock.Clock
	held  int // calls whose time stands still
}

// newCallDeadlines returns the callDeadlines of a State that has the catalog of v.
func newCallDeadlines(v *View) callDeadlines { return callDeadlines{view: v.orEmpty()} }

// Open returns the calls that run, oldest first. The caller owns the slice.
func (d callDeadlines) Open() (list []openCall) {
	for leaf := range d.open.All() {
		list = append(list, leaf.V)
	}
	return list
}

// NextDeadline returns when the next tool times out; false if no call has a deadline.
func (d callDeadlines) NextDeadline() (time.Time, bool) {
	due := d.open.Min()
	return d.clock.At(due), due != table.Never
}

// Step handles the Output of a step of the State, before the driver acts on it: calls that began get
// their deadlines, and those that ended are dropped. It ends the calls of tools that have timed out:
// the client gets a failed result that names the time, and the driver a RequestExpired event with
// ErrTimeout in its Cause, so that the context of the function ends. A call that ended elsewhere,
// such as in a turn of another process, is dropped too.
func (d callDeadlines) Step(s server.State, now time.Time, out server.Output) (callDeadlines, server.State, server.Output) {
	d.watch(now, out)
	if d.open.Len() > 0 {
		d.prune(s)
		d.hold(s)
		s = d.expire(s, &out)
	}
	return d, s, out
}

// Offer gives the session another View, without the kinds of lists that it has not declared. It
// announces the lists as State.Offer does, and ends the calls of groups that are no longer offered:
// the client gets a failed result or an error, and the driver a RequestExpired event with ErrRemoved
// in its Cause. Errors: those of State.Offer.
func (d callDeadlines) Offer(s server.State, now time.Time, v *View) (callDeadlines, server.State, server.Output, error) {
	next, out, err := s.Offer(now, v.Handlers())
	if err != nil {
		return d, s, server.Output{}, err
	}
	d.clock.Take(now)
	d.view = v.orEmpty()
	for _, c := range d.Open() {
		if !v.Has(c.Group) {
			err := &NameError{Err: ErrRemoved, Kind: "group", Name: c.Group}
			next = d.end(next, &out, c, &lifecycle.Cause{Kind: lifecycle.CauseAbandoned, Err: err}, removedText)
			d.drop(c.Call.Seq())
		}
	}
	return d, next, out, nil
}

const removedText = "removed while the request ran; list again"

// watch adds the calls that began in a step of the State, and drops those that ended.
func (d *callDeadlines) watch(now time.Time, out server.Output) {
	d.clock.Take(now)
	for _, ev := range out.Events {
		if ev.Kind == lifecycle.RequestReceived {
			if c, ok := d.callOf(ev); ok {
				c.Started = d.clock.Time()
				d.put(c, d.clock.After(c.timeout))
			}
		}
	}
	for call := range out.EndedCalls() {
		d.drop(call.Seq())
	}
}

// callOf returns the call of a request; false if no group answers it.
func (d *callDeadlines) callOf(ev server.Event) (openCall, bool) {
	c := openCall{Call: ev.Call, Method: ev.Method, timeout: lifecycle.NoTimeout}
	row := protocol.Revisions()[0].Row(ev.Method)
	if row == nil || row.Names == nil || row.Names.Use != ev.Method {
		return openCall{}, false
	}
	info, _ := row.LooseParams(ev.Body, ev.Span) // checked by the State
	c.Group = d.view.Owner(ev.Method, info.Subject)
	if ref, ok := d.view.Lookup(info.Subject); ok && row.Names == protocol.ToolList {
		c.Name, c.timeout = ref.Tool.Name, ref.Timeout
	}
	return c, c.Group != ""
}

// prune drops calls that s no longer has open, if there are more calls here than there.
func (d *callDeadlines) prune(s server.State) {
	if d.open.Len() <= s.Status().Inbound {
		return
	}
	open := map[uint64]bool{}
	for info := range s.Inbound() {
		open[info.Call.Seq()] = true
	}
	for _, c := range d.Open() {
		if !open[c.Call.Seq()] {
			d.drop(c.Call.Seq())
		}
	}
}

// hold stops the time of calls that have sent the client a request, and restarts that of others.
func (d *callDeadlines) hold(s server.State) {
	if d.held == 0 && s.Status().Outbound == 0 {
		return
	}
	asked := map[uint64]bool{}
	for info := range s.Outbound() {
		asked[info.Within.Seq()] = true
	}
	for leaf := range d.open.All() { // over the table as it was
		c := leaf.V
		switch asks, due := asked[c.Call.Seq()], leaf.Deadline; {
		case asks && c.left == 0 && due > d.clock.Now() && due != table.Never:
			c.left = due - d.clock.Now()
			d.held++
			d.put(c, table.Never)
		case !asks && c.left > 0:
			due, c.left = d.clock.After(time.Duration(c.left)), 0
			d.held--
			d.put(c, due)
		}
	}
}

// expire ends the calls of tools that have timed out.
func (d *callDeadlines) expire(s server.State, out *server.Output) server.State {
	var due []*table.Leaf[openCall]
	d.open, due = d.open.Expire(d.clock.Now())
	for _, leaf := range due {
		c := leaf.V
		err := &NameError{Err: ErrTimeout, Kind: "tool", Name: c.Name, Group: c.Group}
		s = d.end(s, out, c, &lifecycle.Cause{Kind: lifecycle.CauseTimedOut, Err: err}, "the tool timed out after "+c.timeout.String()+"; it may have had effects")
	}
	return s
}

// end answers a call in place of its function.
func (d *callDeadlines) end(s server.State, out *server.Output, c openCall, cause *lifecycle.Cause, text string) server.State {
	at := d.clock.Time()
	c.Call = s.Call(c.Call.Seq(), c.Call.Key()) // s may have been restored since
	var next server.State
	var o server.Output
	var err error
	if c.Method == protocol.ToolList.Use {
		next, o, err = s.Respond(at, c.Call, protocol.ErrorResult(text))
	} else {
		next, o, err = s.Fail(at, c.Call, protocol.InternalError(text))
	}
	if err != nil { // it is over, and d does not know yet
		return s
	}
	o.Events = append([]server.Event{{Kind: lifecycle.RequestExpired, Call: c.Call, Method: c.Method, Cause: cause}}, o.Events...)
	out.Merge(o)
	return next
}

// put adds a call with a deadline.
func (d *callDeadlines) put(c openCall, due int64) {
	c.Deadline = d.clock.At(due)
	d.open = d.open.Put(c.Call.Seq(), due, c)
}

// drop removes a call.
func (d *callDeadlines) drop(seq uint64) {
	next, leaf := d.open.Delete(seq)
	if d.open = next; leaf != nil && leaf.V.left > 0 {
		d.held--
	}
}
