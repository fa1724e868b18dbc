package toolset

import (
	"fmt"
	"time"

	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol"
)

// The defaults of Config and Limits.
const (
	DefaultTTL          = 10 * time.Minute
	DefaultMinInterval  = time.Second
	DefaultMaxServers   = 10_000
	DefaultMaxTools     = 10_000
	DefaultMaxToolBytes = 256 << 10
	DefaultMaxBytes     = 16 << 20
	DefaultMaxRejected  = 100
	DefaultMaxName      = 256 // Limits.Name
)

// OnError says what becomes of the tools of a server whose list could not be read again (A8, F6).
// A failure is never taken for an empty list.
type OnError uint8

// The policies.
const (
	// KeepStale keeps what was read last.
	KeepStale OnError = iota
	// Omit takes its tools out until the list was read.
	Omit
)

// Server is a server of the catalogue.
type Server struct {
	// Name is its name in the Manager, of 1 to 256 bytes. A server need not be connected yet.
	Name string
	// TTL goes before Config.TTL and Config.Always, if it is not zero.
	TTL time.Duration
	// Always has the list read again for each call, whatever TTL says.
	Always bool
}

// Limits bound what is kept of each server, whatever it sends: at most 2 × Bytes + 1 KiB × Tools +
// 64 KiB, and while its list is read as much again. Zero means the default.
type Limits struct {
	Servers   int // how many servers there may be; DefaultMaxServers
	Tools     int // tools of a server; DefaultMaxTools. What is more is rejected; a list of more than twice as many fails
	ToolBytes int // bytes of the definition of a tool; DefaultMaxToolBytes. A longer one is rejected
	Bytes     int // bytes of all definitions of a server; DefaultMaxBytes. What is more is rejected; a list of more than twice as many fails
	Pages     int // pages of a list; that of the Manager. More fail
	Name      int // bytes of the name of a tool; DefaultMaxName. A longer one is rejected
	Rejected  int // rejections that a Change tells one by one; DefaultMaxRejected
}

// Config says what a Toolset holds and how. New copies it.
type Config struct {
	// Naming says what tools are called; its URIs are of no effect. Local tools have their own names
	// under every policy, and go before those of servers. Of tools that conflict under naming.Hidden,
	// Change.Rejected tells; with Ordered, the one of the first server has the name (A4, E9).
	Naming naming.Policy
	// Servers are the servers, in the order of precedence.
	Servers []Server
	// Local are the tools of the program itself: they come before all others.
	Local []protocol.Tool

	// TTL is how long a list is good, from when its first page was asked for: it is stale at
	// that time exactly (A7). Zero means DefaultTTL; with lifecycle.NoTimeout it is good until its
	// server announces a change.
	TTL time.Duration
	// Always has a list read again for each call that is not under way yet, whatever TTL says.
	Always bool
	// Lazy leaves a list unread until a call needs it, instead of reading it as soon as its
	// server is ready or announces a change.
	Lazy bool
	// Renew reads a list again as soon as it is stale, instead of when a call needs it.
	Renew bool
	// Ordered has a call wait until the lists of all servers before the one that has the tool
	// are fresh too, as they might have a tool of that name. Otherwise it goes to the tool
	// that List shows, and no server waits for another. With Ordered a name may move to a server
	// before that one.
	Ordered bool
	// MinInterval is the least time between the beginnings of two listings of a server, if
	// only an announcement asks for the second. Zero means DefaultMinInterval, lifecycle.NoTimeout
	// that a list is read whenever a change is announced.
	MinInterval time.Duration
	// Total is how long reading all pages of a list may take; zero means as the Manager says.
	Total time.Duration
	// Retry says how long after a failure a list is not asked for again.
	Retry backoff.Policy
	// OnRefreshError says what becomes of the tools meanwhile.
	OnRefreshError OnError
	// Limits bound what is kept of a server.
	Limits Limits
	// Seed begins the random numbers of the jitter of Retry.
	Seed uint64
}

// check returns the Config with its defaults, or why it cannot be used (A1, E34).
func (c Config) check() (Config, error) {
	var f lifecycle.Filler
	f.Within("Naming", c.Naming.Check())
	f.Time("TTL", &c.TTL, DefaultTTL, lifecycle.MayBeNone)
	if c.Renew && c.Always {
		f.Wrong("Renew", "true", "want false with Always: a list that is always stale cannot be renewed")
	}
	f.Time("MinInterval", &c.MinInterval, DefaultMinInterval, lifecycle.MayBeNone)
	if c.Total < 0 {
		f.Wrong("Total", c.Total.String(), "want positive, or 0 for that of the Manager")
	}
	f.Within("Retry", c.Retry.Check())
	f.Choice("OnRefreshError", int(c.OnRefreshError), int(Omit))
	l := &c.Limits
	f.Count("Limits.Servers", &l.Servers, DefaultMaxServers)
	f.Count("Limits.Tools", &l.Tools, DefaultMaxTools)
	f.Count("Limits.ToolBytes", &l.ToolBytes, DefaultMaxToolBytes)
	f.Count("Limits.Bytes", &l.Bytes, DefaultMaxBytes)
	f.Count("Limits.Pages", &l.Pages, 0)
	f.Count("Limits.Name", &l.Name, DefaultMaxName)
	f.Count("Limits.Rejected", &l.Rejected, DefaultMaxRejected)
	return c, f.Err("toolset")
}

// fill fills in what a server leaves to the Config. Errors: ErrConfig, ErrServer.
func (s *Server) fill(c *Config) error {
	if !naming.Valid(s.Name, DefaultMaxName) {
		return fmt.Errorf("%w: %w: name %.64q", ErrConfig, ErrServer, s.Name)
	}
	var f lifecycle.Filler
	s.Always = s.Always || s.TTL == 0 && c.Always
	f.Time("TTL", &s.TTL, c.TTL, lifecycle.MayBeNone)
	if c.Renew && s.Always {
		f.Wrong("Always", "true", "want false with Config.Renew: a list that is always stale cannot be renewed")
	}
	if err := f.Err("toolset"); err != nil {
		return fmt.Errorf("toolset: server %q: %w", s.Name, err)
	}
	return nil
}
