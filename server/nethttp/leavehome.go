package nethttp

// leftHome drops the Companion of a session whose home is another process by now. The stripe is locked.
func (h *Handler) leftHome(st *stripe, id string, r *Record) {
	sd := st.sides[id]
	if sd == nil || sd.as == nil {
		return
	}
	home, ok := r.owners.Home()
	if ok && home.Process == sd.as.process && h.isAt(home.Process) || !ok && !sd.kept && h.isAt(sd.as.process) {
		return
	}
	h.leaveHome(st, id)
}

// leaveHome tells the Companion of a session that the session has ended, although it continues at another
// process. The stripe is locked.
func (h *Handler) leaveHome(st *stripe, id string) {
	sd := st.sides[id]
	delete(st.sides, id)
	h.part(sd)
}

// astray drops the Companion of a session whose home is here if r lacks a turn that it has seen: the store has lost
// that turn, and the Companion knows things that are no longer true. The stripe is locked.
func (h *Handler) astray(st *stripe, id string, r *Record) {
	sd := st.sides[id]
	if sd != nil && sd.as != nil && sd.seen.Lost(r.history(), r.epoch) {
		h.leaveHome(st, id)
	}
}
