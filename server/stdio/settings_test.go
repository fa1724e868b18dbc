package stdio_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/host"
	"github.com/sansmcp/mcp/server/stdio"
)

// Each setting: zero is the default, and one wrong value each is refused with its name, value and range.
func TestSettings(t *testing.T) {
	for want, opt := range map[string]stdio.Options{
		"": {},
		"Work.MaxRunning is -1: want positive, or 0 for 64":  {Work: host.WorkOptions{MaxRunning: -1}},
		"Drain is -1ns: want positive, or 0 for 5s":          {Drain: lifecycle.NoTimeout},
		"QueueBytes is -1: want positive, or 0 for 33554432": {QueueBytes: -1},
		"Stall is -1ns: want positive, or 0 for 30s":         {Stall: -1},
	} {
		s, err := stdio.New(server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}}, &server.Handlers{}, strings.NewReader(""), io.Discard, opt)
		if want == "" {
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Serve(t.Context()); err != nil {
				t.Error(err)
			}
		} else if !errors.Is(err, lifecycle.ErrConfig) || err.Error() != "stdio: "+want {
			t.Errorf("%v, want stdio: %s", err, want)
		}
	}
}
