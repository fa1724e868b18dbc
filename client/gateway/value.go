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

// Gateway serves many servers to clients. Create it by New and end it by Close. Its methods are safe for
// concurrent use.
type Gateway struct {
	opt    Options
	cfg    server.Config // for the sessions with clients
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup // goroutines of sessions

	mu       sync.Mutex
	servers  []relay.Server
	notes    []string // for Status
	gen      uint64   // generation of servers
	sessions map[*session]struct{}
	last     uint64 // number of the newest session
	handlers []*nethttp.Handler
	failing  map[string]*failing // by server
	closing  bool
	failed   []error // errors of ending

	homesMu sync.Mutex // above all other locks
	homes   map[homeKey]*home
}

// session is a session with a client in addition to its server.State: the Relay, the links to
// servers, and their reports. It is a server.Companion.
type session struct {
	g      *Gateway
	number uint64
	kind   string // http, stdio or shared
	peer   server.Peer
	since  time.Time
	wake   func(context.Context) error // runs a step
	shut   func(context.Context)       // lets calls finish; nil if the Handler does
	idle   func() (time.Time, bool)    // since when the client has been away; nil if it never is
	links  *links.Links
	once   sync.Once
	ended  chan struct{} // closed when nothing of it runs

	mu      sync.Mutex
	room    sync.Cond // there is room in the inbox, or the session is over
	relay   relay.Relay
	state   server.State // after the last step
	gen     uint64       // the generation of relay's servers
	inbox   inbox
	restart []restart // servers to restart
	waking  bool      // work is running
	over    bool

	secrets map[string][]string // of its servers, by name; never changed, and replaced by commit

	begun   bool // a step has run; used by commit only
	learned bool // the startup times of its servers are known; used by commit only
	turn
}

// turn holds the work that a Step leaves until it is stored, for the driver's next call only.
type turn struct{ commit func() }

// Commit implements server.Companion.
func (t *turn) Commit() {
	if t.commit != nil {
		t.commit()
		t.commit = nil
	}
}

// restart is a request to restart a server.
type restart struct {
	name   string
	unless bool // unless the server is ready
}

// failing counts how often a server failed, in all sessions together.
type failing struct {
	times int
	next  int       // the count at which it is logged again
	ready time.Time // since when it is ready, in the session that reported last
}

// homeKey identifies who shares a home.
type homeKey struct {
	principal string
	caps      protocol.Capability
}

// home is shared by requests without a session. Its lock is above its session's, and below those of the
// sessions of a Handler.
type home struct {
	x   *session
	key homeKey

	mu    sync.Mutex
	s     server.State
	timer *time.Timer
	last  uint64
	calls map[uint64]visit  // by the id of the request here
	ids   map[uint64]uint64 // those ids, by the number of the call
	left  time.Time         // since when there are no calls; unused while there are
}

// visit is a request of a visitor.
type visit struct {
	v    *visitor
	call server.Call
}

// visitor is the Companion of a request without a session over HTTP: it sends the request to its home, and
// answers with the home's answer.
type visitor struct {
	g    *Gateway
	peer server.Peer
	wake func(context.Context) error // runs a step

	// Used by Step and Commit.
	home   *home
	calls  map[uint64]uint64 // the ids at the home, by the number of the call
	looked bool              // for a subscription
	turn

	mu     sync.Mutex
	inbox  []delivery
	waking bool // work is running
	over   bool
}

// delivery is a message from the home for a call of the visitor.
type delivery struct {
	call server.Call
	m    jsonrpc.Message
}
