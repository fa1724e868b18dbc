package streams

import (
	"errors"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/server"
)

// The errors of Listen and Resume.
var (
	// ErrListeners: Options allow no GET streams; an HTTP server responds 405 (HTTP-025).
	ErrListeners = errors.New("streams: no GET streams")
	// ErrEvent: the Last-Event-ID names no event that a client of this session can have.
	ErrEvent = errors.New("streams: unknown event id")
	// ErrDropped: events after the one named are no longer kept. It is the cause of the
	// end of a request of ours as well, whose message was given up before it was written.
	ErrDropped = errors.New("streams: events are no longer kept")
)

// Options are the settings of a Streams; zero fields stand for the defaults.
type Options struct {
	// MaxBytes bounds what is kept of all streams beside answers that were not written yet:
	// messages, and events for those who resume. Zero means DefaultMaxBytes.
	MaxBytes int
	// MaxAnswers bounds the answers that were not written yet, in bytes. Zero means
	// DefaultMaxAnswers.
	MaxAnswers int
	// MaxListeners bounds the GET streams with a connection; one more takes the place of the
	// oldest. Zero means DefaultMaxListeners, a negative number none.
	MaxListeners int
	// Keep is how long the events of a stream stay that has ended or lost its connection.
	// Zero means DefaultKeep, a negative time none.
	Keep time.Duration
	// Retry is how long clients are told to wait before they come back. Zero means
	// DefaultRetry, a negative time tells them nothing.
	Retry time.Duration
	// Idle is how long a GET stream keeps its connection with nothing to write; then it is
	// hung up. Zero or less means for ever.
	Idle time.Duration
}

// The defaults of Options.
const (
	DefaultMaxBytes     = 4 << 20
	DefaultMaxAnswers   = 16 << 20
	DefaultMaxListeners = 8
	DefaultKeep         = 2 * time.Minute
	DefaultRetry        = time.Second
)

// ID is the number of a stream, 1 for the first of a session. It is never used again
// within the session.
type ID uint64

// Conn is one connection that reads one stream. When another connection takes the stream
// over, Gen grows: so the end of a connection that is half open can not harm its follower.
type Conn struct {
	Stream ID     // the stream
	Gen    uint32 // which of its connections, 1 for the first
}

// Reply is the HTTP response to a POST.
type Reply struct {
	// Status is 200, 202 (taken in, and there is no answer) or 400 (refused).
	Status int
	// Body is JSON: the answer, an array of them for a batch, or the error of a 400. It may
	// be nil beside 400.
	Body []byte
	// Conn is where the answer will come if Status is 200 and Body is nil.
	Conn Conn
}

// Effects are what a transition asks of its caller.
type Effects struct {
	// Output is the Output that was handed in, with what came of it: Events, Close, Fate,
	// Opened, Req. Send is empty: the messages are in the streams.
	Output server.Output
	// Touched are the streams that have something new to read, or an end.
	Touched []ID
	// Lost counts the messages that were given up in this step and that no connection is
	// known to have been written: Options say which and when. Who reads on sees Dropped or
	// ErrDropped, and requests of ours among them have failed.
	Lost int
}

// Event is an event to write to a connection.
type Event struct {
	// N is its number on the stream, the cursor of Read.
	N int
	// ID is its id, stream and number (HTTP-036, HTTP-108); "" for an event that only
	// carries Retry.
	ID string
	// Data is the message as JSON; "" for one that only primes the client to reconnect.
	Data string
	// Retry is how long the client waits before it reconnects; 0 says nothing.
	Retry time.Duration
}

// End says whether a connection ends.
type End uint8

// The ends of a connection.
const (
	// Open: more may come; wait until the stream is Touched.
	Open End = iota
	// Ended: the stream has ended; close after writing.
	Ended
	// HungUp: close after writing; the client will come back (HTTP-104).
	HungUp
	// Replaced: another connection reads the stream; close.
	Replaced
	// Dropped: what comes next is no longer kept; close.
	Dropped
)

// Streams is a value.
type Streams struct {
	opt *Options
}

// New returns the Streams of a session that has not begun. It is a value: one serves as
// the beginning of any number of sessions.
func New(opt Options) Streams { return Streams{opt: &opt} }

