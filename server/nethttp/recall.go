package nethttp

import "sync"

// recalled is an entry of a Table as it was when it was last read or stored here.
type recalled struct {
	mark       string // of the Table; "" for no entry
	data       []byte // the snapshot of record
	base, size int    // length of the entry, and of the record at its beginning
	record     Record
}

// recall has the entries that were last read or stored, so that only what is appended to them is read. If there are
// many, it drops the older half. It never replaces a read: the Table says what follows an entry.
type recall struct {
	mu         sync.Mutex
	young, old map[string]recalled
	bytes      int // of the snapshots in young
}

// maxRecall bounds the length of the snapshots in half of a recall, and recallEntry is what each counts in
// addition.
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

// forget drops an entry that no longer exists.
func (r *recall) forget(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if last, ok := r.young[id]; ok {
		r.bytes -= len(last.data) + recallEntry
		delete(r.young, id)
	}
	delete(r.old, id)
}
