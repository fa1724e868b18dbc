package attempt

import (
	"strconv"
	"time"

	"github.com/sansmcp/mcp/protocol/toolerror"
)

// CallID is the handle of a call: 1 for the first of an Executor. It is never used again. The zero
// CallID refers to no call.
type CallID uint64

// BatchID is the handle of a batch. It is never used again; the zero BatchID refers to no batch.
type BatchID uint64

// Attempt is one try of a call: the first is number 1. It is comparable.
type Attempt struct {
	Call   CallID // the call
	Number int    // which of its attempts
}

// String returns the attempt for logs, as "7#2".
func (a Attempt) String() string {
	return strconv.FormatUint(uint64(a.Call), 10) + "#" + strconv.Itoa(a.Number)
}

// Output is what to do after a step. The lists are in the order of cause, and the caller may keep
// them. Act on Stop before Start.
type Output struct {
	Call       CallID      // the call that Call has made, or the first one of Start, whose calls have consecutive handles
	Batch      BatchID     // the batch that Start has made
	Stop       []Stop      // attempts to cancel
	Start      []Start     // attempts to begin
	Done       []Result    // calls that have ended, those of batches included
	Batches    []BatchDone // batches of which all calls have ended
	LateFinish bool        // Finish reported an attempt that does not run: the outcome was dropped
}

// Start asks the driver to begin an attempt and to report its outcome to Finish.
type Start struct {
	Attempt  Attempt   // which
	Request  Request   // what to call, with Arguments as they go out; Input, Policy and Fault are not set
	Deadline time.Time // when it times out, zero if never
}

// Stop asks the driver to cancel an attempt. A later outcome is dropped. Cancel a request to a
// server by its id, and a function by its context.
type Stop struct {
	Attempt Attempt        // which
	Why     toolerror.Kind // toolerror.Timeout or toolerror.Cancelled
	Reason  string         // what the caller of Cancel said
}

// Result is how a call has ended. Each call ends exactly once.
type Result struct {
	Call    CallID  // the call
	Tool    string  // its tool
	Batch   BatchID // its batch, zero if it has none
	Index   int     // its place in the batch
	Outcome Outcome // what it came to
}

// BatchDone is a batch of which all calls have ended.
type BatchDone struct {
	Batch   BatchID  // the batch
	Results []Result // one for each request, in the order of the requests
	Failed  int      // the index of the first result that is a failure, -1 if there is none
}
