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

// Effects is what a step asks of its caller. The slices are fresh, and in the order of cause.
type Effects struct {
	// Actions are what the driver has to do. Those of one Link are done in this order; those of
	// different Links need not wait for each other.
	Actions []Action
	// Events are what happened.
	Events []Event
	// Op is the handle of the operation that a verb began.
	Op Op
}

// Todo returns the Actions, also of what embeds Effects: for links.Loop.
func (e Effects) Todo() []Action { return e.Actions }

// IsZero reports whether the step asks for nothing.
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

// ActionKind tells the actions apart.
type ActionKind uint8

// The actions.
const (
	// ActOpen: open a transport to Endpoint, and report Opened or OpenFailed. It is for
	// the driver to give up at By; the Manager does by itself.
	ActOpen ActionKind = iota + 1
	// ActSend: write Out.Message. If that fails, report SendFailed or Ended. Revision is
	// what was negotiated, for the headers of HTTP; zero before.
	ActSend
	// ActClose: close the transport gracefully, after everything was sent, and report Ended;
	// of one that is still being opened give the opening up, and report OpenFailed or Ended.
	ActClose
	// ActKill: the transport did not close by then: tear it down. Nothing is to be reported.
	ActKill
)

var actionNames = []string{"action(?)", "open", "send", "close", "kill"}

// String returns the name of the action.
func (k ActionKind) String() string { return rawjson.NameOf(k, "action(?)", actionNames...) }

// Action is something that the driver has to do. Which fields are set depends on Kind.
type Action struct {
	Kind     ActionKind        // what to do
	Link     Link              // with which transport
	Endpoint any               // of ActOpen: Options.Endpoint or Fallback.Endpoint
	Dial     int               // of ActOpen: 1 for the first since the server was last stable
	By       time.Time         // of ActOpen and ActClose: until when
	Out      client.Outgoing   // of ActSend
	Revision protocol.Revision // of ActSend
}

// EventKind tells the events apart. An unknown kind can be ignored.
type EventKind uint8

// The events.
const (
	// OpDone: an operation ended. Op, Method; Err says why it failed, nil if it did not. Of a
	// request: Link, Session (ResponseReceived or RequestFailed, as it came). Of List:
	// Items, all of them, or with Err those of the pages that were read. Of a ping: Latency. Of
	// HealthCheck: Checkups. Of DisconnectAll: Errors.
	OpDone EventKind = iota + 1
	// ServerChanged: the condition of a server changed. Link, From, To; Err is why, if it was
	// lost or could not be opened; RetryAt is when it will be opened again or, if it has Failed
	// and is OnDemand, may be; zero: it will not. Draining and
	// Closed are conditions of a link whose name is free or has another one; what follows it under
	// its name begins from Idle.
	ServerChanged
	// PingsMissed: nothing arrived before a ping timed out. Misses is how many in a row did; zero
	// means the server has recovered. Link, Misses.
	PingsMissed
	// SessionEvent: the event Session of the session of Link: a request of the server (Call is
	// its handle), its end, a notification, progress (Op is the operation that it is of),
	// a violation.
	SessionEvent
	// RestoreFailed: a subscription (URI) or the log level (URI is empty) of the last session
	// could not be had again in the new one, and is forgotten. Link, Method, URI, Err.
	RestoreFailed
)

var eventNames = []string{"event(?)", "op done", "server changed", "pings missed", "session event", "restore failed"}

// String returns the name of the kind.
func (k EventKind) String() string { return rawjson.NameOf(k, "event(?)", eventNames...) }

// Event is something that happened. Which fields are set depends on Kind.
type Event struct {
	Kind    EventKind    // what happened
	Link    Link         // the link that it is about
	Op      Op           // the operation that it is about
	Call    Call         // of SessionEvent: the request of the server that it is about
	Method  string       // of OpDone: the method of the request, or "connect", "disconnect", …
	Session client.Event // the event of the session
	// Items are the items of a list as the server wrote them.
	Items []jsonrpc.Raw
	// FreshUntil is, of List, until when a server without sessions says that the list is fresh, at most a
	// day; zero in a session, which says nothing.
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

// Checkup is what a health check found out about one server.
type Checkup struct {
	Link      Link          // the link that was checked
	Condition Condition     // what it was at the end
	Latency   time.Duration // of the ping, if it was answered
	RetryAt   time.Time     // when it will, or on demand may, be opened again; zero: it will not or need not
	Err       error         // nil: it answered
}

// Outcome returns what the request of an OpDone came to: the event of its session, if it got
// as far as one.
func (e Event) Outcome() (client.Event, bool) {
	return e.Session, e.Kind == OpDone &&
		(e.Session.Kind == lifecycle.ResponseReceived || e.Session.Kind == lifecycle.RequestFailed)
}
