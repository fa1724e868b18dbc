package streams

import (
	"strconv"
	"strings"
	"time"

	"github.com/sansmcp/mcp/lifecycle/clock"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/server"
)

// ID is the number of a stream, 1 for the first of a session. It is never used again
// within the session.
type ID uint64

// Conn is one connection that reads one stream. When another connection takes over the stream, Gen
// increases, so that the end of the old connection does not affect the new one.
type Conn struct {
	Stream ID     // the stream
	Gen    uint32 // which of its connections, 1 for the first
}

// Reply is the HTTP response to a POST.
type Reply struct {
	// Status is 200, 202 (accepted, without an answer) or 400 (refused).
	Status int
	// Body is JSON: the answer, an array of them for a batch, or the error of a 400 that
	// Policy.AnswerUnreadable asks for. It may be nil with 400.
	Body []byte
	// Conn reads the answer, if Status is 200 and Body is nil.
	Conn Conn
}

// Effects are what a transition asks of its caller.
type Effects struct {
	// Output is the Output of the argument, with its consequences: Events, Close, Fate, Opened,
	// Req. Send is empty: the messages are in the streams. Close applies to each connection once it
	// has read its stream to the end.
	Output server.Output
	// Touched are the streams with new events or an end, in ascending order: wake their
	// connections.
	Touched []ID
	// Lost counts the messages that were dropped in this step before Wrote reported them. Their
	// readers get Dropped or ErrDropped, and outbound requests among them have failed
	// (Output.Events).
	Lost int
}

// Streams are the streams of one session: an immutable value. Every transition returns the next
// one; an old one stays valid. The zero Streams equals that of New with zero Options.
type Streams struct {
	opt    *Options // filled; nil means the defaults
	b      *body    // nil while no stream is open and nothing is kept
	last   ID       // the number of the newest stream
	single bool
	over   bool // the session has ended
}

// body has the streams. It is not changed once a Streams holds it.
type body struct {
	clock   clock.Clock
	streams table.Table[stream]   // by ID; the deadline is when it is dropped
	calls   table.Table[ID]       // the stream of each open call, by Call.Seq
	listen  table.Table[ID]       // GET streams with a connection: by ^order, so the newest is first; the deadline is the order
	victims table.Table[struct{}] // what MaxBytes drops from, in this order; the key ends in the ID
	answers table.Table[struct{}] // what MaxAnswers drops from, in this order; the key ends in the ID
	order   uint64                // how often a GET stream was connected
	plain   int                   // bytes under MaxBytes
	unread  int                   // bytes under MaxAnswers
}

// backlog is the stream of messages that wait for a GET stream. No connection reads it.
const backlog ID = 0

// stream is one stream.
type stream struct {
	events table.Table[event] // by number, from first to last without gaps
	// first is the number of the first event that is kept, last that of the last event, 1 if there
	// was none. Events up to written are known to be written.
	first, last, written int
	bytes, finals        int           // what the events count; those of them that are answers
	order                uint64        // of a GET stream with a connection: its place in listen
	retry                time.Duration // of a hang-up
	calls                uint32        // open calls that are answered here
	gen                  uint32        // of the newest connection
	cut                  *cut          // where its ids skip numbers; nil for nowhere
	listener             bool          // opened by GET, or the backlog: no answers except in single mode
	batch                bool          // the answer is an array
	begun                bool          // a client may have ids of its events
	primed               bool          // event 1 comes first
	attached             bool          // there is a connection
	hung                 bool          // the last connection was hung up
	ended                bool          // nothing more comes
	dead                 bool          // no client can ever read it, and a call is open
	mixed                bool          // there was an event that is not an answer
}

// event is a message on a stream.
type event struct {
	data  string
	req   uint64 // the outbound request, 0 for none
	final bool   // a response
}

func (e *event) cost() int { return len(e.data) + eventCost }

// firstEvent is the number of the first message on a stream; the number before it is the priming
// event.
const firstEvent = 2

// resumable reports whether a client can have the id of an event.
func (st *stream) resumable() bool { return st.begun && (st.primed || st.last >= firstEvent) }

// unheard reports whether calls are open on the stream, and no connection reads it.
func (st *stream) unheard() bool { return st.calls > 0 && !st.attached }

// behind reports whether events are not known to be written.
func (st *stream) behind() bool { return st.written < st.last }

