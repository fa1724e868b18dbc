package exec

import (
	"strconv"
	"time"

	"github.com/sansmcp/mcp/protocol/toolerror"
)

// CallID is the handle of a call: 1 for the first of an Executor, and never used again. The
// zero CallID is none.
type CallID uint64

// BatchID is the handle of a batch, as CallID is that of a call.
type BatchID uint64

// Attempt is one run of a call: the first is number 1. It is comparable.
type Attempt struct {
	Call   CallID // the call
	Number int    // which of its attempts
}

// String returns the attempt for logs, as "7#2".
func (a Attempt) String() string {
	return strconv.FormatUint(uint64(a.Call), 10) + "#" + strconv.Itoa(a.Number)
}

// Output is what to do after a step. The lists are in the order of cause, and the caller's to
// keep. Stop is acted upon before Start.
type Output struct {
	Call    CallID      // the call that Call has made
	Batch   BatchID     // the batch that Start has made
	Stop    []Stop      // attempts that nobody waits for any more
	Start   []Start     // attempts to begin
	Done    []Result    // calls that have settled, those of batches included
	Batches []BatchDone // batches of which all calls have settled
	Late    bool        // Resolve was told of an attempt that nobody waited for: it was dropped
}

// Start asks for an attempt to be begun. Its outcome is told by Resolve.
type Start struct {
	Attempt  Attempt   // which
	Request  Request   // what to call, with Arguments as they go out; Input, Policy and Fault are not set
	Deadline time.Time // when it is given up, zero if never
}

// Stop says that nobody waits for an attempt any more, because it took too long (Timeout) or
// was cancelled (Cancelled): a request to a server is to be cancelled by its id, and a
// function told to end. What it comes to is dropped.
type Stop struct {
	Attempt Attempt        // which
	Why     toolerror.Kind // toolerror.Timeout or toolerror.Cancelled
	Reason  string         // what the caller of Cancel said
}

// Result is how a call has settled. Each call does so exactly once.
type Result struct {
	Call    CallID  // the call
	Tool    string  // its tool
	Batch   BatchID // the batch that it belongs to, zero if none
	Index   int     // its place in the batch
	Outcome Outcome // what it came to
}

// BatchDone is a batch of which all calls have settled.
type BatchDone struct {
	Batch   BatchID  // the batch
	Results []Result // one for each request, in the order of the requests
	Failed  int      // the index of the first result that is a failure, -1 if all went well
}
