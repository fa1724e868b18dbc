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
	// ErrEvent: no client of this session can have the Last-Event-ID.
	ErrEvent = errors.New("streams: unknown event id")
	// ErrDropped: events after the one named are no longer kept. It is also the error of an
	// outbound request whose message was dropped before it was written.
	ErrDropped = errors.New("streams: events after this id were dropped; start a new stream")
)

// Options are the settings of a Streams. A zero field means its default, and so does a value that Check
// refuses.
type Options struct {
	// MaxBytes bounds the waiting messages and the events kept for resumption of all streams,
	// except unwritten answers. Each event counts its text and 128 bytes, each stream that has
	// ended or lost its connection 256. The newest message always stays. Zero means 4 MiB.
	MaxBytes int
	// MaxAnswers bounds the unwritten answers. The newest one always stays. Zero means 16 MiB.
	MaxAnswers int
	// MaxListeners bounds the GET streams that have a connection; one more replaces the oldest.
	// Zero means 8, -1 none: Listen returns ErrListeners.
	MaxListeners int
	// Keep is how long the events of a stream are kept after it has ended or lost its connection,
	// and messages outside of calls without a GET stream. Calls that are open on a stream without a
	// connection for that long end (server.State.Abandon). Zero means 2 min; with
	// lifecycle.NoTimeout nothing stays.
	Keep time.Duration
	// Grace is how long a call continues whose connection was lost before its client could have an
	// event id; then it ends as above. Zero means 3 s; with lifecycle.NoTimeout it continues.
	Grace time.Duration
	// Retry is how long clients must wait before they reconnect. Zero means 1 s;
	// lifecycle.NoTimeout sends no retry.
	Retry time.Duration
	// Idle is how long an idle connection of a GET stream stays open; then it is closed, and the
	// client polls (HTTP-109). Zero means no limit.
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
