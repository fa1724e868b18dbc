package exchange

import (
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

// Options are the limits of an exchange. A field that is zero, or that Check refuses, means its
// default.
type Options struct {
	// MaxBytes is the largest message in bytes. Default jsonrpc.DefaultMaxBytes. Use it for the
	// sse.Decoder too.
	MaxBytes int
	// Attempts is how many requests to resume an answer may fail in a row before the exchange is
	// lost. Default 5. A GET stream has no limit.
	Attempts int
	// Polls is how many times in a row a resumed stream may bring no new event before the exchange
	// is lost. Default 100. A GET stream has no limit.
	Polls int
	// Wait is the pause before a stream is resumed, if the server does not name one. Default 1 s. It doubles
	// each time in a row without a new event, up to MaxWait or the server's time, whichever is longer.
	Wait    time.Duration
	MaxWait time.Duration // limit of Wait; default 30 s
	// MinWait is the shortest pause, even if the server names a shorter one. Default 100 ms.
	MinWait time.Duration
	// Logins is how often Again may repeat a request before the server accepts it. Default 3.
	Logins int
}

// Check returns a *lifecycle.ConfigError for the first negative field, or nil. Call it once for Options
// from a user.
func (o Options) Check() error { return o.fill() }

// fill fills the defaults in, also of what it refuses.
func (o *Options) fill() error {
	var f lifecycle.Filler
	f.Count("MaxBytes", &o.MaxBytes, jsonrpc.DefaultMaxBytes)
	f.Count("Attempts", &o.Attempts, 5)
	f.Count("Polls", &o.Polls, 100)
	f.Time("Wait", &o.Wait, time.Second, lifecycle.NeverNone)
	f.Time("MaxWait", &o.MaxWait, 30*time.Second, lifecycle.NeverNone)
	f.Time("MinWait", &o.MinWait, 100*time.Millisecond, lifecycle.NeverNone)
	f.Count("Logins", &o.Logins, 3)
	return f.Err("exchange")
}
