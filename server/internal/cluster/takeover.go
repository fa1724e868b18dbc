package cluster

import (
	"slices"
	"time"
)

// Act is what is done for an entry of a process that has died.
type Act uint8

// The acts.
const (
	Wait   Act = iota // nothing yet
	Fail              // the call is answered with an error, and the requests within it are withdrawn
	Detach            // the stream has no connection any more
	Leave             // nothing: the entry goes
)

// Act returns what a pass does for an entry. begun says of a stream whether its client can resume it. The answer on
// one that it cannot resume stays for a process that slept and still has the connection: until the last pass.
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

// Pass is what is due for a process that has died.
type Pass uint8

// The passes.
const (
	None  Pass = iota // nothing
	First             // all its sessions, at once
	Last              // all its sessions, and the process is forgotten
)

// settling is how many leases there are from the first pass to the last.
const settling = 2

// Takeovers are the dead processes that this one takes over from. They are not changed.
type Takeovers []passed

// passed says when the first pass was done for a process.
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

// Done returns t after a pass that was done in full.
func (t Takeovers) Done(process string, pass Pass, now time.Time) Takeovers {
	if pass == First {
		return append(t[:len(t):len(t)], passed{process, now})
	}
	return slices.DeleteFunc(slices.Clone(t), func(p passed) bool { return p.process == process })
}

// Still returns those takeovers that the store still tells this process of: others have the rest.
func (t Takeovers) Still(lost []string) Takeovers {
	return slices.DeleteFunc(slices.Clone(t), func(p passed) bool { return !slices.Contains(lost, p.process) })
}
