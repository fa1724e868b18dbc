package host_test

import (
	"errors"
	"testing"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server/host"
)

// Each setting: zero is the default, and one wrong value each is named with its value and its range.
func TestSettings(t *testing.T) {
	for want, o := range map[string]interface{ Check() error }{
		"": host.WorkOptions{},
		"MaxRunning is -1: want positive, or 0 for 64":      host.WorkOptions{MaxRunning: -1},
		"MaxWaiting is -2: want positive, or 0 for 1000":    host.WorkOptions{MaxWaiting: -2},
		"MaxPerSession is -1: want positive, or 0 for 1064": host.WorkOptions{MaxPerSession: -1},
		"MaxPerSession is -1: want positive, or 0 for 3":    host.WorkOptions{MaxRunning: 1, MaxWaiting: 2, MaxPerSession: -1},
		"CallBytes is -1: want positive, or 0 for 67108864": host.WorkOptions{CallBytes: -1},
		"SessionBytes is -1: want positive, or 0 for 7":     host.WorkOptions{CallBytes: 7, SessionBytes: -1},
		"Drain is -1ns: want positive, or 0 for 5s":         host.Options{Drain: lifecycle.NoTimeout},
	} {
		err := o.Check()
		if want == "" {
			if err != nil || (host.Options{}).Check() != nil {
				t.Error(err)
			}
		} else if !errors.Is(err, lifecycle.ErrConfig) || err.Error() != "host: "+want {
			t.Errorf("%v, want host: %s", err, want)
		}
	}
}
