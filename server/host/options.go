package host

import (
	"log/slog"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server"
)

// Options are the settings of a Host. A zero field means its default; so does one that Check refuses.
type Options struct {
	// Work runs the functions; nil means its own, with the default WorkOptions and NoShares, which
	// Serve closes. Hosts can share a Work and its bounds; the caller closes it (Work.Close).
	Work *Work
	// Owner is the owner of the session, such as a principal or an address: sessions of one owner
	// have a share of the Work together (WorkOptions). With "" the session has its own share.
	Owner string
	// Drain is how long calls may run after the end of input, or after Shutdown. Default 5 s.
	Drain time.Duration
	// Companion, if set, returns the machine that takes part in each turn of the session, as
	// registry.Follow does; nil for none. Serve calls it, with an empty Peer.
	Companion func(server.Peer) server.Companion
	// Log gets errors of this side that no method returns: an invalid result, or one that violates the
	// outputSchema of its tool, with the tool and the path. Default none.
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

// Misfit returns a log message for a lifecycle.LocalViolation, whose Cause has the tool and the path.
func Misfit(ev server.Event) string {
	if ev.Rule == "" {
		return "a result does not fit its method"
	}
	return "a result breaks the output schema of its tool"
}
