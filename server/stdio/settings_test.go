package stdio_test

import (
	"io"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/settings"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/stdio"
)

func TestSettings(t *testing.T) {
	check := func(opt stdio.Options) error {
		s, err := stdio.New(server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}}, &server.Handlers{}, strings.NewReader(""), io.Discard, opt)
		if err == nil {
			err = s.Serve(t.Context())
		}
		return err
	}
	settings.Test(t, "stdio", stdio.Options{}, check, settings.Wants{
		"Drain": "positive, or 0 for 5s", "QueueBytes": "positive, or 0 for 33554432", "Stall": "positive, or 0 for 30s",
		"Work.MaxRunning": "positive, or 0 for 64", "Work.MaxWaiting": "positive, or 0 for 1000", "Work.MaxPerSession": "positive, or 0 for 1064",
		"Work.CallBytes": "positive, or 0 for 67108864", "Work.SessionBytes": "positive, or 0 for 67108864", "Work.KeepAnswer": "positive, or 0 for 5m0s",
	})
}
