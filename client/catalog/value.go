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

// Catalog holds what the servers of a Manager list, and the tools of the program itself, under one set
// of names. It handles the Effects of each step of the Manager, and reads the lists that it needs. It
// is an immutable value: each step returns the next one. New makes one; the zero Catalog is not usable.
//
// A lookup never waits and never asks a server. Seek has the lists read that are missing, and says
// which.
type Catalog struct {
	cfg     *Config // without Sources and Local; shared by all values
	reads   []int   // Config.Kinds
	clock   clock.Clock
	sources table.Table[*source]
	ops     table.Table[uint64] // of readings under way, to the list; 0 for a server that is being opened
	names   index
	free    [kinds]bool // there may be plain names that nobody has
	local   *list
	last    uint64 // rank of the newest server
	uid     uint64 // of the newest item
	nth     uint64 // the greatest of a server
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

	todo []manager.Event // of the listings that were begun
}

// act adds Actions of the Manager, which are in the order of its steps.
func (u *Update) act(list []manager.Action) {
	if len(u.Actions) == 0 {
		u.Actions = list
	} else {
		u.Actions = append(u.Actions, list...)
	}
}

// source is what there is of one server. It is copied before it is changed.
type source struct {
	Source // with its defaults
	*owner
	nth     uint64 // of the servers whose templates became known; 0: they are not
	link    manager.Link
	state   manager.Condition
	retryAt time.Time // of manager.Waiting
	misses  int       // pings in a row without a sign of life
	since   time.Time // when it came to its state
	alone   bool      // it was the only one when it was added
	trusted bool
	demand  bool // it is opened when it is wanted
	lists   [kinds]reading
}

// reading is one list of a server, and how it is read.
type reading struct {
	list       *list // what was read last, nil if there is nothing
	stamp      int64 // when its first page was asked for
	expires    int64 // until when its server says that it is fresh; table.Never in a session
	op         manager.Op
	asked      int64 // when the reading under way was begun, and before that the last one
	readAfter  int64 // not to be read before, after an announcement
	retryAfter int64 // not to be read before, after a failure
	fails      int   // in a row
	faults     *faults
	old        bool // an announcement came since, or the link is another one
	lostSince  bool // the server was lost, and the list was not read since
	wanted     bool // it is to be read
	public     bool // it is the same for all, as its server says
	began      bool // asked is that of this link
	announced  bool // during the reading under way
}

// faults are items on the pages of the reading under way that are not valid; nil if there are none.
type faults struct {
	dropped []Dropped
	more    int // further ones
}

// item is an item of the Catalog. It is never changed.
type item struct {
	*owner
	uid   uint64      // of all that the Catalog ever had
	key   string      // its name, uri or uriTemplate
	id    string      // the qualified name; of a local tool the plain one
	raw   jsonrpc.Raw // as the server wrote it
	kind  int
	plain bool // it may have its plain name
	cut   bool // the plain name is as long as qualified names that were cut
}

// owner is whose an item is: all items of a server share it.
type owner struct {
	rank   uint64 // that of the server, 0 for a local tool
	server string
}

func (n *item) ref() ItemID { return ItemID{Server: n.server, Key: n.key} }

// compare orders items by precedence. Two items of one list never want the same text but where
// names that were cut collide.
func (n *item) compare(o *item) int {
	if c := cmp.Compare(n.rank, o.rank); c != 0 {
		return c
	}
	return strings.Compare(n.key, o.key)
}

// list is a list that was read to its end. It is never changed.
type list struct {
	items   []*item          // as the server lists them
	shown   []*item          // of these, what passes the Filter of the server
	byKey   []*item          // shown in the order of their keys; nil for few
	hidden  map[string]bool  // resources that are not shown, as they are spelled and as a Filter sees them
	makes   *uritemplate.Set // of templates that are shown; nil until a uri is looked for
	version uint64           // of the texts and their order: two lists of a Catalog never have the same
}

// few is how many items are looked through for a key.
const few = 8

// get returns an item by its own name, nil if there is none.
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

// index finds items by a text, and servers by their name. Each text has the items that want it in
// the order of precedence. It is persistent, so that a change of one list costs what changes and not
// what there is. Texts that hash alike are told apart. A qualified name that was not cut needs no
// place in it: it leads to the list of its server.
type index struct{ t table.Table[*slot] }

// The tags of texts: those of items with the kind of the items added.
const (
	byServer = 0               // the name of a server
	byScheme = 1               // that of its qualified uris
	byPlain  = 2               // the name of an item, as its server gave it
	byID     = byPlain + kinds // the qualified name, if it was cut
	byLook   = byID + kinds    // the server that the plain name of an item would be of, if it were a qualified one: how many
)

type slot struct {
	next  *slot // of a text that hashes alike
	tag   int
	text  string
	items []*item
	n     uint64 // of a server its rank, of byLook how many items, of byPlain the rank of the server that has the name
}
