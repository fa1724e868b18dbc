package fleet_test

import (
	"errors"
	"testing"

	"github.com/sansmcp/mcp/client/host/fleet"
	"github.com/sansmcp/mcp/client/toolset"
	"github.com/sansmcp/mcp/lifecycle"
)

// Each setting: zero is the default, and one wrong value each is refused with its name, value and range.
func TestSettings(t *testing.T) {
	for want, o := range map[string]fleet.Options{
		"MaxServing is -1: want positive, or 0 for 16":                 {MaxServing: -1},
		"MaxServingBytes is -1: want positive, or 0 for 16777216":      {MaxServingBytes: -1},
		"QueueBytes is -1: want positive, or 0 for 1048576":            {QueueBytes: -1},
		"SendTimeout is -2ns: want positive, 0 for 1m0s, or NoTimeout": {SendTimeout: -2},
		"CloseTimeout is -1ns: want positive, or 0 for 5s":             {CloseTimeout: lifecycle.NoTimeout},
	} {
		o.Dial = fast.Dial
		if _, err := fleet.New(toolset.CallerConfig{Manager: settings()}, o); !errors.Is(err, lifecycle.ErrConfig) || err.Error() != "fleet: "+want {
			t.Errorf("%v, want fleet: %s", err, want)
		}
	}
}
