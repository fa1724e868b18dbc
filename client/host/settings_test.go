package host

import (
	"errors"
	"testing"

	"github.com/sansmcp/mcp/lifecycle"
)

// Each setting: zero is the default, and one wrong value each is named with its value and its range.
func TestSettings(t *testing.T) {
	for want, o := range map[string]Options{
		"MaxServing is -1: want positive, or 0 for 16":                 {MaxServing: -1},
		"MaxServingBytes is -1: want positive, or 0 for 16777216":      {MaxServingBytes: -1},
		"MaxEvents is -1: want positive, or 0 for 1000":                {MaxEvents: -1},
		"MaxEventBytes is -1: want positive, or 0 for 1048576":         {MaxEventBytes: -1},
		"VisitWait is -1ns: want positive, or 0 for 1m0s":              {VisitWait: lifecycle.NoTimeout},
		"QueueBytes is -1: want positive, or 0 for 1048576":            {QueueBytes: -1},
		"SendTimeout is -2ns: want positive, 0 for 1m0s, or NoTimeout": {SendTimeout: -2},
		"Grace is -1ns: want positive, or 0 for none":                  {Grace: -1},
		"Reopen is -2: want positive, 0 for 5, or -1 for none":         {Reopen: -2},
	} {
		if _, err := o.filled(); !errors.Is(err, lifecycle.ErrConfig) || err.Error() != "host: "+want {
			t.Errorf("%v, want host: %s", err, want)
		}
	}
	if o, err := (Options{SendTimeout: lifecycle.NoTimeout, Reopen: -1}).filled(); err != nil || o.SendTimeout != lifecycle.NoTimeout || o.Reopen != -1 || o.MaxServing != DefaultMaxServing {
		t.Errorf("%+v, %v", o, err)
	}
}
