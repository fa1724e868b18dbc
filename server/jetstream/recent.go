package jetstream

import (
	"sync"
)

// recent knows at which sequence of the stream the steps of sessions are that were read or stored last, so that a Put
// after a Get needs no read of its own. It forgets the older half of many.
type recent struct {
	mu         sync.Mutex
	young, old map[string]place
}

type place struct{ step, seq uint64 }

// recentSessions is how many sessions half of a recent has.
const recentSessions = 4096

func (r *recent) put(id string, step, seq uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p, ok := r.young[id]; ok && p.seq > seq {
		return
	}
	if r.young == nil || len(r.young) >= recentSessions {
		r.young, r.old = map[string]place{}, r.young
	}
	r.young[id] = place{step, seq}
}

// get returns the sequence of a step.
func (r *recent) get(id string, step uint64) (seq uint64, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p, ok := r.young[id]
	if !ok {
		p, ok = r.old[id]
	}
	if !ok || p.step != step {
		return 0, false
	}
	return p.seq, true
}
