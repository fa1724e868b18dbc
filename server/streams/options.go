package streams

import (
	"cmp"
	"errors"
	"strconv"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
)

// The errors of Listen, Resume and HangUp, in addition to those of package lifecycle.
var (
	// ErrListeners: Options allow no GET streams; an HTTP server responds 405 (HTTP-025).
	ErrListeners = errors.New("streams: Options.MaxListeners allows no GET streams")
	// ErrEvent: the Last-Event-ID names no event that a client of this session can have.
	ErrEvent = errors.New("streams: unknown event id")
	// ErrDropped: events after the given one are no longer kept. It is also the cause of an
	// outbound request whose message was dropped before it was written.
	ErrDropped = errors.New("streams: events after this id were dropped; start a new stream")
)

// Options are the settings of a Streams. A zero field means its default, and so does a value that Check
// refuses.
type Options struct {
	// MaxBytes bounds what is kept of all streams, except answers that were not written yet:
	// messages that wait, and events for clients that resume. Each event counts its text and 128
	// bytes, each stream that has ended or lost its connection 256. The newest message is always
	// kept. Zero means 4 MiB.
	MaxBytes int
	// MaxAnswers bounds the answers that were not written yet, in bytes. The newest one is always
	// kept. Zero means 16 MiB.
	MaxAnswers int
	// MaxListeners bounds the GET streams that have a connection; one more replaces the connection
	// of the oldest. Zero means 8, -1 none: Listen returns ErrListeners.
	MaxListeners int
	// Keep is how long events stay once their stream has ended or lost its connection, and how long
	// a message outside of calls waits for a GET stream. Calls that are open for that long on a
	// stream without connection are abandoned (server.State.Abandon), because their answers could
	// reach no client. Zero means 2 min; with lifecycle.NoTimeout nothing stays.
	Keep time.Duration
	// Grace is how long a call continues if its connection was lost before its client could have an
	// event id to come back with; then it is abandoned as above. Zero means 3 s; with
	// lifecycle.NoTimeout it continues.
	Grace time.Duration
	// Retry is the delay after which clients should come back. Zero means 1 s; with
	// lifecycle.NoTimeout they get none.
	Retry time.Duration
	// Idle is how long a GET stream keeps its connection with nothing to write; then it is hung up,
	// and the client polls (HTTP-109). Zero means without limit.
	Idle time.Duration
}

// The defaults of Options.
const (
	defaultMaxBytes     = 4 << 20
	defaultMaxAnswers   = 16 << 20
	defaultMaxListeners = 8
	defaultKeep         = 2 * time.Minute
	defaultGrace        = 3 * time.Second
	defaultRetry        = time.Second
)

// What counts in addition to the text of an event, and for a stream that is only kept, in bytes:
// about their memory.
const (
	eventCost  = 128
	streamCost = 256
)

// Check returns a *lifecycle.ConfigError for the first field with an invalid value, or nil. New uses
// the default for such a field.
func (o Options) Check() error {
	_, err := o.filled()
	return err
}

// filled returns the options with defaults, also for invalid fields. Zero means none there, and for
// Grace NoTimeout.
func (o Options) filled() (Options, error) {
	var f lifecycle.Filler
	f.Count("MaxBytes", &o.MaxBytes, defaultMaxBytes)
	f.Count("MaxAnswers", &o.MaxAnswers, defaultMaxAnswers)
	if o.MaxListeners < -1 {
		f.Wrong("MaxListeners", strconv.Itoa(o.MaxListeners), "want positive, 0 for "+strconv.Itoa(defaultMaxListeners)+", or -1 for none")
		o.MaxListeners = 0
	}
	o.MaxListeners = cmp.Or(o.MaxListeners, defaultMaxListeners)
	f.Time("Keep", &o.Keep, defaultKeep, lifecycle.MayBeNone)
	f.Time("Grace", &o.Grace, defaultGrace, lifecycle.MayBeNone)
	f.Time("Retry", &o.Retry, defaultRetry, lifecycle.MayBeNone)
	f.Time("Idle", &o.Idle, lifecycle.NoTimeout, lifecycle.MayBeNone)
	o.Keep, o.Retry, o.Idle = max(o.Keep, 0), max(o.Retry, 0), max(o.Idle, 0)
	return o, f.Err("streams")
}
