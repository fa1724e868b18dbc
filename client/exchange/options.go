package exchange

import (
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

// Options are the limits of an exchange. A field that is zero stands for its
// default, and so does one that Check refuses.
type Options struct {
	// MaxBytes is the longest message in bytes; jsonrpc.DefaultMaxBytes. It is the limit of
	// the sse.Decoder too.
	MaxBytes int
	// Attempts is how many requests for the rest of an answer may fail in a row before the
	// exchange is lost; 5. A GET stream is tried for without end.
	Attempts int
	// Polls is how many times in a row it comes back and is given a stream without a new
	// event, before it is lost; 100. A GET stream does so without end.
	Polls int
	// Wait is how long it waits before it comes back, where the server does not say so; 1 s.
	// Each further time in a row without a new event it waits twice as long as the one before, up to MaxWait or
	// what the server said, whichever is longer.
	Wait    time.Duration
	MaxWait time.Duration // see Wait; 30 s
	// MinWait is the least wait, whatever the server says; 100 ms.
	MinWait time.Duration
	// Logins is how often a request is made again by Again before the server takes it; 3.
	Logins int
}

// Check returns a *lifecycle.ConfigError for the first field that is negative, or nil. Whoever is given
// Options asks it before the first exchange.
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
