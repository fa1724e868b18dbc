package attempt

import (
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/lifecycle/clock"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// Executor runs calls of tools under a policy. It is an immutable value: each verb returns the next
// Executor, and old ones stay valid. The zero Executor has the zero Config, and its clock begins
// with the first time that it gets.
type Executor struct {
	cfg   *Config // filled and never changed; nil stands for the zero Config
	clock clock.Clock

	calls   table.Table[call]     // by CallID, with the deadline of its state
	batches table.Table[batch]    // by BatchID; the deadline is the end of the grace
	lanes   table.Table[lane]     // by laneKey; the deadline is when its first call gets a token
	ready   table.Table[uint64]   // the keys of lanes whose first call may start, by the ticket of that call
	idle    table.Table[struct{}] // lanes without calls, by laneKey; the deadline is when their bucket is full
	running int                   // running attempts

	random                      backoff.Random
	lastCall, lastBatch, ticket uint64
	steps                       uint64
	begun, ended, late          uint64
}

// state is the state of a call, until a deadline:
//
//	pending  waits until its batch starts it            none
//	queued   waits for a place or a token               Policy.Total
//	running  has an attempt                             Policy.Attempt or Total
//	waiting  waits until the next attempt may begin     that instant
//
// A call that has ended is in no table. Transitions:
//
//	Call, advance   new, pending → queued   enqueue; startOrEnqueue goes straight to running
//	startReady      queued → running        launch
//	Finish, expire  running → waiting       retryOrEnd; to queued without a delay
//	expire          waiting → queued
//	cancel, expire, Finish, a fault         any → ended
type state uint8

const (
	ended state = iota // or new
	pending
	queued
	running
	waiting
)

// call is a call that has not ended.
type call struct {
	*spec
	state    state
	attempt  int                // how many attempts have begun
	step     uint64             // when the latest attempt began
	started  int64              // when the call was made, or its batch started it
	deadline int64              // the end of Policy.Total
	ticket   uint64             // its position in the queue, while it is queued
	args     protocol.Raw       // as sent, until the last attempt has begun
	last     *toolerror.Error   // of the previous attempt
	past     lifecycle.Delivery // the worst delivery of the attempts that have ended
	held     bool               // the running attempt was not sent
}

// spec is the immutable part of a call.
type spec struct {
	tool   string
	name   string // of the lane
	lane   uint64
	hints  Hints
	policy *Policy
	batch  BatchID
	index  int
	fault  *toolerror.Error // why it cannot start
}

// laneKey returns the key of a lane. Two names with the same key, with probability 2⁻⁶⁴, would
// share their limits.
func laneKey(name string) uint64 { return engine.Hash([2]uint64{}, 0, name) }

// batch is a batch that has not ended. Its calls have consecutive handles from first.
type batch struct {
	*batchSpec
	next     int                 // the index of the next call to start
	active   int                 // calls that have started and not ended
	results  table.Table[Result] // by index
	failed   int                 // the lowest index of a failure; -1 if none
	stopping bool                // no further call starts
	swept    bool                // calls without an attempt have been ended
	reason   string              // why it is stopping
}

// batchSpec is the immutable part of a batch.
type batchSpec struct {
	first     CallID
	size      int
	width     int // how many calls may be active at once
	failFast  bool
	immediate bool
	grace     time.Duration
}

// lane is the shared state of a lane's calls. It is in the table while it has calls, and until its
// bucket is full.
type lane struct {
	name    string
	opt     *Lane
	queue   table.Table[CallID] // by ticket
	bucket  bucket
	running int    // running attempts
	waiting int    // calls without a running attempt
	head    uint64 // the ticket under which the lane is ready; 0 if it is not
}

// step is one step: the next Executor and its Output.
type step struct {
	Executor
	out   Output
	dirty []BatchID // batches that may start calls, or have ended

	withdrawn []CallID // calls whose attempt began in this step and must not start
}

// New returns an Executor without calls. The error is a *lifecycle.ConfigError for the first
// invalid setting.
func New(cfg Config, now time.Time) (Executor, error) {
	cfg, err := cfg.filled()
	if err != nil {
		return Executor{}, err
	}
	return Executor{cfg: &cfg, clock: clock.New(now), random: backoff.Random(cfg.Seed)}, nil
}

// NextDeadline returns when to call Tick; false if there is no deadline. It takes constant time.
func (x Executor) NextDeadline() (time.Time, bool) {
	t := min(x.calls.Min(), x.batches.Min(), x.lanes.Min())
	return x.clock.At(t), t != table.Never
}

// room reports whether another attempt may run.
func (x *Executor) room() bool { return x.cfg.Running == 0 || x.running < x.cfg.Running }

// Status returns a summary.
func (x Executor) Status() Status {
	return Status{
		Running: x.running, Waiting: x.calls.Len() - x.running, Batches: x.batches.Len(),
		Begun: x.begun, Ended: x.ended, Late: x.late,
	}
}
