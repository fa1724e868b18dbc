package relay

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// SetServers replaces the servers. One whose Name and Definition are as they were keeps its
// connection, and its calls go on: of a new Filter it has the items at once. The calls of one that
// is gone are answered in this step. What the client sees of it is one list_changed for each list
// that differs. Errors: those of New, with nothing done.
func (r Relay) SetServers(s server.State, now time.Time, servers []Server) (Relay, server.State, Effects, error) {
	if r.cfg == nil {
		return r, s, Effects{}, wrong(errors.New("the zero Relay"))
	}
	if err := r.valid(servers); err != nil {
		return r, s, Effects{}, err
	}
	st := step{r: r, s: s, now: now}
	st.take()
	var gone []string
	st.r.up, gone = st.r.next(servers)
	st.r.merged = [kinds]merged{}
	for _, name := range gone {
		if st.r.opened != never {
			st.upward(st.r.m.Disconnect(st.now, name))
		}
		if c, m, out, err := st.r.c.Detach(st.r.m, st.now, name); err == nil {
			st.followed(c, m, out)
		}
	}
	if c, m, out, err := st.r.c.Set(st.r.m, st.now, sources(servers)); err == nil { // valid has seen them
		st.followed(c, m, out)
	}
	if st.r.opened != never {
		for i, u := range st.r.up {
			st.note(i, *u)
		}
		st.changed()
	}
	st.dropSubs()
	st.look = true
	st.settle()
	return st.r, st.s, st.eff, nil
}

// next returns the fleet of other servers, and the names whose connections are over.
func (r *Relay) next(servers []Server) (next fleet, gone []string) {
	for _, sv := range servers {
		if u := r.up.named(sv.Name); u != nil && u.Definition == sv.Definition {
			same := *u
			same.Filter = sv.Filter.Clone()
			next = append(next, &same)
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
		next = append(next, u)
	}
	for _, u := range r.up {
		if next.get(u.id) == nil {
			gone = append(gone, u.Name)
		}
	}
	return next, gone
}

// longestName is how long the name of a server may be in bytes, as for the Manager.
const longestName = 1024

// valid returns what is wrong with servers. Their Options are tried on a Manager that nobody keeps.
func (r *Relay) valid(servers []Server) (err error) {
	m := r.cfg.blank
	for _, sv := range servers {
		var f lifecycle.Filler
		path := "server " + strconv.Quote(sv.Name) + " "
		f.Within(path+"Filter", sv.Filter.Check())
		if !naming.Valid(sv.Name, longestName) {
			return wrong(fmt.Errorf("Server.Name is %q: want 1 to %d bytes that are all seen, without blanks at the ends", sv.Name[:min(len(sv.Name), 64)], longestName))
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

// connect opens the sessions with the servers, once: able to do what the client can, in its
// revision or an older one, so that they send nothing that it does not know.
func (st *step) connect() {
	if st.r.opened != never || st.r.over {
		return
	}
	st.r.opened = st.r.clock.Now()
	st.connectPending()
}

// pending reports whether a server is to be connected that is not.
func (r *Relay) pending() bool {
	return r.opened != never && !r.over && !r.resting && slices.ContainsFunc(r.up, (*upstream).idle)
}

// connectPending connects servers that are not.
func (st *step) connectPending() {
	if !st.r.pending() {
		return
	}
	cfg := st.r.clientOf(st.s)
	for i, u := range st.r.up {
		if u.state != manager.Idle {
			continue
		}
		m, out, err := st.r.m.Connect(st.now, u.Name, optionsOf(u, &cfg))
		next := *u
		next.state = manager.Connecting
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
	peer, rev := s.PeerCapabilities(), s.Revision()
	cfg.Declare |= peer & passedOn &^ protocol.CapRootsListChanged
	cfg.RootsListChanged = peer.Has(protocol.CapRootsListChanged)
	all := protocol.Revisions()
	if i := slices.Index(all, rev); i >= 0 {
		cfg.Revisions = all[i:]
	}
	cfg.Serve = slices.Clone(cfg.Serve)
	for _, row := range rev.Rows() {
		if !row.Notification && row.Receiver == protocol.Client && row.Gate != 0 && peer.Has(row.Gate) && !slices.Contains(cfg.Serve, row.Method) {
			cfg.Serve = append(cfg.Serve, row.Method)
		}
	}
	return cfg
}

// end ends the connections of all servers, for the session with the client has ended. What is said
// of that session is forgotten when all else has ended: what ends by the end may still note something.
func (st *step) end() {
	if st.r.over {
		return
	}
	st.r.over, st.r.resting = true, false
	if st.r.opened != never {
		st.r.opened = never // so that what the servers come to is of no interest
		st.upward(st.r.m.DisconnectAll(st.now))
	}
	st.dropHeld()
	st.r.news, st.r.level, st.look = never, "", false
	list := make(fleet, len(st.r.up))
	for i, u := range st.r.up {
		list[i] = &upstream{Server: u.Server, id: u.id, scheme: u.scheme}
	}
	st.r.up = list
	st.r.c, _ = catalog.New(st.r.cfg.catalog(st.r.up.servers()), st.now) // they were valid before
	st.r.merged, st.r.told = [kinds]merged{}, [kinds]version{}
	st.r.subs = table.Index[sub]{}
}

// dropHeld answers what waits.
func (st *step) dropHeld() {
	for leaf := range st.r.held.t.All() {
		if st.release(leaf.Key) {
			st.fail(st.s.Call(leaf.Key, leaf.V.key), protocol.InternalError("the relay is closed"))
		}
	}
}

// dropSubs forgets the subscriptions of servers that are gone, and those that no Filter passes now.
func (st *step) dropSubs() {
	for uri, s := range st.r.subs.All() { // of the Index as it is now
		if st.r.up.get(s.server) == nil || !st.mayHave(st.r.up.get(s.server), resources, s.target) {
			st.r.unsubscribed(uri)
		}
	}
}

// Restart ends the connection of a server, and makes it anew at once. Errors:
// lifecycle.ErrParams for a name that there is not.
func (r Relay) Restart(s server.State, now time.Time, name string) (Relay, server.State, Effects, error) {
	if r.cfg == nil {
		return r, s, Effects{}, wrong(errors.New("the zero Relay"))
	}
	if r.up.named(name) == nil {
		return r, s, Effects{}, wrong(errors.New("no server of that name"))
	}
	if r.opened == never || r.resting {
		return r, s, Effects{}, nil
	}
	st := step{r: r, s: s, now: now}
	st.take()
	m, out, err := st.r.m.Reconnect(st.now, name)
	if err != nil {
		return r, s, Effects{}, wrong(err)
	}
	st.upward(m, out)
	st.settle()
	return st.r, st.s, st.eff, nil
}

// Close ends the connections of all servers. Open calls are answered, and no further request is
// passed on.
func (r Relay) Close(s server.State, now time.Time) (Relay, server.State, Effects) {
	if r.cfg == nil {
		return r, s, Effects{}
	}
	st := step{r: r, s: s, now: now}
	st.take()
	st.end()
	return st.r, st.s, st.eff
}

// Statuses returns what the servers are at, in their order.
func (r Relay) Statuses() []manager.Status {
	if r.cfg == nil {
		return nil
	}
	list := make([]manager.Status, len(r.up))
	for i, u := range r.up {
		list[i] = manager.Status{Link: manager.Link{Server: u.Name}, Condition: u.state}
		if st, ok := r.m.Status(u.Name); ok && r.opened != never {
			list[i] = st
		}
	}
	return list
}
