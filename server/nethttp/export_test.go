package nethttp

// Sides returns how many Companions a Handler has.
func (h *Handler) Sides() (n int) {
	for i := range h.stripes {
		st := &h.stripes[i]
		st.mu.Lock()
		n += len(st.sides)
		st.mu.Unlock()
	}
	return n
}

// Kept returns how many bytes sessions keep for their clients.
func (h *Handler) Kept() int { return int(h.due.kept.Load()) }
