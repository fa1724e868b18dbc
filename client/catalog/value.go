package catalog

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/lifecycle/clock"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol/uritemplate"
)

// Catalog holds the lists of the servers of a Manager, and the tools of the program itself, under one
// set of names. It handles the Effects of each step of the Manager, and reads the lists that it needs.
// It is an immutable value: each step returns the next one. The zero Catalog is not usable; call New.
//
// A lookup never waits and never sends a request. Seek requests missing lists, and says which.
type Catalog struct {
	cfg     *Config // without Sources and Local; shared by all values
	reads   []int   // Config.Kinds
	clock   clock.Clock
	sources table.Table[*source]
	ops     table.Table[uint64] // of readings in progress, to the list; 0 for a server being opened
	names   index
	free    [kinds]bool // there may be plain names without an owner
	local   *list
	last    uint64 // rank of the newest server
	uid     uint64 // of the newest item
	nth     uint64 // the largest nth of a server
	listed  int    // items of all lists
	random  backoff.Random
	looked  bool // the first Effects were seen
	closed  bool
}

// Update is what a step returns: the Effects of the Manager, without the events of the Catalog's own
// operations, and the changes of items.
type Update struct {
	manager.Effects
	// Changes are the changes of lists, in causal order.
	Changes []Change
	// Settled are servers that calls may no longer need to wait for: a list was read or failed, or the
	// server will not be ready soon.
	Settled []string

	todo []manager.Event // from readings that were begun
}

// act adds Actions of the Manager, in the order of its steps.
func (u *Update) act(list []manager.Action) {
	if len(u.Actions) == 0 {
		u.Actions = list
	} else {
		u.Actions = append(u.Actions, list...)
	}
}

// source is the state of one server. It is copied before it is changed.
type source struct {
	Source // with its defaults
	*owner
	nth     uint64 // order in which the templates of servers became known; 0: not known
	link    manager.Link
	state   manager.Condition
	retryAt time.Time // of manager.Waiting
	misses  int       // pings in a row without an answer or another message
	since   time.Time // when it reached its state
	alone   bool      // it was the only server when it was added
	trusted bool
	demand  bool // it is opened on demand
	lists   [kinds]reading
}

// reading is one list of a server, with the state of its reading.
type reading struct {
	list       *list // the last list; nil if there is none
	stamp      int64 // when its first page was requested
	expires    int64 // until when it is fresh, as its server says; table.Never in a session
	op         manager.Op
	asked      int64 // when the current, otherwise the last, reading began
	readAfter  int64 // earliest next reading, after an announcement
	retryAfter int64 // earliest next reading, after a failure
	fails      int   // in a row
	faults     *faults
	old        bool // an announcement or another link has come since
	lostSince  bool // the server was lost, and the list has not been read since
	wanted     bool // it must be read
	public     bool // it is the same for all clients, as its server says
	began      bool // asked is on this link
	announced  bool // during the current reading
}

// faults are the invalid items on the pages of the current reading; nil if there are none.
type faults struct {
	dropped []Dropped
	more    int // further ones
}

// item is an immutable item of the Catalog.
type item struct {
	*owner
	uid   uint64      // unique in the Catalog
	key   string      // its name, uri or uriTemplate
	id    string      // the qualified name; for a local tool the plain one
	raw   jsonrpc.Raw // as the server wrote it
	kind  int
	plain bool // it may have its plain name
	cut   bool // the plain name is as long as names that were cut
}

// owner is the server of an item, shared by all its items.
type owner struct {
	rank   uint64 // of the server; 0 for a local tool
	server string
}

func (n *item) ref() ItemID { return ItemID{Server: n.server, Key: n.key} }

// compare orders items by precedence. Two items of one list never want the same text, except after
// a collision of names that were cut.
func (n *item) compare(o *item) int {
	if c := cmp.Compare(n.rank, o.rank); c != 0 {
		return c
	}
	return strings.Compare(n.key, o.key)
}

// list is an immutable list that was read to its end.
type list struct {
	items   []*item          // as the server lists them
	shown   []*item          // those that pass the Filter
	byKey   []*item          // shown, sorted by key; nil if there are few
	hidden  map[string]bool  // resources that are not shown, in their spelling and the plain one
	makes   *uritemplate.Set // templates that are shown; nil until a uri is looked up
	version uint64           // of the texts and their order: unique in a Catalog
}

// few is how many items are searched linearly.
const few = 8

// get returns an item by key; nil if none.
func (l *list) get(key string) *item {
	switch {
	case l == nil:
		return nil
	case l.byKey != nil:
		if i, ok := slices.BinarySearchFunc(l.byKey, key, func(n *item, key string) int { return strings.Compare(n.key, key) }); ok {
			return l.byKey[i]
		}
		return nil
	}
	if i := slices.IndexFunc(l.shown, func(n *item) bool { return n.key == key }); i >= 0 {
		return l.shown[i]
	}
	return nil
}

func (l *list) all() []*item {
	if l == nil {
		return nil
	}
	return l.shown
}

// index finds items by a text, and servers by their name. Each text has the items that want it, in
// order of precedence. It is persistent, so that a change of one list takes time in proportion to
// the change. Texts with the same hash are distinguished. A qualified name that was not cut needs no
// entry: it leads to the list of its server.
type index struct{ t table.Table[*slot] }

// Tags of texts; those of items are added to the kind of the items.
const (
	byServer = 0               // the name of a server
	byScheme = 1               // the scheme of its qualified uris
	byPlain  = 2               // the plain name of an item
	byID     = byPlain + kinds // the qualified name, if it was cut
	byLook   = byID + kinds    // the server in the plain name of an item, if that were a qualified name: how many items
)

type slot struct {
	next  *slot // with the same hash
	tag   int
	text  string
	items []*item
	n     uint64 // byServer: its rank; byLook: number of items; byPlain: rank of the server that has the name
}
