package jetstream

import (
	"sync"
	"time"
)

// recent knows the sequences of the steps of sessions that were last read or stored, so that a Put after a Get needs
// no read. If there are many, it drops the older half.
type recent struct {
	mu         sync.Mutex
	young, old map[string]place
}

// place is the message of a session.
type place struct {
	step, seq uint64
	mark      string
	time      time.Time // when it was stored, by the server's clock; zero if that was not read
}

// recentSessions is how many sessions half of a recent has.
const recentSessions = 4096

func (r *recent) put(id string, now place) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p, ok := r.young[id]; ok && p.seq > now.seq {
		return
	}
	if r.young == nil || len(r.young) >= recentSessions {
		r.young, r.old = map[string]place{}, r.young
	}
	r.young[id] = now
}

// get returns the place of a step.
func (r *recent) get(id string, step uint64) (p place, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p, ok = r.young[id]; !ok {
		p, ok = r.old[id]
	}
	if !ok || p.step != step {
		return place{}, false
	}
	return p, true
}

// forget drops what is known of a session.
func (r *recent) forget(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.young, id)
	delete(r.old, id)
}
