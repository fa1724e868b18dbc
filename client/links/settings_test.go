package links

import (
	"errors"
	"testing"

	"github.com/sansmcp/mcp/lifecycle"
)

// Each setting: zero is the default, and one wrong value each is named with its value and its range.
func TestSettings(t *testing.T) {
	for want, o := range map[string]Options{
		"QueueBytes is -1: want positive, or 0 for 1048576":            {QueueBytes: -1},
		"SendTimeout is -2ns: want positive, 0 for 1m0s, or NoTimeout": {SendTimeout: -2},
		"CloseTimeout is -1ns: want positive, or 0 for 5s":             {CloseTimeout: lifecycle.NoTimeout},
	} {
		if err := o.Check(); !errors.Is(err, lifecycle.ErrConfig) || err.Error() != "links: "+want {
			t.Errorf("%v, want links: %s", err, want)
		}
		if l := New(nil, o); l.opt.QueueBytes != DefaultQueueBytes || l.opt.SendTimeout != DefaultSendTimeout || l.opt.CloseTimeout != DefaultCloseTimeout {
			t.Errorf("%s: %+v", want, l.opt)
		}
	}
	if err := (Options{SendTimeout: lifecycle.NoTimeout}).Check(); err != nil {
		t.Error(err)
	}
}
