package many

import (
	"time"

	"github.com/sansmcp/mcp/protocol"
)

func waitsForPeople(method string) bool {
	return method == protocol.MethodSamplingCreateMessage || method == protocol.MethodElicitationCreate
}

// people are the questions of servers to people, during which the timeouts of their calls stop,
// by server.
type people map[string]*questions

type questions struct {
	open map[asked]bool
	last time.Time // when the last one ended
}

// asks records a question of a server to a person.
func (p people) asks(key asked) {
	q := p[key.link.Server]
	if q == nil {
		q = &questions{open: map[asked]bool{}}
		p[key.link.Server] = q
	}
	q.open[key] = true
}

// told records that the question under key has ended.
func (p people) told(key asked, now time.Time) {
	if q := p[key.link.Server]; q != nil && q.open[key] {
		delete(q.open, key)
		q.last = now
	}
}

// due returns when a request to a server expires that would otherwise expire at the time at, as far as is known
// now: not before its wait after the last question, later than that while one is open, and at latest in any
// case.
func (p people) due(server string, now, at time.Time, wait time.Duration, latest time.Time) time.Time {
	q := p[server]
	if q == nil {
		return at
	}
	last := q.last
	if len(q.open) > 0 {
		last = now
	}
	if later := last.Add(wait); later.After(at) {
		at = later
	}
	if at.After(latest) {
		return latest
	}
	return at
}
