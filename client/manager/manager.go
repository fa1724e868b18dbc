package manager

import (
	"math"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/lifecycle/table"
)

// Manager is any number of named connections: an immutable value. Every step returns the next
// one, and the old one stays as it was. The zero Manager is not usable; New makes one. One
// goroutine at a time steps a Manager; any may look at one (row B27).
type Manager struct {
	env     *env
	now     int64  // the latest time seen, in nanoseconds from the origin
	step    uint64 // how many transitions there have been
	epochs  uint64 // the last one given out
	seq     uint64 // that of the last operation
	numbers uint64 // that of the last connection
	late    uint64 // reports of links that were over
	random  backoff.Random

	conns   table.Table[*conn]    // by number, which is the order of connect; due when something of it is
	names   index                 // the number of a name
	closing table.Table[*closing] // by epoch; due when it is to be killed
	ops     table.Table[op]       // by number
}

// env is what the Config says, made ready, and the origin of the times. It is never changed.
type env struct {
	origin  time.Time
	cfg     Config
	proto   client.State // what sessions are made from
	times   *times       // of connections that set none
	breaker backoff.Breaker
	stable  time.Duration // negative: at once
	most    int
	key     [2]uint64
}

// New returns a Manager without connections. now is the origin of all its times and must not
// be zero. Errors: ErrConfig, with what is wrong; lifecycle.ErrParams where that is in
// Config.Client.
func New(cfg Config, now time.Time) (Manager, error) {
	if now.IsZero() {
		return Manager{}, wrong("now", "the zero time", "want the time of the first step")
	}
	cfg.Client = copied(cfg.Client)
	e := &env{origin: now, cfg: cfg, most: cfg.MaxServers, key: keyOf(cfg.Client.HashKey)}
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
	f.Time("StableFor", &e.stable, DefaultStableFor, lifecycle.MayBeNone)
	cfg.Budget.check(&f)
	f.Count("MaxServers", &e.most, DefaultMaxServers)
	if err := invalid(&f); err != nil {
		return Manager{}, err
	}
	if e.proto, err = client.New(t.client(cfg.Client), now); err != nil {
		return Manager{}, wrongClient("Client", err)
	}
	return Manager{env: e, random: backoff.Random(cfg.Seed)}, nil
}

// clock begins a transition: it takes the time in and counts. A zero or earlier time counts
// as the latest seen.
func (m *Manager) clock(now time.Time) {
	m.step++
	if now.IsZero() || m.env == nil {
		return
	}
	if d := min(int64(now.Sub(m.env.origin)), table.Never-1); d > m.now {
		m.now = d
	}
}

// time returns the latest time seen.
func (m *Manager) time() time.Time { return m.at(m.now) }

// at returns the time of an instant, zero for table.Never.
func (m *Manager) at(i int64) time.Time {
	if i == table.Never || m.env == nil {
		return time.Time{}
	}
	return m.env.origin.Add(time.Duration(i))
}

// after returns the instant d from now, table.Never where there is none or d is negative.
func (m *Manager) after(d time.Duration) int64 {
	if d < 0 || int64(d) > math.MaxInt64-1-m.now {
		return table.Never
	}
	return m.now + int64(d)
}

// instant returns the instant of a time, table.Never if ok is false.
func (m *Manager) instant(t time.Time, ok bool) int64 {
	if !ok || t.IsZero() {
		return table.Never
	}
	return min(int64(t.Sub(m.env.origin)), table.Never-1)
}

// NextDeadline returns when Tick is next due; false if nothing waits. O(1).
func (m Manager) NextDeadline() (time.Time, bool) {
	due := min(m.conns.Min(), m.closing.Min())
	return m.at(due), due != table.Never
}

// Step returns how many transitions led to this Manager.
func (m Manager) Step() uint64 { return m.step }

// LateReports returns how many reports came with a Link that was over, and were left out (rows B13
// and F, Same name reconnect).
func (m Manager) LateReports() uint64 { return m.late }

// Len returns how many names there are.
func (m Manager) Len() int { return m.conns.Len() }

// misplaced returns the error of a verb that does not fit.
func misplaced(method string) *Error {
	return &Error{Class: ClassConfig, Method: method, Err: lifecycle.ErrPhase}
}
