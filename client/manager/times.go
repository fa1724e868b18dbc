package manager

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/lifecycle"
)

// times are Timeouts and Health with their defaults.
type times struct {
	Timeouts
	Health
}

// fill fills in the defaults. Errors: lifecycle.ErrConfig.
func fill(t Timeouts, h Health) (*times, error) {
	var f lifecycle.Filler
	f.Time("Timeouts.Connect", &t.Connect, 5*time.Minute, lifecycle.NeverNone)
	f.Time("Timeouts.Request", &t.Request, 30*time.Second, lifecycle.MayBeNone)
	f.Time("Timeouts.Maximum", &t.Maximum, lifecycle.DefaultMaximumTimeout, lifecycle.MayBeNone)
	f.Time("Timeouts.Ping", &t.Ping, 10*time.Second, lifecycle.NeverNone)
	f.Time("Timeouts.Close", &t.Close, DefaultCloseTimeout, lifecycle.NeverNone)
	f.Time("Timeouts.Inbound", &t.Inbound, 10*time.Minute, lifecycle.MayBeNone)
	f.Time("Health.Interval", &h.Interval, 30*time.Second, lifecycle.MayBeNone)
	f.Count("Health.Misses", &h.Misses, 3)
	return &times{t, h}, invalid(&f)
}

// overridden returns the times of a connection: its own override those of the Config.
func (t *times) overridden(mine Timeouts, health Health) (*times, error) {
	if mine == (Timeouts{}) && health == (Health{}) {
		return t, nil
	}
	return fill(
		Timeouts{
			Connect: cmp.Or(mine.Connect, t.Connect), Request: cmp.Or(mine.Request, t.Request),
			Maximum: cmp.Or(mine.Maximum, t.Maximum), Ping: cmp.Or(mine.Ping, t.Ping),
			Close: cmp.Or(mine.Close, t.Close), Inbound: cmp.Or(mine.Inbound, t.Inbound),
		},
		Health{Interval: cmp.Or(health.Interval, t.Interval), Misses: cmp.Or(health.Misses, t.Misses)},
	)
}

// client returns the Config of a session with these times. The Manager itself bounds the handshake
// and sends pings.
func (t *times) client(cfg client.Config) client.Config {
	cfg.Timeouts.Initialize = lifecycle.NoTimeout
	cfg.Timeouts.Ping, cfg.Timeouts.Request = t.Ping, t.Request
	cfg.Timeouts.Maximum, cfg.Timeouts.Inbound = t.Maximum, t.Inbound
	cfg.Keepalive = lifecycle.Keepalive{}
	return cfg
}

// check reports invalid fields of a Budget.
func (b Budget) check(f *lifecycle.Filler) {
	for _, n := range [...]struct {
		field string
		value int
	}{{"Budget.Pages", b.Pages}, {"Budget.Items", b.Items}, {"Budget.Bytes", b.Bytes}} {
		if n.value < 0 {
			f.Wrong(n.field, strconv.Itoa(n.value), "want positive, or 0 for the default")
		}
	}
	if b.Total < 0 && b.Total != lifecycle.NoTimeout {
		f.Wrong("Budget.Total", b.Total.String(), "want positive, 0 for 10 × Timeouts.Request, or NoTimeout")
	}
}

// overridden returns b, with zero fields from c.
func (b Budget) overridden(c Budget) Budget {
	return Budget{
		Pages: cmp.Or(b.Pages, c.Pages), Items: cmp.Or(b.Items, c.Items),
		Bytes: cmp.Or(b.Bytes, c.Bytes), Total: cmp.Or(b.Total, c.Total),
	}
}

// copied returns a Config that shares nothing with the caller's, because sessions are made from it
// later.
func copied(cfg client.Config) client.Config {
	cfg.Serve, cfg.Revisions = slices.Clone(cfg.Serve), slices.Clone(cfg.Revisions)
	cfg.Roots, cfg.Experimental = slices.Clone(cfg.Roots), maps.Clone(cfg.Experimental)
	return cfg
}
