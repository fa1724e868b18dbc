package nethttp

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/host"
	"github.com/sansmcp/mcp/server/internal/cluster"
	"github.com/sansmcp/mcp/server/streams"
)

// Handler serves MCP over Streamable HTTP: an http.Handler for one path. NewHandler makes one;
// Close ends it.
type Handler struct {
	opt      Options
	alone    bool          // no other process has the Store
	modern   bool          // requests without a session are served
	only     bool          // and nothing else
	cfg      server.Config // as given, with a HashKey
	app      atomic.Pointer[app]
	rules    headers.Rules
	metadata *metadata
	decoder  jsonrpc.Decoder
	empty    streams.Streams
	single   streams.Streams
	pool     sync.Pool // of conns
	work     *host.Work
	pressed  chan struct{}             // calls wait that other calls must make room for
	recover  func(v any, stack []byte) // nil: a panic ends the program

	stripes   [stripes]stripe
	locks     locks
	due       *schedule
	shared    *shared       // the Store, if it is one of NewShared
	member    *member       // of a Cluster; nil for none
	process   uint64        // a random number that no other Handler of the Store has
	turns     atomic.Uint64 // the last of TurnID.Turn; the first is random
	internal  internal
	conns     atomic.Int64 // responses under way
	tally     tally        // responses of each owner
	most      int          // how many calls Companions may have open
	reading   atomic.Int64 // bytes of bodies
	writing   writing
	shrinking sync.Mutex
	draining  atomic.Bool
	open      sync.Once       // guards the warning that any Host is accepted
	ctx       context.Context // until Close
	cancel    context.CancelFunc
	wg        sync.WaitGroup
}

// app is what the server offers at present.
type app struct {
	cfg      server.Config
	handlers *server.Handlers
	fresh    server.State // sessions are made from it
	single   server.State // States of requests without a session are made from it

	ready  map[protocol.Revision]server.State // stateless answers are made from these, by revision
	newest protocol.Revision                  // of these
}

// session returns the State of a session that has not begun.
func (a *app) session(now time.Time) server.State {
	s, _ := a.fresh.NewSession(now) // it was made by New, and the time is not zero
	return s
}

// stripe is the lock of a session, or of all that hash to it, and this process's part of them.
type stripe struct {
	mu    sync.Mutex    // of one of the few
	gate  chan struct{} // of one session: a caller that waits for the Store has put something in; a mutex would stop time in a test's bubble
	users int           // how many have the lock or wait for it; guarded by locks.mu
	live  map[string]*live
	spare *live            // the last one that was dropped: its session may soon need one again
	sides map[string]*side // of Options.Companion
	// Turns whose Put failed but that are stored, or may still be: at most one of a session.
	doubts map[string]*turn
	// Requests whose turns are delayed. To change them needs both locks; Idle holds only the second, because a
	// Companion may call it within a turn.
	early   []*early
	earlyMu sync.Mutex
	// When and why reading the Store last failed, while the lock was held.
	unread time.Time
	why    error
}

// locks are the locks of the sessions of a Store that other processes have too: one for each session in use,
// because a lock is held while the Store works. If no other process has the Store, a few locks are enough for
// all.
type locks struct {
	mu   sync.Mutex
	of   map[string]*stripe
	pool sync.Pool
}

// stripes is a power of two.
const stripes = 256

// live is this process's part of a session: its connections here and the functions that run here.
// It exists only if there are any. The stripe's lock guards it.
type live struct {
	h       *Handler
	id      string
	calls   host.Calls
	conns   []*conn
	seen    cluster.Mark // the last turn that this process knows of
	held    int          // greater than 0 while in use
	watched context.CancelFunc
	as      *tenure // under which the functions run; nil without a Cluster
}

// shared is a Store of a Table, which may be a Cluster and have Branches.
type shared struct {
	table  Table
	h      atomic.Pointer[Handler]
	on     atomic.Pointer[uint64] // the branch of the table; nil for unknown
	recall recall
}

// conn is an HTTP response that reads a stream.
type conn struct {
	at      streams.Conn
	wake    chan struct{}   // there may be something new
	answer  chan []byte     // the answer of a POST, to be its body
	waits   bool            // for answer
	written atomic.Int64    // the events up to this number were written
	timer   *time.Timer     // of await
	pool    *sync.Pool      // where it came from
	epoch   uint64          // of the record that it was made with
	call    jsonrpc.ID      // of its POST, if other processes have the Store too
	over    <-chan struct{} // closed when the tenure under which it was made is over; nil without a Cluster
}

