package relay

import (
	"slices"
	"time"

	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle/clock"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// call is a request of the client that the Relay answers. It was forwarded, or it waits until the server of
// its item is known, until that server has started, or until the lists are known.
type call struct {
	key      uint64            // of its handle, in addition to the number
	rev      protocol.Revision // of a stateless request; zero: that of the session
	about    uint64            // hash of the request, if the method allows questions
	round    uint64            // how often it was parked
	op       uint64            // the operation at the server; 0 while it waits
	server   uint64            // the id of the server
	progress bool              // the client requested progress
	sub      *sub              // of a subscription, or the end of one
	begins   bool              // it is a subscription, not the end of one
	retry    *retry            // servers to ask next; nil: the server's answer is final
	waits    *waiting          // nil once it was forwarded
}

// waiting is a waiting request, as a copy, because its message may be much larger, such as a batch.
type waiting struct {
	method string // "": it was forwarded before a Restore, to a server that has been removed
	body   jsonrpc.Raw
	span   jsonrpc.Span
	kind   int   // the list that it requests; -1: none
	by     int64 // when it stops waiting
}

// retry is a request for the next server, if one does not know a uri.
type retry struct {
	method string
	body   jsonrpc.Raw
	rest   []uint64 // not asked yet
	slow   []uint64 // did not answer within Lists.Hold
	again  bool     // rest has the slow servers
}

// load is the number of a server's calls, and the xor of their numbers. If there is one, that is its
// number.
type load struct {
	n     int
	calls uint64
}

// sub is a subscription of the client.
type sub struct {
	uri    string // as the client spells it
	server uint64
	target string // as the server spells it
}

// heard is a resource in subscriptions without a session. Its server is 0 while unknown.
type heard struct {
	sub
	n       int  // number of subscriptions
	guessed bool // no server lists it, and this is the only server that may have it
}

// wanted is what the client has subscribed to at a server.
type wanted struct {
	targets     table.Index[int]      // the resources, and the number of uris for each
	subs, heard table.Index[struct{}] // the uris, as the client spells them
}

// placed reports whether its server is known.
func (h *heard) placed() bool { return h.server != 0 && !h.guessed }

// parked is a call within which its server has asked.
type parked struct {
	server    uint64
	about     uint64 // hash of the call
	rev       protocol.Revision
	caps      protocol.Capability // the client's, for the call
	round     uint64              // how often it was parked
	questions []question          // not answered by the client
	progress  []jsonrpc.Raw       // the server's latest, in the meantime
	ended     bool                // the call has ended before the client repeated it
	until     int64               // then: how long the result is kept, longer than the questions
	result    jsonrpc.Raw         // then: its result
	err       *jsonrpc.Error
}

// question is a server's request that is part of a result.
type question struct {
	call   manager.Call
	key    string // in the result
	round  uint64 // the first result with it; 0: none
	method string
	body   jsonrpc.Raw
}

// Relay joins one client with many servers. It is an immutable value. The zero Relay has no servers and
// does nothing; call New.
type Relay struct {
	cfg *config
	m   manager.Manager
	c   catalog.Catalog // the lists of the servers
	up  fleet

	lastID  uint64 // of the newest server
	clock   clock.Clock
	moved   int64 // when the Manager last made a step, from which its Snapshot counts
	opened  int64 // when the sessions with the servers began; never: not yet
	over    bool  // the session with the client has ended, or Close was called
	resting bool  // the servers have ended until the next request

	calls     table.Table[call]         // by number, oldest first
	byOp      table.Table[uint64]       // forwarded calls, by operation
	loads     table.Table[load]         // of forwarded calls, by server
	waiting   int                       // number of waiting calls
	bytes     int                       // of the params of waiting calls
	asks      table.Table[manager.Call] // of servers, passed to the client, by request
	parked    table.Table[parked]       // calls that the client is to repeat, by operation
	kept      int                       // bytes of parked calls
	caps      protocol.Capability       // of the client, if it has no session
	subs      table.Index[sub]          // by the client's uri
	heard     table.Index[heard]        // by uri, for subscriptions without a session
	listening table.Table[[]string]     // the uris of those subscriptions, by call
	unplaced  table.Index[struct{}]     // entries of heard that are not placed
	wants     table.Table[wanted]       // the same subscriptions, by server
	level     string                    // the client's log level; "": none

	merged [kinds]merged // the merged lists, as far as known
	told   [kinds]uint64 // the versions that the client knows; 0: never requested
	news   int64         // when to announce changed lists; never: none
}

// Effects are what the driver must do after a step.
type Effects struct {
	// Output has the messages for the client, and the events that the Relay does not handle.
	server.Output
	// Actions are for the links to the servers, in order.
	Actions []manager.Action
	// Servers are events of the servers for logs, such as manager.ServerChanged. They need no
	// action.
	Servers []manager.Event
}

const never = int64(table.Never)

// merged is a list of all servers, with the beginnings of its pages.
type merged struct {
	version uint64 // hash of the list that the client sees; 0: unknown
	pages   []page // never changed
}

// page is the beginning of a page: after how many items, and at which item of which server.
type page struct {
	first  int
	server uint64 // the id
	item   int    // its index in the list of the server
}

// target is what a client's name or uri stands for. Without a server it is withdrawn.
type target struct {
	on  *upstream
	key string // on the server
}

// step is one step of a Relay: its own copy of the value, which its methods change.
type step struct {
	r    Relay
	s    server.State
	now  time.Time
	eff  Effects
	look bool // waiting requests may now have a server

	fresh   []string // resources in the subscriptions of this step
	checked int      // number of checked subscriptions, for tests
	ends    bool     // the session with the client has ended in this step

	asked []uint64 // operations of calls within which servers have asked

	first work   // work; most steps have only one, which needs no allocation
	more  []work // work after first

	until int64  // how long a request without a server waits
	of    string // the server that it waits for, if one
	last  bool   // it has waited long enough for starting servers
	came  int64  // when the client sent it
}

// work is what is to be handled in a step: events of the client, and then of servers.
type work struct {
	client  []server.Event
	ends    bool // the session with the client ends after them
	servers []manager.Event
	settled []string // servers whose lists changed in the Catalog
}

func (w *work) isZero() bool { return len(w.client)+len(w.servers)+len(w.settled) == 0 && !w.ends }

// revision returns the revision of the session with the client, otherwise the newest stateless one.
func (r *Relay) revision(s server.State) protocol.Revision {
	if rev := s.Revision(); !rev.IsZero() {
		return rev
	}
	return protocol.StatelessRevisions()[0]
}

// row returns the row of a method in the revision of a stateless request, or of the session; nil for a
// custom method.
func (st *step) row(brought protocol.Revision, method string) *protocol.Row {
	if brought.IsZero() {
		brought = st.s.Revision()
	}
	return brought.Row(method)
}

// kindOf returns the index of a list in protocol.Lists; -1 if none.
func kindOf(l *protocol.List) int { return slices.Index(protocol.Lists(), l) }
