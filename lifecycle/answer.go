package lifecycle

import (
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// Answer is what an inbound request comes to: a result or an error. The Finish verb
// of both roles takes it.
type Answer struct {
	Call   Call            // the request
	Result protocol.Result // nil if Err is set
	Err    *jsonrpc.Error  // nil if there is a result
}

// Answer turns the end of an outbound request into the answer to an inbound request, for a relay.
// The result or error of the peer passes unchanged; a request that failed without an answer becomes
// NoAnswer.
func (e Event) Answer(call Call) Answer {
	switch {
	case e.Kind == ResponseReceived && e.Err == nil:
		return Answer{Call: call, Result: e.Body}
	case e.Err != nil:
		return Answer{Call: call, Err: e.Err}
	}
	return NoAnswer(call)
}

// NoAnswer returns the answer, -32603, to a forwarded request that got no answer. A relay passes it
// to Finish if its own request could not be sent, or ended without an answer.
func NoAnswer(call Call) Answer {
	err := protocol.InternalError("no answer from the other side")
	return Answer{Call: call, Err: &err}
}
