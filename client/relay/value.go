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

// call is a request of the client that the Relay has taken. It was passed on, or it waits until it is known
// which server has what it names, until that server has started, or until the lists are known.
type call struct {
	key      uint64            // of its handle, beside the number
	rev      protocol.Revision // that it brought; zero: that of the session
	about    uint64            // where its result may ask: the hash of what it is
	round    uint64            // how often it was parked
	op       uint64            // the operation at the server; 0: it waits
	server   uint64            // the id of the server
	progress bool              // the client asked for progress
	sub      *sub              // of a subscription, or the end of one
	begins   bool              // it is the begin
	retry    *retry            // nil: what this server says is the answer
	waits    *waiting          // nil: it was passed on
}

// waiting is what is kept of a request that waits. Nothing of it is a part of its message: that may be a
// large one, as a batch is.
type waiting struct {
	method string // "": it was passed on before a Restore, to a server that is gone
	body   jsonrpc.Raw
	span   jsonrpc.Span
	kind   int   // the list that it is for, -1: for none
	by     int64 // when it has waited long enough, whatever comes
}

// retry is what is asked of the next server, if one does not know a uri.
type retry struct {
	method string
	body   jsonrpc.Raw
	rest   []uint64 // not asked yet
	slow   []uint64 // that did not answer in Lists.Hold
	again  bool     // rest are those that were slow
}

// load is what a server has of calls: how many, and the exclusive or of their numbers. If it is one, that
// is it.
type load struct {
	n     int
	calls uint64
}

// sub is a subscription of the client.
type sub struct {
	uri    string // as the client says
	server uint64
	target string // as the server does
}

// heard is a resource that subscriptions name. Its server is 0 as long as it is not known who has it.
type heard struct {
	sub
	n       int  // how many subscriptions name it
	guessed bool // no server lists it, and this is the only one that may have it
}

// wanted is what the client has subscribed to at a server.
type wanted struct {
	targets     table.Index[int]      // the resources, and how many of the uris name each
	subs, heard table.Index[struct{}] // the uris, as the client says them
}

// placed reports whether it is known who has it.
func (h *heard) placed() bool { return h.server != 0 && !h.guessed }

// parked is a call that its server has asked something within.
type parked struct {
	server    uint64
	about     uint64 // the hash of what the call is
	rev       protocol.Revision
	caps      protocol.Capability // what the client declared for the call
	round     uint64              // how often it was parked
	questions []question          // that the client has not answered
	progress  []jsonrpc.Raw       // the last that the server made meanwhile
	ended     bool                // the call has ended before the client made it again
	until     int64               // then: how long the result is kept, which is longer than the questions are
	result    jsonrpc.Raw         // then: what it ended with
	err       *jsonrpc.Error
}

// question is a request of a server that is a part of a result.
type question struct {
	call   manager.Call
	key    string // in the result
	round  uint64 // the first result that it is in; 0: it is in none
	method string
	body   jsonrpc.Raw
}

// Relay joins one client with many servers. It is an immutable value. The zero Relay has no servers and
// does nothing; see New.
type Relay struct {
	cfg *config
	m   manager.Manager
	c   catalog.Catalog // what the servers list
	up  fleet

	lastID  uint64 // of the newest server
	clock   clock.Clock
	moved   int64 // when the Manager last took a step, whose Snapshot counts from there
	opened  int64 // when the sessions with the servers began; never: not yet
	over    bool  // the session with the client has ended, or Close was called
	resting bool  // the servers are ended until the next request

	calls     table.Table[call]         // by number, in the order in which they came
	byOp      table.Table[uint64]       // calls that were passed on, by operation
	loads     table.Table[load]         // of calls that were passed on, by server
	waiting   int                       // how many calls wait
	bytes     int                       // of the params of those
	asks      table.Table[manager.Call] // of servers, passed to the client, by request
	parked    table.Table[parked]       // calls that the client is to make again, by operation
	kept      int                       // bytes of what is parked
	caps      protocol.Capability       // what the client declares, if it has no session
	subs      table.Index[sub]          // by the client's uri
	heard     table.Index[heard]        // the same, of subscriptions without a session
	listening table.Table[[]string]     // the uris of those subscriptions, by call
	unplaced  table.Index[struct{}]     // those of heard that are not placed
	wants     table.Table[wanted]       // the same subscriptions, by server
	level     string                    // the log level that the client asked for; "": none

	merged [kinds]merged // the merged lists, as far as they are known
	told   [kinds]uint64 // the versions that the client knows; 0: it never asked
	news   int64         // when to announce what differs; never: nothing may
}

// Effects are what the driver has to do after a step.
type Effects struct {
	// Output has the messages for the client, and the events that the Relay does not handle.
	server.Output
	// Actions are what to do with the links to the servers, in this order.
	Actions []manager.Action
	// Servers are events of the servers for logs, as manager.ServerChanged. They need no action.
	Servers []manager.Event
}

const never = int64(table.Never)

// merged is a list of all servers, and where its pages begin.
type merged struct {
	version uint64 // of what it says, as the client sees it; 0: it is not known
	pages   []page // never changed
}

// page is where a page begins: after how many items, and at which item of which server.
type page struct {
	first  int
	server uint64 // the id
	item   int    // its place in the list of the server
}

// target is what a name or uri of the client's stands for. Without a server it is withdrawn.
type target struct {
	server uint64
	key    string // as the server calls it
}

// step is one step of a Relay: its own copy of the value, which its methods change.
type step struct {
	r    Relay
	s    server.State
	now  time.Time
	eff  Effects
	look bool // what is held may have a place to go to now

	fresh   []string // resources that subscriptions have named in this step
	checked int      // subscriptions that were looked at, which tests count
	ends    bool     // the session with the client has ended in this step

	asked []uint64 // the operations of calls that servers asked something within

	first work   // to be done; most steps have one alone, which takes no memory
	more  []work // what is to be done after first

	until int64  // how long a request waits that has no place to go to yet
	of    string // the server that it waits for, if it is one
	last  bool   // it has waited long enough for servers that are on their way
	came  int64  // when the client made it
}

// work is what a step has brought and is still to be handled: what the client did, and then what its
// servers did.
type work struct {
	client  []server.Event
	ends    bool // the session with the client ends with them
	servers []manager.Event
	settled []string // servers of which the Catalog knows more
}

func (w *work) isZero() bool { return len(w.client)+len(w.servers)+len(w.settled) == 0 && !w.ends }

// revision returns the revision of the session with the client, or else the newest without a session.
func (r *Relay) revision(s server.State) protocol.Revision {
	if rev := s.Revision(); !rev.IsZero() {
		return rev
	}
	return protocol.StatelessRevisions()[0]
}

// row returns the row of a method in a revision that a request brought, or in that of the session: nil for a
// custom one.
func (st *step) row(brought protocol.Revision, method string) *protocol.Row {
	if brought.IsZero() {
		brought = st.s.Revision()
	}
	return brought.Row(method)
}

// kindOf returns the place of a list in protocol.Lists, -1 for none.
func kindOf(l *protocol.List) int { return slices.Index(protocol.Lists(), l) }
