package gateway

import (
	"context"
	"sync"
	"time"

	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/nethttp"
)

// Gateway serves many servers to clients. New makes one; Close ends it. Its methods may be called by any
// goroutine.
type Gateway struct {
	opt    Options
	cfg    server.Config // of the sessions with clients
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup // what runs for sessions

	mu       sync.Mutex
	servers  []relay.Server
	notes    []string // for Status
	gen      uint64   // of servers
	sessions map[*session]struct{}
	last     uint64 // number of a session
	handlers []*nethttp.Handler
	failing  map[string]*failing // by server
	closing  bool
	failed   []error // what could not be ended

	homesMu sync.Mutex // above all other locks
	homes   map[homeKey]*home
}

// session is what there is of a session with a client beside its server.State: the Relay, the
// connections to servers, and what these have reported. It is a server.Companion.
type session struct {
	g      *Gateway
	number uint64
	kind   string // http or stdio
	peer   server.Peer
	since  time.Time
	wake   func(context.Context) error // has a step made
	shut   func(context.Context)       // lets calls finish; nil where somebody else does
	idle   func() (time.Time, bool)    // since when nobody listens; nil: somebody always does
	links  *links.Links
	once   sync.Once
	ended  chan struct{} // closed when nothing of it runs any more

	mu      sync.Mutex
	room    sync.Cond // there is room in the inbox, or the session is over
	relay   relay.Relay
	state   server.State // as the last step left it
	gen     uint64       // the servers that relay has, of Gateway.gen
	inbox   inbox
	restart []restart // servers to be restarted
	waking  bool      // a goroutine sees to it that what waits is taken in
	over    bool

	secrets map[string][]string // of its servers, by name; never changed, and replaced by commit

	begun   bool // it has made a step; of commit alone
	learned bool // what its servers took to start is known; of commit alone
	turn
}

// turn is what a Step has left to be done once it is kept, for the driver's next call alone.
type turn struct{ commit func() }

// Commit implements server.Companion.
func (t *turn) Commit() {
	if t.commit != nil {
		t.commit()
		t.commit = nil
	}
}

// restart is a server to be restarted.
type restart struct {
	name   string
	unless bool // it is ready
}

// failing counts how often a server failed, in all sessions together.
type failing struct {
	times int
	next  int       // how often it has to have failed to be told of again
	ready time.Time // since when it is ready, in the session that came last
}

// homeKey says who shares a home.
type homeKey struct {
	principal string
	caps      protocol.Capability
}

// home is what requests without a session share. Its lock is above that of its session, and below those of the
// sessions of a Handler.
type home struct {
	x   *session
	key homeKey

	mu    sync.Mutex
	s     server.State
	timer *time.Timer
	last  uint64
	calls map[uint64]visit  // by the id that a request has here
	ids   map[uint64]uint64 // those ids, by the number of the call
	left  time.Time         // since when there are none; of no meaning while there are
}

// visit is a request of a visitor.
type visit struct {
	v    *visitor
	call server.Call
}

// visitor is the Companion of a request without a session over HTTP: it makes the request at its home, and
// answers with what comes of it there.
type visitor struct {
	g    *Gateway
	peer server.Peer
	wake func(context.Context) error // has a step made

	// These are of Step and Commit.
	home   *home
	calls  map[uint64]uint64 // the ids at the home, by the number of the call
	looked bool              // for a subscription
	turn

	mu     sync.Mutex
	inbox  []delivery
	waking bool // a goroutine sees to it that what waits is taken in
	over   bool
}

// delivery is a message of the home, for a call of the visitor.
type delivery struct {
	call server.Call
	m    jsonrpc.Message
}
