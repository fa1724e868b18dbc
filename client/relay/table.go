package relay

import (
	"slices"

	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/uritemplate"
)

// upstream is one server as the relay knows it. It is never changed, only replaced.
type upstream struct {
	Server
	id     uint64 // of this definition; never used again
	scheme string // of its qualified uris
	alone  bool   // it was the only server when it was added
	nth    uint64 // of the servers whose templates became known; 0: they are not
	state  manager.Condition
	took   int64               // how long it took to be known in this session; 0: it is not yet
	down   int64               // since when it is, or was last, not ready; attempts that fail do not count
	caps   protocol.Capability // of its session, while it is ready
	level  string              // the log level that it was last told
	rested bool                // it was ended by Rest, and its lists were not read again since
	lists  [kinds]list
}

// The lists, by their places in protocol.Lists.
const (
	tools     = 0
	resources = 1
	templates = 2
	prompts   = 3
	kinds     = 4
)

// list is a list of one server, as it was last read. It may be that of a session that is over.
type list struct {
	items   []item          // as the server lists them
	shown   []item          // of these, what passes the Filter of the server
	owns    []bool          // which of these have their plain names; nil: none
	set     uritemplate.Set // of templates that are shown
	read    bool            // it was read once
	settled bool            // in this session it was read, or could not be, or there is none
	op      uint64          // the operation that reads it; 0: none does
	again   bool            // it has changed since that began
	fails   int             // how often it could not be read since it last was
	begun   int64           // when it was last begun to be read
	due     int64           // when to read it; table.Never: not by itself
}

// item is one item of a list.
type item struct {
	key string      // its name, uri or uriTemplate
	raw jsonrpc.Raw // as the server wrote it
}

// take keeps what a server lists, and what of it there is by the Filter. u is not shared yet.
func (u *upstream) take(k int, items []item) {
	l, kind := &u.lists[k], protocol.Lists()[k]
	shown := items
	if u.Filter.Restricts(kind) {
		shown = slices.Clip(slices.DeleteFunc(slices.Clone(items), func(it item) bool { return !u.Filter.Passes(kind, it.key, it.raw) }))
	}
	l.owns = l.owning(shown)
	l.items, l.shown = items, shown
	if k == templates {
		l.set = setOf(l.shown)
	}
}

// filtered returns the server with another Filter.
func (u *upstream) filtered(f catalog.Filter) *upstream {
	next := *u
	next.Filter = f.Clone()
	for k := range next.lists {
		next.take(k, next.lists[k].items)
	}
	return &next
}

// has reports whether there may be an item: of a kind that the Filter restricts, there is what is
// shown.
func (u *upstream) has(k int, key string) bool {
	return !u.Filter.Restricts(protocol.Lists()[k]) ||
		slices.ContainsFunc(u.lists[k].shown, func(it item) bool { return it.key == key })
}

// hasURI is has for a uri, which is that of a resource, or one that a template makes and that is no
// other spelling of something that does not pass.
func (u *upstream) hasURI(uri string) bool {
	kind := protocol.Lists()[resources]
	if !u.Filter.Restricts(kind) && !u.Filter.Restricts(protocol.Lists()[templates]) {
		return true
	}
	named := func(it item) bool { return it.key == uri }
	if slices.ContainsFunc(u.lists[resources].items, named) {
		return slices.ContainsFunc(u.lists[resources].shown, named)
	}
	if len(uri) > longestURI || !u.matches(uri) {
		return false
	}
	all := spellings(uri)
	if slices.ContainsFunc(all, func(s string) bool { return u.Filter.Denies(kind, s, "") }) {
		return false
	}
	return !slices.ContainsFunc(u.lists[resources].items, func(it item) bool {
		return (slices.Contains(all, it.key) || slices.Contains(all, plainURI(it.key))) && !u.Filter.Passes(kind, it.key, it.raw)
	})
}

// matches reports whether a template that is shown makes a uri.
func (u *upstream) matches(uri string) bool {
	_, ok := u.lists[templates].set.Find(uri)
	return ok
}

// fleet are the servers in their order: never changed, only replaced.
type fleet struct {
	list     []*upstream
	byName   map[string]int
	byScheme map[string]int
	byID     map[uint64]int
	due      int64 // when the next list is to be read
	idle     bool  // one is not connected and was never asked to be
	lastID   uint64
}

func newFleet(list []*upstream, lastID uint64) *fleet {
	f := &fleet{list: list, byName: map[string]int{}, byScheme: map[string]int{}, byID: map[uint64]int{}, lastID: lastID}
	for i, u := range list {
		f.byName[u.Name], f.byScheme[u.scheme], f.byID[u.id] = i, i, i
	}
	f.look()
	return f
}

// look finds out what the steps want to know without a look at every server.
func (f *fleet) look() {
	f.due, f.idle = dueOf(f.list), slices.ContainsFunc(f.list, (*upstream).idle)
}

func dueOf(list []*upstream) int64 {
	due := int64(table.Never)
	for _, u := range list {
		for k := range u.lists {
			due = min(due, u.lists[k].due)
		}
	}
	return due
}

// with returns the fleet with another value of a server that it has.
func (f *fleet) with(i int, u *upstream) *fleet {
	g := *f
	g.list = slices.Clone(f.list)
	g.list[i] = u
	g.look()
	return &g
}

// nth returns the number of the next server whose templates become known.
func (f *fleet) nth() (n uint64) {
	for _, u := range f.list {
		n = max(n, u.nth)
	}
	return n + 1
}

// get returns the server of the given id; nil if it is gone.
func (f *fleet) get(id uint64) *upstream {
	if i, ok := f.byID[id]; ok {
		return f.list[i]
	}
	return nil
}

// knows reports whether it is settled what a server lists, if it lists anything of the kind.
func (u *upstream) knows(k int) bool {
	switch {
	case u.state == manager.Ready:
		return u.lists[k].settled
	case u.starting():
		return false
	}
	return true
}

// knowsAll is knows of everything.
func (u *upstream) knowsAll() bool {
	for k := range u.lists {
		if !u.knows(k) {
			return false
		}
	}
	return true
}

// know notes that a server that began to start has come: it is ready, and what it lists is known.
func (u *upstream) know(now int64) {
	if u.took == 0 && u.state == manager.Ready && u.knowsAll() {
		u.took = max(now-u.down, 1)
	}
}

// idle reports whether nobody has asked for a connection yet.
func (u *upstream) idle() bool { return u.state == manager.Idle }

// starting reports whether the server may be ready soon.
func (u *upstream) starting() bool {
	return u.state == manager.Connecting || u.state == manager.Handshaking || u.state == manager.Restoring
}

// call is a request of the client that was passed on.
type call struct {
	seq, key uint64 // its handle
	server   uint64 // the id of the server
	progress bool   // the client asked for progress
	sub      *sub   // of a subscription, or the end of one
	begins   bool   // it is the begin
	retry    *retry // nil: what this server says is the answer
}

// retry is what is asked of the next server, if one does not know a uri.
type retry struct {
	method string
	body   jsonrpc.Raw
	rest   []uint64 // not asked yet
	slow   []uint64 // that did not answer in Lists.Hold
	again  bool     // rest are those that were slow
}

// load is what a server has of calls: how many, and the exclusive or of their operations. If it is
// one, that is it.
type load struct {
	n   int
	ops uint64
}

// ask is a request of a server that was passed to the client.
type ask struct{ call manager.Call }

// sub is a subscription of the client.
type sub struct {
	uri    string // as the client says
	server uint64
	target string // as the server does
}
