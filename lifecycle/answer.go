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

// Answer makes the end of a request of ours the answer to an inbound request: what a
// relay does with the event. The error of the peer and its result pass as they are; a
// request that failed without an answer becomes NoAnswer.
func (e Event) Answer(call Call) Answer {
	switch {
	case e.Kind == ResponseReceived && e.Err == nil:
		return Answer{Call: call, Result: e.Body}
	case e.Err != nil:
		return Answer{Call: call, Err: e.Err}
	}
	return NoAnswer(call)
}

// NoAnswer returns the answer to an inbound request that was to be passed on and got no
// answer: -32603. A relay hands it to Finish where its own request could not be made, or
// ended without one.
func NoAnswer(call Call) Answer {
	err := protocol.InternalError("no answer from the other side")
	return Answer{Call: call, Err: &err}
}
