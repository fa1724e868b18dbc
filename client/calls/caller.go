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

// SharedLane is the lane of calls that wait for lists and whose name does not identify a server. It is
// not a server name and not the lane of local tools, so such calls do not delay local tools, which are
// ready before servers are.
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
// A call is bound to one tool, when it is made or as soon as the lists that it needs are fresh. All
// attempts go to that tool of that server, never to another server (A5). While a call waits for
// lists, the time of its attempt runs. Its lane is fixed at the start: that of the server in its
// qualified name, otherwise SharedLane. Until it is bound, the Executor has no hints whether it may
// be repeated.
type Caller struct {
	x     attempt.Executor
	t     Tools
	form  naming.Form
	m     manager.Manager
	calls table.Table[call]                 // not ended, by CallID
	ops   table.Table[attempt.CallID]       // requests in flight; zero if the result is ignored
	waits table.Table[table.Table[nothing]] // calls that wait for a server, by hash of its name
	last  uint64                            // the newest CallID
	whole attempt.Policy                    // of the Config
}

type nothing = struct{}

// call is a call that has not ended.
type call struct {
	name      string
	meta      protocol.Meta
	progress  bool
	resets    bool // progress resets its timeout
	endless   bool // an attempt has no timeout
	total     bool // the policy limits the time of the call
	unchecked bool
	bound     *Binding
	doing
}

// doing is the current attempt of a call, and what it waits for.
type doing struct {
	attempt   attempt.Attempt // zero if none runs
	op        manager.Op      // its request, once sent
	arguments protocol.Raw    // of its request
	listed    bool            // its server refused its headers, and its tools are read again since
	due       time.Time       // its deadline; zero for none
	since     time.Time       // when it began
	waits     []string        // the servers that it waited for at the last lookup of its tool
	left      int             // how many of them are left
	seen      uint64          // the number of the tool that the lookup found; 0 for none
}

// local reports whether the call is bound to a local tool.
func (c *call) local() bool { return c.bound != nil && c.bound.Local() }

// Request is one call of a tool.
type Request struct {
	// Name is the name of the tool, as for Tools.Lookup.
	Name string
	// Arguments are a JSON object, or "" or null for none.
	Arguments protocol.Raw
	// Meta is the _meta of a request to a server. manager.Options.Meta adds to it.
	Meta protocol.Meta
	// Progress requests progress from the server.
	Progress bool
	// ResetOnProgress asks for progress, which restarts the timeout of an attempt: Policy.Attempt,
	// otherwise manager.Timeouts.Request. The call ends at Policy.Total, otherwise at
	// manager.Timeouts.Maximum.
	ResetOnProgress bool
	// Policy, if not nil, replaces the policy of the batch and of the Config.
	Policy *attempt.Policy
}

// LocalStart asks the driver to run a local tool, and to report its outcome to Finish.
type LocalStart struct {
	Attempt   attempt.Attempt // its handle
	Tool      string          // its name
	Arguments protocol.Raw    // a JSON object, or "" for none
	Deadline  time.Time       // when it times out; zero if never
}

// LocalStop asks the driver to cancel a local tool. A later outcome is dropped.
type LocalStop = attempt.Stop

// Progress is progress of a call.
type Progress struct {
	Call    attempt.CallID // the call
	Attempt int            // number of the attempt, from 1; each has its own progress
	Params  protocol.Raw   // of notifications/progress
}

// Output is what a step of a Caller asks of its driver, in causal order. Act on LocalStop before
// LocalStart.
type Output struct {
	catalog.Update
	Call       attempt.CallID      // the call of Call, or the first of Batch
	Batch      attempt.BatchID     // the batch of Batch
	LocalStop  []LocalStop         // local tools to cancel
	LocalStart []LocalStart        // local tools to run
	Progress   []Progress          // of calls
	Done       []attempt.Result    // calls that have ended, each once. Its Tool is the name in the Request
	Batches    []attempt.BatchDone // batches whose calls have all ended
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

// NextDeadline returns when to call Tick; false if there is no deadline. It takes constant time.
func (c Caller) NextDeadline() (first time.Time, ok bool) {
	for _, m := range [...]interface{ NextDeadline() (time.Time, bool) }{c.x, c.t, c.m} {
		if at, some := m.NextDeadline(); some && (!ok || at.Before(first)) {
			first, ok = at, true
		}
	}
	return first, ok
}
