package verbs

import (
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server"
)

// Config is the Config of either role.
type Config struct {
	Party  lifecycle.Party // the role
	Server server.Config   // of a server
	Client client.Config   // of a client
}

// New returns a Machine without messages.
func (c Config) New(now time.Time) (Machine, error) {
	if c.Party == lifecycle.Server {
		s, err := server.New(c.Server, now)
		return Server(s), err
	}
	s, err := client.New(c.Client, now)
	return Client(s), err
}

// Restore returns the Machine of a snapshot.
func (c Config) Restore(snapshot []byte, now time.Time) (Machine, error) {
	if c.Party == lifecycle.Server {
		s, err := server.Restore(c.Server, snapshot, now)
		return Server(s), err
	}
	s, err := client.Restore(c.Client, snapshot, now)
	return Client(s), err
}
