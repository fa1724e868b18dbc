package cluster

import "time"

// Lease is how long a process may take itself for alive, by its own clock. The zero Lease is over.
type Lease struct {
	Process string // its id
	length  time.Duration
	began   time.Time // the request that was granted last was made then
}

// NewLease returns the lease of a process whose request for it was made at began. It is counted from there, and not
// from the answer, so that it ends before the store says so whatever the answer took.
func NewLease(process string, length time.Duration, began time.Time) Lease {
	return Lease{Process: process, length: length, began: began}
}

// Renewed returns the lease after a renewal was granted that was asked for at began. One that is over stays so.
func (l Lease) Renewed(now, began time.Time) Lease {
	if l.Alive(now) && began.After(l.began) {
		l.began = began
	}
	return l
}

// Alive reports whether the process may begin something of sessions.
func (l Lease) Alive(now time.Time) bool { return l.Process != "" && now.Before(l.Ends()) }

// Ends returns when the process takes itself for dead unless the lease is renewed: a third of it before the store
// does.
func (l Lease) Ends() time.Time { return l.began.Add(l.length * 2 / 3) }

// Due returns when the lease is to be renewed: so that one renewal may fail.
func (l Lease) Due() time.Time { return l.began.Add(l.length / 3) }
