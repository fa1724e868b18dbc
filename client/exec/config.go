package exec

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/lifecycle"
)

// DefaultQueue is the default of Config.Queue.
const DefaultQueue = 1024

// ErrOverloaded is wrapped by the errors of Call and Start: too many calls wait already (row
// E22). Nothing has changed.
var ErrOverloaded = errors.New("mcp: too many calls wait")

// Config are the settings of an Executor. The zero value runs everything at once, tries it
// once and has no timeouts.
type Config struct {
	// Policy is the policy of calls that have none of their own.
	Policy Policy
	// Running is how many attempts run at once. Zero means that it is not limited.
	Running int
	// Queue is how many calls may wait: for a place, for a token, for their turn in a batch,
	// or for the next attempt. Zero means DefaultQueue. A call that can start at once is
	// always taken, and one that has run is never refused.
	Queue int
	// Lane are the limits of each lane that is not in Lanes.
	Lane Lane
	// Lanes are the limits of single lanes, by Name.
	Lanes []Lane
	// Limits are those of results.
	Limits Limits
	// Seed begins the random numbers of jitter.
	Seed uint64
}

// Lane are the limits of calls that have something in common, as a server. The zero value has
// none. Calls of other lanes do not wait for those of a lane that is at its limit: with Running
// and Queue below those of Config, a server that hangs takes no place from the others. A lane
// without calls is remembered until its bucket is full.
type Lane struct {
	// Name is the lane, as Request.Lane has it; it is not used in Config.Lane.
	Name string
	// Running is how many attempts run at once. Zero means that it is not limited.
	Running int
	// Queue is how many calls may wait, of those that Config.Queue allows. Zero means all of
	// them.
	Queue int
	// Rate is how often an attempt begins.
	Rate Rate
	// Reject ends a call as RateLimited, with the time after which there is a token, where it
	// would have to wait for one.
	Reject bool
}

// filled returns the Config with its defaults, as a copy, or an error that wraps
// lifecycle.ErrParams.
func (c Config) filled() (Config, error) {
	if c.Running < 0 || c.Queue < 0 {
		return c, fmt.Errorf("%w: Running or Queue is negative", lifecycle.ErrParams)
	}
	if c.Queue == 0 {
		c.Queue = DefaultQueue
	}
	if err := c.Policy.Check(); err != nil {
		return c, err
	}
	var err error
	if c.Limits, err = c.Limits.filled(); err != nil {
		return c, err
	}
	if c.Lane, err = c.Lane.filled(); err != nil {
		return c, err
	}
	c.Lanes = slices.Clone(c.Lanes)
	for i := range c.Lanes {
		if c.Lanes[i], err = c.Lanes[i].filled(); err != nil {
			return c, err
		}
		c.Lanes[i].Name = strings.Clone(c.Lanes[i].Name)
	}
	slices.SortFunc(c.Lanes, func(a, b Lane) int { return strings.Compare(a.Name, b.Name) })
	for i := 1; i < len(c.Lanes); i++ {
		if c.Lanes[i].Name == c.Lanes[i-1].Name {
			return c, fmt.Errorf("%w: the lane %q twice", lifecycle.ErrParams, c.Lanes[i].Name)
		}
	}
	return c, nil
}

func (l Lane) filled() (Lane, error) {
	if l.Running < 0 || l.Queue < 0 {
		return l, fmt.Errorf("%w: Running or Queue of the lane %q is negative", lifecycle.ErrParams, l.Name)
	}
	var err error
	l.Rate, err = l.Rate.filled()
	return l, err
}

// lane returns the limits of a lane.
func (c *Config) lane(name string) *Lane {
	i, ok := slices.BinarySearchFunc(c.Lanes, name, func(l Lane, name string) int { return strings.Compare(l.Name, name) })
	if ok {
		return &c.Lanes[i]
	}
	return &c.Lane
}

// Status is a summary of an Executor. It is comparable.
type Status struct {
	Running int    // attempts that run
	Waiting int    // calls that do not run and have not settled
	Batches int    // batches of which a call has not settled
	Begun   uint64 // attempts begun, ever
	Settled uint64 // calls settled, ever
	Late    uint64 // outcomes dropped because nobody waited for them any more, ever
}
