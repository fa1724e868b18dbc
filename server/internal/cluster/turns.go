package cluster

import "slices"

// TurnID names a turn of a session as no other one.
type TurnID struct {
	Process uint64 `json:"p"` // a random number of it
	Turn    uint64 `json:"t"` // its number there, the first a random one
}

// Made is a turn that is stored.
type Made struct {
	TurnID
	Step uint64 `json:"s,omitempty"` // that it was stored as; 0 if nobody wrote that down
}

// MaxProcesses bounds the processes whose last turn a History knows. One turn of each is enough, for a
// process makes those of a session one after another.
const MaxProcesses = 8

// History is the turns that made a record, as far as it knows them. It is not changed.
type History struct {
	Step   uint64 // of the newest turn, from 1 on
	Last   TurnID // it
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

// Outcome is what became of a turn whose Put did not say that it was stored.
type Outcome uint8

// The outcomes.
const (
	Undecided Outcome = iota // it may be stored, or be stored yet
	Stored                   // it is, perhaps below turns of others
	NotStored                // it is not, and never will be
	Unknown                  // too many others made turns on top: nobody will ever know
)

// Outcome returns what became of a turn, by the newest record. It was the last one of its process, and was to be
// stored as the given step.
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
