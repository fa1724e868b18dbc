package streams_test

import (
	"errors"
	"testing"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server/streams"
)

// Each setting: zero is the default, and one wrong value each is named with its value and its range.
func TestSettings(t *testing.T) {
	for want, o := range map[string]streams.Options{
		"MaxBytes is -1: want positive, or 0 for 4194304":            {MaxBytes: -1},
		"MaxAnswers is -1: want positive, or 0 for 16777216":         {MaxAnswers: -1},
		"MaxListeners is -2: want positive, 0 for 8, or -1 for none": {MaxListeners: -2},
		"Keep is -2ns: want positive, 0 for 2m0s, or NoTimeout":      {Keep: -2},
		"Grace is -2ns: want positive, 0 for 3s, or NoTimeout":       {Grace: -2},
		"Retry is -2ns: want positive, 0 for 1s, or NoTimeout":       {Retry: -2},
		"Idle is -2ns: want positive, or 0 for no limit":             {Idle: -2},
	} {
		if err := o.Check(); !errors.Is(err, lifecycle.ErrConfig) || err.Error() != "streams: "+want {
			t.Errorf("%v, want streams: %s", err, want)
		}
		if got := streams.Filled(o); got != streams.Filled(streams.Options{}) {
			t.Errorf("%s: %+v is not the default", want, got)
		}
	}
	none := streams.Options{MaxListeners: -1, Keep: lifecycle.NoTimeout, Grace: lifecycle.NoTimeout, Retry: lifecycle.NoTimeout, Idle: lifecycle.NoTimeout}
	if err := errors.Join(none.Check(), streams.Options{}.Check()); err != nil {
		t.Error(err)
	}
	if got := streams.Filled(none); got.Keep != 0 || got.Grace >= 0 || got.Retry != 0 || got.Idle != 0 || got.MaxListeners != -1 {
		t.Errorf("%+v", got)
	}
}
