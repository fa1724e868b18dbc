package streams

import (
	"strconv"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle/table"
)

// snapshotVersion is the version of the format.
const snapshotVersion = 1

// Snapshot returns the streams as JSON. It goes with the Snapshot of the State of the same
// step: store both together, or neither. Times are written as what is left of them. Options
// are not in it.
func (x Streams) Snapshot() []byte {
	w := writer{dst: []byte{'{'}}
	w.number("streams", snapshotVersion)
	w.number("last", uint64(x.last))
	w.flag("single", x.single)
	w.flag("over", x.over)
	if b := x.b; b != nil {
		w.now = b.now
		w.number("order", b.order)
		calls := map[ID][]uint64{}
		for leaf := range b.calls.All() {
			calls[leaf.V] = append(calls[leaf.V], leaf.Key)
		}
		w.name("open")
		w.dst = append(w.dst, '[')
		for leaf := range b.streams.All() {
			w.stream(ID(leaf.Key), &leaf.V, leaf.Deadline, calls[ID(leaf.Key)])
		}
		w.dst = append(w.dst, ']')
	}
	return append(w.dst, '}')
}

// writer appends members of a JSON object in a fixed order and leaves out what has its zero
// value.
type writer struct {
	dst []byte
	now int64
}

func (w *writer) separate() {
	if last := w.dst[len(w.dst)-1]; last != '{' && last != '[' {
		w.dst = append(w.dst, ',')
	}
}

func (w *writer) name(name string) {
	w.separate()
	w.dst = append(rawjson.AppendQuote(w.dst, name), ':')
}

func (w *writer) number(name string, n uint64) {
	if n != 0 {
		w.name(name)
		w.dst = strconv.AppendUint(w.dst, n, 10)
	}
}

func (w *writer) flag(name string, on bool) {
	if on {
		w.name(name)
		w.dst = append(w.dst, "true"...)
	}
}

// instant writes how far away t is.
func (w *writer) instant(name string, t int64) {
	if t != table.Never {
		w.name(name)
		w.dst = strconv.AppendInt(w.dst, t-w.now, 10)
	}
}

// stream writes one stream. What follows from its events and calls is not written.
func (w *writer) stream(id ID, st *stream, due int64, calls []uint64) {
	w.separate()
	w.dst = append(w.dst, '{')
	w.number("id", uint64(id))
	w.number("gen", uint64(st.gen))
	w.number("last", uint64(st.last))
	w.number("written", uint64(st.written))
	w.number("order", st.order)
	w.number("retry", uint64(st.retry))
	for _, f := range st.flags() {
		w.flag(f.name, *f.on)
	}
	w.instant("due", due)
	if len(calls) > 0 {
		w.name("calls")
		w.dst = append(w.dst, '[')
		for _, seq := range calls {
			w.separate()
			w.dst = strconv.AppendUint(w.dst, seq, 10)
		}
		w.dst = append(w.dst, ']')
	}
	if st.first <= st.last {
		w.name("events")
		w.dst = append(w.dst, '[')
		for leaf := range st.events.All() {
			w.separate()
			w.dst = append(w.dst, '{')
			w.number("req", leaf.V.req)
			if id == backlog {
				w.instant("due", leaf.Deadline)
			}
			w.name("message")
			w.dst = append(append(w.dst, leaf.V.data...), '}')
		}
		w.dst = append(w.dst, ']')
	}
	w.dst = append(w.dst, '}')
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
