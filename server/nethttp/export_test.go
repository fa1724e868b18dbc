package nethttp

import "context"

// Sides returns how many Companions a Handler has.
func (h *Handler) Sides() (n int) {
	h.each(func(st *stripe) { n += len(st.sides) })
	return n
}

// Kept returns how many bytes sessions keep for their clients.
func (h *Handler) Kept() int { return int(h.due.kept.Load()) }

// SameStripe reports whether two sessions had one lock if those were few.
func SameStripe(a, b string) bool { return hash(a)>>8&(stripes-1) == hash(b)>>8&(stripes-1) }

// Early returns how many requests are not taken in yet whose functions run.
func (h *Handler) Early() (n int) {
	h.each(func(st *stripe) { n += len(st.early) })
	return n
}

// Late sends a call to a session, whose function runs first, and looks for its answer only after meanwhile.
func (h *Handler) Late(session, body string, meanwhile func()) (answer []byte, ok bool) {
	x := &exchange{h: h, ctx: context.Background()}
	e, _ := x.startEarly(session, h.decoder.Decode([]byte(body)))
	meanwhile()
	return x.waitFor(e)
}
