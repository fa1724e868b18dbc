package nethttp

import "slices"

// few reports whether the session uses one of the few locks.
func (h *Handler) few(id string) bool { return h.alone || single(id) }

// stripe returns what this process has of the session, and of others with the same lock, which is
// held.
func (h *Handler) stripe(id string) *stripe {
	if h.few(id) {
		return &h.stripes[hash(id)>>8&(stripes-1)]
	}
	h.locks.mu.Lock()
	defer h.locks.mu.Unlock()
	return h.locks.of[id]
}

// lock locks the session.
func (h *Handler) lock(id string) *stripe {
	if h.few(id) {
		st := h.stripe(id)
		st.mu.Lock()
		return st
	}
	p := &h.locks
	p.mu.Lock()
	st := p.of[id]
	if st == nil {
		if st, _ = p.pool.Get().(*stripe); st == nil {
			st = &stripe{gate: make(chan struct{}, 1)}
		}
		if p.of == nil {
			p.of = map[string]*stripe{}
		}
		p.of[id] = st
	}
	st.users++
	p.mu.Unlock()
	st.gate <- struct{}{}
	return st
}

// unlock ends lock.
func (h *Handler) unlock(id string, st *stripe) {
	if h.few(id) {
		st.mu.Unlock()
		return
	}
	<-st.gate
	p := &h.locks
	p.mu.Lock()
	defer p.mu.Unlock()
	if st.users--; st.users == 0 && len(st.live)+len(st.sides)+len(st.doubts) == 0 {
		delete(p.of, id)
		p.pool.Put(st)
	}
}

// each calls f for all that this process has of sessions, with its lock held.
func (h *Handler) each(f func(st *stripe)) {
	for i := range h.stripes {
		st := &h.stripes[i]
		st.mu.Lock()
		f(st)
		st.mu.Unlock()
	}
	h.locks.mu.Lock()
	ids := make([]string, 0, len(h.locks.of))
	for id := range h.locks.of {
		ids = append(ids, id)
	}
	h.locks.mu.Unlock()
	for _, id := range ids {
		st := h.lock(id)
		f(st)
		h.unlock(id, st)
	}
}

// putsOff reports whether the turn of a request of a session is delayed. It is called with and without the lock.
func (st *stripe) putsOff(session string) bool {
	st.earlyMu.Lock()
	defer st.earlyMu.Unlock()
	return slices.ContainsFunc(st.early, func(e *early) bool { return e.id == session })
}
