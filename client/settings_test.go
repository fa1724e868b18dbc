package client_test

import (
	"errors"
	"testing"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Each setting that is wrong is told in one line, with its package, field and value and what it may be.
func TestSettingsSayWhatIsWrong(t *testing.T) {
	for want, edit := range map[string]func(*client.Config){
		`client: Info is "": want a name and a version, both valid UTF-8`:                                     func(c *client.Config) { c.Info = protocol.Implementation{} },
		"client: Timeouts.Human is -2ns: want positive, 0 for 10m0s, or NoTimeout":                            func(c *client.Config) { c.Timeouts.Human = -2 },
		"client: Limits.Outbound is -1: want positive, or 0 for 10000":                                        func(c *client.Config) { c.Limits.Outbound = -1 },
		"client: Keepalive.Misses is 32769: want 0 to 32768":                                                  func(c *client.Config) { c.Keepalive.Misses = 1<<15 + 1 },
		"client: Revisions is unknown: want those of protocol.AllRevisions, or none for all with a handshake": func(c *client.Config) { c.Revisions = []protocol.Revision{{}} },
		`client: Serve[0] is "elicitation/create ": want "elicitation/create"`:                                func(c *client.Config) { c.Serve = []string{"elicitation/create "} },
		`client: Serve[0] is "sampling/createmessage": want "sampling/createMessage"`:                         func(c *client.Config) { c.Serve = []string{"sampling/createmessage"} },
		`client: Serve[0] is "tools/call": want a request that the application of a client answers`:           func(c *client.Config) { c.Serve = []string{"tools/call"} },
		`client: Require is "roots": want capabilities that servers declare`:                                  func(c *client.Config) { c.Require = protocol.CapRoots },
		`client: Declare is "tools": want capabilities that clients declare`:                                  func(c *client.Config) { c.Declare = protocol.CapTools },
	} {
		cfg := client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}}
		edit(&cfg)
		_, err := client.New(cfg, t0)
		var of *lifecycle.ConfigError
		if !errors.As(err, &of) || err.Error() != want || of.Package != "client" {
			t.Errorf("it says %v, want %s", err, want)
		}
	}
}
