package relay

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// next returns the fleet of other servers, and the names whose connections are over.
func (r *Relay) next(servers []Server) (next fleet, gone []string) {
	var list []*upstream
	for _, sv := range servers {
		if u := r.up.named(sv.Name); u != nil && u.Definition == sv.Definition {
			same := *u
			same.Filter = sv.Filter.Clone()
			list = append(list, &same)
			continue
		}
		r.lastID++
		u := &upstream{Server: sv, id: r.lastID, scheme: naming.Scheme(sv.Name)}
		u.Filter = sv.Filter.Clone()
		u.Options.Fallbacks = slices.Clone(sv.Options.Fallbacks) // for when it is connected
		for i := range u.Options.Fallbacks {
			f := &u.Options.Fallbacks[i]
			f.Revisions = slices.Clone(f.Revisions)
		}
		list = append(list, u)
	}
	next = newFleet(list)
	for _, u := range r.up.all() {
		if next.get(u.id) == nil {
			gone = append(gone, u.Name)
		}
	}
	return next, gone
}

// valid returns what is wrong with servers. Their Options are tried on a Manager that nobody keeps.
func (r *Relay) valid(servers []Server) (err error) {
	m := r.cfg.blank
	for _, sv := range servers {
		var f lifecycle.Filler
		path := "server " + strconv.Quote(sv.Name) + " "
		f.Within(path+"Filter", sv.Filter.Check())
		if !naming.Valid(sv.Name, longestName) {
			return wrong(fmt.Errorf("Server.Name is %q: want 1 to %d bytes of visible characters, without white space at either end", sv.Name[:min(len(sv.Name), 64)], longestName))
		}
		if sv.Startup != lifecycle.NoTimeout {
			f.Time(path+"Startup", &sv.Startup, 0, lifecycle.NeverNone)
		}
		if err := f.Err("relay"); err != nil {
			return err
		}
		opt := sv.Options
		opt.Client, opt.Replace = nil, false
		if m, _, err = m.Connect(time.Time{}, sv.Name, opt); err != nil {
			return wrong(err)
		}
	}
	return nil
}

// connect opens the sessions with the servers, once in the session with the client and again after a rest.
func (st *step) connect() {
	if st.r.over {
		return
	}
	if st.r.opened == never {
		st.r.opened = st.r.clock.Now()
	}
	st.r.resting = false
	st.connectPending()
}

// pending reports whether a server is to be connected that is not.
func (r *Relay) pending() bool {
	return r.opened != never && !r.over && !r.resting && r.up.idle > 0
}

// connectPending connects servers that are not: able to do what the client can, in its revision or an
// older one, so that they send nothing that it does not know.
func (st *step) connectPending() {
	if !st.r.pending() {
		return
	}
	cfg := st.r.clientOf(st.s)
	for i, u := range st.r.up.all() {
		if u.state != manager.Idle {
			continue
		}
		m, out, err := st.r.m.Connect(st.now, u.Name, optionsOf(u, &cfg))
		next := *u
		next.state, next.down = manager.Connecting, st.r.clock.Now()
		if err != nil {
			next.state = manager.Failed // Manager.Client promises what a client of this revision cannot have
			next.rested = false
		}
		st.r.up = st.r.up.with(i, &next)
		st.look = true
		if err == nil {
			st.upward(m, out)
		}
	}
}

// optionsOf returns the Options of a connection.
func optionsOf(u *upstream, cfg *client.Config) manager.Options {
	opt := u.Options
	opt.Client, opt.OnDemand, opt.Replace, opt.Supervise, opt.Resubscribe = cfg, false, true, true, true
	return opt
}

// passedOn are flags of what the client can do that servers are told of.
const passedOn = protocol.CapSamplingContext | protocol.CapSamplingTools | protocol.CapElicitationForm | protocol.CapElicitationURL |
	protocol.CapRootsListChanged

// clientOf returns the Config of the sessions with the servers of the client that s is with.
func (r *Relay) clientOf(s server.State) client.Config {
	cfg := r.cfg.Manager.Client
	peer, rev := s.PeerCapabilities(), r.revision(s)
	if rev.Stateless() {
		peer = r.caps
	}
	cfg.Declare |= peer & passedOn &^ protocol.CapRootsListChanged
	cfg.RootsListChanged = peer.Has(protocol.CapRootsListChanged)
	without, all := slices.DeleteFunc(slices.Clone(cfg.Revisions), protocol.Revision.Handshake), protocol.Revisions()
	if i := slices.Index(all, rev); i >= 0 {
		all = all[i:]
	}
	cfg.Revisions = append(without, all...)
	cfg.Serve = slices.Clone(cfg.Serve)
	for _, row := range rev.Rows() {
		if !row.Notification && row.Receiver == protocol.Client && row.Gate != 0 && peer.Has(row.Gate) && !slices.Contains(cfg.Serve, row.Method) {
			cfg.Serve = append(cfg.Serve, row.Method)
		}
	}
	return cfg
}

