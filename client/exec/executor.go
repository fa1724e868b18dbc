package exec

import "time"

// Executor runs calls of tools under a policy. It is an immutable value: each verb returns the
// next Executor, and the one before stays as it was.
type Executor struct {
	cfg *Config
}

// New returns an Executor without calls. The error wraps lifecycle.ErrParams and names the
// setting that is out of range.
func New(cfg Config, now time.Time) (Executor, error) { return Executor{}, nil }

// Call makes a call; Output.Call is its handle.
func (x Executor) Call(now time.Time, r Request) (Executor, Output, error) {
	return x, Output{}, nil
}

// Start makes a call of each request, under opt; Output.Batch is the handle of all of them.
func (x Executor) Start(now time.Time, list []Request, opt BatchOptions) (Executor, Output, error) {
	return x, Output{}, nil
}

// Resolve tells what an attempt came to.
func (x Executor) Resolve(now time.Time, a Attempt, o Outcome) (Executor, Output) {
	return x, Output{}
}

// Cancel ends a call at once, as cancelled.
func (x Executor) Cancel(now time.Time, id CallID, reason string) (Executor, Output, error) {
	return x, Output{}, nil
}

// CancelBatch cancels a batch in its mode.
func (x Executor) CancelBatch(now time.Time, id BatchID, reason string) (Executor, Output, error) {
	return x, Output{}, nil
}

// CancelAll ends all calls at once, as cancelled.
func (x Executor) CancelAll(now time.Time, reason string) (Executor, Output) {
	return x, Output{}
}

// Tick does what is due.
func (x Executor) Tick(now time.Time) (Executor, Output) { return x, Output{} }

// NextDeadline returns when Tick is next due. It takes constant time.
func (x Executor) NextDeadline() (time.Time, bool) { return time.Time{}, false }

// Status returns a summary.
func (x Executor) Status() Status { return Status{} }

// Check returns the first invariant that does not hold. It is for tests.
func (x Executor) Check() error { return nil }

// Snapshot returns the executor as JSON.
func (x Executor) Snapshot() []byte { return nil }

// Restore returns the Executor of a snapshot, with all times counted from now.
func Restore(cfg Config, data []byte, now time.Time) (Executor, error) { return Executor{}, nil }
