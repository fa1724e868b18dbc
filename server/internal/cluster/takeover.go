package cluster

import (
	"slices"
	"time"
)

// Act is what to do for an entry of a process that has died.
type Act uint8

// The acts.
const (
	Wait   Act = iota // nothing yet
	Fail              // the call is answered with an error, and the requests within it are cancelled
	Detach            // the stream loses its connection
	Leave             // nothing: the entry is removed
)

// Act returns what a pass does for an entry. begun reports for a stream whether its client can resume it. The
// answer on a stream that it cannot resume stays until the last pass, for a process that slept and still has the
// connection.
func (e Entry) Act(begun, last bool) Act {
	switch {
	case e.Home:
		return Leave
	case e.Call != 0:
		return Fail
	case begun || last:
		return Detach
	}
	return Wait
}

// Pass is the pass that is due for a process that has died.
type Pass uint8

// The passes.
const (
	None  Pass = iota // nothing
	First             // all its sessions, at once
	Last              // all its sessions, and the process is removed
)

// settling is the number of leases between the first pass and the last.
const settling = 2

// Takeovers are the dead processes that this one takes over from. They are immutable.
type Takeovers []passed

// passed is when the first pass was made for a process.
type passed struct {
	process string
	at      time.Time
}

// Due returns which pass is due for a process that the store says is dead.
func (t Takeovers) Due(process string, now time.Time, lease time.Duration) Pass {
	i := slices.IndexFunc(t, func(p passed) bool { return p.process == process })
	switch {
	case i < 0:
		return First
	case now.Before(t[i].at.Add(settling * lease)):
		return None
	}
	return Last
}

// Done returns t after a complete pass.
func (t Takeovers) Done(process string, pass Pass, now time.Time) Takeovers {
	if pass == First {
		return append(t[:len(t):len(t)], passed{process, now})
	}
	return slices.DeleteFunc(slices.Clone(t), func(p passed) bool { return p.process == process })
}

// Still returns the takeovers of processes that the store still returns to this one: others have
// the rest.
func (t Takeovers) Still(lost []string) Takeovers {
	return slices.DeleteFunc(slices.Clone(t), func(p passed) bool { return !slices.Contains(lost, p.process) })
}
