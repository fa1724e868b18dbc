package host_test

import (
	"testing"

	"github.com/sansmcp/mcp/conformance/settings"
	"github.com/sansmcp/mcp/server/host"
)

func TestSettings(t *testing.T) {
	settings.Test(t, "host", host.WorkOptions{}, host.WorkOptions.Check, settings.Wants{
		"MaxRunning": "positive, or 0 for 64", "MaxWaiting": "positive, or 0 for 1000", "MaxPerSession": "positive, or 0 for 1064",
		"CallBytes": "positive, or 0 for 67108864", "SessionBytes": "positive, or 0 for 67108864", "KeepAnswer": "positive, or 0 for 5m0s",
	})
	settings.Refused(t, host.WorkOptions{MaxRunning: 1, MaxWaiting: 2, MaxPerSession: -1}.Check(), "host: MaxPerSession is -1: want positive, or 0 for 3")
	settings.Refused(t, host.WorkOptions{CallBytes: 7, SessionBytes: -1}.Check(), "host: SessionBytes is -1: want positive, or 0 for 7")
	settings.Test(t, "host", host.Options{}, host.Options.Check, settings.Wants{"Drain": "positive, or 0 for 5s"})
}
