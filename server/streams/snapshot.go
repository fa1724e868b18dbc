package streams

import (
	"strconv"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
)

// snapshotVersion is the version of the format.
const snapshotVersion = 1

// Snapshot returns the streams as JSON. It goes with the Snapshot of the State of the same
// step: store both together, or neither. Times are written as what is left of them. Options
// are not in it.
func (x Streams) Snapshot() []byte {
	w := writer{Writer: rawjson.Writer{Dst: []byte{'{'}}}
	w.Number("streams", snapshotVersion)
	w.Number("last", uint64(x.last))
	w.Flag("single", x.single)
	w.Flag("over", x.over)
	if b := x.b; b != nil {
		w.now = b.clock.Now()
		w.Number("order", b.order)
		calls := map[ID][]uint64{}
		for leaf := range b.calls.All() {
			calls[leaf.V] = append(calls[leaf.V], leaf.Key)
		}
		w.Name("open")
		w.Dst = append(w.Dst, '[')
		for leaf := range b.streams.All() {
			w.stream(ID(leaf.Key), &leaf.V, leaf.Deadline, calls[ID(leaf.Key)])
		}
		w.Dst = append(w.Dst, ']')
	}
	return append(w.Dst, '}')
}

// writer adds times and what the package has to the members of a rawjson.Writer.
type writer struct {
	rawjson.Writer
	now int64
}

// instant writes how far away t is.
func (w *writer) instant(name string, t int64) {
	if t != table.Never {
		w.Name(name)
		w.Dst = strconv.AppendInt(w.Dst, t-w.now, 10)
	}
}

// stream writes one stream. What follows from its events and calls is not written.
func (w *writer) stream(id ID, st *stream, due int64, calls []uint64) {
	w.Separate()
	w.Dst = append(w.Dst, '{')
	w.Number("id", uint64(id))
	w.Number("gen", uint64(st.gen))
	w.Number("last", uint64(st.last))
	w.Number("written", uint64(st.written))
	w.Number("order", st.order)
	w.Number("retry", uint64(st.retry))
	for _, f := range st.flags() {
		w.Flag(f.name, *f.on)
	}
	w.instant("due", due)
	if len(calls) > 0 {
		w.Name("calls")
		w.Dst = append(w.Dst, '[')
		for _, seq := range calls {
			w.Separate()
			w.Dst = strconv.AppendUint(w.Dst, seq, 10)
		}
		w.Dst = append(w.Dst, ']')
	}
	if st.first <= st.last {
		w.Name("events")
		w.Dst = append(w.Dst, '[')
		for leaf := range st.events.All() {
			w.Separate()
			w.Dst = append(w.Dst, '{')
			w.Number("req", leaf.V.req)
			if id == backlog {
				w.instant("due", leaf.Deadline)
			}
			w.Name("message")
			w.Dst = append(append(w.Dst, leaf.V.data...), '}')
		}
		w.Dst = append(w.Dst, ']')
	}
	w.Dst = append(w.Dst, '}')
}

// flag is a flag of a stream by name.
type flag struct {
	name string
	on   *bool
}

// flags returns the flags of a stream that a snapshot has.
func (st *stream) flags() [9]flag {
	return [...]flag{
		{"listener", &st.listener}, {"batch", &st.batch}, {"begun", &st.begun}, {"primed", &st.primed}, {"attached", &st.attached},
		{"hung", &st.hung}, {"ended", &st.ended}, {"dead", &st.dead}, {"mixed", &st.mixed},
	}
}

// MarshalJSON always fails with lifecycle.ErrMarshal: use Snapshot.
func (Streams) MarshalJSON() ([]byte, error) { return nil, lifecycle.ErrMarshal }
