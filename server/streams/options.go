package streams

import (
	"cmp"
	"errors"
	"strconv"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
)

// The errors of Listen, Resume and HangUp beside those of package lifecycle.
var (
	// ErrListeners: Options allow no GET streams; an HTTP server responds 405 (HTTP-025).
	ErrListeners = errors.New("streams: Options.MaxListeners allows no GET streams")
	// ErrEvent: the Last-Event-ID names no event that a client of this session can have.
	ErrEvent = errors.New("streams: unknown event id")
	// ErrDropped: events after the one named are no longer kept. It is also what ends a
	// request of ours whose message was given up before it was written.
	ErrDropped = errors.New("streams: events after this id were dropped; start a new stream")
)

// Options are the settings of a Streams. Zero fields stand for the defaults, and so do those that Check
// refuses.
type Options struct {
	// MaxBytes bounds what is kept of all streams beside answers that were not written yet:
	// messages that wait, and events for those who resume. Each event counts 128 more than its
	// text, each stream that has ended or lost its connection 256. The newest message stays
	// in any case. Zero means 4 MiB.
	MaxBytes int
	// MaxAnswers bounds the answers that were not written yet. The newest one stays in any
	// case. Zero means 16 MiB.
	MaxAnswers int
	// MaxListeners bounds the GET streams that have a connection; one more takes the
	// connection of the oldest. Zero means 8, -1 none: Listen returns
	// ErrListeners.
	MaxListeners int
	// Keep is how long what is kept of a stream stays once it has ended or lost its
	// connection, and a message that belongs to no call while there is no GET stream. Calls
	// that are open on a stream without connection for so long are given up
	// (server.State.Abandon): their answers could reach no client. Zero means 2 min; with
	// lifecycle.NoTimeout nothing stays.
	Keep time.Duration
	// Grace is how long a call goes on whose connection was lost before its client could have
	// an event id to come back with; then it is given up as above. Zero means 3 s;
	// with lifecycle.NoTimeout it goes on.
	Grace time.Duration
	// Retry is how long clients are told to wait before they come back. Zero means
	// 1 s; lifecycle.NoTimeout tells them nothing.
	Retry time.Duration
	// Idle is how long the connection of a GET stream stays with nothing to write; then it
	// is hung up, and the client polls (HTTP-109). Zero means without limit.
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

// What is counted beside the text of an event, and for a stream that is only kept: about
// what they take.
const (
	eventCost  = 128
	streamCost = 256
)

// Check returns a *lifecycle.ConfigError for the first field that has a value that it cannot have, or
// nil. New takes the default for such a one.
func (o Options) Check() error {
	_, err := o.filled()
	return err
}

// filled returns the options with the defaults in place, also of fields that are wrong. Zero stands for
// none there, and of Grace NoTimeout.
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
