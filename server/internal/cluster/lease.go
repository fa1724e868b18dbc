package cluster

import "time"

// Lease is how long a process may consider itself alive, by its own clock. The zero Lease is over.
type Lease struct {
	Process string // its id
	length  time.Duration
	began   time.Time // when the last request that was granted was made
}

// NewLease returns the lease of a process whose request for it was made at began. It counts from the request, not
// from the answer, so that it ends before the store says so however long the answer took.
func NewLease(process string, length time.Duration, began time.Time) Lease {
	return Lease{Process: process, length: length, began: began}
}

// Renewed returns the lease after a renewal that was requested at began was granted. A lease that is over stays
// so.
func (l Lease) Renewed(now, began time.Time) Lease {
	if l.Alive(now) && began.After(l.began) {
		l.began = began
	}
	return l
}

// Alive reports whether the process may begin work for sessions.
func (l Lease) Alive(now time.Time) bool { return l.Process != "" && now.Before(l.Ends()) }

// Ends returns when the process considers itself dead unless the lease is renewed: a third of the lease before
// the store does.
func (l Lease) Ends() time.Time { return l.began.Add(l.length * 2 / 3) }

// Due returns when to renew the lease: early enough that one renewal may fail.
func (l Lease) Due() time.Time { return l.began.Add(l.length / 3) }
