package host

import (
	"time"

	"github.com/sansmcp/mcp/server"
)

// Options are the settings of a Host. A zero field means its default.
type Options struct {
	// Work runs the functions; nil means one of the Host's own, with the default WorkOptions and
	// NoShares. Hosts of one process share theirs where they shall share its bounds.
	Work *Work
	// Owner names whose session it is, such as a principal or an address: sessions of one owner
	// have a share of the Work together (WorkOptions). "" is nobody, and the session has its own.
	Owner string
	// Drain is how long calls may go on after the end of input, or after Shutdown. Default
	// 5 s.
	Drain time.Duration
	// Beside, if set, lets a machine beside the State take part, as a registry.Runs does: it is
	// handed what each step brought, before that is acted upon, and may take further steps. It
	// is called again when the time that it returns has come; the zero Time asks for nothing.
	// It is called by the goroutine of Serve alone, takes no turn, and waits for nothing.
	Beside func(s server.State, now time.Time, out server.Output) (server.State, server.Output, time.Time)
}

// DefaultDrain is the default of Options.Drain.
const DefaultDrain = 5 * time.Second
