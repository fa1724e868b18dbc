package lifecycle

import (
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
)

// Phase is the phase of a session.
type Phase = protocol.Phase

// Party is one of the two ends of a session.
type Party = protocol.Party

// The phases and the parties, as package protocol defines them.
const (
	Uninitialized = protocol.Uninitialized
	Initializing  = protocol.Initializing
	Ready         = protocol.Ready
	ShuttingDown  = protocol.ShuttingDown
	Disconnected  = protocol.Disconnected
	Failed        = protocol.Failed

	Client = protocol.Client
	Server = protocol.Server
)

// Trigger is something that can move a session from one phase to another.
type Trigger uint8

// The triggers. On the server a handshake begins when initialize was answered
// with a result; on the client when it was sent.
const (
	HandshakeBegun    Trigger = iota // initialize sent (client) or accepted (server)
	HandshakeDone                    // result accepted and initialized sent (client); initialized received (server)
	HandshakeFailed                  // error answer, bad result, unsupported version, missing capability, deadline (client)
	PeerSilent                       // Keepalive.Misses pings failed
	InputClosed                      // the peer's input has ended
	ShutdownRequested                // the application ends the session
	Aborted                          // a failure on this side
	TransportClosed                  // the transport has ended
	ResetRequested                   // the application wants a new session on this State
	triggerCount
)

// TriggerCount is the number of triggers.
const TriggerCount = int(triggerCount)

var triggerNames = [triggerCount]string{
	"handshake begun", "handshake done", "handshake failed", "peer silent", "input closed",
	"shutdown requested", "aborted", "transport closed", "reset requested",
}

// String returns the name of the trigger.
func (t Trigger) String() string { return rawjson.NameOf(t, "trigger(?)", triggerNames[:]...) }

// Transition is one row of the transition table.
type Transition struct {
	Party    Party   // the party of the row, or both
	From, To Phase   // the phases before and after
	On       Trigger // the trigger
}

// transitions is the whole lifecycle (lifecycle page; the phases error,
// disconnected and shutting_down are this library's). What is not listed leaves
// the phase as it is.
var transitions = [...]Transition{
	{protocol.BothParties, Uninitialized, Initializing, HandshakeBegun},
	// LIFE-006, LIFE-012
	{protocol.BothParties, Initializing, Ready, HandshakeDone},
	{Client, Initializing, Failed, HandshakeFailed},

	{protocol.BothParties, Initializing, ShuttingDown, PeerSilent},
	{protocol.BothParties, Ready, ShuttingDown, PeerSilent},

	{protocol.BothParties, Uninitialized, ShuttingDown, InputClosed},
	{protocol.BothParties, Initializing, ShuttingDown, InputClosed},
	{protocol.BothParties, Ready, ShuttingDown, InputClosed},

	{protocol.BothParties, Uninitialized, ShuttingDown, ShutdownRequested},
	{protocol.BothParties, Initializing, ShuttingDown, ShutdownRequested},
	{protocol.BothParties, Ready, ShuttingDown, ShutdownRequested},

	{protocol.BothParties, Uninitialized, Failed, Aborted},
	{protocol.BothParties, Initializing, Failed, Aborted},
	{protocol.BothParties, Ready, Failed, Aborted},

	{protocol.BothParties, Uninitialized, Disconnected, TransportClosed},
	{protocol.BothParties, Initializing, Disconnected, TransportClosed},
	{protocol.BothParties, Ready, Disconnected, TransportClosed},
	// Nothing else leads out of ShuttingDown (LIFE-037).
	{protocol.BothParties, ShuttingDown, Disconnected, TransportClosed},

	{protocol.BothParties, Disconnected, Uninitialized, ResetRequested},
	{protocol.BothParties, Failed, Uninitialized, ResetRequested},
}

// Transitions returns the transition table, in a readable order.
func Transitions() []Transition { return append([]Transition(nil), transitions[:]...) }

// next[party][phase][trigger] is the phase plus one, 0 where the table has no row.
var next = func() (t [3][protocol.PhaseCount][triggerCount]Phase) {
	for _, row := range transitions {
		for _, p := range [...]Party{Client, Server} {
			if row.Party.Has(p) {
				t[p][row.From][row.On] = row.To + 1
			}
		}
	}
	return t
}()

// Next returns the phase that follows from on t for the party. ok is false if the table has no such
// row; then the phase stays.
func Next(party Party, from Phase, t Trigger) (to Phase, ok bool) {
	if int(party) >= len(next) || int(from) >= protocol.PhaseCount || int(t) >= int(triggerCount) {
		return from, false
	}
	if p := next[party][from][t]; p != 0 {
		return p - 1, true
	}
	return from, false
}