// NewSingle returns the Streams of a session over HTTP+SSE of 2024-11-05: one stream takes
// everything, and Post always replies 202 (HTTP-054).
func NewSingle(opt Options) Streams { return Streams{opt: &opt} }

// Post takes in what came of a message m that was POSTed: after s, out = s.Receive(now, m),
// and any folds. Of m only the Kind counts: the answer to a batch is an array.
func (x Streams) Post(s server.State, now time.Time, m jsonrpc.Message, out server.Output) (Streams, server.State, Reply, Effects) {
	return x, s, Reply{}, Effects{}
}

// Handle takes in every other Output of the State.
func (x Streams) Handle(s server.State, now time.Time, out server.Output) (Streams, server.State, Effects) {
	return x, s, Effects{}
}

// Listen opens a stream for a GET without Last-Event-ID.
func (x Streams) Listen(s server.State, now time.Time) (Streams, server.State, Conn, Effects, error) {
	return x, s, Conn{}, Effects{}, nil
}

// Resume connects a GET with Last-Event-ID to its stream. The int is the cursor to Read after.
// Beside ErrDropped the Conn may be valid all the same, and the cursor stands after what is
// missing: so the client gets its answer, though not all of what came before. If the Conn is
// zero, nothing of the stream is left.
func (x Streams) Resume(s server.State, now time.Time, lastEventID string) (Streams, server.State, Conn, int, Effects, error) {
	return x, s, Conn{}, 0, Effects{}, nil
}

// Wrote notes that all events up to number n were written to c. It is cheap, changes nothing
// that can be read, and may come late or never: what is not known to be written counts as
// unread. A driver calls it at the next turn that it makes anyway, and before Detach.
func (x Streams) Wrote(now time.Time, c Conn, n int) Streams { return x }

// Detach says that a connection is gone. It cancels nothing (HTTP-020).
func (x Streams) Detach(s server.State, now time.Time, c Conn) (Streams, server.State, Effects) {
	return x, s, Effects{}
}

// HangUp closes the connection of the stream that call is answered on, and keeps the stream;
// the client comes back after retry, zero means Options.Retry (HTTP-104, HTTP-105).
func (x Streams) HangUp(s server.State, now time.Time, call server.Call, retry time.Duration) (Streams, server.State, Effects, error) {
	return x, s, Effects{}, nil
}

// Tick lets time pass.
func (x Streams) Tick(s server.State, now time.Time) (Streams, server.State, Effects) {
	return x, s, Effects{}
}

// NextDeadline returns when Tick is next due; false if nothing waits. O(1).
func (x Streams) NextDeadline() (time.Time, bool) { return time.Time{}, false }

// Answer returns the whole answer of a POST as a JSON body, an array for a batch: true if the
// stream has ended, Begin was not called, and nothing else stands on it.
func (x Streams) Answer(c Conn) (body []byte, ok bool) { return nil, false }

// Answered says that what Answer returned was chosen: nothing of the stream is kept.
func (x Streams) Answered(s server.State, now time.Time, c Conn) (Streams, server.State, Effects) {
	return x, s, Effects{}
}

// Begin says that the answer of a POST is to be an SSE stream: where the revision has it, a
// priming event stands first (HTTP-103).
func (x Streams) Begin(s server.State, now time.Time, c Conn) (Streams, server.State, Effects) {
	return x, s, Effects{}
}

// Read returns all events of a connection after the cursor, 0 for the first.
func (x Streams) Read(c Conn, after int) (events []Event, end End) { return nil, Open }

// Bytes returns what is kept of all streams, as MaxBytes and MaxAnswers count it.
func (x Streams) Bytes() int { return 0 }

// DetachAll says that no connection is left: what a process says that restored the session of one
// that has died.
func (x Streams) DetachAll(s server.State, now time.Time) (Streams, server.State, Effects) {
	return x, s, Effects{}
}

// Snapshot returns the streams as JSON. It goes with the Snapshot of the State of the same
// step.
func (x Streams) Snapshot() []byte { return nil }

// Restore returns the Streams of a snapshot; s is the State that was stored beside it.
func Restore(opt Options, data []byte, s server.State, now time.Time) (Streams, error) {
	return Streams{}, nil
}

// Check returns an error if an invariant does not hold.
func (x Streams) Check() error { return nil }
