package relay

import (
	"time"

	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle/clock"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/server"
)

// New returns a Relay of the given servers. If two of them list the same name, it belongs to the first in
// order. Servers are connected when the client is ready. Errors: *lifecycle.ConfigError for a setting,
// and lifecycle.ErrParams with the error of the Manager.
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

// Handle handles an Output of the session with the client. Call it with every Output. It returns the
// Output without the events that the Relay has handled.
func (r Relay) Handle(s server.State, now time.Time, out server.Output) (Relay, server.State, Effects) {
	if r.cfg == nil {
		return r, s, Effects{Output: out}
	}
	var st step
	st.begin(&r, s, now)
	events := out.Events
	st.push(work{client: events, ends: out.Close != nil})
	out.Events = nil
	st.eff.Output = out
	st.listened(out.Send)
	st.run()
	st.eff.answered(events, len(out.Send))
	return st.r, st.s, st.eff
}

// Report handles a driver's report about a link to a server. If the link has ended, its calls are
// answered in this step.
func (r Relay) Report(s server.State, now time.Time, report manager.Report) (Relay, server.State, Effects) {
	if r.cfg == nil {
		return r, s, Effects{}
	}
	var st step
	st.begin(&r, s, now)
	st.upward(st.r.m.Report(st.now, report))
	st.run()
	return st.r, st.s, st.eff
}

// Tick handles deadlines: of the servers, waiting requests and announcements.
func (r Relay) Tick(s server.State, now time.Time) (Relay, server.State, Effects) {
	if r.cfg == nil {
		return r, s, Effects{}
	}
	var st step
	st.begin(&r, s, now)
	st.upward(st.r.m.Tick(st.now))
	st.run()
	return st.r, st.s, st.eff
}

// NextDeadline returns when to call Tick; false if there is no deadline. The State has its own
// deadline.
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

// due returns the Relay's own next deadline.
func (r *Relay) due() int64 {
	due := min(r.news, r.calls.Min(), r.parked.Min())
	if r.pending() {
		due = r.clock.Now() // a step must follow a Restore
	}
	return due
}
