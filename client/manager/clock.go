package manager

import (
	"time"

	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/lifecycle/table"
)

// take begins a transition: it updates the time and counts the transition.
func (m *Manager) take(now time.Time) {
	m.step++
	m.clock.Take(now)
}

// instant returns the instant of a time; table.Never if ok is false.
func (m *Manager) instant(t time.Time, ok bool) int64 {
	if !ok || t.IsZero() {
		return table.Never
	}
	return m.clock.Of(t)
}

// hash returns a hash of a server's text, keyed by the Config, so that a server cannot choose texts
// that collide.
func (m *Manager) hash(text string) uint64 { return engine.Hash(m.env.key, 'm', text) }
