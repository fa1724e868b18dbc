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

// Effects is what a step asks of its caller. The caller owns the slices; they are in causal order.
type Effects struct {
	// Actions are what the driver must do. Those of one Link must be done in this order; those of
	// different Links are independent.
	Actions []Action
	// Events are what happened.
	Events []Event
	// Op is the handle of the operation that a verb began.
	Op Op
}

// Todo returns the Actions, also of what embeds Effects: for links.Loop.
func (e Effects) Todo() []Action { return e.Actions }

// IsZero reports whether the Effects are empty.
func (e Effects) IsZero() bool { return len(e.Actions) == 0 && len(e.Events) == 0 && e.Op.IsZero() }

// Merge appends what p asks for. A later Op replaces an earlier one.
func (e *Effects) Merge(p Effects) {
	e.Actions, e.Events = concat(e.Actions, p.Actions), concat(e.Events, p.Events)
	if !p.Op.IsZero() {
		e.Op = p.Op
	}
}

// concat returns what is in both, either of which others may keep.
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
	// ActOpen: open a transport to Endpoint, and report Opened or OpenFailed. The driver must give
	// up at By; so does the Manager.
	ActOpen ActionKind = iota + 1
	// ActSend: write Out.Message. If that fails, report SendFailed or Ended. Revision is the
	// negotiated revision, for the headers of HTTP; zero before.
	ActSend
	// ActClose: close the transport gracefully, after everything was sent, and report Ended; if it
	// is still being opened, abort that, and report OpenFailed or Ended.
	ActClose
	// ActKill: the transport did not close in time: kill it. Report nothing.
	ActKill
)

var actionNames = []string{"action(?)", "open", "send", "close", "kill"}

// String returns the name of the action.
func (k ActionKind) String() string { return rawjson.NameOf(k, "action(?)", actionNames...) }

// Action is something that the driver must do. Which fields are set depends on Kind.
type Action struct {
	Kind     ActionKind        // what to do
	Link     Link              // with which transport
	Endpoint any               // of ActOpen: Options.Endpoint or Fallback.Endpoint
	Dial     int               // of ActOpen: 1 for the first since the server was last stable
	By       time.Time         // of ActOpen and ActClose: until when
	Out      client.Outgoing   // of ActSend
	Revision protocol.Revision // of ActSend
}

// EventKind is the kind of an Event. Unknown kinds can be ignored.
type EventKind uint8

// The events.
const (
	// OpDone: an operation ended. Op, Method; Err says why it failed, or is nil. Of a request:
	// Link, Session (ResponseReceived or RequestFailed, unchanged). Of List: Items, all of them, or
	// with Err those of the pages that were read. Of a ping: Latency. Of HealthCheck: Checkups. Of
	// DisconnectAll: Errors.
	OpDone EventKind = iota + 1
	// ServerChanged: the condition of a server changed. Link, From, To; Err is why, if it was lost
	// or could not be opened; RetryAt is when it will be reopened or, if it has Failed and is
	// OnDemand, may be; zero: never. Draining and Closed are conditions of a link whose name is
	// free or has another one; the next link of the name begins from Idle.
	ServerChanged
	// PingsMissed: nothing arrived before a ping timed out. Misses is how many in a row; zero means
	// the server has recovered. Link, Misses.
	PingsMissed
	// SessionEvent: the event Session of the session of Link: a request of the server (Call is its
	// handle), its end, a notification, progress (of the operation Op), a violation.
	SessionEvent
	// RestoreFailed: a subscription (URI) or the log level (URI is empty) of the last session could
	// not be restored in the new one, and is removed. Link, Method, URI, Err.
	RestoreFailed
)

var eventNames = []string{"event(?)", "op done", "server changed", "pings missed", "session event", "restore failed"}

// String returns the name of the kind.
func (k EventKind) String() string { return rawjson.NameOf(k, "event(?)", eventNames...) }

// Event is something that happened. Which fields are set depends on Kind.
type Event struct {
	Kind    EventKind    // what happened
	Link    Link         // the link concerned
	Op      Op           // the operation concerned
	Call    Call         // of SessionEvent: the request of the server concerned
	Method  string       // of OpDone: the method of the request, or "connect", "disconnect", …
	Session client.Event // the event of the session
	// Items are the unchanged items of a list.
	Items []jsonrpc.Raw
	// FreshUntil is, of List, how long the list is fresh according to a server without sessions, at most
	// a day; zero in a session.
	FreshUntil time.Time
	Latency    time.Duration // from sending a ping to its answer
	Checkups   []Checkup     // of a health check, in the order of connect
	Errors     []error       // of DisconnectAll, in the order of connect
	From       Condition     // of ServerChanged
	To         Condition     // of ServerChanged
	RetryAt    time.Time     // of ServerChanged, and of OpDone with ErrUnavailable
	Misses     int           // of PingsMissed
	URI        string        // of RestoreFailed
	Err        error         // a *Error, or nil
}

// Checkup is the result of a health check of one server.
type Checkup struct {
	Link      Link          // the link that was checked
	Condition Condition     // its condition at the end
	Latency   time.Duration // of the ping, if it was answered
	RetryAt   time.Time     // when it will, or on demand may, be opened again; zero: never, or not needed
	Err       error         // nil: it answered
}

// Outcome returns the event that ended the request of an OpDone, if there is one.
func (e Event) Outcome() (client.Event, bool) {
	return e.Session, e.Kind == OpDone &&
		(e.Session.Kind == lifecycle.ResponseReceived || e.Session.Kind == lifecycle.RequestFailed)
}
