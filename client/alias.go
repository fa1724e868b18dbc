package client

import "github.com/sansmcp/mcp/lifecycle"

// Aliases of package lifecycle, so that a driver needs only one import.
type (
	// Output is what the caller of a transition must do, with what happened.
	Output = lifecycle.Output
	// Outgoing is a message to send.
	Outgoing = lifecycle.Outgoing
	// Event is something that happened.
	Event = lifecycle.Event
	// Call is the handle of an inbound request.
	Call = lifecycle.Call
	// Req is the handle of an outbound request.
	Req = lifecycle.Req
	// Answer is the answer to an inbound request: a result or an error.
	Answer = lifecycle.Answer
	// Phase is the phase of a session.
	Phase = lifecycle.Phase
	// Cause says why a request or a session ended.
	Cause = lifecycle.Cause
	// Status is a summary of a State.
	Status = lifecycle.Status
	// RequestOptions are the settings of one outbound request.
	RequestOptions = lifecycle.RequestOptions
	// CallInfo describes an open inbound request.
	CallInfo = lifecycle.CallInfo
	// ReqInfo describes an outbound request that awaits the peer.
	ReqInfo = lifecycle.ReqInfo
)
