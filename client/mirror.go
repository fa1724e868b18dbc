package client

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// ListRead is the event of a Mirror: a list was read to its end, or not. Method names
// the list; Err or Cause says why it was not read, and the copy is the old one then.
const ListRead = lifecycle.KindClient

// Mirror keeps copies of lists of the server. It reads them, page by page, when the
// session is ready, and again when the server announces a change (tools, resources and
// prompts, List Changed Notification): one page of a list is on its way at a time, and
// however many changes are announced meanwhile, the list is read once more after the
// last. It is a value like a State, and no part of a Snapshot: it is soon made anew.
type Mirror struct {
	// Options are the settings of its requests.
	Options RequestOptions
	// MaxPages, MaxItems and MaxBytes bound each listing, as in a Pager.
	MaxPages, MaxItems, MaxBytes int

	lists []mirrored
}

// mirrored is one list.
type mirrored struct {
	method protocol.Method
	pager  Pager // of the listing under way
	busy   bool  // there is one
	due    bool  // it is to be read, again if it is being read
	fresh  bool  // items are what the server last announced
	err    error // why the last listing failed
	items  []jsonrpc.Raw
	index  map[string]int // items by key
	next   []jsonrpc.Raw  // of the listing under way
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
	if !m.concerned(s, out) {
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
	if s.Phase() != protocol.Ready {
		return m, s, rest
	}
	for i := range m.lists {
		var o Output
		var err error
		s, o, err = m.ask(&m.lists[i], s)
		rest.Send = append(slices.Clip(rest.Send), o.Send...)
		if err != nil && !errors.Is(err, lifecycle.ErrLimit) {
			cause := &Cause{Kind: lifecycle.CauseNotSent, Err: err}
			rest.Events = append(rest.Events, Event{Kind: ListRead, Method: m.lists[i].method.String(), Cause: cause})
		}
	}
	return m, s, rest
}

// concerned reports whether an Output, or what is due, has anything to do with a list.
func (m *Mirror) concerned(s State, out Output) bool {
	for i := range m.lists {
		l := &m.lists[i]
		if l.wants() && s.Phase() == protocol.Ready {
			return true
		}
		for j := range out.Events {
			ev := &out.Events[j]
			if ev.Kind == lifecycle.PhaseChanged && ev.To == protocol.Ready || l.busy && ev.Req == l.pager.req ||
				ev.Kind == lifecycle.NotificationReceived && protocol.MethodOf(ev.Method) == announcedBy(l.method) {
				return true
			}
		}
	}
	return false
}

// wants reports whether there is a request to send.
func (l *mirrored) wants() bool { return l.busy && l.pager.more || !l.busy && l.due }

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
			l.pager, l.next = pager, slices.Clip(l.next)
			for _, item := range items {
				l.next = append(l.next, jsonrpc.Raw(strings.Clone(string(item)))) // the page itself is not kept
			}
			switch {
			case err != nil:
				l.busy, l.next, l.err = false, nil, err
				ev.Kind = ListRead
				if ev.Err == nil && ev.Cause == nil {
					ev.Cause = &Cause{Kind: lifecycle.CauseInvalidResponse, Err: err}
				}
			case pager.Done():
				l.items, l.next, l.busy, l.fresh = l.next, nil, false, !l.due
				l.index = indexed(l.method, l.items)
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

// ask sends the next request of a list, if there is one to send. Where too many are open
// (ErrLimit) it stays to be sent. What cannot be asked for, as a list that the server does
// not have, is tried again when it is announced or in the next session.
func (m *Mirror) ask(l *mirrored, s State) (State, Output, error) {
	if !l.wants() {
		return s, Output{}, nil
	}
	pager := l.pager
	if !l.busy {
		var err error
		if pager, err = s.Pager(l.method.String()); err != nil {
			return s, Output{}, err
		}
		pager.MaxPages, pager.MaxItems, pager.MaxBytes = m.MaxPages, m.MaxItems, m.MaxBytes
	}
	next, pager, out, err := s.NextPage(time.Time{}, pager, m.Options)
	if errors.Is(err, lifecycle.ErrLimit) {
		return s, Output{}, err
	}
	if !l.busy {
		l.next, l.due = nil, false
	}
	l.pager, l.busy, l.err = pager, err == nil, err
	return next, out, err
}

func indexed(list protocol.Method, items []jsonrpc.Raw) map[string]int {
	index := make(map[string]int, len(items))
	for i, item := range items {
		raw, _ := rawjson.Get(string(item), listKeys[list])
		key, _ := rawjson.Unquote(raw)
		if _, there := index[key]; !there {
			index[key] = i
		}
	}
	return index
}

func (m Mirror) list(method string) *mirrored {
	for i := range m.lists {
		if m.lists[i].method.String() == method {
			return &m.lists[i]
		}
	}
	return &mirrored{}
}

// Items returns the items of a list as the server wrote them; fresh is false if the list
// was never read, or has changed since. The slice must not be changed.
func (m Mirror) Items(method string) (items []jsonrpc.Raw, fresh bool) {
	l := m.list(method)
	return l.items, l.fresh
}

// Err returns why the last listing of a list failed; nil if it did not, or while the list
// is being read. A list that the server does not have is lifecycle.ErrCapability. Until
// a list is fresh or has an error, it is on its way.
func (m Mirror) Err(method string) error { return m.list(method).err }

// Find returns the item of a list with the given name (tools, prompts), uri or
// uriTemplate; of two with the same one the first.
func (m Mirror) Find(method, key string) (jsonrpc.Raw, bool) {
	l := m.list(method)
	i, ok := l.index[key]
	if !ok {
		return "", false
	}
	return l.items[i], true
}

// OutputSchema returns the outputSchema of a tool, for RequestOptions; "" if it has none.
// It returns false for a tool that is not in the copy of "tools/list".
func (m Mirror) OutputSchema(tool string) (jsonrpc.Raw, bool) {
	item, ok := m.Find("tools/list", tool)
	raw, _ := rawjson.Get(string(item), "outputSchema")
	if raw == "null" {
		raw = ""
	}
	return jsonrpc.Raw(raw), ok
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
