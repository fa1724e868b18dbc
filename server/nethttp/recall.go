package nethttp

import "sync"

// recalled is an entry of a Table that was read or stored here, as it was then.
type recalled struct {
	mark       string // of the Table; "" for no entry
	data       []byte // the snapshot of record
	base, size int    // how long the entry is, and the record that it begins with
	record     Record
}

// recall has the entries that were read or stored last, so that what is appended to them alone is read. It forgets the
// older half of many. What it has is never taken for what is stored: the Table says what follows it.
type recall struct {
	mu         sync.Mutex
	young, old map[string]recalled
	bytes      int // of the snapshots in young
}

// maxRecall is how long the snapshots of half of a recall are together, and recallEntry what one counts beside.
const (
	maxRecall   = 16 << 20
	recallEntry = 1 << 10
)

func (r *recall) get(id string) recalled {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e, ok := r.young[id]; ok {
		return e
	}
	return r.old[id]
}

func (r *recall) put(id string, e recalled) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.young == nil || r.bytes > maxRecall {
		r.young, r.old, r.bytes = map[string]recalled{}, r.young, 0
	}
	if last, ok := r.young[id]; ok {
		r.bytes -= len(last.data) + recallEntry
	}
	r.young[id] = e
	r.bytes += len(e.data) + recallEntry
}

// forget gives an entry up that is no more.
func (r *recall) forget(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if last, ok := r.young[id]; ok {
		r.bytes -= len(last.data) + recallEntry
		delete(r.young, id)
	}
	delete(r.old, id)
}
