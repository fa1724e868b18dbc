package manager

import "time"

// Snapshot returns the Manager as JSON, without Config, Endpoints and Options.
func (m Manager) Snapshot() []byte { panic("under construction") }

// Restore returns the Manager of a snapshot.
func Restore(cfg Config, data []byte, now time.Time, options func(name string) (Options, bool)) (Manager, error) {
	panic("under construction")
}
