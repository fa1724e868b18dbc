package exchange_test

import (
	"errors"
	"testing"

	"github.com/sansmcp/mcp/client/exchange"
	"github.com/sansmcp/mcp/lifecycle"
)

// Each setting: zero is the default, and one wrong value each is named with its value and its range.
func TestSettings(t *testing.T) {
	for want, o := range map[string]exchange.Options{
		"MaxBytes is -1: want positive, or 0 for 16777216": {MaxBytes: -1},
		"Attempts is -1: want positive, or 0 for 5":        {Attempts: -1},
		"Polls is -1: want positive, or 0 for 100":         {Polls: -1},
		"Wait is -1ns: want positive, or 0 for 1s":         {Wait: lifecycle.NoTimeout},
		"MaxWait is -1ns: want positive, or 0 for 30s":     {MaxWait: -1},
		"MinWait is -1ns: want positive, or 0 for 100ms":   {MinWait: -1},
		"Logins is -1: want positive, or 0 for 3":          {Logins: -1},
	} {
		if err := o.Check(); !errors.Is(err, lifecycle.ErrConfig) || err.Error() != "exchange: "+want {
			t.Errorf("%v, want exchange: %s", err, want)
		}
	}
	if err := (exchange.Options{}).Check(); err != nil {
		t.Error(err)
	}
}
