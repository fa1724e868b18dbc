package host

import (
	"log/slog"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server"
)

// Options are the settings of a Host. A zero field means its default; so does a value that Check
// refuses.
type Options struct {
	// Work runs the functions; nil means a new one with the default WorkOptions and NoShares, which
	// Serve closes. Hosts of one process need the same Work to share its bounds; then the program
	// that made it must close it (Work.Close).
	Work *Work
	// Owner names the owner of the session, such as a principal or an address: the sessions of one
	// owner share a part of the Work (WorkOptions). With "" the session has its own share.
	Owner string
	// Drain is how long calls may continue after the end of input, or after Shutdown. Default 5 s.
	Drain time.Duration
	// Companion, if set, returns the machine that takes part in each turn of the session, as
	// registry.Follow does; nil means none. Serve calls it, with an empty Peer.
	Companion func(server.Peer) server.Companion
	// Log gets failures on this side that are not errors of a method: a result that does not fit its method,
	// or that violates the outputSchema of its tool, with the tool and the path. Default none.
	Log *slog.Logger
}

// DefaultDrain is the default of Options.Drain.
const DefaultDrain = 5 * time.Second

// Check returns a *lifecycle.ConfigError if Drain is negative, or nil. Call it
// before New.
func (o Options) Check() error {
	var f lifecycle.Filler
	f.Time("Drain", &o.Drain, DefaultDrain, lifecycle.NeverNone)
	return f.Err("host")
}

// Misfit describes for a log the result of a lifecycle.LocalViolation, whose Cause has the tool and the
// path.
func Misfit(ev server.Event) string {
	if ev.Rule == "" {
		return "a result does not fit its method"
	}
	return "a result breaks the output schema of its tool"
}
