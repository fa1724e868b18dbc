package manager

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/lifecycle"
)

// times are Timeouts and Health with the defaults filled in.
type times struct {
	Timeouts
	Health
}

// fill fills the defaults in. Errors: ErrConfig.
func fill(t Timeouts, h Health) (*times, error) {
	for _, f := range []struct {
		name string
		d    *time.Duration
		def  time.Duration
		off  bool // may be Disabled
	}{
		{"Timeouts.Connect", &t.Connect, DefaultConnectTimeout, false},
		{"Timeouts.Request", &t.Request, DefaultRequestTimeout, true},
		{"Timeouts.Maximum", &t.Maximum, lifecycle.DefaultMaximumTimeout, true},
		{"Timeouts.Ping", &t.Ping, DefaultPingTimeout, false},
		{"Timeouts.Close", &t.Close, DefaultCloseTimeout, false},
		{"Timeouts.Inbound", &t.Inbound, DefaultInboundTimeout, true},
		{"Health.Interval", &h.Interval, DefaultHealthInterval, true},
	} {
		var err error
		if *f.d, err = duration(f.name, *f.d, f.def, f.off); err != nil {
			return nil, err
		}
	}
	switch {
	case h.Misses < 0:
		return nil, invalid("Health.Misses", errors.New("negative"))
	case h.Misses == 0:
		h.Misses = DefaultHealthMisses
	}
	return &times{t, h}, nil
}

// over returns the times of a connection: what it sets itself goes before those of the Config.
func (t *times) over(mine Timeouts, health Health) (*times, error) {
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

// client returns the Config of a session with these times. The Manager bounds the handshake
// and pings by itself.
func (t *times) client(cfg client.Config) client.Config {
	cfg.Timeouts.Initialize = lifecycle.NoTimeout
	cfg.Timeouts.Ping, cfg.Timeouts.Request = t.Ping, t.Request
	cfg.Timeouts.Maximum, cfg.Timeouts.Inbound = t.Maximum, t.Inbound
	cfg.Keepalive = lifecycle.Keepalive{}
	return cfg
}

// duration fills a default in and refuses what cannot be.
func duration(field string, d, def time.Duration, off bool) (time.Duration, error) {
	switch {
	case d == 0:
		return def, nil
	case d == Disabled && off, d > 0:
		return d, nil
	}
	return 0, invalid(field, errors.New("has to be more than zero"))
}

// check returns an error for a Budget that cannot be.
func (b Budget) check() error {
	if b.Pages < 0 || b.Items < 0 || b.Bytes < 0 {
		return invalid("Budget", errors.New("negative"))
	}
	_, err := duration("Budget.Total", b.Total, 1, true)
	return err
}

// over returns b with what it leaves zero from c.
func (b Budget) over(c Budget) Budget {
	return Budget{
		Pages: cmp.Or(b.Pages, c.Pages), Items: cmp.Or(b.Items, c.Items),
		Bytes: cmp.Or(b.Bytes, c.Bytes), Total: cmp.Or(b.Total, c.Total),
	}
}

// copied returns a Config that shares nothing with the caller's: sessions are made from it
// later on.
func copied(cfg client.Config) client.Config {
	cfg.Serve, cfg.Revisions = slices.Clone(cfg.Serve), slices.Clone(cfg.Revisions)
	cfg.Roots, cfg.Experimental = slices.Clone(cfg.Roots), maps.Clone(cfg.Experimental)
	return cfg
}