// side is the Companion of a session. The stripe's lock guards it. Nil means no Companion.
type side struct {
	h    *Handler
	as   *tenure          // under which this process is the home of the session; nil if it needs none
	kept bool             // a turn with it is stored
	c    server.Companion // nil for none
	own  *server.Handlers // the functions of c whose catalog the State has
	wake time.Time        // when it wants a step
	left []server.Event   // events that it has not seen yet
	seen cluster.Mark     // the last turn of the session here
}

// turn is one turn of a session while it is made: its function changes the Record, and says what to
// do once that is stored. If another process was faster it is made again from the start, so the
// function must not have other effects.
type turn struct {
	Record
	now  time.Time
	live *live // this process's part of the session; nil for nothing

	from    string        // the remote address of a request, if a Companion needs it
	out     server.Output // what the State asked for, without Send
	touched []streams.ID
	attach  *conn  // reads a stream from now on
	detach  *conn  // stops reading it
	same    bool   // nothing has changed
	early   *early // the request that is accepted, if its function ran first
	missed  bool   // another process made turns since this one last looked
	err     error  // of the function
	gone    bool   // the session ends, its record is deleted
	// ctx is for the functions that this turn starts.
	ctx context.Context

	as      *tenure        // under which entries of this process are made
	home    bool           // this process is the home of the session, or becomes it
	claimed []server.Event // answers that arrived elsewhere, for functions here
	answers []answered     // of POSTs that wait here
	failed  []server.Call  // calls that were answered for their functions

	offered bool             // the State was given the catalog of its Companion
	news    bool             // that catalog differs from the one before
	own     *server.Handlers // the functions of that catalog
	woken   bool             // the Companion has something to do
	side    *side            // it has made a step
	wake    time.Time        // when it wants the next one
	left    []server.Event   // results of its own messages
}

// running is the context of the function that answers a call.
type running struct {
	context.Context
	h        *Handler
	id       string
	seq, key uint64
}

// early is a request whose function runs before the turn that accepts it is made (ADR 0020). It is
// a host.Entry. The stripe's lock guards the fields after run.
type early struct {
	h   *Handler
	by  taker           // the exchange
	in  context.Context // of its turns
	id  string
	m   jsonrpc.Message
	now time.Time // when it arrived
	run *host.Early
	ctx running // of the function
	c   *conn

	state earlyState
	taken bool // the State has it
	reply streams.Reply
	err   error
}

// taker has the turns that an early request may need.
type taker interface {
	takeIn(e *early, t *turn) error   // accepts the request, without an answer
	answerIn(e *early, t *turn) error // accepts it with the answer
	answerApart(e *early) bool        // is answerIn without a turn, if none is needed
	keep(e *early) error              // stores the record for the turn
}

// earlyState is the progress of an early.
type earlyState uint8

const (
	isPutOff   earlyState = iota // its turn is delayed
	isEntered                    // it was made, without an answer
	isAnswered                   // it was made, with the answer
)

// answered is the answer of a POST, to be its body.
type answered struct {
	to   *conn
	body []byte
}

// tenure is the time during which the process has one id in a Cluster.
type tenure struct {
	process string // the id
	lease   atomic.Pointer[cluster.Lease]
	over    chan struct{} // closed at its end
	once    sync.Once
	timer   *time.Timer // ends it
	mu      sync.Mutex
	index   cluster.Index // guarded by mu
	branch  atomic.Uint64 // the branch that the process was last compared with
}

// member is a Handler's part in a Cluster.
type member struct {
	c     Cluster
	lease time.Duration
	now   atomic.Pointer[tenure] // nil for none
	again chan struct{}          // signals that there is none
	last  *tenure                // of the goroutine that renews: the last one it saw
	out   bool                   // the last call failed, and the log says so

	// Of the goroutine that takes over: which processes, and the last failure in the log.
	taken  cluster.Takeovers
	failed string

	at       string         // where the process writes its id; "" for nowhere
	suspects chan suspicion // of processes that may have died

	sweeping, taking, disowning atomic.Bool // whether a goroutine does this

	resting atomic.Bool // this process takes over from none, so that others do
}

// passed reports whether the connection was made in another epoch than that of the record: what it has written may
// be lost.
func (c *conn) passed(epoch uint64) bool { return c.epoch != epoch && c.epoch != 0 }

// suspicion names a process that may have died, and one of its sessions whose client is waiting.
type suspicion struct {
	of      cluster.Entry
	session string
}
