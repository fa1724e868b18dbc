package nethttp

import (
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// processLost is the answer to a call whose process has died; answerLost is the answer to a call that its process
// has answered in a turn that was lost.
var (
	processLost = lostCall("the process that ran the call was lost", "process lost")
	answerLost  = lostCall("the answer to the call was lost", "answer lost")
)

func lostCall(text, reason string) jsonrpc.Error {
	e := protocol.InternalError(text + ": the call may have had effects")
	e.Data = jsonrpc.Raw(`{"outcome":"unknown","reason":"` + reason + `"}`)
	return e
}
