package toolset_test

import (
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/client/toolset"
	"github.com/sansmcp/mcp/conformance/settings"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
)

func TestSettings(t *testing.T) {
	check := func(cfg toolset.Config) error {
		_, err := toolset.New(cfg, time.Unix(1, 0))
		return err
	}
	settings.Test(t, "toolset", toolset.Config{}, check, settings.Wants{
		"Names": "0 to 1", "Collisions": "0 to 2", "TTL": "positive, 0 for 10m0s, or NoTimeout", "MinInterval": "positive, 0 for 1s, or NoTimeout",
		"Total": "positive, or 0 for that of the Manager", "OnRefreshError": "0 to 1", "OnLoss": "0 to 2",
		"Limits.Servers": "positive, or 0 for 10000", "Limits.Tools": "positive, or 0 for 10000", "Limits.ToolBytes": "positive, or 0 for 262144",
		"Limits.Bytes": "positive, or 0 for 16777216", "Limits.Pages": "positive, or 0 for no limit", "Limits.Name": "positive, or 0 for 256",
		"Limits.Rejected": "positive, or 0 for 100",
	})
	for want, cfg := range map[string]toolset.Config{
		"Renew is true: want false with Always: a list that is always stale cannot be renewed": {Always: true, Renew: true},
		"Retry.Factor is 0.5: want at least 1, or 0 for 2":                                     {Retry: backoff.Policy{Factor: 0.5}},
	} {
		settings.Refused(t, check(cfg), "toolset: "+want)
	}
	for want, cfg := range map[string]toolset.Config{
		"Naming.": {Naming: naming.Form{Max: 1}},
		`server "a": toolset: TTL is -2ns: want positive, 0 for 10m0s, or NoTimeout`: {Servers: []toolset.Server{{Name: "a", TTL: -2}}},
		`server "a": toolset: OnLoss is 3: want 0 to 2`:                              {Servers: []toolset.Server{{Name: "a", OnLoss: 3}}},
		`server "a": toolset: Always is true: want false with Config.Renew`:          {Renew: true, Servers: []toolset.Server{{Name: "a", Always: true}}},
	} {
		if err := check(cfg); err == nil || !strings.HasPrefix(err.Error(), "toolset: "+want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want toolset: %s", err, want)
		}
	}
	if err := check(toolset.Config{Servers: []toolset.Server{{Name: "a", TTL: lifecycle.NoTimeout}, {Name: "b", Always: true}}}); err != nil {
		t.Error(err)
	}
}
