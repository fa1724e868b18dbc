package streams_test

import (
	"testing"

	"github.com/sansmcp/mcp/conformance/settings"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server/streams"
)

func TestSettings(t *testing.T) {
	settings.Test(t, "streams", streams.Options{}, streams.Options.Check, settings.Wants{
		"MaxBytes": "positive, or 0 for 4194304", "MaxAnswers": "positive, or 0 for 16777216", "MaxListeners": "positive, 0 for 8, or -1 for none",
		"Keep": "positive, 0 for 2m0s, or NoTimeout", "Grace": "positive, 0 for 3s, or NoTimeout", "Retry": "positive, 0 for 1s, or NoTimeout",
		"Idle": "positive, or 0 for no limit",
	})
	bad := streams.Options{MaxBytes: -1, MaxAnswers: -1, MaxListeners: -2, Keep: -2, Grace: -2, Retry: -2, Idle: -2}
	if got := streams.Filled(bad); got != streams.Filled(streams.Options{}) {
		t.Errorf("%+v is not the default", got)
	}
	none := streams.Options{MaxListeners: -1, Keep: lifecycle.NoTimeout, Grace: lifecycle.NoTimeout, Retry: lifecycle.NoTimeout, Idle: lifecycle.NoTimeout}
	if got := streams.Filled(none); got.Keep != 0 || got.Grace >= 0 || got.Retry != 0 || got.Idle != 0 || got.MaxListeners != -1 {
		t.Errorf("%+v", got)
	}
}
