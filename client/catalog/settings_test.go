package catalog_test

import (
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/conformance/settings"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
)

func TestSettings(t *testing.T) {
	check := func(cfg catalog.Config) error {
		_, err := catalog.New(cfg, time.Unix(1, 0))
		return err
	}
	settings.Test(t, "catalog", catalog.Config{}, check, settings.Wants{
		"Naming.Form.Profile": "0 to 1", "Naming.Form.Max": "32 or more, or 0 for 128", "Naming.Names": "0 to 2", "Naming.URIs": "0 to 2",
		"Naming.OnConflict": "0 to 1", "Naming.OnLoss": "0 to 1",
		"TTL": "positive, 0 for 10m0s, or NoTimeout", "MinInterval": "positive, 0 for 1s, or NoTimeout", "Total": "positive, or 0 for that of the Manager", "Stale": "0 to 1",
		"Limits.Sources": "positive, or 0 for 10000", "Limits.Items": "positive, or 0 for 10000", "Limits.ItemBytes": "positive, or 0 for 262144",
		"Limits.Bytes": "positive, or 0 for 16777216", "Limits.Pages": "positive, or 0 for no limit", "Limits.Name": "positive, or 0 for 256",
		"Limits.Dropped": "positive, or 0 for 100", "Retry.Base": "positive, 0 for 1s, or Immediate", "Retry.Cap": "positive, or 0 for 30s",
		"Retry.Attempts": "positive, or 0 for no limit",
	})
	for want, cfg := range map[string]catalog.Config{
		"Renew is true: want false with Always: a list that is always stale cannot be renewed":                    {Always: true, Renew: true},
		"Retry.Factor is 0.5: want at least 1, or 0 for 2":                                                        {Retry: backoff.Policy{Factor: 0.5}},
		`server "a": TTL is -2ns: want positive, 0 for 10m0s, or NoTimeout`:                                       {Sources: []catalog.Source{{Name: "a", TTL: -2}}},
		`server "a": Always is true: want false with Config.Renew: a list that is always stale cannot be renewed`: {Renew: true, Sources: []catalog.Source{{Name: "a", Always: true}}},
	} {
		settings.Refused(t, check(cfg), "catalog: "+want)
	}
	if err := check(catalog.Config{Sources: []catalog.Source{{Name: "a", TTL: lifecycle.NoTimeout}, {Name: "b", Always: true}}}); err != nil {
		t.Error(err)
	}
}
