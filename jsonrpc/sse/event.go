package sse

import "time"

// Event is one event of a stream.
type Event struct {
	Data  string        // the data lines, joined by newlines
	ID    string        // see HasID
	Name  string        // the type of the event; "" stands for "message"
	Retry time.Duration // see HasRetry

	HasID    bool // the event has an id; it may be empty, which unsets that of the stream
	HasRetry bool // the event says how long to wait before the next connection
	// Oversize says that the event was longer than the limit of the Decoder. Data is
	// the beginning of what it had, one byte longer than the limit if the data alone were
	// too long: what jsonrpc.Decoder refuses with jsonrpc.FaultSize.
	Oversize bool
}

// Append appends one event.
func Append(dst []byte, e Event) []byte { return dst }

// AppendComment appends a comment.
func AppendComment(dst []byte, text string) []byte { return dst }

// Decoder cuts a stream into events.
type Decoder struct{ limit int }

// NewDecoder returns a Decoder for events of at most limit bytes.
func NewDecoder(limit int) *Decoder { return &Decoder{limit} }

// Push adds what was read from the stream. It copies chunk.
func (d *Decoder) Push(chunk []byte) {}

// Next returns the next event; ok is false if no further one is complete.
func (d *Decoder) Next() (e Event, ok bool) { return e, false }

// LastID returns the id of the last event that had one.
func (d *Decoder) LastID() string { return "" }

// Retry returns the last reconnection time that the stream named.
func (d *Decoder) Retry() (time.Duration, bool) { return 0, false }

// Skipped returns how many events were longer than the limit.
func (d *Decoder) Skipped() int { return 0 }
