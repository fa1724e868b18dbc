package exchange_test

import (
	"testing"

	"github.com/sansmcp/mcp/client/exchange"
	"github.com/sansmcp/mcp/conformance/settings"
)

func TestSettings(t *testing.T) {
	settings.Test(t, "exchange", exchange.Options{}, exchange.Options.Check, settings.Wants{
		"MaxBytes": "positive, or 0 for 16777216", "Attempts": "positive, or 0 for 5", "Polls": "positive, or 0 for 100",
		"Wait": "positive, or 0 for 1s", "MaxWait": "positive, or 0 for 30s", "MinWait": "positive, or 0 for 100ms", "Logins": "positive, or 0 for 3",
	})
}
