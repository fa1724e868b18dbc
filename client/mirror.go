package client

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// ListRead is the kind of the event that a Mirror reports when a listing has ended. Method
// names the list. If the listing failed, Err or Cause says why; the methods Items and Err
// of the Mirror return what it has now.
const ListRead = lifecycle.KindClient

// DefaultMinInterval is what a Mirror takes for a MinInterval of zero.
const DefaultMinInterval = time.Second

// Mirror keeps copies of lists of the server. It reads them, page by page, when the session
// is ready, and again when the server announces a change (tools, resources and prompts,
// List Changed Notification): one page of a list is on its way at a time, and however many
// changes are announced meanwhile, the list is read once more after the last, not sooner
// than MinInterval after the listing before (TOOL-023). A Mirror is a value, as a State is.
// A Snapshot does not contain it: make a new one after Restore.
//
// A listing that fails half way, or that reaches a limit, leaves the list that was read to
// its end before as it is. Where there is none, the pages read until then are there. An
// empty cursor is used once, like any other (pagination page). If the server then begins
// again, repeats the cursor or refuses it with -32602, the Mirror takes it for the end: the
// list is complete, and Err reports the fault. An item with the name or uri of an earlier
// one is left out and counted. A list keeps less than three times MaxBytes alive, plus 128
// KiB, plus 512 bytes for each page.
//
// The zero Mirror has no lists and does nothing.
type Mirror struct {
	// Options are the settings of its requests. Within and Replaces are left out: each is
	// about one request.
	Options RequestOptions
	// MaxPages, MaxItems and MaxBytes bound each listing, as in a Pager. Those of a listing
	// under way are what they were when it began.
	MaxPages, MaxItems, MaxBytes int
	// MinInterval is the least time between the beginnings of two listings of the same
	// list, if only an announcement asks for the second. The first listing of a session,
	// Invalidate and the pages of a listing do not wait. Zero means DefaultMinInterval;
	// lifecycle.NoTimeout, like every negative value, means none: a server that announces a
	// change before each of its answers is then asked without end.
	MinInterval time.Duration

	lists []mirrored
	epoch engine.Epoch // the session that the lists are of
	ready bool         // it is ready
	wake  time.Time    // when the next announced listing may begin, zero for none that waits
}

// NewMirror returns a Mirror of the given lists: "tools/list", "resources/list",
// "resources/templates/list", "prompts/list". One that is given twice is kept once.
// Errors: ErrParams.
func NewMirror(methods ...string) (Mirror, error) {
	var m Mirror
	for _, name := range methods {
		list := protocol.ListOf(name)
		if list == nil {
			return Mirror{}, &lifecycle.OpError{Op: "mirror", Err: lifecycle.ErrParams, Method: name}
		}
		if m.list(name).of != list {
			m.lists = append(m.lists, mirrored{of: list, due: dueNow})
		}
	}
	return m, nil
}

// Handle takes in an Output of the State and asks for what is missing. It returns the
// Output without the events of its own requests, with ListRead where a listing has ended.
// Every Output of the State has to pass through it: m.Handle(s.Receive(now, msg)).
func (m Mirror) Handle(s State, out Output) (Mirror, State, Output) {
	was := m.ready
	if m.ready = s.Phase() == protocol.Ready; !m.ready {
		m.wake = time.Time{}
	} else if !was || m.epoch != s.core.Epoch() {
		m.anew(s.core.Epoch())
	}
	if !m.concerned(s.core.Now(), out) {
		return m, s, out
	}
	m.lists = slices.Clone(m.lists)
	rest := out
	rest.Events = nil
	for _, ev := range out.Events {
		if ev, keep := m.event(ev); keep {
			rest.Events = append(rest.Events, ev)
		}
	}
	if !m.ready {
		return m, s, rest
	}
	for i := range m.lists {
		var o Output
		var err error
		s, o, err = m.ask(&m.lists[i], s)
		rest.Send = append(slices.Clip(rest.Send), o.Send...)
		if err != nil {
			cause := &Cause{Kind: lifecycle.CauseNotSent, Err: err}
			rest.Events = append(rest.Events, Event{Kind: ListRead, Method: m.lists[i].of.Method, Cause: cause})
		}
	}
	m.wake = s.core.At(m.earliest(s.core.Now()))
	return m, s, rest
}

