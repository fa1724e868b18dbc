package relay

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/clock"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// SetServers replaces the servers. A server whose Name and Definition are unchanged keeps its link and its
// calls; a new Filter applies at once. Open calls continue, but a parked call ends when it is repeated if the
// client may no longer use its item. The calls of a removed server are answered in this step. The client gets
// one list_changed for each list that differs. Errors: those of New; nothing has changed then.
func (r Relay) SetServers(s server.State, now time.Time, servers []Server) (Relay, server.State, Effects, error) {
	if r.cfg == nil {
		return r, s, Effects{}, wrong(errors.New("the zero Relay"))
	}
	if err := r.valid(servers); err != nil {
		return r, s, Effects{}, err
	}
	var st step
	st.begin(&r, s, now)
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
	if c, m, out, err := st.r.c.Set(st.r.m, st.now, sources(servers)); err == nil { // cannot fail: valid has checked them
		st.followed(c, m, out)
	}
	if st.r.opened != never {
		for i, u := range st.r.up.all() {
			st.note(i, *u)
		}
		st.changed()
	}
	st.dropSubs()
	st.look = true
	st.run()
	return st.r, st.s, st.eff, nil
}

// Restart closes the link of a server, and opens another at once. Errors: lifecycle.ErrParams for
// an unknown name.
func (r Relay) Restart(s server.State, now time.Time, name string) (Relay, server.State, Effects, error) {
	if r.cfg == nil {
		return r, s, Effects{}, wrong(errors.New("the zero Relay"))
	}
	if r.up.named(name) == nil {
		return r, s, Effects{}, wrong(fmt.Errorf("no server %.64q", name))
	}
	if r.opened == never || r.resting {
		return r, s, Effects{}, nil
	}
	var st step
	st.begin(&r, s, now)
	m, out, err := st.r.m.Reconnect(st.now, name)
	if err != nil {
		return r, s, Effects{}, wrong(err)
	}
	st.upward(m, out)
	st.run()
	return st.r, st.s, st.eff, nil
}

// Close ends the links of all servers. It answers open calls, and forwards no more requests.
func (r Relay) Close(s server.State, now time.Time) (Relay, server.State, Effects) {
	if r.cfg == nil {
		return r, s, Effects{}
	}
	var st step
	st.begin(&r, s, now)
	st.end()
	st.run()
	return st.r, st.s, st.eff
}

// Resume reports that the session with the client began at another Relay, which has ended without a Snapshot:
// s is its State. It connects the servers, and restores the log level and the subscriptions in s. It
// announces changed lists to the client, because the client's versions are unknown.
func (r Relay) Resume(s server.State, now time.Time) (Relay, server.State, Effects) {
	if r.cfg == nil || s.Phase() != lifecycle.Ready {
		return r, s, Effects{}
	}
	var st step
	st.begin(&r, s, now)
	st.connect()
	if level := s.Client(server.Call{}).Level; level != "" && st.r.level == "" {
		st.wantLevel(string(level))
	}
	st.hears(resumed, slices.Collect(s.Subscriptions()))
	for k := range st.r.told {
		st.r.told[k] = unknownList
	}
	st.run()
	return st.r, st.s, st.eff
}

// unknownList is a version that no list has.
const unknownList = 1

// Statuses returns the status of every server, in order.
func (r Relay) Statuses() []manager.Status {
	if r.cfg == nil {
		return nil
	}
	list := make([]manager.Status, r.up.len())
	for i, u := range r.up.all() {
		list[i] = manager.Status{Link: manager.Link{Server: u.Name}, Condition: u.state}
		if st, ok := r.m.Status(u.Name); ok && r.opened != never {
			list[i] = st
		}
	}
	return list
}

// Rest ends the links of all servers until the next request of the client, which opens them again. Their
// lists are kept, whatever naming.Policy.OnLoss says: the client gets a list_changed only if a server returns
// with another list, or not at all. Open calls are answered with an error, so call Rest when there are none.
// It does nothing while a client without a session has a server's question to answer. When a server returns,
// it gets its subscriptions and the log level again.
func (r Relay) Rest(s server.State, now time.Time) (Relay, server.State, Effects) {
	if r.cfg == nil || r.over || r.resting || r.opened == never || r.awaited() {
		return r, s, Effects{}
	}
	var st step
	st.begin(&r, s, now)
	st.r.resting = true
	list := make([]*upstream, r.up.len())
	for i, u := range r.up.all() {
		next := *u
		next.rested = u.rested || u.state == manager.Ready && r.knowsAll(u)
		next.state, next.level = manager.Idle, ""
		list[i] = &next
	}
	st.r.up = newFleet(list)
	st.r.merged = [kinds]merged{}
	st.upward(st.r.m.DisconnectAll(st.now))
	for i, u := range st.r.up.all() {
		st.note(i, *u)
	}
	st.changed() // lists of a server that was starting
	st.run()
	return st.r, st.s, st.eff
}

// Resting reports whether the links of the servers are closed until the next request: see Rest.
func (r Relay) Resting() bool { return r.resting }

// Startup returns how long the start of a server took in this session, until its lists were known, for
// Server.Startup of later sessions. It is lifecycle.NoTimeout if the server did not start within
// Lists.Hold, and 0 while that is unknown.
func (r Relay) Startup(server string) time.Duration {
	if r.cfg == nil {
		return 0
	}
	u := r.up.named(server)
	switch {
	case u == nil || r.opened == never:
	case u.took != 0:
		return time.Duration(u.took)
	case !r.knowsAll(u) && r.clock.Now() >= clock.Later(u.down, r.cfg.Lists.Hold):
		return lifecycle.NoTimeout
	}
	return 0
}

// Handshake reports whether a server is known to have sessions, for manager.Options.Handshake of later
// sessions, which then send no probe.
func (r Relay) Handshake(server string) bool {
	u := r.up.named(server)
	return u != nil && u.Options.Handshake
}

// Tool returns the tool that a client's name stands for, as the server lists it; false if there is none.
func (r Relay) Tool(name string) (jsonrpc.Raw, bool) {
	if r.cfg == nil {
		return "", false
	}
	it, ok := r.c.Lookup(protocol.ToolList, name)
	return it.Raw, ok
}
