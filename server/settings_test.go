package server_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// Each setting that is wrong is told in one line, with its package, field and value and what it may be.
func TestSettingsSayWhatIsWrong(t *testing.T) {
	for want, edit := range map[string]func(*server.Config){
		`server: Info is "": want a name and a version, both valid UTF-8`:                                                        func(c *server.Config) { c.Info = protocol.Implementation{} },
		"server: Timeouts.Request is -2ns: want positive, 0 for 1m0s, or NoTimeout":                                              func(c *server.Config) { c.Timeouts.Request = -2 },
		"server: Timeouts.Inbound is -2ns: want positive, or 0 for no limit":                                                     func(c *server.Config) { c.Timeouts.Inbound = -2 },
		"server: Limits.Text is -1: want positive, or 0 for 4096":                                                                func(c *server.Config) { c.Limits.Text = -1 },
		"server: Limits.Logs.PerSecond is NaN: want 0 to 1e9":                                                                    func(c *server.Config) { c.Limits.Logs.PerSecond = math.NaN() },
		"server: Limits.Requests.Burst is -1: want 0 or more":                                                                    func(c *server.Config) { c.Limits.Requests.Burst = -1 },
		"server: Keepalive.Misses is -1: want 0 to 32768":                                                                        func(c *server.Config) { c.Keepalive.Misses = -1 },
		"server: Keepalive.Interval is 1s: want 0, or Timeouts.Ping other than NoTimeout":                                        func(c *server.Config) { c.Keepalive.Interval, c.Timeouts.Ping = time.Second, lifecycle.NoTimeout },
		"server: Revisions is unknown: want those of protocol.AllRevisions, or none for all with a handshake":                    func(c *server.Config) { c.Revisions = []protocol.Revision{{}} },
		`server: LogLevel is "loud": want a level of the specification, or none for debug`:                                       func(c *server.Config) { c.LogLevel = "loud" },
		`server: Serve[1] is "tools/call ": want "tools/call"`:                                                                   func(c *server.Config) { c.Serve = []string{"mine", "tools/call "} },
		`server: Serve[0] is "Prompts/Get": want "prompts/get"`:                                                                  func(c *server.Config) { c.Serve = []string{"Prompts/Get"} },
		`server: Serve[0] is "ping": want a request that the application of a server answers`:                                    func(c *server.Config) { c.Serve = []string{"ping"} },
		`server: Serve is ["tools/call"]: want tools/list too, a Catalog that lists tools, or Unlisted`:                          func(c *server.Config) { c.Serve = []string{"tools/call"} },
		`server: Serve is ["tools/list"]: want tools/call too, because tools are listed`:                                         func(c *server.Config) { c.Serve = []string{"tools/list"} },
		`server: ListChanged is "logging": want "prompts.listChanged,resources.listChanged,tools.listChanged" or some of it`:     func(c *server.Config) { c.ListChanged = protocol.CapLogging },
		`server: Declare is "roots": want capabilities that servers declare`:                                                     func(c *server.Config) { c.Declare = protocol.CapRoots },
		`server: Subscribe is "resources.subscribe": want no resources.subscribe without resources, which nothing here declares`: func(c *server.Config) { c.Subscribe = true },
		`server: Declare is "tools.listChanged": want no tools.listChanged without tools, which nothing here declares`:           func(c *server.Config) { c.Declare = protocol.CapToolsListChanged },
	} {
		cfg := server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}}
		edit(&cfg)
		_, err := server.New(cfg, t0)
		var of *lifecycle.ConfigError
		if !errors.As(err, &of) || err.Error() != want || of.Package != "server" || strings.Contains(err.Error(), "\n") {
			t.Errorf("it says %v, want %s", err, want)
		}
	}
}

// A State that New did not make is none.
func TestZeroStateIsNotSound(t *testing.T) {
	if err := (server.State{}).Check(); err == nil {
		t.Error("the zero State is sound")
	}
}

// What the machine answers is not the application's, whatever the revisions are.
func TestServeOfTheMachine(t *testing.T) {
	for _, revisions := range [][]protocol.Revision{protocol.Revisions(), protocol.StatelessRevisions(), protocol.AllRevisions()} {
		for _, method := range []string{"initialize", "ping", "server/discover", "subscriptions/listen"} {
			_, err := server.New(server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}, Revisions: revisions, Serve: []string{method}}, t0)
			if c := (*lifecycle.ConfigError)(nil); !errors.As(err, &c) || c.Field != "Serve[0]" {
				t.Errorf("%v, %s: %v", revisions, method, err)
			}
		}
	}
}
