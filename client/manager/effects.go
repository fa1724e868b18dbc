package manager

import (
	"slices"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Effects is what the caller of a step must do, with what happened. The slices are new, and in
// causal order.
type Effects struct {
	// Actions are what the driver must do. Perform those of one Link in order; those of different
	// Links need not wait for each other.
	Actions []Action
	// Events are what happened.
	Events []Event
	// Op is the handle of the operation that a verb began.
	Op Op
}

// Todo returns the Actions, also for types that embed Effects. It implements links.Todo.
func (e Effects) Todo() []Action { return e.Actions }

// IsZero reports whether there is nothing to do.
func (e Effects) IsZero() bool { return len(e.Actions) == 0 && len(e.Events) == 0 && e.Op.IsZero() }

// Merge appends the Effects p. A later Op replaces an earlier one.
func (e *Effects) Merge(p Effects) {
	e.Actions, e.Events = concat(e.Actions, p.Actions), concat(e.Events, p.Events)
	if !p.Op.IsZero() {
		e.Op = p.Op
	}
}

// concat returns both lists in a new slice, because others may keep either.
func concat[T any](a, b []T) []T {
	if len(a) == 0 {
		return b
	}
	return append(slices.Clip(a), b...)
}

// ActionKind is the kind of an Action.
type ActionKind uint8

// The actions.
const (
	// ActOpen: open a transport to Endpoint, and report Opened or OpenFailed. The driver should
	// give up at By; the Manager does so by itself.
	ActOpen ActionKind = iota + 1
	// ActSend: write Out.Message. If that fails, report SendFailed or Ended. Revision is the
	// negotiated revision, for HTTP headers; zero before the handshake.
	ActSend
	// ActClose: close the transport gracefully, after everything was sent, and report Ended; if it
	// is still being opened, stop that and report OpenFailed or Ended.
	ActClose
	// ActKill: the transport did not close by its deadline: close it at once. No report is needed.
	ActKill
)

var actionNames = []string{"action(?)", "open", "send", "close", "kill"}

// String returns the name of the action.
func (k ActionKind) String() string { return rawjson.NameOf(k, "action(?)", actionNames...) }

// Action is something that the driver must do. Kind determines which fields are set.
type Action struct {
	Kind     ActionKind        // what to do
	Link     Link              // the transport
	Endpoint any               // of ActOpen: Options.Endpoint or Fallback.Endpoint
	Dial     int               // of ActOpen: number of the dial since the server was last stable, from 1
	By       time.Time         // of ActOpen and ActClose: the deadline
	Out      client.Outgoing   // of ActSend
	Revision protocol.Revision // of ActSend
}

// EventKind is the kind of an Event. An unknown kind can be ignored.
type EventKind uint8

// The events.
const (
	// OpDone: an operation ended. Op, Method; Err says why it failed, nil if it did not. For a
	// request: Link, Session (ResponseReceived or RequestFailed, as received). For List: Items, all
	// of them, or with Err those of the pages read before. For a ping: Latency. For HealthCheck:
	// Checkups. For DisconnectAll: Errors.
	OpDone EventKind = iota + 1
	// ServerChanged: the condition of a server changed. Link, From, To; Err is why, if it was lost
	// or could not be opened. RetryAt is when it will be opened again or, if it has Failed and is
	// OnDemand, may be; zero means never. Draining and Closed are conditions of a link whose name
	// is free or has another link; the next link under its name begins from Idle.
	ServerChanged
	// PingsMissed: nothing arrived before a ping timed out. Misses is how many pings in a row; zero
	// means that the server has recovered. Link, Misses.
	PingsMissed
	// SessionEvent: the event Session of the session of Link: a request of the server (Call is its
	// handle), its end, a notification, progress (of the operation Op), a violation.
	SessionEvent
	// RestoreFailed: a subscription (URI) or the log level (URI is empty) of the last session could
	// not be restored in the new one, and is dropped. Link, Method, URI, Err.
	RestoreFailed
)

var eventNames = []string{"event(?)", "op done", "server changed", "pings missed", "session event", "restore failed"}

// String returns the name of the kind.
func (k EventKind) String() string { return rawjson.NameOf(k, "event(?)", eventNames...) }

// Event is something that happened. Kind determines which fields are set.
type Event struct {
	Kind    EventKind    // what happened
	Link    Link         // the link
	Op      Op           // the operation
	Call    Call         // of SessionEvent: the server's request
	Method  string       // of OpDone: the method of the request, or "connect", "disconnect", …
	Session client.Event // the event of the session
	// Items are the unchanged items of a list.
	Items []jsonrpc.Raw
	// FreshUntil is, for List, the time until which a server without sessions says that the list is
	// fresh, at most a day; zero in a session.
	FreshUntil time.Time
	Latency    time.Duration // from sending a ping to its answer
	Checkups   []Checkup     // of a health check, in connection order
	Errors     []error       // of DisconnectAll, in connection order
	From       Condition     // of ServerChanged
	To         Condition     // of ServerChanged
	RetryAt    time.Time     // of ServerChanged, and of OpDone with ErrUnavailable
	Misses     int           // of PingsMissed
	URI        string        // of RestoreFailed
	Err        error         // a *Error, or nil
}

// Checkup is the result of a health check for one server.
type Checkup struct {
	Link      Link          // the link that was checked
	Condition Condition     // the condition at the end
	Latency   time.Duration // of the ping, if it was answered
	RetryAt   time.Time     // when it will, or on demand may, be opened again; zero if never or not needed
	Err       error         // nil if it answered
}

// Outcome returns how the request of an OpDone ended: the event of its session; false if it did not
// get that far.
func (e Event) Outcome() (client.Event, bool) {
	return e.Session, e.Kind == OpDone &&
		(e.Session.Kind == lifecycle.ResponseReceived || e.Session.Kind == lifecycle.RequestFailed)
}
