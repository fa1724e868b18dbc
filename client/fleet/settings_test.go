package fleet_test

import (
	"testing"

	"github.com/sansmcp/mcp/client/calls"
	"github.com/sansmcp/mcp/client/fleet"
	wanted "github.com/sansmcp/mcp/conformance/settings"
)

func TestSettings(t *testing.T) {
	cfg := settings()
	cfg.Client.Serve = nil
	check := func(o fleet.Options) error {
		f, err := fleet.New(calls.Config{Manager: cfg}, o)
		if err == nil {
			err = f.Close(t.Context())
		}
		return err
	}
	wanted.Test(t, "fleet", fleet.Options{Dial: fast.Dial}, check, wanted.Wants{
		"MaxServing": "positive, or 0 for 16", "MaxServingBytes": "positive, or 0 for 16777216", "QueueBytes": "positive, or 0 for 1048576",
		"SendTimeout": "positive, 0 for 1m0s, or NoTimeout", "CloseTimeout": "positive, or 0 for 5s",
	})
}
