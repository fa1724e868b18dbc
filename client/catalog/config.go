package catalog

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol"
)

// longestName is the longest name of a server in bytes, as for the Manager.
const longestName = 1024

// Stale says whether the items stay when a list could not be read again. A failure never counts as
// an empty list.
type Stale uint8

// The policies.
const (
	// Keep keeps the last items.
	Keep Stale = iota
	// Omit removes the items until the list has been read.
	Omit
)

// Source is a server whose lists the Catalog holds.
type Source struct {
	// Name is its name in the Manager, 1 to 1,024 bytes. The server need not be connected yet.
	Name string
	// TTL overrides Config.TTL and Config.Always. 0 means those.
	TTL time.Duration
	// Always has the lists read again for each call, ignoring TTL.
	Always bool
	// Filter decides which items of the server are in the Catalog. Others have no name.
	Filter Filter
}

// Limits bound what is kept of each list of a server: at most Bytes + 1 KiB × Items + 64 KiB, of
// resources that a Filter keeps out Bytes once more, and while it is read twice as much again. Zero means
// the default.
type Limits struct {
	Sources   int // servers; 10,000
	Items     int // items of a list; 10,000. Further ones are dropped; more than twice as many fail the list
	ItemBytes int // bytes of an item; 256 KiB. A longer one is dropped
	Bytes     int // bytes of the items of a list; 16 MiB. Further ones are dropped; more than twice as many fail the list
	Pages     int // pages of a list; by default the Manager's limit. More fail the list
	Name      int // bytes of the name of a tool or prompt; 256. One with a longer name is dropped
	Dropped   int // dropped items that a Change lists; 100. It counts the others
}

// Config has the settings of a Catalog. New copies it.
type Config struct {
	// Kinds are the lists to read, of protocol.Lists; nil means all of them.
	Kinds []*protocol.List
	// Naming sets the names of items. Local tools keep their own names under every policy, and take
	// precedence over servers. Under naming.Hidden, Change.Dropped has the items that conflict. With
	// Ordered the first server has the name.
	Naming naming.Policy
	// Sources are the servers, in order of precedence.
	Sources []Source
	// Local are the tools of the program itself. They precede all others.
	Local []protocol.Tool

	// TTL is how long a list is fresh, from when its first page was requested. At exactly that time it is
	// stale. 0 means 10 minutes; lifecycle.NoTimeout means until its server announces a change. A fresh
	// list that has expired according to a server without sessions is read again when a call needs it, once
	// in MinInterval, but no call waits for that. If the server announces changes it does not expire. An
	// unexpired public list is not read again over the next link of the same Connect.
	TTL time.Duration
	// Always has a list read again for each new call, ignoring TTL.
	Always bool
	// Lazy reads a list only when a call needs it, not as soon as its server is ready or announces
	// a change.
	Lazy bool
	// Renew reads a list again as soon as it is stale, not only when a call needs it.
	Renew bool
	// Ordered has a call wait until the lists of all servers before the one that has the item are
	// fresh, because they might have an item with that name. The name then moves to that server.
	// Without it a call goes to the item that Items shows, and no server waits for another.
	Ordered bool
	// MinInterval is the shortest time between the beginnings of two readings of a list, if only an
	// announcement requires the second. 0 means 1 s; with lifecycle.NoTimeout each announcement
	// causes a reading.
	MinInterval time.Duration
	// Total is how long reading all pages of a list may take. 0 means the Manager's limit.
	Total time.Duration
	// Retry is the delay before a list that could not be read is read again.
	Retry backoff.Policy
	// Stale says whether the items stay in the meantime.
	Stale Stale
	// Limits bound each list.
	Limits Limits
	// PassThrough keeps every item that has a key, valid or not. The Budget of the Manager, not
	// Limits, bounds a list.
	PassThrough bool
	// Deferred leaves new plain names without an owner until Claim assigns them. Then the first server
	// in order gets a name, not the first that was ready.
	Deferred bool
	// Seed seeds the random numbers for the jitter of Retry.
	Seed uint64
}

// check returns the Config with its defaults, or a *lifecycle.ConfigError (A1, E34).
func (c Config) check() (Config, error) {
	var f lifecycle.Filler
	for i, k := range c.Kinds {
		if !slices.Contains(protocol.Lists(), k) {
			f.Wrong("Kinds["+strconv.Itoa(i)+"]", "another list", "want one of protocol.Lists")
		}
	}
	if c.Kinds == nil {
		c.Kinds = protocol.Lists()
	}
	c.Kinds = slices.Clone(c.Kinds)
	f.Within("Naming", c.Naming.Check())
	f.Time("TTL", &c.TTL, 10*time.Minute, lifecycle.MayBeNone)
	if c.Renew && c.Always {
		f.Wrong("Renew", "true", "want false with Always: a list that is always stale cannot be renewed")
	}
	f.Time("MinInterval", &c.MinInterval, time.Second, lifecycle.MayBeNone)
	if c.Total < 0 {
		f.Wrong("Total", c.Total.String(), "want positive, or 0 for that of the Manager")
	}
	f.Within("Retry", c.Retry.Check())
	f.Choice("Stale", int(c.Stale), int(Omit))
	l := &c.Limits
	f.Count("Limits.Sources", &l.Sources, 10_000)
	f.Count("Limits.Items", &l.Items, 10_000)
	f.Count("Limits.ItemBytes", &l.ItemBytes, 256<<10)
	f.Count("Limits.Bytes", &l.Bytes, 16<<20)
	f.Count("Limits.Pages", &l.Pages, 0)
	f.Count("Limits.Name", &l.Name, 256)
	f.Count("Limits.Dropped", &l.Dropped, 100)
	return c, f.Err("catalog")
}

// fill fills in the defaults of a Source from the Config. Errors: lifecycle.ErrConfig, ErrServer.
func (s *Source) fill(c *Config) error {
	if !naming.Valid(s.Name, longestName) {
		return fmt.Errorf("%w: %w: name %.64q", lifecycle.ErrConfig, ErrServer, s.Name)
	}
	var f lifecycle.Filler
	s.Always = s.Always || s.TTL == 0 && c.Always
	f.Time("TTL", &s.TTL, c.TTL, lifecycle.MayBeNone)
	if c.Renew && s.Always {
		f.Wrong("Always", "true", "want false with Config.Renew: a list that is always stale cannot be renewed")
	}
	f.Within("Filter", s.Filter.Check())
	s.Filter = s.Filter.Clone()
	return f.Err(fmt.Sprintf("catalog: server %q", s.Name))
}
