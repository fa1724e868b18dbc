package registry

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/server"
)

// CallOptions are those of one call by name.
type CallOptions struct {
	// Timeout is how long the call may take; 0 means that of the tool, lifecycle.NoTimeout for ever.
	Timeout time.Duration
}

// Invocation is a call of a tool by its name, outside of any session of the protocol.
type Invocation struct {
	ID        uint64       // its number, that no other of the Invocations has
	Session   string       // of a Hub; "" otherwise
	Tool      OfferedTool  // what is called
	Arguments protocol.Raw // a JSON object that fits the tool
	Deadline  time.Time    // zero if it has for ever
	timeout   time.Duration
}

// Run runs the function of the tool; an Invocation that nobody made has none. The driver ends ctx when an Outcome of the invocation comes
// first. c may be nil where the tools of the host do not use it.
func (i Invocation) Run(ctx context.Context, c server.Caller) (*protocol.CallToolResult, error) {
	if i.Tool.of == nil {
		return nil, errNothing
	}
	f := i.Tool.of.handlers.ToolFunc(i.Tool.Tool.Name)
	return f(ctx, c, protocol.CallToolParams{Name: i.Tool.Tool.Name, Arguments: i.Arguments})
}

// Outcome is how an Invocation ended.
type Outcome struct {
	Invocation Invocation               // what was called
	Result     *protocol.CallToolResult // nil beside Err
	// Err is that of the function, or ErrTimeout, ErrRemoved. Its text is for the host.
	Err error
}

// Public returns the result as a peer or a model may see it. An error that has a result for
// that, as *toolerror.Error, or wraps one, gives it, as in a session; the text of another error
// of a tool is its author's, and that of a *jsonrpc.Error its message. Of a call that was ended it
// is told why, with the time that it had, and nothing else.
func (o Outcome) Public() *protocol.CallToolResult {
	var rpc *jsonrpc.Error
	var own interface {
		ToolResult() *protocol.CallToolResult
	}
	switch o.Err = engine.Real(o.Err); {
	case o.Err == nil && o.Result != nil:
		return o.Result
	case o.Err == nil, errors.Is(o.Err, errNothing):
		return protocol.ErrorResult("the tool has no result")
	case errors.Is(o.Err, ErrTimeout):
		return protocol.ErrorResult(lateText(o.Invocation.timeout))
	case errors.Is(o.Err, ErrRemoved):
		if errors.Is(o.Err, errDropped) {
			return protocol.ErrorResult("the session ended while the request ran")
		}
		return protocol.ErrorResult(goneText)
	case errors.As(o.Err, &own):
		if r := own.ToolResult(); r != nil {
			return r
		}
	case errors.As(o.Err, &rpc) && rpc != nil:
		return protocol.ErrorResult(rpc.Message)
	}
	return protocol.ErrorResult(o.Err.Error())
}

// Invocations are the calls by name that run: a value. The zero Invocations is ready for use.
type Invocations struct {
	open table.Table[Invocation]
	last uint64
	now  int64
	late uint64
}

// Start looks a tool up in a view, checks the arguments, "" and null counting as {}, and returns
// what the driver is to Run. Errors: ErrUnknownTool, ErrArguments, ErrInvalid for a wrong
// CallOptions.Timeout, with a *lifecycle.ConfigError.
func (n Invocations) Start(now time.Time, v *View, name string, args protocol.Raw, opt CallOptions) (Invocations, Invocation, error) {
	ref, ok := v.Lookup(name)
	if !ok {
		return n, Invocation{}, &NameError{Err: ErrUnknownTool, Kind: "tool", Name: name}
	}
	if args = protocol.Raw(strings.Trim(string(args), " \t\r\n")); args == "" || args == "null" {
		args = "{}"
	}
	const object = `{"type":"object"}`
	if err := v.Catalog().CheckArguments(name, args); err != nil {
		if all := schema.Explain(object, args, schema.Basic{}.Validate(object, args)); all != nil {
			err = all // in the words that other faults have
		}
		return n, Invocation{}, &NameError{Err: ErrArguments, Kind: "tool", Name: name, Group: ref.Group, Cause: err}
	}
	var fill lifecycle.Filler
	fill.Time("Timeout", &opt.Timeout, ref.Timeout, lifecycle.MayBeNone)
	if err := fill.Err("registry"); err != nil {
		return n, Invocation{}, &NameError{Err: ErrInvalid, Kind: "tool", Name: name, Cause: err}
	}
	n.now = max(n.now, nanos(now))
	n.last++
	i := Invocation{ID: n.last, Tool: ref, Arguments: args, timeout: opt.Timeout}
	due := later(n.now, i.timeout)
	i.Deadline, _ = instant(due)
	n.open = n.open.Put(i.ID, due, i)
	return n, i, nil
}

