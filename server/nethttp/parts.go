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

// Handler serves MCP over Streamable HTTP: an http.Handler for one path. NewHandler makes
// one; Close ends it.
type Handler struct {
	opt      Options
	alone    bool          // nobody else has the Store
	modern   bool          // requests without a session are served
	only     bool          // and no others
	cfg      server.Config // as it was given, with a HashKey
	app      atomic.Pointer[app]
	rules    headers.Rules
	metadata *metadata
	decoder  jsonrpc.Decoder
	empty    streams.Streams
	single   streams.Streams
	pool     sync.Pool // of conns
	work     *host.Work
	pressed  chan struct{}             // calls wait that others have to give way to
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
	tally     tally        // those of each owner
	most      int          // calls that Companions may have open
	reading   atomic.Int64 // bytes of bodies
	writing   writing
	shrinking sync.Mutex
	draining  atomic.Bool
	open      sync.Once       // told that any Host is accepted
	ctx       context.Context // until Close
	cancel    context.CancelFunc
	wg        sync.WaitGroup
}

// app is what the server offers at the moment.
type app struct {
	cfg      server.Config
	handlers *server.Handlers
	fresh    server.State // of which sessions are made
	single   server.State // of which the States of requests without a session are made

	ready  map[protocol.Revision]server.State // of which stateless answers are made, by revision
	newest protocol.Revision                  // of these
}

// session returns the State of a session that has not begun.
func (a *app) session(now time.Time) server.State {
	s, _ := a.fresh.NewSession(now) // it was made by New, and the time is not zero
	return s
}

// stripe is the lock of a session, or of all that hash to it, and what this process has of them.
type stripe struct {
	mu    sync.Mutex    // of one of the few
	gate  chan struct{} // of one session: who waits for the Store has put something in. Time in a test's bubble goes on meanwhile
	users int           // that have the lock or wait for it; guarded by locks.mu
	live  map[string]*live
	sides map[string]*side // of Options.Companion
	// Turns that may be stored, or be stored yet, though Put failed: at most one of a session.
	doubts map[string]*turn
	// Requests whose turns are put off. Who changes them has both locks; Idle has the second one alone, for a Companion
	// may ask within a turn.
	early   []*early
	earlyMu sync.Mutex
	// When and why the Store was not read last, while somebody had the lock.
	unread time.Time
	why    error
}

// locks are the locks of the sessions of a Store that others have too: one of each session that is in use, for
// a lock is held while the Store works. Where no other has the Store, a few locks for all do.
type locks struct {
	mu   sync.Mutex
	of   map[string]*stripe
	pool sync.Pool
}

// stripes is a power of two.
const stripes = 256

// live is what this process has of a session: its connections here and the functions that run
// here. A session without either has none. The stripe's lock guards it.
type live struct {
	h       *Handler
	id      string
	calls   host.Calls
	conns   []*conn
	seen    cluster.Mark // the last turn that this process knows of
	held    int          // it is in use
	watched context.CancelFunc
	as      *tenure // that the functions run under; nil without a Cluster
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
	waits   bool            // for that
	written atomic.Int64    // the events up to this number were written
	timer   *time.Timer     // of await
	pool    *sync.Pool      // where it came from
	epoch   uint64          // of the record that it was made with
	call    jsonrpc.ID      // of its POST, where others have the Store too
	over    <-chan struct{} // closed when the tenure that it was made under is over; nil without a Cluster
}

// side is the Companion of a session. The stripe's lock guards it. Nil means no Companion.
type side struct {
	h    *Handler
	as   *tenure          // under which this process is the home of the session; nil if it needs none
	kept bool             // a turn with it is stored
	c    server.Companion // nil for none
	own  *server.Handlers // those of c whose catalog the State has
	wake time.Time        // when it wants a step
	left []server.Event   // what it has not been shown yet
	seen cluster.Mark     // the last turn of the session here
}

// turn is one turn of a session while it is made: the function of it changes the Record, and
// says what is to be done once that is stored. If somebody else was faster it is made again
// from the start, so that a function has no other effects.
type turn struct {
	Record
	now  time.Time
	live *live // what this process has of the session; nil for nothing

	from    string        // the remote address of a request, where a Companion is to know it
	out     server.Output // what the State asked for, without Send
	touched []streams.ID
	attach  *conn  // reads a stream from now on
	detach  *conn  // does so no more
	same    bool   // nothing has changed
	early   *early // the request that is taken in, if its function was first
	missed  bool   // another process made turns since this one last looked
	err     error  // of the function
	gone    bool   // the session ends, its record is deleted
	// ctx has what functions that this turn starts are to know.
	ctx context.Context

	as      *tenure        // that entries of this process are made under
	home    bool           // this process is the home of the session, or becomes it
	claimed []server.Event // answers that came elsewhere, for functions here
	answers []answered     // of POSTs that wait here
	failed  []server.Call  // calls that were answered for their functions

	offered bool             // the State was given the catalog of its Companion
	news    bool             // another one than before
	own     *server.Handlers // whose it is
	woken   bool             // the Companion has something to do
	side    *side            // it has made a step
	wake    time.Time        // when it wants the next one
	left    []server.Event   // that its own messages led to
}

// running is the context of the function that answers a call.
type running struct {
	context.Context
	h        *Handler
	id       string
	seq, key uint64
}

// early is a request whose function runs before the turn that takes it in is made (ADR 0020). It
// is a host.Entry. The stripe's lock guards what follows run.
type early struct {
	h   *Handler
	by  taker           // the exchange
	in  context.Context // of its turns
	id  string
	m   jsonrpc.Message
	now time.Time // when it came
	run *host.Early
	ctx running // of the function
	c   *conn

	state earlyState
	taken bool // the State has it
	reply streams.Reply
	err   error
}

// taker makes what a turn of a request is to do.
type taker interface {
	takeIn(e *early, t *turn) error   // that was put off
	answerIn(e *early, t *turn) error // with the answer
}

// earlyState is how far an early is.
type earlyState uint8

const (
	isPutOff   earlyState = iota // its turn is put off
	isEntered                    // it was made, without an answer
	isAnswered                   // it was made, with the answer
)

// answered is the answer of a POST, to be its body.
type answered struct {
	to   *conn
	body []byte
}

// tenure is the time that the process has one id in a Cluster.
type tenure struct {
	process string // the id
	lease   atomic.Pointer[cluster.Lease]
	over    chan struct{} // closed at its end
	once    sync.Once
	timer   *time.Timer // ends it
	mu      sync.Mutex
	index   cluster.Index // guarded by mu
	branch  atomic.Uint64 // that what the process has was held against
}

// member is what a Handler is in a Cluster.
type member struct {
	c     Cluster
	lease time.Duration
	now   atomic.Pointer[tenure] // nil for none
	again chan struct{}          // there is none
	last  *tenure                // of the goroutine that renews: the one that it saw
	out   bool                   // it failed when it was last asked, and the log says so

	// Of the goroutine that takes over: which processes, and which the log says it could not.
	taken  cluster.Takeovers
	failed string

	at       string         // where the process says which one it is; "" for nowhere
	suspects chan suspicion // of processes that may have died

	sweeping, taking, disowning atomic.Bool // there is a goroutine that does

	resting atomic.Bool // nobody is taken over from, so that others do
}

// passed reports whether the connection was made in another epoch than that of a record: what it has written may be
// lost.
func (c *conn) passed(epoch uint64) bool { return c.epoch != epoch && c.epoch != 0 }

// suspicion names a process that may have died, and a session of it whose client is waiting.
type suspicion struct {
	of      cluster.Entry
	session string
}
