package attempt

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/lifecycle"
)

// defaultQueue is the default of Config.Queue.
const defaultQueue = 1024

// ErrOverloaded is wrapped by the errors of Call and Start if too many calls wait (row E22). The
// Executor has not changed.
var ErrOverloaded = errors.New("attempt: queue full")

// Config are the settings of an Executor. The zero value runs all calls at once, tries each once
// and has no timeouts.
type Config struct {
	// Policy is the policy of calls without their own.
	Policy Policy
	// Running is how many attempts run at once. Zero means no limit.
	Running int
	// Queue is how many calls may wait: for a slot, for a token, for their batch to start them, or
	// for the next attempt. Zero means 1024. A call that can start at once is always accepted, and
	// a started call is never dropped.
	Queue int
	// Lane has the limits of each lane that is not in Lanes.
	Lane Lane
	// Lanes have the limits of single lanes, by Name.
	Lanes []Lane
	// Limits bound results.
	Limits Limits
	// Seed seeds the random numbers of jitter.
	Seed uint64
}

// Lane are the limits of calls that have something in common, such as a server. The zero value has
// no limits. Calls of other lanes do not wait for those of a lane at its limit: with Running and
// Queue below those of Config, a server that hangs takes no slots from the others. A lane without
// calls is kept until its Rate allows a whole Burst again.
type Lane struct {
	// Name is the lane, as in Request.Lane; it is not used in Config.Lane.
	Name string
	// Running is how many attempts run at once. Zero means no limit.
	Running int
	// Queue is how many calls may wait, within Config.Queue. Zero means Config.Queue.
	Queue int
	// Rate limits how often attempts begin.
	Rate Rate
	// Reject ends a call as RateLimited, with the time until the next token, instead of letting it
	// wait.
	Reject bool
}

// filled returns a copy of the Config with its defaults, or a *lifecycle.ConfigError.
func (c Config) filled() (Config, error) {
	var f lifecycle.Filler
	f.Count("Running", &c.Running, 0)
	f.Count("Queue", &c.Queue, defaultQueue)
	c.Policy.check(&f, "Policy.")
	c.Limits.fill(&f, "Limits.")
	c.Lane.fill(&f, "Lane.")
	c.Lanes = slices.Clone(c.Lanes)
	for i := range c.Lanes {
		c.Lanes[i].fill(&f, "Lanes["+strconv.Itoa(i)+"].")
		c.Lanes[i].Name = strings.Clone(c.Lanes[i].Name)
	}
	slices.SortFunc(c.Lanes, func(a, b Lane) int { return strings.Compare(a.Name, b.Name) })
	for i := 1; i < len(c.Lanes); i++ {
		if c.Lanes[i].Name == c.Lanes[i-1].Name {
			f.Wrong("Lanes", strconv.Quote(c.Lanes[i].Name)+" twice", "want each name once")
		}
	}
	return c, f.Err("attempt")
}

// fill fills in the defaults of a Lane.
func (l *Lane) fill(f *lifecycle.Filler, field string) {
	f.Count(field+"Running", &l.Running, 0)
	f.Count(field+"Queue", &l.Queue, 0)
	l.Rate.fill(f, field+"Rate")
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
	Running int    // running attempts
	Waiting int    // calls that have not ended and have no running attempt
	Batches int    // batches that have not ended
	Begun   uint64 // total attempts begun; a call may have several
	Ended   uint64 // total calls ended
	Late    uint64 // total late outcomes, dropped
}
