package calls

import (
	"time"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// SharedLane is the lane of calls that wait for lists and whose name does not say which server has the
// tool. No server has this name, so that such calls take no place from local tools, which are ready
// while servers are not.
const SharedLane = " "

// Config has the settings of the parts of a Caller.
type Config struct {
	Manager manager.Config // the connections
	Catalog catalog.Config // the catalog; its Kinds are tools
	// Attempts has the policy of calls. If its Attempt and Total are zero, a request to a server has
	// manager.Timeouts.Request, which is paused while the server asks the user. With lifecycle.NoTimeout for
	// Attempt it has no timeout. The lane of a call is the name of its server, "" for local tools, or
	// SharedLane.
	Attempts attempt.Config
}

// Caller calls tools by name: a Manager, a Catalog and an Executor as one machine. It is an immutable
// value, as they are. A driver of a Manager drives a Caller in the same way. The zero Caller is not
// usable; see New.
//
// A call is bound to a tool once, when it is made or, if the lists that it needs are not fresh, as
// soon as they are; from then on all attempts go to that tool of that server, and to no other one
// if it fails (A5). While it waits for lists its time runs, as that of an attempt. Its lane
// is the one that it began in: that of the server that its qualified name has, or else SharedLane.
// Nothing is known of what it may repeat until it is bound.
type Caller struct {
	x     attempt.Executor
	t     Tools
	form  naming.Form
	m     manager.Manager
	calls table.Table[call]                 // that have not ended, by CallID
	ops   table.Table[attempt.CallID]       // of requests under way; zero if its end is dropped
	waits table.Table[table.Table[nothing]] // calls that wait for a server, by the hash of its name
	last  uint64                            // the newest CallID
	whole attempt.Policy                    // of the Config
}

type nothing = struct{}

// call is a call that has not ended.
type call struct {
	name      string
	meta      protocol.Meta
	progress  bool
	resets    bool // its time, on progress
	endless   bool // an attempt may take as long as it likes
	total     bool // the policy says when the call ends
	unchecked bool
	bound     *Binding
	doing
}

// doing is what a call does at the moment: its attempt that runs, and what that waits for.
type doing struct {
	attempt   attempt.Attempt // the one that runs, zero if none does
	op        manager.Op      // its request, once that is under way
	arguments protocol.Raw    // those of its request
	listed    bool            // its server has refused its headers, and the tools were asked for since
	due       time.Time       // its deadline, zero for none
	since     time.Time       // when it began
	waits     []string        // the servers that it was waiting for when its tool was last looked up
	left      int             // how many of them it still waits for
	seen      uint64          // the number of the tool that its name led to then, 0 for none
}

// local reports whether the call is bound to a local tool.
func (c *call) local() bool { return c.bound != nil && c.bound.Local() }

// Request is one call of a tool.
type Request struct {
	// Name is the name of the tool, as Tools.Lookup takes it.
	Name string
	// Arguments are an object, or "" or null for none.
	Arguments protocol.Raw
	// Meta is the _meta of the request to a server. manager.Options.Meta adds to it.
	Meta protocol.Meta
	// Progress asks the server for progress.
	Progress bool
	// ResetOnProgress asks for progress, which restarts the timeout of an attempt: Policy.Attempt,
	// otherwise manager.Timeouts.Request. The call ends at Policy.Total, otherwise at
	// manager.Timeouts.Maximum.
	ResetOnProgress bool
	// Policy, if it is set, is used instead of the policy of the batch and of the Config.
	Policy *attempt.Policy
}

// LocalStart asks the driver to run a local tool, and to report the outcome to Finish.
type LocalStart struct {
	Attempt   attempt.Attempt // which
	Tool      string          // its name
	Arguments protocol.Raw    // an object, or "" for none
	Deadline  time.Time       // when it times out, zero if never
}

// LocalStop asks the driver to cancel a local tool. A later outcome is dropped.
type LocalStop = attempt.Stop

// Progress is progress of a call.
type Progress struct {
	Call    attempt.CallID // the call
	Attempt int            // which of its attempts, from 1: the progress of each begins anew
	Params  protocol.Raw   // those of notifications/progress
}

// Output is what a step of a Caller asks of its driver, in causal order. Act on LocalStop before
// LocalStart.
type Output struct {
	catalog.Update
	Call       attempt.CallID      // the call that Call has made, or the first one of Batch
	Batch      attempt.BatchID     // the batch that Batch has made
	LocalStop  []LocalStop         // local tools to cancel
	LocalStart []LocalStart        // local tools to run
	Progress   []Progress          // of calls
	Done       []attempt.Result    // calls that have ended: each does so once. Its Tool is the name of the Request
	Batches    []attempt.BatchDone // batches of which all calls have ended
}

// New returns a Caller without connections. now is the origin of all its times. Errors:
// those of manager.New, catalog.New and attempt.New.
func New(cfg Config, now time.Time) (Caller, error) {
	m, err := manager.New(cfg.Manager, now)
	if err != nil {
		return Caller{}, err
	}
	cfg.Catalog.Kinds = []*protocol.List{protocol.ToolList}
	t, err := catalog.New(cfg.Catalog, now)
	if err != nil {
		return Caller{}, err
	}
	x, err := attempt.New(cfg.Attempts, now)
	if err != nil {
		return Caller{}, err
	}
	return Caller{x: x, t: Tools{Catalog: t}, form: cfg.Catalog.Naming.Form, m: m, whole: cfg.Attempts.Policy}, nil
}

// Tools returns the catalog, for reading.
func (c Caller) Tools() Tools { return c.t }

// Manager returns the connections, for reading.
func (c Caller) Manager() manager.Manager { return c.m }

// Status returns a summary of the calls.
func (c Caller) Status() attempt.Status { return c.x.Status() }

// NextDeadline returns when Tick is next due; false if nothing waits. It takes constant time.
func (c Caller) NextDeadline() (first time.Time, ok bool) {
	for _, m := range [...]interface{ NextDeadline() (time.Time, bool) }{c.x, c.t, c.m} {
		if at, some := m.NextDeadline(); some && (!ok || at.Before(first)) {
			first, ok = at, true
		}
	}
	return first, ok
}
