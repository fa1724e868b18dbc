package toolerror

import "slices"

// Kind says why a call failed. It is an error, so that errors.Is(err, Timeout) works.
type Kind uint8

// The kinds. Zero counts as Execution.
const (
	UnknownTool      Kind = 1 + iota // no tool has the name
	NullArguments                    // it needs arguments and got none
	InvalidArguments                 // the arguments do not satisfy its schema
	Handler                          // it reported a failure with a text of its author
	Execution                        // it crashed, or failed unexpectedly
	Timeout                          // it timed out
	Cancelled                        // the caller cancelled it
	ConnectionLost                   // the connection was lost while it ran
	Unavailable                      // it cannot be called now
	RemoteRPC                        // its server answered with an error of JSON-RPC
	RemoteTool                       // its server answered with a result that is an error
	RateLimited                      // it was called too often
	InvalidOutput                    // its result violates its schema, or the limits of the caller
)

var codes = [...]string{
	"", "unknown_function", "null_arguments", "invalid_arguments", "handler_error", "execution_error",
	"timeout", "cancelled", "connection_lost", "unavailable", "remote_rpc", "remote_tool", "rate_limited",
	"invalid_output",
}

// sentences are for models; % is the tool with its name.
var sentences = [...]string{
	UnknownTool:      "unknown %",
	NullArguments:    "the % needs arguments",
	InvalidArguments: "the arguments of the % are not valid",
	Handler:          "the % failed",
	Execution:        "the % failed unexpectedly",
	Timeout:          "the % timed out",
	Cancelled:        "the call of the % was cancelled",
	ConnectionLost:   "the connection to the % was lost",
	Unavailable:      "the % is not available",
	RemoteRPC:        "the server of the % answered with an error",
	RemoteTool:       "the % reported an error",
	RateLimited:      "the % was called too often",
	InvalidOutput:    "the result of the % is not valid",
}

// Code returns the name of the kind in payloads, such as "timeout". It never changes.
func (k Kind) Code() string { return codes[k.known()] }

// KindOf returns the kind with that code, zero for an unknown code.
func KindOf(code string) Kind { return Kind(max(0, slices.Index(codes[:], code))) }

// Error returns "tool error: " and the code.
func (k Kind) Error() string { return "tool error: " + k.Code() }

// known returns k, or Execution if it is none of the kinds.
func (k Kind) known() Kind {
	if k == 0 || int(k) >= len(codes) {
		return Execution
	}
	return k
}
