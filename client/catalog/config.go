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

// Stale decides about the items of a server whose list could not be read again. A failure is never
// treated as an empty list.
type Stale uint8

// The policies.
const (
	// Keep keeps the items read last.
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
	// Always makes each call read the lists again, and ignores TTL.
	Always bool
	// Filter decides which items of the server are in the Catalog. Others have no name.
	Filter Filter
}

// Limits bound each list of a server, whatever the server sends: to Bytes + 1 KiB × Items + 64 KiB of
// memory; Bytes more for resources that a Filter excludes; and twice the total while the list is read.
// Zero means the default.
type Limits struct {
	Sources   int // servers; 10,000
	Items     int // items of a list; 10,000. Further ones are dropped; more than twice as many fail the list
	ItemBytes int // bytes of an item; 256 KiB. A longer one is dropped
	Bytes     int // bytes of the items of a list; 16 MiB. Further ones are dropped; more than twice as many fail the list
	Pages     int // pages of a list; by default the Manager's limit. More fail the list
	Name      int // bytes of the name of a tool or prompt; 256. One with a longer name is dropped
	Dropped   int // dropped items that a Change lists; 100. It counts the others
}

// Config configures a Catalog. New copies it.
type Config struct {
	// Kinds are the lists to read, from protocol.Lists; nil means all.
	Kinds []*protocol.List
	// Naming decides how items are named. Local tools have their own names under every policy, and
	// win over those of servers. With naming.Hidden, Change.Dropped has the items that conflict.
	// With Ordered the first server gets a name.
	Naming naming.Policy
	// Sources are the servers, in order of precedence.
	Sources []Source
	// Local are the tools of the program itself. They precede all others.
	Local []protocol.Tool

	// TTL is how long a list is fresh, counted from the request of its first page; at its end the list is
	// stale. 0 means 10 minutes; lifecycle.NoTimeout means until its server announces a change. If a server
	// without sessions states an earlier expiry, the list is read again after that when a call needs it,
	// once in MinInterval, but no call waits for that. The expiry is ignored if the server announces
	// changes of the list. A list that has not expired, and is the same for all clients, is not read again
	// on the next link of the same Connect.
	TTL time.Duration
	// Always makes each new call read a list again, and ignores TTL.
	Always bool
	// Lazy reads a list only when a call needs it, not as soon as its server is ready or announces
	// a change.
	Lazy bool
	// Renew reads a list again as soon as it is stale, not only when a call needs it.
	Renew bool
	// Ordered makes a call wait until the lists of all servers before the item's server are fresh,
	// because they could have an item with that name, which would then get the name. Without Ordered
	// a call goes to the item that Items shows, and no server waits for another.
	Ordered bool
	// MinInterval is the shortest time between the beginnings of two readings of a list, if only an
	// announcement requires the second. 0 means 1 s; with lifecycle.NoTimeout each announcement
	// causes a reading.
	MinInterval time.Duration
	// Total is how long reading all pages of a list may take. 0 means the Manager's limit.
	Total time.Duration
	// Retry is the delay before a list that could not be read is read again.
	Retry backoff.Policy
	// Stale decides about the items until then.
	Stale Stale
	// Limits bound each list.
	Limits Limits
	// PassThrough keeps every item that has a key, valid or not. The Budget of the Manager bounds a
	// list, instead of Limits.
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
