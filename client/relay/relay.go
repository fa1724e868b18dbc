package relay

import (
	"fmt"
	"time"

	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/clock"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/server"
)

// Relay joins one client with many servers: an immutable value. New makes one; the zero Relay
// has no servers and does nothing.
type Relay struct {
	cfg *config
	m   manager.Manager
	c   catalog.Catalog // what the servers list
	up  fleet

	lastID  uint64 // of the newest server
	clock   clock.Clock
	moved   int64 // when the Manager last took a step, whose Snapshot counts from there
	opened  int64 // when the sessions with the servers began; never: not yet
	over    bool  // the session with the client has ended, or Close was called
	resting bool  // the servers are ended until the next request

	calls  table.Table[call]                // passed on, by operation
	byCall table.Table[uint64]              // operations, by the number of the call
	loads  table.Table[load]                // by server
	asks   table.Table[ask]                 // passed to the client, by request
	byAsk  table.Table[table.Table[uint64]] // requests, by incarnation of the server and number of its call
	held   held
	subs   table.Index[sub] // by the client's uri
	level  string           // the log level that the client asked for; "": none

	merged [kinds]merged  // the merged lists, as far as they are known
	told   [kinds]version // what the client knows of them
	news   int64          // when to announce what differs; never: nothing may
}

// Effects are what a step asks of the driver.
type Effects struct {
	// Output is what goes to the client, and the events that the Relay has no part in.
	server.Output
	// Actions are what is to be done with the connections to the servers, in this order.
	Actions []manager.Action
	// Servers are what has become of the servers: manager.ServerChanged and the like, for
	// logs. Nothing has to be done for them.
	Servers []manager.Event
}

// New returns a Relay of the given servers, in their order: of two things of one name that of
// the first server counts. Nothing is connected before the client is ready. Errors:
// *lifecycle.ConfigError for a setting, and lifecycle.ErrParams with that of the Manager.
func New(cfg Config, servers []Server, now time.Time) (Relay, error) {
	full, err := cfg.filled()
	if err != nil {
		return Relay{}, err
	}
	m, err := manager.New(full.Manager, now)
	if err != nil {
		return Relay{}, wrong(err)
	}
	r := Relay{
		cfg: &config{Config: full, key: engine.KeyOf(full.Manager.Client.HashKey), blank: m},
		m:   m, clock: clock.New(now), opened: table.Never, news: table.Never,
	}
	if err := r.valid(servers); err != nil {
		return Relay{}, err
	}
	r.up, _ = r.next(servers)
	if r.c, err = catalog.New(full.catalog(servers), now); err != nil {
		return Relay{}, wrong(err)
	}
	return r, nil
}

func wrong(err error) error { return fmt.Errorf("%w: relay: %w", lifecycle.ErrParams, err) }

// Handle takes in an Output of the session with the client: every one of them has to pass
// through it. The requests of the client that the Relay answers are taken out of Events.
func (r Relay) Handle(s server.State, now time.Time, out server.Output) (Relay, server.State, Effects) {
	if r.cfg == nil {
		return r, s, Effects{Output: out}
	}
	st := step{r: r, s: s, now: now}
	st.take()
	events := out.Events
	out.Events = nil
	st.eff.Output = out
	st.down(events)
	if out.Close != nil {
		st.end()
	}
	st.settle()
	st.eff.answered(events, len(out.Send))
	return st.r, st.s, st.eff
}

// Report handles what the driver reports of the connection to a server. Calls of a server whose
// link has ended are answered in this step.
func (r Relay) Report(s server.State, now time.Time, report manager.Report) (Relay, server.State, Effects) {
	if r.cfg == nil {
		return r, s, Effects{}
	}
	st := step{r: r, s: s, now: now}
	st.take()
	st.upward(st.r.m.Report(st.now, report))
	st.settle()
	return st.r, st.s, st.eff
}

// Tick lets time pass for the servers and for what waits.
func (r Relay) Tick(s server.State, now time.Time) (Relay, server.State, Effects) {
	if r.cfg == nil {
		return r, s, Effects{}
	}
	st := step{r: r, s: s, now: now}
	st.take()
	st.upward(st.r.m.Tick(st.now))
	st.settle()
	return st.r, st.s, st.eff
}

// NextDeadline returns when Tick is next due; false if nothing waits. The State has its own.
func (r Relay) NextDeadline() (time.Time, bool) {
	if r.cfg == nil {
		return time.Time{}, false
	}
	next, some := r.m.NextDeadline()
	if at, ok := r.c.NextDeadline(); ok && (!some || at.Before(next)) {
		next, some = at, true
	}
	if own := r.due(); own != table.Never {
		if at := r.clock.At(own); !some || at.Before(next) {
			next, some = at, true
		}
	}
	return next, some
}

// due returns when something of the Relay's own is due.
func (r *Relay) due() int64 {
	due := min(r.news, r.held.due())
	if r.pending() {
		due = r.clock.Now() // a step after Restore has to begin
	}
	return due
}
