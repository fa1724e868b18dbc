package registry

import "time"

// SetGlobals replaces the groups of all sessions. What is not offered any longer ends: its
// States and the calls by name, with ErrRemoved.
func (h Hub) SetGlobals(now time.Time, g Globals) (Hub, HubOutput) {
	if g == h.globals {
		return h, HubOutput{}
	}
	h.globals = g
	h, out := h.settle(now, "", true)
	out.All = true
	return h, out
}

// SetSession gives a session its groups. With those that it has, nothing changes. Errors: those of
// Sessions.Put.
func (h Hub) SetSession(now time.Time, session string, r *Registry) (Hub, HubOutput, error) {
	sessions, err := h.sessions.Put(session, r)
	if err != nil {
		return h, HubOutput{}, err
	}
	if sessions.version == h.sessions.version {
		return h, HubOutput{}, nil
	}
	h.sessions = sessions
	h, out := h.settle(now, session, false)
	out.Changed = []string{session}
	return h, out, nil
}

// Drop forgets a session: its States and its calls by name end. It returns false if nothing was
// there.
func (h Hub) Drop(now time.Time, session string) (Hub, HubOutput, bool) {
	var out HubOutput
	sessions, was := h.sessions.Drop(session)
	h.sessions = sessions
	gone := dropped(session)
	for _, c := range h.connsOf(session, false) {
		h, out = h.abort(c, now, gone, out)
		was = true
	}
	h.calls, out.Outcomes = h.calls.cancel(func(i Invocation) error {
		if i.Session == session {
			return gone
		}
		return nil
	})
	if was {
		out.Changed = []string{session}
	}
	return h, out, was || out.Outcomes != nil
}

// settle lets the States and calls of one session, or of all, follow what is offered.
func (h Hub) settle(now time.Time, session string, all bool) (Hub, HubOutput) {
	var out HubOutput
	for _, c := range h.connsOf(session, all) {
		s, err := h.Offered(c.session, c.name)
		if err != nil {
			h, out = h.abort(c, now, removed(c.name, err), out)
			continue
		}
		if s == c.server {
			continue
		}
		state, o, err := c.state.SetCatalog(now, s.Catalog())
		if err != nil { // of a kind that was not declared: the client has to begin anew
			h, out = h.abort(c, now, err, out)
			continue
		}
		c.state, c.server = state, s
		var more HubOutput
		h, more = h.keep(c, o)
		out.Deliveries = append(out.Deliveries, more.Deliveries...)
	}
	h.calls, out.Outcomes = h.calls.cancel(func(i Invocation) error {
		if !all && i.Session != session {
			return nil
		}
		if _, err := h.Offered(i.Session, i.Tool.Group); err != nil {
			return removed(i.Tool.Group, err)
		}
		return nil
	})
	return h, out
}

// abort ends the State of a conn.
func (h Hub) abort(c conn, now time.Time, cause error, out HubOutput) (Hub, HubOutput) {
	_, o := c.state.Abort(now, cause)
	out.Deliveries = append(out.Deliveries, Delivery{c.session, c.name, c.server.handlers, o})
	return h.drop(c.session, c.name), out
}

func (h Hub) connsOf(session string, all bool) (list []conn) {
	if all {
		for leaf := range h.conns.All() {
			list = append(list, leaf.V...)
		}
		return list
	}
	if leaf := h.conns.Get(keyOf(session)); leaf != nil {
		for _, c := range leaf.V {
			if c.session == session {
				list = append(list, c)
			}
		}
	}
	return list
}
