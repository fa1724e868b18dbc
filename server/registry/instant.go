package registry

import (
	"math"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
)

// nanos returns a time as a number, 0 for the zero Time.
func nanos(t time.Time) int64 {
	switch {
	case t.IsZero():
		return 0
	case t.Year() < 1970:
		return 0
	case t.Year() > 2261:
		return math.MaxInt64 - 1
	}
	return t.UnixNano()
}

// later returns when a time has passed, table.Never if that is never.
func later(now int64, d time.Duration) int64 {
	if d == lifecycle.NoTimeout || now > math.MaxInt64-1-int64(d) {
		return table.Never
	}
	return now + int64(d)
}

// epoch is where the numbers begin.
var epoch = time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC)

// instant returns the time of a number; false for table.Never.
func instant(n int64) (time.Time, bool) {
	if n == table.Never {
		return time.Time{}, false
	}
	return epoch.Add(time.Duration(n)), true
}
