package lifecycle

import (
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
)

// CallInfo describes an open inbound request.
type CallInfo struct {
	Call          Call       // its handle
	ID            jsonrpc.ID // its wire id
	Method        string     // its method
	ProgressToken jsonrpc.ID // zero: the peer wants no progress
}

// ReqInfo describes a request of ours that awaits the peer.
type ReqInfo struct {
	Req    Req        // its handle
	ID     jsonrpc.ID // its wire id
	Method string     // its method
	Within Call       // the inbound request it was made for; it may be closed by now

	Deadline      time.Time  // when it times out, if nothing comes and nobody is asked; zero: never
	Maximum       time.Time  // the latest that progress and questions can put this off; zero: without end
	ProgressToken jsonrpc.ID // the token that it went out with; zero: it asked for no progress
}
