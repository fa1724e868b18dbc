package attempt

import (
	"strconv"
	"time"

	"github.com/sansmcp/mcp/protocol/toolerror"
)

// CallID is the handle of a call: 1 for the first call of an Executor. It is never reused. The zero
// CallID refers to no call.
type CallID uint64

// BatchID is the handle of a batch. It is never reused; the zero BatchID refers to no batch.
type BatchID uint64

// Attempt is one attempt of a call, numbered from 1. It is comparable.
type Attempt struct {
	Call   CallID // the call
	Number int    // its number
}

// String returns the attempt for logs, such as "7#2".
func (a Attempt) String() string {
	return strconv.FormatUint(uint64(a.Call), 10) + "#" + strconv.Itoa(a.Number)
}

// Output is what to do after a step. The lists are in causal order, and the caller may keep them.
// Act on Stop before Start.
type Output struct {
	Call       CallID      // the call of Call, or the first of Start, whose calls have consecutive handles
	Batch      BatchID     // the batch of Start
	Stop       []Stop      // attempts to cancel
	Start      []Start     // attempts to begin
	Done       []Result    // calls that have ended, including those of batches
	Batches    []BatchDone // batches that have ended
	LateFinish bool        // Finish reported an attempt that does not run, and its outcome was dropped
}

// Start asks the driver to begin an attempt and to report its outcome to Finish.
type Start struct {
	Attempt  Attempt   // its handle
	Request  Request   // what to call, with Arguments as to be sent; Input, Policy and Fault are not set
	Deadline time.Time // when it times out; zero if never
}

// Stop asks the driver to cancel an attempt. A later outcome is dropped. Cancel a request to a
// server by its id, and a function by its context.
type Stop struct {
	Attempt Attempt        // its handle
	Why     toolerror.Kind // toolerror.Timeout or toolerror.Cancelled
	Reason  string         // from the caller of Cancel
}

// Result is how a call has ended. Each call ends exactly once.
type Result struct {
	Call    CallID  // the call
	Tool    string  // its tool
	Batch   BatchID // its batch; zero if it has none
	Index   int     // its index in the batch
	Outcome Outcome // how it ended
}

// BatchDone is a batch whose calls have all ended.
type BatchDone struct {
	Batch   BatchID  // the batch
	Results []Result // one for each request, in order
	Failed  int      // the index of the first failure; -1 if none
}
