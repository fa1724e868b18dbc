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
	ProgressToken jsonrpc.ID // zero: the peer asked for no progress
}

// ReqInfo describes an outbound request that awaits the peer.
type ReqInfo struct {
	Req    Req        // its handle
	ID     jsonrpc.ID // its wire id
	Method string     // its method
	Within Call       // the inbound request it was made for; it may be closed

	Deadline      time.Time  // when it times out without progress or questions; zero: never
	Maximum       time.Time  // the latest Deadline that progress and questions can reach; zero: no limit
	ProgressToken jsonrpc.ID // its progress token; zero: it asked for no progress
}