// NextDeadline returns when a listing that waits for MinInterval may begin; false if none
// waits. When it or the NextDeadline of the State has come, m.Handle(s.Tick(now)) is due;
// afterwards it is later than now, or there is none.
func (m Mirror) NextDeadline() (time.Time, bool) { return m.wake, !m.wake.IsZero() }

// anew begins with a session. Its server may be another one: nothing of the last session
// is kept.
func (m *Mirror) anew(epoch engine.Epoch) {
	lists := make([]mirrored, len(m.lists))
	for i := range lists {
		lists[i] = mirrored{of: m.lists[i].of, due: dueNow}
	}
	m.lists, m.epoch = lists, epoch
}

// concerned reports whether an Output, or what is due, has anything to do with a list.
func (m *Mirror) concerned(now int64, out Output) bool {
	for i := range m.lists {
		l := &m.lists[i]
		if m.ready && l.wants(now) {
			return true
		}
		for j := range out.Events {
			ev := &out.Events[j]
			if l.busy && ev.Req == l.pager.req ||
				ev.Kind == lifecycle.NotificationReceived && ev.Method == l.of.Changed {
				return true
			}
		}
	}
	return false
}

// earliest returns when the first of the announced listings that wait may begin. One that
// waits for another request to end (ErrLimit) is tried with each Output.
func (m *Mirror) earliest(now int64) int64 {
	first := int64(table.Never)
	for i := range m.lists {
		if l := &m.lists[i]; !l.busy && l.due == dueAnnounced && l.again > now {
			first = min(first, l.again)
		}
	}
	return first
}

// event takes one event in, and returns the one to hand on, if any.
func (m *Mirror) event(ev Event) (Event, bool) {
	for i := range m.lists {
		l := &m.lists[i]
		if ev.Kind == lifecycle.NotificationReceived && ev.Method == l.of.Changed {
			l.due, l.fresh = max(l.due, dueAnnounced), false
			continue
		}
		pager, items, mine, err := l.pager.Page(ev)
		if !l.busy || !mine {
			continue
		}
		asked := l.pager
		l.pager, l.pages = pager, l.pages.and(items)
		if err == nil && !pager.Done() {
			return ev, false
		}
		l.end(err == nil || overEmpty(asked, pager, err))
		l.err = keptError(ev, err)
		if err != nil && ev.Err == nil && ev.Cause == nil {
			ev.Cause = &Cause{Kind: lifecycle.CauseInvalidResponse, Err: err}
		}
		ev.Kind, ev.Method = ListRead, l.of.Method
		return ev, true
	}
	return ev, true
}

// keptError returns what is kept of the error of a listing: of that of the server not the
// message that it came with.
func keptError(ev Event, err error) error {
	if ev.Err != nil {
		return engine.KeptCause(&Cause{RPC: ev.Err}).RPC
	}
	return err
}

// ask sends the next request of a list, if there is one to send. Where too many are open
// (ErrLimit) it stays to be sent. What cannot be asked for, as a list that the server does
// not have, is tried again when it is announced or in the next session.
func (m *Mirror) ask(l *mirrored, s State) (State, Output, error) {
	if !l.wants(s.core.Now()) {
		return s, Output{}, nil
	}
	pager := l.pager
	if !l.busy {
		pager = newPager(l.of)
		pager.MaxPages, pager.MaxItems, pager.MaxBytes = m.MaxPages, m.MaxItems, m.MaxBytes
	}
	opt := m.Options
	opt.Within, opt.Replaces = Call{}, Req{}
	pager, next, out, err := pager.Next(s, time.Time{}, opt)
	if errors.Is(err, lifecycle.ErrLimit) {
		return s, Output{}, nil // it stays to be sent
	}
	if !l.busy {
		l.due, l.again = notDue, 0 // at once
		if m.MinInterval >= 0 {
			l.again = s.core.After(cmp.Or(m.MinInterval, DefaultMinInterval))
		}
	}
	l.pager, l.busy, l.err = pager, true, err
	if err != nil {
		l.end(false)
	}
	return next, out, err
}