// Resolve ends an invocation with what its function returned. One that has ended already is
// dropped and counted: then the third result is false. A nil pointer of an error type of this
// library is no error, as in a session.
func (n Invocations) Resolve(now time.Time, id uint64, result *protocol.CallToolResult, err error) (Invocations, Outcome, bool) {
	n.now = max(n.now, nanos(now))
	open, leaf := n.open.Delete(id)
	if leaf == nil {
		n.late++
		return n, Outcome{}, false
	}
	n.open = open
	err = engine.Real(err)
	if result == nil && err == nil {
		err = errNothing
	}
	if err != nil {
		result = nil
	}
	return n, Outcome{leaf.V, result, err}, true
}

// Tick ends the invocations that have had their time, with ErrTimeout.
func (n Invocations) Tick(now time.Time) (Invocations, []Outcome) {
	n.now = max(n.now, nanos(now))
	var due []*table.Leaf[Invocation]
	n.open, due = n.open.Expire(n.now)
	var list []Outcome
	for _, leaf := range due {
		i := leaf.V
		list = append(list, Outcome{Invocation: i, Err: &NameError{Err: ErrTimeout, Kind: "tool", Name: i.Tool.Tool.Name, Group: i.Tool.Group, Cause: errors.New(lateText(i.timeout))}})
	}
	return n, list
}

// Cancel ends the invocations that gone picks, with ErrRemoved.
func (n Invocations) Cancel(gone func(Invocation) bool) (Invocations, []Outcome) {
	return n.cancel(func(i Invocation) error {
		if gone(i) {
			return removed(i.Tool.Group, nil)
		}
		return nil
	})
}

// cancel ends the invocations that why has an error for.
func (n Invocations) cancel(why func(Invocation) error) (Invocations, []Outcome) {
	var list []Outcome
	for _, i := range n.Open() {
		if err := why(i); err != nil {
			n.open, _ = n.open.Delete(i.ID)
			list = append(list, Outcome{Invocation: i, Err: err})
		}
	}
	return n, list
}

// removed returns the error of calls of a group that is not offered because of cause, which is
// that of Registry.Offered or nil.
func removed(group string, cause error) error {
	var name *NameError
	if errors.As(cause, &name) { // which names the group again
		switch {
		case errors.Is(name.Err, ErrUnknownGroup):
			cause = nil
		case name.Cause == nil:
			cause = name.Err
		default:
			cause = fmt.Errorf("%w: %w", name.Err, name.Cause)
		}
	}
	return &NameError{Err: ErrRemoved, Kind: "group", Name: group, Cause: cause}
}

// dropped returns the error of what ran for a session that ended.
func dropped(session string) error {
	return &NameError{Err: ErrRemoved, Kind: "session", Name: session, Cause: errDropped}
}

// Open returns the invocations that run, oldest first. The caller owns the slice.
func (n Invocations) Open() (list []Invocation) {
	for leaf := range n.open.All() {
		list = append(list, leaf.V)
	}
	return list
}

// Late returns how many answers came for invocations that were over.
func (n Invocations) Late() uint64 { return n.late }

// NextDeadline returns when the next invocation has had its time; false if none is waited for.
func (n Invocations) NextDeadline() (time.Time, bool) { return instant(n.open.Min()) }

var errNothing = errors.New("registry: the tool has no result")

var errDropped = errors.New("registry: the session has ended")

const goneText = "removed while the request ran; list again"

func lateText(timeout time.Duration) string {
	return "the tool has not answered within " + timeout.String()
}