// count returns the bytes of the stream under MaxBytes and under MaxAnswers.
func (st *stream) count() (plain, unread int) {
	if plain = st.bytes; st.behind() {
		plain, unread = plain-st.finals, st.finals
	}
	if st.ended || st.listener && !st.attached {
		plain += streamCost
	}
	return plain, unread
}

// New returns the Streams of a session that has not begun. One value may begin any number of
// sessions.
func New(opt Options) Streams {
	opt, _ = opt.filled()
	return Streams{opt: &opt}
}

// NewSingle returns the Streams of a session over HTTP+SSE of 2024-11-05: the stream that Listen
// opens gets all messages, including answers, and Post always replies 202 (HTTP-054). A second
// Listen replaces the stream of the first.
func NewSingle(opt Options) Streams {
	x := New(opt)
	x.single = true
	return x
}

// options returns the settings.
func (x Streams) options() Options {
	if x.opt == nil {
		opt, _ := Options{}.filled()
		return opt
	}
	return *x.opt
}

// Bytes returns the kept bytes, as MaxBytes and MaxAnswers count them.
func (x Streams) Bytes() int {
	if x.b == nil {
		return 0
	}
	return x.b.plain + x.b.unread
}

// Listeners returns how many GET streams have a connection.
func (x Streams) Listeners() int {
	if x.b == nil {
		return 0
	}
	return x.b.listen.Len()
}

// Connected reports whether a stream still has the connection c; begun reports whether its client can resume
// it.
func (x Streams) Connected(c Conn) (begun, ok bool) {
	st, ok := x.of(c)
	if !ok || !st.attached {
		return false, false
	}
	return st.begun || st.listener, true
}

// Known reports whether the stream of c exists.
func (x Streams) Known(c Conn) bool {
	_, ok := x.of(c)
	return ok
}

// Unheard returns since when the stream of a call has had no connection, or when its client was told
// to reconnect; false if it has a connection, or does not exist.
func (x Streams) Unheard(call server.Call) (since time.Time, ok bool) {
	if x.b == nil {
		return time.Time{}, false
	}
	leaf := x.b.calls.Get(call.Seq())
	if leaf == nil {
		return time.Time{}, false
	}
	at := x.b.streams.Get(uint64(leaf.V))
	if !at.V.unheard() || at.Deadline == table.Never {
		return time.Time{}, false
	}
	wait := x.options().Keep
	if at.V.dead {
		wait = x.options().Grace
	}
	return x.b.clock.At(at.Deadline).Add(-wait), true
}

// NextDeadline returns when Tick is next due; false if it is not. It takes constant time.
func (x Streams) NextDeadline() (time.Time, bool) {
	if x.b == nil || x.b.clock.Time().IsZero() {
		return time.Time{}, false
	}
	due := x.b.streams.Min()
	return x.b.clock.At(due), due != table.Never
}

// died returns the rest of a stream that no client can read any more, with open calls.
func (st *stream) died() stream {
	return stream{calls: st.calls, gen: st.gen, first: st.last + 1, last: st.last, written: st.last, dead: true}
}

// of returns the stream that c reads.
func (x Streams) of(c Conn) (*stream, bool) {
	if x.b == nil {
		return nil, false
	}
	leaf := x.b.streams.Get(uint64(c.Stream))
	if leaf == nil || c.Stream == backlog || leaf.V.gen != c.Gen {
		return nil, false
	}
	return &leaf.V, true
}

// has reports whether a stream exists.
func (x Streams) has(id ID) bool {
	return x.b != nil && id != backlog && x.b.streams.Get(uint64(id)) != nil
}

// eventID returns the id of an event from the number in its id (cut.number).
func eventID(id ID, number uint64) string {
	b := strconv.AppendUint(make([]byte, 0, 24), uint64(id), 10)
	return string(strconv.AppendUint(append(b, '-'), number, 10))
}

// parseEventID parses an id as eventID writes it, and no other form.
func parseEventID(text string) (id ID, number uint64, ok bool) {
	const longest = len("18446744073709551615-9223372036854775807")
	stream, rest, ok := strings.Cut(text, "-")
	if !ok || len(text) > longest {
		return 0, 0, false
	}
	u, err := strconv.ParseUint(stream, 10, 64)
	v, err2 := strconv.ParseInt(rest, 10, 64)
	if err != nil || err2 != nil || eventID(ID(u), uint64(v)) != text {
		return 0, 0, false
	}
	return ID(u), uint64(v), true
}
