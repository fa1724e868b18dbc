package host

import (
	"container/list"
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// Host runs one session over one connection. Only the goroutine of Serve touches its State. The
// other methods are for any other goroutine: they make a turn, wait for Serve to run and for room
// to send, and return lifecycle.ErrGone after the end.
type Host struct {
	out    Sink
	drain  time.Duration
	log    *slog.Logger
	do     chan func(now time.Time) server.Output
	halt   chan struct{} // closed by Shutdown
	once   sync.Once
	done   chan struct{} // closed at the end
	served atomic.Bool   // Serve was called
	calls  Calls
	work   *Work                              // its own, nil if others may share it
	ask    func(server.Peer) server.Companion // nil: for none

	// The rest belongs to the goroutine of Serve until done is closed.
	ctx  context.Context
	s    server.State
	h    *server.Handlers
	lost int              // calls that were open at the end
	why  *lifecycle.Cause // the first cause of the end
	ends time.Time        // when the drain ends, once it has begun
	c    server.Companion // nil for none
	own  *server.Handlers // the functions of c whose catalog s has
	wake time.Time        // when c wants a step

	roots   server.Roots
	waiting []chan<- rootsAnswer // for the roots
}

// A Sink accepts the messages that a Host sends; a *pipe.Writer is one.
type Sink interface {
	// Send queues a message without waiting for a write.
	Send(m jsonrpc.Message)
	// Full reports whether so much is queued that no more should be sent.
	Full() bool
	// Room receives when the queue is no longer full.
	Room() <-chan struct{}
	// Done is closed when nothing more can be written.
	Done() <-chan struct{}
	// Err returns why nothing can be written; nil after Close.
	Err() error
	// Close writes what is queued, for at most wait, and returns what Err returns.
	Close(wait time.Duration) error
}

type rootsAnswer struct {
	list []protocol.Root
	err  error
}

// WorkOptions are the settings of a Work. A zero field means its default; so does a value that
// Check refuses.
//
// Sessions share the limits, unless NoShares is set. What a session and an owner of sessions
// (Options.Owner) may have of the running functions, of the calls and of their bytes depends on what
// is free: an owner less than three times as much, and each of its sessions less than what that leaves
// for one more. So a session alone has at most 3/8, an owner alone 3/4, and some is always free for a
// new one. A session without an Owner is its own owner.
type WorkOptions struct {
	// MaxRunning is how many functions run at a time. A function whose call has ended counts until
	// it returns, because it costs something that long. A function that waits for its client
	// (server.Caller.Request) counts for MaxWaiting in the meantime. Default 64.
	MaxRunning int
	// MaxWaiting is how many calls wait beyond that, for a place or for their client; further ones
	// are refused. Default 1000.
	MaxWaiting int
	// MaxPerSession is how many calls of one session may run or wait at a time, whatever its
	// share is; further ones are refused. Default MaxRunning + MaxWaiting.
	MaxPerSession int
	// CallBytes bounds the params of the calls that run or wait, in bytes; further calls are
	// refused, but never the only one. Default 64 MiB.
	CallBytes int
	// SessionBytes bounds them for one session, whatever its share is; further calls are refused,
	// but never its only one. Default CallBytes.
	SessionBytes int
	// KeepAnswer is how long the answer of a function is kept and tried again while the Turner fails, for
	// example because the store of its session is unavailable. After that it is dropped, and its call stays
	// open until lifecycle.Timeouts.Inbound. Until the Turner works again the function counts as running.
	// Default 5 min.
	KeepAnswer time.Duration
	// NoShares lets one session use all, for a Work with a single session.
	NoShares bool
	// Pressed, if set, is called when a call must wait or is refused because others have all the
	// places. The Work is locked during the call, so it must return at once and must not call the
	// Work.
	Pressed func()
	// Recover, if set, gets the value of a panic of a function of the application, with the stack. Then the
	// call of that function is answered with -32603; if a Companion panics its session ends, and Host.Serve
	// returns an error that says so. If it is nil, a panic ends the program as everywhere in Go. The call of
	// a function that ends its goroutine (runtime.Goexit) is answered with -32603 in any case.
	Recover func(v any, stack []byte)
}

// caller is a job as the server.Caller of its function.
type caller job

// Calls are the calls of one session that functions of this process answer, and the requests to the
// client that functions here wait for. It identifies both by their numbers (Call.Seq, Req.Seq) and
// makes their handles again in each turn, so that it continues to work if the State was restored
// from a snapshot in between, or stepped by another process.
//
// Handle and Start are for the Turner; the other methods may be called at any time.
type Calls struct {
	w *Work
	t Turner

	// The rest is guarded by w.mu.
	open    map[uint64]*job                // until its call ends
	name    string                         // of the owner; "" for the session itself
	owner   *owner                         // while there are jobs
	self    owner                          // of a session without another owner
	queue   list.List                      // of *job that wait, oldest first
	place   *list.Element                  // in owner.next while some wait
	held    int                            // jobs that run or wait, including those whose call has ended
	running int                            // those of them that run and are not parked
	bytes   int                            // of their params
	waits   map[uint64]chan<- server.Event // by request
	brief   map[uint64]bool                // calls that ended in the Output that opened them
	closed  error
}

// job is a call that a function answers.
type job struct {
	server.Job
	c     *Calls
	call  server.Call // in the State that accepted it; zero before
	bytes int
	body  jsonrpc.Raw // the params, which the Job has too
	ctx   context.Context
	end   context.CancelCauseFunc
	place *list.Element // while it waits
	back  chan struct{} // closed when it has a place again, while it waits for one
	early *Early        // the Early that it is part of; nil for a call that the State had first

	asks     int  // requests to the client that the function waits for
	parked   bool // it is counted as such
	over     bool // its function has returned
	promised bool // a goroutine waits for it; of an Early
}

// An Entry is how a driver accepts the request of an Early. Its methods are called by any goroutine.
type Entry interface {
	// Enter makes the turn that accepts the request, unless that was made or answered, and reports it
	// to the Calls by Entered.
	Enter()
	// Answer makes one turn of the request and its answer, by Early.Receive. After Enter it makes none
	// and returns false: then State.Finish gets the answer, as for any call.
	Answer() bool
}

// Early is a call whose function runs before the State has accepted its request: most functions
// return at once, and one turn is enough for both. The client sees no difference: any other turn of
// the session first makes the turn that was delayed (Entry.Enter), and so does each method of the
// function's Caller.
type Early struct {
	job
	m     jsonrpc.Message
	entry Entry
	a     server.Answer // the answer of the function
}

// owner is an owner of sessions that share a part of a Work.
type owner struct {
	name    string
	held    int           // jobs that run or wait
	running int           // functions that have not returned, except parked ones
	bytes   int           // of their params
	next    list.List     // of *Calls that have jobs queued, in the order of their turns
	place   *list.Element // in Work.next while there are some
}

// The defaults of WorkOptions.
const (
	DefaultMaxRunning = 64
	DefaultMaxWaiting = 1000
	defaultCallBytes  = 64 << 20
	defaultKeepAnswer = 5 * time.Minute
)

// Check returns a *lifecycle.ConfigError for the first field that is negative, or nil. Call it
// before NewWork.
func (o WorkOptions) Check() error {
	_, err := o.filled()
	return err
}

func (o WorkOptions) filled() (WorkOptions, error) {
	var f lifecycle.Filler
	f.Count("MaxRunning", &o.MaxRunning, DefaultMaxRunning)
	f.Count("MaxWaiting", &o.MaxWaiting, DefaultMaxWaiting)
	f.Count("MaxPerSession", &o.MaxPerSession, o.MaxRunning+o.MaxWaiting)
	f.Count("CallBytes", &o.CallBytes, defaultCallBytes)
	f.Count("SessionBytes", &o.SessionBytes, o.CallBytes)
	f.Time("KeepAnswer", &o.KeepAnswer, defaultKeepAnswer, lifecycle.NeverNone)
	return o, f.Err("host")
}

// Work bounds the functions that run. One Work serves any number of sessions: those with waiting
// calls take turns, so that a session that sends many does not keep the others waiting.
//
// Close it when its sessions have ended.
type Work struct {
	opt WorkOptions

	mu      sync.Mutex
	running int               // functions that have not returned, except parked ones
	parked  int               // those that wait for their client, or for a place after that
	waiting int               // jobs that have not begun
	bytes   int               // of the params of running and waiting ones
	owners  map[string]*owner // those that have jobs
	spare   *owner            // one for reuse
	next    list.List         // of *owner that have jobs queued, in the order of their turns
	jobs    map[*job]struct{} // that run or wait
	workers workers
}

// workers are the goroutines of a Work that run functions.
type workers struct {
	idle int           // that wait for a job and were promised none; guarded by Work.mu
	hand chan *job     // the jobs that were promised, no more than goroutines that wait; nil ends one
	none chan struct{} // closed by Close: no goroutine waits any longer

	timer *time.Timer // of retire
	timed bool        // it runs
	least int         // how many were idle at least since it was set
}
