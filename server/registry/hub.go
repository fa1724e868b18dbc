package registry

import (
	"errors"
	"slices"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// HubOptions are the settings of a Hub.
type HubOptions struct {
	// Config is what the sessions with single groups have in common. Info, Instructions,
	// Catalog, Serve and ListChanged are those of the group.
	Config server.Config
	// Native are the operations that the host may do itself. The others the Hub does.
	Native []Operation
}

// Hub is the groups of all sessions of a host, and what runs with them: a value. It owns a State
// for each session that speaks to a single group (Deliver), and the calls by name (Call). It
// keeps of a peer what those States keep.
type Hub struct {
	opt      HubOptions
	sessions Sessions
	globals  Globals
	calls    Invocations
	conns    table.Table[[]conn] // by the hash of the session
	native   table.Table[NativeRequest]
	asked    uint64
}

// conn is the session of the protocol between a session of the host and one group.
type conn struct {
	session, name string
	server        *Group
	state         server.State
}

// HubOutput is what a step of a Hub asks of its caller.
type HubOutput struct {
	// Deliveries are the Outputs of the States, each to be acted upon as that of any State.
	Deliveries []Delivery
	// Outcomes are the calls by name that ended in the step; the contexts of their functions
	// end with them.
	Outcomes []Outcome
	// Native are operations that the host does or declines, by Answer.
	Native []NativeRequest
	// Changed are the sessions that are offered something else now, sorted: give their drivers
	// Effective.
	Changed []string
	// All says that it is all of them, those that the Hub does not know included.
	All bool
}

// Delivery is the Output of the State of one session and group.
type Delivery struct {
	// Session and Server say whose State it is.
	Session, Group string
	// Handlers have the functions of the group, for Handlers.Job.
	Handlers *server.Handlers
	// Output is what the State asks for.
	Output server.Output
}

// NewHub returns a Hub without sessions.
func NewHub(opt HubOptions) Hub {
	opt.Native = slices.Clone(opt.Native)
	return Hub{opt: opt}
}

// Sessions returns the groups of the sessions.
func (h Hub) Sessions() Sessions { return h.sessions }

// Globals returns the groups of all.
func (h Hub) Globals() Globals { return h.globals }

// Effective returns what a session is offered.
func (h Hub) Effective(session string) *View {
	return h.sessions.Effective(session, h.globals)
}

// Offered returns the group of a name that a session may speak to. Errors: ErrUnknownGroup,
// ErrDisabled, ErrFailed.
func (h Hub) Offered(session, name string) (*Group, error) {
	sc, _ := h.sessions.find(session)
	if s, err := sc.r.Offered(name); !errors.Is(err, ErrUnknownGroup) {
		return s, err
	}
	return h.globals.r.Offered(name)
}

// Deliver hands a decoded message of a session to one group, through a State of its own: there
// is no second dispatcher. The first message begins it. Errors: those of Offered; those of
// server.New for a HubOptions.Config that it refuses.
func (h Hub) Deliver(now time.Time, session, name string, m jsonrpc.Message) (Hub, HubOutput, error) {
	s, err := h.Offered(session, name)
	if err != nil {
		return h, HubOutput{}, err
	}
	c, ok := h.conn(session, name)
	if !ok {
		state, err := server.New(s.config(h.opt.Config), now)
		if err != nil {
			return h, HubOutput{}, err
		}
		c = conn{session, s.Name(), s, state}
	}
	var out server.Output
	c.state, out = c.state.Receive(now, m)
	h, o := h.keep(c, out)
	return h, o, nil
}

// Finish answers a call of Deliver. A late answer is dropped: lifecycle.ErrGone. Errors:
// ErrUnknownGroup where nothing was delivered; those of State.Finish.
func (h Hub) Finish(now time.Time, session, name string, a server.Answer) (Hub, HubOutput, error) {
	c, ok := h.conn(session, name)
	if !ok {
		return h, HubOutput{}, &NameError{Err: ErrUnknownGroup, Kind: "group", Name: name}
	}
	state, out, err := c.state.Finish(now, a)
	c.state = state
	h, o := h.keep(c, out)
	return h, o, err
}

// State returns the State of a session and a group, to look at; false if nothing was delivered.
func (h Hub) State(session, name string) (server.State, bool) {
	c, ok := h.conn(session, name)
	return c.state, ok
}

// keep takes the next State of a conn in, and lets go of one that has ended.
func (h Hub) keep(c conn, out server.Output) (Hub, HubOutput) {
	h = h.drop(c.session, c.name)
	if out.Close == nil {
		key := keyOf(c.session)
		var bucket []conn
		if leaf := h.conns.Get(key); leaf != nil {
			bucket = slices.Clone(leaf.V)
		}
		bucket = append(bucket, c)
		h.conns = h.conns.Put(key, dueOf(bucket), bucket)
	}
	if out.IsZero() {
		return h, HubOutput{}
	}
	return h, HubOutput{Deliveries: []Delivery{{c.session, c.name, c.server.handlers, out}}}
}

func (h Hub) conn(session, name string) (conn, bool) {
	if leaf := h.conns.Get(keyOf(session)); leaf != nil {
		for _, c := range leaf.V {
			if c.session == session && c.name == name {
				return c, true
			}
		}
	}
	return conn{}, false
}

func (h Hub) drop(session, name string) Hub {
	key := keyOf(session)
	leaf := h.conns.Get(key)
	if leaf == nil {
		return h
	}
	bucket := slices.DeleteFunc(slices.Clone(leaf.V), func(c conn) bool { return c.session == session && c.name == name })
	if len(bucket) == 0 {
		h.conns, _ = h.conns.Delete(key)
	} else {
		h.conns = h.conns.Put(key, dueOf(bucket), bucket)
	}
	return h
}

// dueOf returns when the first of the States has something to do.
func dueOf(list []conn) int64 {
	due := int64(table.Never)
	for _, c := range list {
		if t, ok := c.state.NextDeadline(); ok {
			due = min(due, nanos(t))
		}
	}
	return due
}

// NextDeadline returns when Tick has something to do; false if never.
func (h Hub) NextDeadline() (time.Time, bool) {
	return instant(min(h.conns.Min(), h.calls.open.Min()))
}

// Tick lets time pass: calls by name that have had theirs end, and so do the deadlines of the
// States.
func (h Hub) Tick(now time.Time) (Hub, HubOutput) {
	var out HubOutput
	h.calls, out.Outcomes = h.calls.Tick(now)
	_, due := h.conns.Expire(nanos(now))
	for _, leaf := range due {
		for _, c := range leaf.V {
			var o server.Output
			var more HubOutput
			c.state, o = c.state.Tick(now)
			h, more = h.keep(c, o)
			out.Deliveries = append(out.Deliveries, more.Deliveries...)
		}
	}
	return h, out
}

// Call begins the call of a tool by its name, as a session is offered it. The driver runs it with
// Invocation.Run and hands the result to Resolve. Errors: those of Invocations.Start.
func (h Hub) Call(now time.Time, session, tool string, args protocol.Raw, opt CallOptions) (Hub, Invocation, error) {
	calls, i, err := h.calls.Start(now, h.Effective(session), tool, args, opt)
	if err != nil {
		return h, Invocation{}, err
	}
	i.Session = session
	leaf := calls.open.Get(i.ID)
	calls.open = calls.open.Put(i.ID, leaf.Deadline, i)
	h.calls = calls
	return h, i, nil
}

// Resolve ends a call by name, as Invocations.Resolve does.
func (h Hub) Resolve(now time.Time, id uint64, result *protocol.CallToolResult, err error) (Hub, Outcome, bool) {
	var o Outcome
	var ok bool
	h.calls, o, ok = h.calls.Resolve(now, id, result, err)
	return h, o, ok
}

// Calls returns the calls by name that run.
func (h Hub) Calls() Invocations { return h.calls }
