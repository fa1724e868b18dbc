package client

import (
	"slices"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// ListRead is the event of a Mirror: a list was read to its end, or not. Method names
// the list; Err or Cause says why it was not read, and the copy is the old one then.
const ListRead = lifecycle.KindUser

// Mirror keeps copies of lists of the server. It reads them, page by page, when the
// session is ready, and again when the server announces a change (tools, resources and
// prompts, List Changed Notification): one page of a list is on its way at a time, and
// however many changes are announced meanwhile, the list is read once more after the
// last. It is a value like a State, and no part of a Snapshot: it is soon made anew.
type Mirror struct {
	// Options are the settings of its requests.
	Options RequestOptions
	// MaxPages and MaxItems bound each listing, as in a Pager.
	MaxPages, MaxItems int

	lists []mirrored
}

// mirrored is one list.
type mirrored struct {
	method protocol.Method
	pager  Pager // of the listing under way
	busy   bool  // there is one
	due    bool  // it is to be read, again if it is being read
	fresh  bool  // items are what the server last announced
	items  []jsonrpc.Raw
	next   []jsonrpc.Raw // of the listing under way
}

// NewMirror returns a Mirror of the given lists: "tools/list", "resources/list",
// "resources/templates/list", "prompts/list". Errors: ErrParams.
func NewMirror(methods ...string) (Mirror, error) {
	var m Mirror
	for _, name := range methods {
		method := protocol.MethodOf(name)
		if _, ok := listMembers[method]; !ok {
			return Mirror{}, &lifecycle.Misuse{Err: lifecycle.ErrParams, Method: name}
		}
		m.lists = append(m.lists, mirrored{method: method, due: true})
	}
	return m, nil
}

// Handle takes in an Output of the State and asks for what is missing. It returns the
// Output without the events of its own requests, with ListRead where a list is read. It
// folds, and needs no time: m.Handle(s.Receive(now, msg)) works. Every Output of the
// State has to pass through it.
func (m Mirror) Handle(s State, out Output) (Mirror, State, Output) {
	m.lists = slices.Clone(m.lists)
	rest := out
	rest.Events = nil
	for _, ev := range out.Events {
		if ev, keep := m.event(ev); keep {
			rest.Events = append(rest.Events, ev)
		}
	}
	if s.Phase() != protocol.Ready {
		return m, s, rest
	}
	for i := range m.lists {
		var o Output
		var err error
		s, o, err = m.ask(&m.lists[i], s)
		rest.Send = append(slices.Clip(rest.Send), o.Send...)
		if err != nil {
			cause := &Cause{Kind: lifecycle.CauseNotSent, Err: err}
			rest.Events = append(rest.Events, Event{Kind: ListRead, Method: m.lists[i].method.String(), Cause: cause})
		}
	}
	return m, s, rest
}

// event takes one event in, and returns the one to hand on, if any.
func (m *Mirror) event(ev Event) (Event, bool) {
	changed := protocol.MethodOf(ev.Method)
	for i := range m.lists {
		l := &m.lists[i]
		switch {
		case ev.Kind == lifecycle.PhaseChanged && ev.To == protocol.Ready:
			*l = mirrored{method: l.method, due: true}
		case ev.Kind == lifecycle.NotificationReceived && changed == announcedBy(l.method):
			l.due, l.fresh = true, false
		default:
			pager, items, mine, err := l.pager.Page(ev)
			if !l.busy || !mine {
				continue
			}
			l.pager, l.next = pager, append(slices.Clip(l.next), items...)
			switch {
			case err != nil:
				l.busy, l.next = false, nil
				ev.Kind = ListRead
				if ev.Err == nil && ev.Cause == nil {
					ev.Cause = &Cause{Kind: lifecycle.CauseInvalidResponse, Err: err}
				}
			case pager.Done():
				l.items, l.next, l.busy, l.fresh = l.next, nil, false, !l.due
				ev.Kind = ListRead
			default:
				return ev, false
			}
			ev.Method = l.method.String()
			return ev, true
		}
	}
	return ev, true
}

// ask sends the next request of a list, if there is one to send. What cannot be asked
// for, as a list that the server does not have, is tried again when it is announced or
// in the next session.
func (m *Mirror) ask(l *mirrored, s State) (State, Output, error) {
	switch {
	case l.busy && l.pager.more:
	case !l.busy && l.due:
		pager, err := s.Pager(l.method.String())
		if err != nil {
			return s, Output{}, err
		}
		pager.MaxPages, pager.MaxItems = m.MaxPages, m.MaxItems
		l.pager, l.next, l.due = pager, nil, false
	default:
		return s, Output{}, nil
	}
	next, pager, out, err := s.NextPage(time.Time{}, l.pager, m.Options)
	l.pager, l.busy = pager, err == nil
	return next, out, err
}

// Items returns the items of a list as the server wrote them; fresh is false if a list
// was never read, or has changed since. The slice must not be changed.
func (m Mirror) Items(method string) (items []jsonrpc.Raw, fresh bool) {
	for i := range m.lists {
		if l := &m.lists[i]; l.method.String() == method {
			return l.items, l.fresh
		}
	}
	return nil, false
}

// Find returns the item of a list with the given name (tools, prompts), uri or
// uriTemplate.
func (m Mirror) Find(method, key string) (jsonrpc.Raw, bool) {
	items, _ := m.Items(method)
	for _, item := range items {
		raw, _ := rawjson.Get(string(item), listKeys[protocol.MethodOf(method)])
		if name, _ := rawjson.Unquote(raw); name == key {
			return item, true
		}
	}
	return "", false
}

// OutputSchema returns the outputSchema of a tool, for RequestOptions, "" if it has none.
func (m Mirror) OutputSchema(tool string) jsonrpc.Raw {
	item, _ := m.Find("tools/list", tool)
	t, err := protocol.Decode[protocol.Tool](item)
	if err != nil {
		return ""
	}
	return t.OutputSchema
}

// Invalidate has the given lists read again, all without arguments: with the next Output
// that Handle sees.
func (m Mirror) Invalidate(methods ...string) Mirror {
	m.lists = slices.Clone(m.lists)
	for i := range m.lists {
		if l := &m.lists[i]; len(methods) == 0 || slices.Contains(methods, l.method.String()) {
			l.due, l.fresh = true, false
		}
	}
	return m
}

// announcedBy returns the notification that announces changes of a list.
func announcedBy(list protocol.Method) protocol.Method {
	switch list {
	case protocol.MethodToolsList:
		return protocol.MethodToolsListChanged
	case protocol.MethodPromptsList:
		return protocol.MethodPromptsListChanged
	}
	return protocol.MethodResourcesListChanged
}
