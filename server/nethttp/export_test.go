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
