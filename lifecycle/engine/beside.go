package engine

import (
	"time"

	"github.com/sansmcp/mcp/lifecycle"
)

// What the machines beside a State need of its Core.

// At returns the time of an instant, as Now and After give them; zero for table.Never.
func (c *Core) At(instant int64) time.Time { return c.at(instant) }

// KeptCause returns a cause to keep: it pins no message of the peer, its texts are
// copies, cut to a bounded length, and data that are longer are left out.
func KeptCause(cause *lifecycle.Cause) *lifecycle.Cause { return keptCause(cause) }