// end ends the connections of all servers, for the session with the client has ended.
func (st *step) end() {
	if st.r.over {
		return
	}
	st.r.over, st.r.resting, st.ends = true, false, true
	if st.r.opened != never {
		st.r.opened = never // so that what the servers come to is of no interest
		st.upward(st.r.m.DisconnectAll(st.now))
	}
	for leaf := range st.r.calls.All() {
		if leaf.V.waits != nil {
			st.r.remove(leaf.Key)
			st.fail(st.s.Call(leaf.Key, leaf.V.key), protocol.InternalError("the relay is closed; begin another session"))
		}
	}
}

// forget forgets what is said of a session that has ended, when all else has: what ends by its end may
// note something still.
func (st *step) forget() {
	list := make([]*upstream, st.r.up.len())
	for i, u := range st.r.up.all() {
		list[i] = &upstream{Server: u.Server, id: u.id, scheme: u.scheme}
	}
	was := st.r
	st.r = Relay{
		cfg: was.cfg, m: was.m, clock: was.clock, moved: was.moved, lastID: was.lastID, up: newFleet(list),
		opened: never, over: was.over, news: never,
	}
	st.r.c, _ = catalog.New(was.cfg.catalog(st.r.up.servers()), st.now) // they were valid before
}

// resubscribe makes the subscriptions of a server again, in a session that it has after a rest.
func (st *step) resubscribe(u *upstream) {
	if !st.r.capabilities(u).Has(protocol.CapResourcesSubscribe) {
		return
	}
	var uris []string
	if leaf := st.r.wants.Get(u.id); leaf != nil {
		for target := range leaf.V.targets.All() {
			uris = append(uris, target)
		}
	}
	slices.Sort(uris)
	for _, uri := range uris {
		st.subscribe(u.id, protocol.SubscribeParams{URI: uri}) // if it is lost again already, what follows comes back to it
	}
}

// tellLevel tells a server the level that the client wants.
func (st *step) tellLevel(name string) {
	i := st.r.up.index(name)
	u := st.r.up.at(i)
	if st.r.level == "" || u.level == st.r.level || u.state != manager.Ready || !st.r.capabilities(u).Has(protocol.CapLogging) {
		return
	}
	next := *u
	next.level = st.r.level
	st.r.up = st.r.up.with(i, &next)
	st.tryUp(st.r.m.Request(st.now, name, protocol.SetLevelParams{Level: protocol.LoggingLevel(st.r.level)}, manager.RequestOptions{}))
}

// conditionChanged follows the condition of a server.
func (st *step) conditionChanged(ev *manager.Event) {
	i := st.r.up.index(ev.Link.Server)
	now, is := st.r.m.Link(ev.Link.Server)
	if i < 0 || !is || now != ev.Link || st.r.opened == never {
		return // of an incarnation that is over
	}
	next := *st.r.up.at(i)
	ready := ev.To == manager.Ready
	if next.state == manager.Ready || ev.From == manager.Idle {
		next.down = st.r.clock.Now()
	}
	next.state = ev.To
	if ready || ev.Err != nil {
		next.page = loginPage(ev.Err)
	}
	next.stateless = ready && st.r.upStateless(&next)
	if ready {
		next.Options.Handshake = !next.stateless && len(next.Options.Fallbacks) == 0 // which may have another kind
	}
	st.note(i, next)
	if ready {
		st.tellLevel(next.Name)
		if status, _ := st.r.m.Status(next.Name); status.ReadyCount == 1 { // else the Manager has subscribed
			st.resubscribe(&next)
		}
	}
}

// brings keeps what a request without a session says of the client. Servers are told of the capabilities that
// the first one brings, and of the least severe level of all.
func (st *step) brings(ev *server.Event) {
	if !ev.Revision.Stateless() {
		return
	}
	st.bringsOf(ev.Call)
	meta, _ := rawjson.Get(string(ev.Body), "_meta")
	level := protocol.LoggingLevel(rawjson.Text(meta, protocol.MetaLogLevel))
	if level != "" && (st.r.level == "" || level.Severity() < protocol.LoggingLevel(st.r.level).Severity()) {
		st.wantLevel(string(level))
	}
}

// bringsOf keeps what the client can do, if nothing is known of that.
func (st *step) bringsOf(call server.Call) {
	if st.r.opened == never && st.s.Revision().IsZero() {
		st.r.caps = st.s.Client(call).Capabilities
	}
}

// wantLevel keeps the least severe level that the client wants, and tells it to the servers.
func (st *step) wantLevel(level string) {
	st.r.level = strings.Clone(level)
	for _, u := range st.r.up.all() {
		st.tellLevel(u.Name)
	}
}
