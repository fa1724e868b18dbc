package relay

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// upstream is one server of the relay. It is never changed, only replaced.
type upstream struct {
	Server
	id        uint64 // of this definition; never reused
	scheme    string // of its qualified uris
	state     manager.Condition
	took      int64         // how long its start took in this session; 0: not finished
	down      int64         // when it last became not ready; failed attempts do not count
	level     string        // the log level that it was last sent
	page      string        // where a person must log in before it starts; "" if not needed
	login     uint64        // the number in the id of that page, as sent to the client; 0: not sent
	stateless bool          // while ready: it has no sessions
	rested    bool          // it was ended by Rest, and its lists have not been read since
	seen      [kinds]uint64 // the versions of its lists that the client sees; 0: none
}

// The lists, by their indexes in protocol.Lists.
const (
	tools     = 0
	resources = 1
	templates = 2
	prompts   = 3
	kinds     = 4
)

// restricted reports whether the Filter excludes anything.
func (u *upstream) restricted() bool {
	return slices.ContainsFunc(protocol.Lists(), u.Filter.Restricts)
}

// annotated reports whether a rule of the Filter uses annotations of tools.
func (u *upstream) annotated() bool {
	hints := func(r catalog.Rule) bool { return r.ReadOnly != nil || r.Destructive != nil }
	return slices.ContainsFunc(u.Filter.Allow, hints) || slices.ContainsFunc(u.Filter.Deny, hints)
}

// idle reports whether no connection has been requested.
func (u *upstream) idle() bool { return u.state == manager.Idle }

// starting reports whether the server may be ready soon.
func (u *upstream) starting() bool {
	return u.state == manager.Connecting || u.state == manager.Handshaking || u.state == manager.Restoring
}

// fleet is the ordered set of servers: never changed, only replaced. The time for a change of one server
// hardly depends on their number.
type fleet struct {
	list   table.Table[*upstream] // by index
	byName []int32                // indexes, sorted by name; never changed
	byID   []int32                // indexes, sorted by id; never changed
	idle   int                    // number of idle servers
}

// newFleet returns the fleet of a list, whose names and ids are unique.
func newFleet(list []*upstream) (f fleet) {
	f.byName, f.byID = make([]int32, len(list)), make([]int32, len(list))
	for i, u := range list {
		f.list = f.list.Put(uint64(i), table.Never, u)
		f.byName[i], f.byID[i] = int32(i), int32(i)
		if u.idle() {
			f.idle++
		}
	}
	slices.SortFunc(f.byName, func(a, b int32) int { return strings.Compare(list[a].Name, list[b].Name) })
	slices.SortFunc(f.byID, func(a, b int32) int { return cmp.Compare(list[a].id, list[b].id) })
	return f
}

func (f *fleet) len() int { return f.list.Len() }

// at returns the server with an index.
func (f *fleet) at(i int) *upstream { return f.list.Get(uint64(i)).V }

// all returns the current servers.
func (f *fleet) all() []*upstream {
	list := make([]*upstream, 0, f.len())
	for leaf := range f.list.All() {
		list = append(list, leaf.V)
	}
	return list
}

// with returns the fleet with a changed server.
func (f *fleet) with(i int, u *upstream) fleet {
	g := *f
	if f.at(i).idle() {
		g.idle--
	}
	if u.idle() {
		g.idle++
	}
	g.list = g.list.Put(uint64(i), table.Never, u)
	return g
}

// index returns the index of the named server; -1 if none.
func (f *fleet) index(name string) int {
	at, ok := slices.BinarySearchFunc(f.byName, name, func(i int32, name string) int { return strings.Compare(f.at(int(i)).Name, name) })
	if !ok {
		return -1
	}
	return int(f.byName[at])
}

// place returns the index of the server with an id; -1 if it has been removed.
func (f *fleet) place(id uint64) int {
	at, ok := slices.BinarySearchFunc(f.byID, id, func(i int32, id uint64) int { return cmp.Compare(f.at(int(i)).id, id) })
	if !ok {
		return -1
	}
	return int(f.byID[at])
}

// named returns the named server; nil if none.
func (f *fleet) named(name string) *upstream {
	if i := f.index(name); i >= 0 {
		return f.at(i)
	}
	return nil
}

// get returns the server with an id; nil if it has been removed.
func (f *fleet) get(id uint64) *upstream {
	if i := f.place(id); i >= 0 {
		return f.at(i)
	}
	return nil
}

// servers returns the Servers.
func (f *fleet) servers() []Server {
	list := make([]Server, 0, f.len())
	for _, u := range f.all() {
		list = append(list, u.Server)
	}
	return list
}
