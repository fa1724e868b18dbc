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

// Manager is any number of named connections: an immutable value. Every step returns the next one;
// old ones stay valid. The zero Manager is not usable; see New. One goroutine at a time may step a
// Manager; any may read one.
type Manager struct {
	env     *env
	clock   clock.Clock
	step    uint64 // how many transitions there have been
	epochs  uint64 // the last one given out
	seq     uint64 // that of the last operation
	numbers uint64 // that of the last connection
	late    uint64 // reports of links that were over
	random  backoff.Random

	conns   table.Table[*conn]    // by number, which is the order of connect; due when something of it is
	names   table.Index[uint64]   // the number of a name
	closing table.Table[*closing] // by epoch; due when it is to be killed
	ops     table.Table[op]       // by number
}

// env is what the Config says, made ready. It is never changed.
type env struct {
	cfg     Config
	proto   client.State // what sessions are made from
	times   *times       // of connections that set none
	breaker backoff.Breaker
	stable  time.Duration // negative: at once
	human   time.Duration // how long a person may take to log in; negative: for ever
	most    int
	key     [2]uint64
}

// conn is one name and what it is connected to. What a Manager holds is never changed: a step
// works on a copy and stores that.
type conn struct {
	*rare
	own       bool // rare is of this copy alone
	woke      bool // this step is of the first sign of life since the ping was sent
	condition Condition
	pinging   bool   // a ping is on its way
	epoch     uint64 // of the link that is open, or was open last
	client    client.State
	seen      int64                // the instant of its last transition
	until     int64                // Connecting, Handshaking, Restoring: when it times out; Waiting: the next attempt; Ready: when it is stable
	ping      int64                // Ready: when the next ping is due
	heard     int64                // when something last came in since it was sent, never if nothing did
	again     int64                // Ready: when a subscription to changes is to be opened again, or is to be acknowledged
	purposes  table.Table[purpose] // what requests of the session are for, by Req.Seq
}

// rare is what a request and its answer leave as it is, which is half of what there is of a connection: each
// message copies the other half alone. It is shared by copies, and changed by way of edit.
type rare struct {
	name   string
	number uint64 // its place in the order of connect
	set    *settings

	since      int64
	handshake  bool // the server has sessions, as far as is known: it is not asked first
	rooted     bool // SetRoots was called: its roots outlive the session
	err        *Error
	readyCount uint64
	failures   int // attempts that failed and sessions that were lost since it was last stable
	way        int // the one of set.ways that is or was tried
	lastGood   int // the one that worked last
	tried      int // how many ways this attempt has tried before
	breaker    backoff.Breaker
	waiters    []waiter // operations that end with this dial

	misses  int  // pings
	lists   bool // it answers no pings, but is asked for a list instead
	latency time.Duration

	listens uint64              // the request that is the newest subscription to changes; 0: there is none
	acked   uint64              // the one that was acknowledged; 0: none was
	told    protocol.Capability // the lists whose changes it agreed to tell, while it is open
	stale   bool                // resources were subscribed to, or no more, since the newest was made
	deaf    bool                // changes were not told of for a while

	want   wanted // subscriptions to restore
	level  string // log level to restore, "" for none
	resume resume // while Restoring
}

// resume is how far a Restoring connection has come.
type resume struct {
	level bool                // the level is to be sent
	left  table.Table[string] // subscriptions to be sent, by their numbers in want
	open  int                 // requests on their way
}

// waiter is an operation that an attempt belongs to.
type waiter struct{ op, slot uint64 }

// settings are the Options of a connection made ready. They are never changed.
type settings struct {
	*times
	opt  Options
	ways []way
	keep int // subscriptions that are remembered
	text int // bytes of each
}

// way is one way to a server.
type way struct {
	endpoint any
	proto    *client.State
	dual     bool // it is asked first whether it has sessions
}

// purpose says what a request of a session is for.
type purpose struct {
	kind    purposeKind
	setting protocol.Setting // what it changes in what is restored
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
	forResume                         // a subscription, or the log level, of the session before
	forListen                         // the subscription to what changes
	purposeKinds
)

// closing is a link that has ended and whose transport is being closed. Its messages are ignored.
type closing struct {
	name      string
	since     int64
	waiter    waiter // the operation that waits for it, if any
	announced bool   // the caller closed it: that it is Closed is reported
}

// op is an operation that has not ended.
type op struct {
	kind   opKind
	method string
	server string
	req    uint64 // the request of the session that is on its way, of Request and List
	sent   int64  // Request: when
	uri    string // the resource that is read
	list   *listing

	slots    int // DisconnectAll, HealthCheck: how many servers it is about
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

// listing is how far the reading of a list has come. It is never changed.
type listing struct {
	pager client.Pager
	until int64 // the end of the budget, table.Never for none
	fresh int64 // until when what was read is fresh; table.Never in a session
	pages *pages
	raw   string // of a snapshot, until the session is there: the pager
}

// pages are the pages read so far, the last one first. They are never changed.
type pages struct {
	items  []jsonrpc.Raw
	before *pages
}
