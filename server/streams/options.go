package streams

import (
	"errors"
	"time"
)

// The errors of Listen, Resume and HangUp beside those of package lifecycle.
var (
	// ErrListeners: Options allow no GET streams; an HTTP server responds 405 (HTTP-025).
	ErrListeners = errors.New("streams: no GET streams")
	// ErrEvent: the Last-Event-ID names no event that a client of this session can have.
	ErrEvent = errors.New("streams: unknown event id")
	// ErrDropped: events after the one named are no longer kept. It is also what ends a
	// request of ours whose message was given up before it was written.
	ErrDropped = errors.New("streams: events are no longer kept")
)

// Options are the settings of a Streams. Zero fields stand for the defaults.
type Options struct {
	// MaxBytes bounds what is kept of all streams beside answers that were not written yet:
	// messages that wait, and events for those who resume. Each event counts 128 more than its
	// text, each stream that has ended or lost its connection 256. The newest message stays
	// in any case. Zero or less means DefaultMaxBytes.
	MaxBytes int
	// MaxAnswers bounds the answers that were not written yet. The newest one stays in any
	// case. Zero or less means DefaultMaxAnswers.
	MaxAnswers int
	// MaxListeners bounds the GET streams that have a connection; one more takes the
	// connection of the oldest. Zero means DefaultMaxListeners, a negative number none: Listen
	// returns ErrListeners.
	MaxListeners int
	// Keep is how long what is kept of a stream stays once it has ended or lost its
	// connection, and a message that belongs to no call while there is no GET stream. Calls
	// that are open on a stream without connection for so long are given up
	// (server.State.Abandon): nobody can hear of them any more. Zero means DefaultKeep; with a
	// negative time nothing stays.
	Keep time.Duration
	// Grace is how long a call goes on whose connection was lost before its client could have
	// an event id to come back with; then it is given up as above. Zero means DefaultGrace;
	// with a negative time it goes on.
	Grace time.Duration
	// Retry is how long clients are told to wait before they come back. Zero means
	// DefaultRetry; a negative time tells them nothing.
	Retry time.Duration
	// Idle is how long the connection of a GET stream stays with nothing to write; then it
	// is hung up, and the client polls (HTTP-109). Zero or less means for ever.
	Idle time.Duration
}

// The defaults of Options.
const (
	DefaultMaxBytes     = 4 << 20
	DefaultMaxAnswers   = 16 << 20
	DefaultMaxListeners = 8
	DefaultKeep         = 2 * time.Minute
	DefaultGrace        = 3 * time.Second
	DefaultRetry        = time.Second
)

// What is counted beside the text of an event, and for a stream that is only kept: about
// what they take.
const (
	eventCost  = 128
	streamCost = 256
)

// filled returns the options with the defaults in place.
func (o Options) filled() Options {
	if o.MaxBytes <= 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	if o.MaxAnswers <= 0 {
		o.MaxAnswers = DefaultMaxAnswers
	}
	if o.MaxListeners == 0 {
		o.MaxListeners = DefaultMaxListeners
	}
	o.Keep = orDefault(o.Keep, DefaultKeep)
	if o.Grace == 0 {
		o.Grace = DefaultGrace
	}
	o.Retry = orDefault(o.Retry, DefaultRetry)
	o.Idle = max(o.Idle, 0)
	return o
}

// orDefault returns d, the default for zero, and zero for what is negative.
func orDefault(d, preset time.Duration) time.Duration {
	if d == 0 {
		return preset
	}
	return max(d, 0)
}
