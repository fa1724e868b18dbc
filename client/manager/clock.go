package manager

import (
	"math"
	"time"

	"github.com/sansmcp/mcp/lifecycle/table"
)

// never is the instant of what is not due.
const never = table.Never

// clock begins a transition: it takes the time in and counts. A zero or earlier time counts
// as the latest seen.
func (m *Manager) clock(now time.Time) {
	m.step++
	if now.IsZero() || m.env == nil {
		return
	}
	if d := min(int64(now.Sub(m.env.origin)), table.Never-1); d > m.now {
		m.now = d
	}
}

// time returns the latest time seen.
func (m *Manager) time() time.Time { return m.at(m.now) }

// at returns the time of an instant, zero for table.Never.
func (m *Manager) at(i int64) time.Time {
	if i == table.Never || m.env == nil {
		return time.Time{}
	}
	return m.env.origin.Add(time.Duration(i))
}

// after returns the instant d from now, table.Never if it is beyond the clock or d is negative.
func (m *Manager) after(d time.Duration) int64 {
	if d < 0 || int64(d) > math.MaxInt64-1-m.now {
		return table.Never
	}
	return m.now + int64(d)
}

// instant returns the instant of a time, table.Never if ok is false.
func (m *Manager) instant(t time.Time, ok bool) int64 {
	if !ok || t.IsZero() {
		return table.Never
	}
	return min(int64(t.Sub(m.env.origin)), table.Never-1)
}

// addTo returns the instant d after t.
func addTo(t int64, d time.Duration) int64 {
	if t > 0 && int64(d) >= never-t {
		return never
	}
	return t + int64(d)
}
