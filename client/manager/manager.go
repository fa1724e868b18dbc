package manager

import (
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/lifecycle/clock"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/lifecycle/table"
)

// New returns a Manager without connections. now is the origin of all its times and must not be
// zero. Errors: lifecycle.ErrConfig for an invalid setting; lifecycle.ErrParams for one in
// Config.Client.
func New(cfg Config, now time.Time) (Manager, error) {
	if now.IsZero() {
		return Manager{}, wrong("now", "the zero time", "want the time of the first step")
	}
	cfg.Client = copied(cfg.Client)
	e := &env{cfg: cfg, most: cfg.MaxServers, key: engine.KeyOf(cfg.Client.HashKey)}
	t, err := fill(cfg.Timeouts, cfg.Health)
	if err != nil {
		return Manager{}, err
	}
	e.times = t
	var f lifecycle.Filler
	f.Within("Backoff", cfg.Backoff.Check())
	e.breaker, err = backoff.NewBreaker(cfg.Breaker)
	f.Within("Breaker", err)
	e.stable = cfg.StableFor
	f.Time("StableFor", &e.stable, time.Minute, lifecycle.MayBeNone)
	cfg.Budget.check(&f)
	f.Count("MaxServers", &e.most, 10_000)
	if err := invalid(&f); err != nil {
		return Manager{}, err
	}
	if e.proto, err = client.New(t.client(cfg.Client), now); err != nil {
		return Manager{}, wrongClient("Client", err)
	}
	filled, _ := cfg.Client.Timeouts.Filled() // cannot fail: client.New has checked it
	e.human = filled.Human
	return Manager{env: e, clock: clock.New(now), random: backoff.Random(cfg.Seed)}, nil
}

// NextDeadline returns when to call Tick; false if there is no deadline. O(1).
func (m Manager) NextDeadline() (time.Time, bool) {
	due := min(m.conns.Min(), m.closing.Min())
	return m.clock.At(due), due != table.Never
}

// Step returns how many transitions led to this Manager.
func (m Manager) Step() uint64 { return m.step }

// LateReports counts ignored reports of ended Links.
func (m Manager) LateReports() uint64 { return m.late }

// Len returns the number of names.
func (m Manager) Len() int { return m.conns.Len() }
