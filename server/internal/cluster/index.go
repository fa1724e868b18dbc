package cluster

import (
	"maps"
	"slices"
	"time"
)

// Index is what a process has told the store that it may have calls or connections of. It belongs to one id of the
// process, and is for one goroutine at a time.
type Index struct {
	last  uint64 // mark
	noted map[string]note
}

// note is the note of a session.
type note struct {
	mark  uint64
	used  time.Time
	epoch uint64
}

// Disuse is how long a session stays noted after the process has no call or connection of it any
// more.
const Disuse = time.Minute

// Next returns the mark to note a session with, before a record of that epoch with an entry of the process is stored;
// 0 if it is noted already. The session counts as used. A note in another epoch may be lost.
func (x *Index) Next(session string, epoch uint64, now time.Time) uint64 {
	if n, ok := x.noted[session]; ok && n.epoch == epoch {
		n.used = now
		x.noted[session] = n
		return 0
	}
	x.last++
	return x.last
}

// Noted reports that the store has the note of a session, which was made for a record of that
// epoch.
func (x *Index) Noted(session string, epoch, mark uint64, now time.Time) {
	if x.noted == nil {
		x.noted = map[string]note{}
	}
	x.noted[session] = note{mark, now, epoch}
}

// Unused returns the sessions that were not used for Disuse, in order.
func (x *Index) Unused(now time.Time) (sessions []string) {
	for _, id := range slices.Sorted(maps.Keys(x.noted)) {
		if !now.Before(x.noted[id].used.Add(Disuse)) {
			sessions = append(sessions, id)
		}
	}
	return sessions
}

// Drop removes a session, and returns the mark of its note, which the store may remove from now on. No turn of the
// session may be made at the same time.
func (x *Index) Drop(session string) uint64 {
	mark := x.noted[session].mark
	delete(x.noted, session)
	return mark
}

// Len returns how many sessions are noted.
func (x *Index) Len() int { return len(x.noted) }
