package protocol

// Phase is the phase of a session (lifecycle page; the names are those of the
// transition table in docs/transitions.md).
type Phase uint8

// The phases. Uninitialized is the zero value: nothing was negotiated yet.
const (
	Uninitialized Phase = iota
	Initializing
	Ready
	ShuttingDown
	Disconnected
	Failed
	phaseCount
)

// PhaseCount is the number of phases.
const PhaseCount = int(phaseCount)

var phaseNames = [...]string{"uninitialized", "initializing", "ready", "shutting_down", "disconnected", "error"}

// String returns the name of the phase as the specification's tables spell it.
func (p Phase) String() string {
	if int(p) < len(phaseNames) {
		return phaseNames[p]
	}
	return "phase(?)"
}

// Live reports whether messages are exchanged in the phase: neither
// Disconnected nor Failed.
func (p Phase) Live() bool { return p < Disconnected }

// Phases is a set of phases.
type Phases uint8

// PhaseSet returns the set of the given phases.
func PhaseSet(list ...Phase) Phases {
	var s Phases
	for _, p := range list {
		s |= 1 << p
	}
	return s
}

// Has reports whether p is in the set.
func (s Phases) Has(p Phase) bool { return s>>p&1 != 0 }

// Party is one of the two ends of a session, or, as a set, both.
type Party uint8

// The parties.
const (
	Client Party = 1 << iota
	Server

	BothParties = Client | Server
)

// String returns "client", "server" or "both".
func (p Party) String() string {
	switch p {
	case Client:
		return "client"
	case Server:
		return "server"
	case BothParties:
		return "both"
	}
	return "none"
}

// Peer returns the other party.
func (p Party) Peer() Party { return p ^ BothParties }

// Has reports whether all of q is in p.
func (p Party) Has(q Party) bool { return p&q == q }
