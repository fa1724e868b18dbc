package streams

import (
	"strconv"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
)

// snapshotVersion is the version of the format.
const snapshotVersion = 1

// Snapshot returns the streams as JSON. Store it together with the Snapshot of the State of the
// same step. It has remaining times, and excludes Options.
func (x Streams) Snapshot() []byte {
	w := engine.NewWriter(0)
	w.Number("streams", snapshotVersion)
	w.Number("last", uint64(x.last))
	w.Flag("single", x.single)
	w.Flag("over", x.over)
	if b := x.b; b != nil {
		w.Number("order", b.order)
		calls := map[ID][]uint64{}
		for leaf := range b.calls.All() {
			calls[leaf.V] = append(calls[leaf.V], leaf.Key)
		}
		w.Now = b.clock.Now()
		w.List("open", b.streams.Len(), func() {
			for leaf := range b.streams.All() {
				w.Object("", func() { writeStream(w, ID(leaf.Key), &leaf.V, leaf.Deadline, calls[ID(leaf.Key)]) })
			}
		})
	}
	return append(w.Dst, '}')
}

// writeStream writes one stream, without what can be derived from its events and calls.
func writeStream(w *engine.Writer, id ID, st *stream, due int64, calls []uint64) {
	w.Number("id", uint64(id))
	w.Number("gen", uint64(st.gen))
	w.Number("last", uint64(st.last))
	w.Number("written", uint64(st.written))
	w.Number("order", st.order)
	w.Number("retry", uint64(st.retry))
	for _, f := range st.flags() {
		w.Flag(f.name, *f.on)
	}
	w.Instant("due", due)
	st.cut.write(w)
	w.List("calls", len(calls), func() {
		for _, seq := range calls {
			w.Element(strconv.FormatUint(seq, 10))
		}
	})
	if st.first <= st.last {
		w.List("events", 1, func() {
			for leaf := range st.events.All() {
				w.Object("", func() {
					w.Number("req", leaf.V.req)
					if id == backlog {
						w.Instant("due", leaf.Deadline)
					}
					w.Raw("message", leaf.V.data)
				})
			}
		})
	}
}

// flag is a named flag of a stream.
type flag struct {
	name string
	on   *bool
}

// flags returns the flags of a stream that a snapshot contains.
func (st *stream) flags() [9]flag {
	return [...]flag{
		{"listener", &st.listener}, {"batch", &st.batch}, {"begun", &st.begun}, {"primed", &st.primed}, {"attached", &st.attached},
		{"hung", &st.hung}, {"ended", &st.ended}, {"dead", &st.dead}, {"mixed", &st.mixed},
	}
}

// MarshalJSON always fails with lifecycle.ErrMarshal: use Snapshot.
func (Streams) MarshalJSON() ([]byte, error) { return nil, lifecycle.ErrMarshal }
