package manager

import (
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/lifecycle/clock"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// Manager is a set of named connections: an immutable value. Every step returns the next one, and
// the old one stays valid. The zero Manager is not usable; call New. Only one goroutine at a time
// may step a Manager; any may read it.
type Manager struct {
	env     *env
	clock   clock.Clock
	step    uint64 // number of transitions
	epochs  uint64 // the last epoch
	seq     uint64 // number of the last operation
	numbers uint64 // number of the last connection
	late    uint64 // reports of links that had ended
	random  backoff.Random

	conns   table.Table[*conn]    // by number, in connection order; the deadline is the connection's next
	names   table.Index[uint64]   // the number of a name
	closing table.Table[*closing] // by epoch; the deadline is when it is killed
	ops     table.Table[op]       // by number
}

// env is the validated Config. It is never changed.
type env struct {
	cfg     Config
	proto   client.State // template of sessions
	times   *times       // of connections without their own
	breaker backoff.Breaker
	stable  time.Duration // negative: at once
	human   time.Duration // how long a person may take to log in; negative: without limit
	most    int
	key     [2]uint64
}

// conn is one name and its connection. A stored conn is never changed: a step changes a copy and
// stores that.
type conn struct {
	*rare
	own       bool // rare belongs to this copy only
	woke      bool // this step has the first message since the ping was sent
	condition Condition
	pinging   bool   // a ping was sent and has not ended
	epoch     uint64 // of the current or last link
	client    client.State
	seen      int64                // the instant of its last transition
	until     int64                // Connecting, Handshaking, Restoring: the timeout; Waiting: the next dial; Ready: when it is stable
	ping      int64                // Ready: when to send the next ping
	heard     int64                // when a message last arrived since the ping; table.Never if none has
	again     int64                // Ready: when to open a subscription to changes again, or its deadline to be acknowledged
	purposes  table.Table[purpose] // purposes of the session's requests, by Req.Seq
}

// rare is the part of a connection that a request and its answer do not change, which is half of it: each
// message copies only the other half. Copies share it, and edit makes it changeable.
type rare struct {
	name   string
	number uint64 // its position in connection order
	set    *settings

	since      int64
	handshake  bool // the server is known to have sessions: send no probe
	rooted     bool // SetRoots was called: its roots outlive the session
	err        *Error
	readyCount uint64
	failures   int // failed dials and lost sessions since it was last stable
	way        int // index in set.ways of the current or last way
	lastGood   int // the way that worked last
	tried      int // how many ways this dial has tried before
	breaker    backoff.Breaker
	waiters    []waiter // operations that end with this dial

	misses  int  // pings missed
	lists   bool // it answers no pings, but a list request instead
	latency time.Duration

	listens uint64              // the newest subscription to changes, by Req.Seq; 0: none
	acked   uint64              // the acknowledged one; 0: none
	told    protocol.Capability // the lists whose changes it agreed to announce
	stale   bool                // subscriptions to resources have changed since the newest was made
	deaf    bool                // changes were not announced for a while

	want   wanted // subscriptions to restore
	level  string // log level to restore; "" for none
	resume resume // while Restoring
}

// resume is the progress of a Restoring connection.
type resume struct {
	level bool                // the level is not sent yet
	left  table.Table[string] // subscriptions not sent yet, by their numbers in want
	open  int                 // open requests
}

// waiter is an operation that waits for a result.
type waiter struct{ op, slot uint64 }

// settings are the validated Options of a connection. They are never changed.
type settings struct {
	*times
	opt  Options
	ways []way
	keep int // largest number of remembered subscriptions
	text int // bytes of each
}

// way is one endpoint of a server.
type way struct {
	endpoint any
	proto    *client.State
	dual     bool // a probe finds out whether it has sessions
}

// purpose is why a request of a session is made.
type purpose struct {
	kind    purposeKind
	setting protocol.Setting // how it changes what is restored
	op      uint64           // of forOp and forCheckup
	slot    uint64           // of forCheckup
	sent    int64            // of pings
	subject string           // the uri, or the level
}

type purposeKind uint8

const (
	forOp      purposeKind = iota + 1 // the request of an operation, or a page of one
	forCheckup                        // the ping of a health check
	forPing                           // a ping of the Manager's own
	forResume                         // a subscription, or the log level, of the last session
	forListen                         // the subscription to changes
	purposeKinds
)

// closing is a link that has ended and whose transport is closing. Its messages are ignored.
type closing struct {
	name      string
	since     int64
	waiter    waiter // the operation that waits for it, if any
	announced bool   // the caller closed it: report when it is Closed
}

// op is an operation that has not ended.
type op struct {
	kind   opKind
	method string
	server string
	req    uint64 // the open request of the session, of Request and List
	sent   int64  // Request: when it was sent
	uri    string // the requested resource
	list   *listing

	slots    int // DisconnectAll, HealthCheck: number of servers
	checkups table.Table[Checkup]
}

type opKind uint8

const (
	opRequest opKind = iota + 1
	opList
	_ // a ping, in older snapshots
	opConnect
	opDisconnect
	opDisconnectAll
	opHealth
	opKinds
)

// listing is the progress of reading a list. It is never changed.
type listing struct {
	pager client.Pager
	until int64 // the end of the budget; table.Never for none
	fresh int64 // until when the pages are fresh; table.Never in a session
	pages *pages
	raw   string // the pager in a snapshot, until the session is restored
}

// pages are the pages read so far, the last first. They are never changed.
type pages struct {
	items  []jsonrpc.Raw
	before *pages
}
