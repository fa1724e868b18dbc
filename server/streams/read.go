package streams

import (
	"time"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/server"
)

// Event is an event to write to a connection.
type Event struct {
	// N is its number on the stream, the cursor to Read after once it is written.
	N int
	// ID is its id, of the form stream-number (HTTP-036, HTTP-108); "" for an event with only
	// Retry.
	ID string
	// Data is the message as JSON without line breaks; "" for an event that only primes the client
	// to reconnect, and for one with only Retry.
	Data string
	// Retry is how long the client must wait before it reconnects; 0 means unset.
	Retry time.Duration
}

// End says whether and why a connection ends.
type End uint8

// The ends of a connection.
const (
	// Open: more may come. Wait until the stream is Touched.
	Open End = iota
	// Ended: the stream has ended, and this is all of it. Write, then close (HTTP-018).
	Ended
	// HungUp: write, then close. The stream continues, and the client will reconnect (HTTP-104).
	HungUp
	// Replaced: another connection reads the stream, or replaced this one at the limit. Close.
	Replaced
	// Dropped: the next events were dropped because of Options. Write, then close. The client may
	// resume the rest.
	Dropped
)

// String returns the name of the end.
func (e End) String() string {
	return rawjson.NameOf(e, "end(?)", "open", "ended", "hung up", "replaced", "dropped")
}

// reads returns the stream that c reads, and how c ends once it has read all of it; nil without one.
func (x Streams) reads(c Conn) (*stream, End) {
	st, ok := x.of(c)
	switch {
	case !ok && x.has(c.Stream):
		return nil, Replaced
	case !ok:
		return nil, Dropped
	case st.ended:
		return st, Ended
	case st.hung:
		return st, HungUp
	case !st.attached:
		return st, Replaced
	}
	return st, Open
}

// Read returns all events of a connection after the cursor, which is 0 for a new one, and
// whether it ends with them. It changes nothing: reading again from the same cursor returns
// the same events. Read when the connection begins, and whenever the stream is Touched.
func (x Streams) Read(c Conn, after int) (events []Event, end End) {
	st, end := x.reads(c)
	if st == nil {
		return nil, end
	}
	after = max(after, 0)
	if n := st.last - max(after, st.first-1); n > 0 {
		events = make([]Event, 0, n+2)
	}
	if st.primed && after < firstEvent-1 {
		events = append(events, Event{N: firstEvent - 1, ID: eventID(c.Stream, st.cut.number(firstEvent-1)), Retry: x.options().Retry})
	}
	after = max(after, firstEvent-1)
	if after < st.first-1 {
		return events, Dropped
	}
	for n := after + 1; n <= st.last; n++ {
		events = append(events, Event{N: n, ID: eventID(c.Stream, st.cut.number(n)), Data: st.events.Get(uint64(n)).V.data})
	}
	switch {
	case end == Replaced:
		return nil, Replaced
	case end == HungUp && st.retry > 0:
		events = append(events, Event{N: max(after, st.last), Retry: st.retry})
	}
	return events, end
}

// Wrote notes that all events up to number n were written to c. It is cheap and changes nothing
// that can be read, so it may be reported late: at the next turn, and before Detach. Unreported
// events count as unwritten: they are kept longer, their requests fail when they are dropped, and
// they move to another GET stream if their own is not resumed.
func (x Streams) Wrote(now time.Time, c Conn, n int) Streams {
	st, ok := x.of(c)
	if !ok || st.dead || n < firstEvent-1 || n <= st.written && st.begun {
		return x
	}
	w := x.begin(server.State{}, now)
	w.mild = true // without a State no request can fail
	next, due, _ := w.get(c.Stream)
	next.written, next.begun = max(min(n, st.last), st.written), true
	if !next.unheard() {
		due = w.due(c.Stream, &next)
	}
	w.set(c.Stream, &next, due)
	x, _, _ = w.done()
	return x
}
