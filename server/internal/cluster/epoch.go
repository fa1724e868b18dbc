package cluster

import "slices"

// Mark is what a process has last seen of a session. The store has acknowledged it, so it still exists unless the
// store has lost it.
type Mark struct {
	Step  uint64 // 0 for nothing
	Turn  TurnID // the turn that made it
	Epoch uint64 // of the record
}

// Back reports whether a record of the same epoch is older than what was seen, or an alternative to it: the store
// has lost turns that it had acknowledged, or returns an old record.
func (m Mark) Back(h History, epoch uint64) bool {
	return m.Step != 0 && m.Epoch == epoch && (h.Step < m.Step || h.Step == m.Step && h.Last != m.Turn)
}

// Lost reports whether a record lacks the turn that was seen, which may be of another epoch. It is also true if too
// many processes have made turns since.
func (m Mark) Lost(h History, epoch uint64) bool {
	if m.Step == 0 || m.Epoch == epoch {
		return m.Back(h, epoch)
	}
	stored := func(t Made) bool {
		return t.TurnID == m.Turn || t.Process == m.Turn.Process && t.Step > m.Step
	}
	return !stored(Made{h.Last, h.Step}) && !slices.ContainsFunc(h.Before, stored)
}

// Enter returns the epoch of the next turn of a record. branch is the branch that the store is on, 0 if the store does
// not say. back is the result of Mark.Back; fresh is a random number, for a store that does not say. leap reports that
// the epoch begins with this turn: numbers may have been used that the record does not know, so they are skipped.
func Enter(epoch, branch, fresh uint64, back bool) (next uint64, leap bool) {
	switch {
	case back && branch == 0:
		return fresh, true
	case back, epoch != 0 && branch != 0 && epoch != branch:
		return branch, true
	case epoch == 0: // from a version without epochs
		return branch, false
	}
	return epoch, false
}
