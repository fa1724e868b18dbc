package cluster

import "slices"

// TurnID identifies a turn of a session uniquely.
type TurnID struct {
	Process uint64 `json:"p"` // a random number of the process
	Turn    uint64 `json:"t"` // its number there; the first is random
}

// Made is a turn that is stored.
type Made struct {
	TurnID
	Step uint64 `json:"s,omitempty"` // that it was stored as; 0 if unknown
}

// MaxProcesses bounds the processes whose last turn a History has. One turn of each is enough, because
// a process makes its turns of a session one after another.
const MaxProcesses = 8

// History is the turns that made a record, as far as known. It is immutable.
type History struct {
	Step   uint64 // of the newest turn, from 1
	Last   TurnID // the newest turn
	Before []Made // the last turns of other processes, the newest first
}

// Follow returns the history after one more turn.
func (h History) Follow(id TurnID) History {
	if h.Last.Process != id.Process && h.Last != (TurnID{}) {
		before := append(make([]Made, 0, MaxProcesses), Made{h.Last, h.Step})
		for _, t := range h.Before {
			if t.Process != id.Process && len(before) < MaxProcesses {
				before = append(before, t)
			}
		}
		h.Before = before
	}
	h.Step, h.Last = h.Step+1, id
	return h
}

// Outcome is the outcome of a turn whose Put did not confirm that it was stored.
type Outcome uint8

// The outcomes.
const (
	Undecided Outcome = iota // it may be stored, or may still be
	Stored                   // it is stored, perhaps followed by turns of others
	NotStored                // it is not stored, and never will be
	Unknown                  // too many others made turns since: the outcome stays unknown
)

// Outcome returns the outcome of a turn, by the newest record. It was the last turn of its process, and was to
// be stored as the given step.
func (h History) Outcome(id TurnID, step uint64) Outcome {
	switch {
	case h.Last == id, slices.ContainsFunc(h.Before, func(t Made) bool { return t.TurnID == id }):
		return Stored
	case h.Step < step:
		return Undecided
	case len(h.Before) == MaxProcesses && h.Before[MaxProcesses-1].Step > step:
		return Unknown
	}
	return NotStored
}
