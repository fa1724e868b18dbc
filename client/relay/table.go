package relay

import (
	"slices"

	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// upstream is one server as the relay knows it. It is never changed, only replaced.
type upstream struct {
	Server
	id     uint64 // of this definition; never used again
	scheme string // of its qualified uris
	state  manager.Condition
	took   int64               // how long it took to be known in this session; 0: it is not yet
	down   int64               // since when it is, or was last, not ready; attempts that fail do not count
	caps   protocol.Capability // of its session, while it is ready
	level  string              // the log level that it was last told
	rested bool                // it was ended by Rest, and its lists were not read again since
	seen   [kinds]uint64       // the versions of its lists that the client sees
}

// The lists, by their places in protocol.Lists.
const (
	tools     = 0
	resources = 1
	templates = 2
	prompts   = 3
	kinds     = 4
)

// restricted reports whether the Filter keeps anything out.
func (u *upstream) restricted() bool {
	return slices.ContainsFunc(protocol.Lists(), u.Filter.Restricts)
}

// annotated reports whether a rule of the Filter goes by what tools say of themselves.
func (u *upstream) annotated() bool {
	hints := func(r catalog.Rule) bool { return r.ReadOnly != nil || r.Destructive != nil }
	return slices.ContainsFunc(u.Filter.Allow, hints) || slices.ContainsFunc(u.Filter.Deny, hints)
}

// fleet are the servers in their order: never changed, only replaced.
type fleet []*upstream

// with returns the fleet with another value of a server that it has.
func (f fleet) with(i int, u *upstream) fleet {
	g := slices.Clone(f)
	g[i] = u
	return g
}

// index returns the place of the server of a name, -1 for none.
func (f fleet) index(name string) int {
	return slices.IndexFunc(f, func(u *upstream) bool { return u.Name == name })
}

// named returns the server of a name, nil for none.
func (f fleet) named(name string) *upstream {
	if i := f.index(name); i >= 0 {
		return f[i]
	}
	return nil
}

// place returns the place of the server of the given id, -1 if it is gone.
func (f fleet) place(id uint64) int {
	return slices.IndexFunc(f, func(u *upstream) bool { return u.id == id })
}

// get returns the server of the given id; nil if it is gone.
func (f fleet) get(id uint64) *upstream {
	if i := f.place(id); i >= 0 {
		return f[i]
	}
	return nil
}

// servers returns what the servers are.
func (f fleet) servers() []Server {
	list := make([]Server, len(f))
	for i, u := range f {
		list[i] = u.Server
	}
	return list
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
