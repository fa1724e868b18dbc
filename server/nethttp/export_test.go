package nethttp

import (
	"context"
	"strconv"

	"github.com/sansmcp/mcp/server"
)

// RestoreRecord is restoreRecord.
var RestoreRecord = restoreRecord

// Snapshot is snapshot.
func (r Record) Snapshot() []byte { return r.snapshot() }

// Config is config.
func (h *Handler) Config() server.Config { return h.app.Load().cfg }

// First is first.
var First = first

// Recalled puts the snapshot of a session of so many bytes into a recall for each size, and the first one once more.
// It returns how many bytes it has then, of which sessions, and what it counts once all are forgotten.
func Recalled(sizes ...int) (bytes int, has []int, left int) {
	var r recall
	for i, n := range sizes {
		r.put(strconv.Itoa(i), recalled{data: make([]byte, n)})
	}
	r.put("0", recalled{data: make([]byte, sizes[0])})
	for i := range sizes {
		if n := len(r.get(strconv.Itoa(i)).data); n > 0 {
			bytes, has = bytes+n, append(has, i)
		}
	}
	for i := range sizes {
		r.forget(strconv.Itoa(i))
	}
	return bytes, has, r.bytes + len(r.young) + len(r.old)
}

// Sides returns how many Companions a Handler has.
func (h *Handler) Sides() (n int) {
	h.each(func(st *stripe) { n += len(st.sides) })
	return n
}

// Kept returns how many bytes sessions keep for their clients.
func (h *Handler) Kept() int { return int(h.due.kept.Load()) }

// SameStripe reports whether two sessions had one lock if those were few.
func SameStripe(a, b string) bool { return hash(a)>>8&(stripes-1) == hash(b)>>8&(stripes-1) }

// Early returns how many requests are not taken in yet whose functions run.
func (h *Handler) Early() (n int) {
	h.each(func(st *stripe) { n += len(st.early) })
	return n
}

// Late sends a call to a session, whose function runs first, and looks for its answer only after meanwhile.
func (h *Handler) Late(session, body string, meanwhile func()) (answer []byte, ok bool) {
	x := &exchange{h: h, ctx: context.Background()}
	e, _ := x.startEarly(session, h.decoder.Decode([]byte(body)))
	meanwhile()
	return x.waitFor(e)
}
