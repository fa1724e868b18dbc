package streams

import (
	"strconv"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/server"
)

// Restore returns the Streams of a snapshot; s is the restored State that was stored with it. It
// continues as the original would, for the same connections, with all times counted from now. opt
// may differ from the original: shorter times and lower limits apply from the next step on.
//
// Whatever data holds, the value is one that a session can come to, or the error is
// lifecycle.ErrSnapshot. It takes time and memory in proportion to data, of at most
// lifecycle.MaxSnapshot bytes.
func Restore(opt Options, data []byte, s server.State, now time.Time) (Streams, error) {
	f := engine.ReadFields(data)
	if f.Number("streams") != snapshotVersion {
		f.Fail("another version")
	}
	x := New(opt)
	x.last, x.single, x.over = ID(f.Number("last")), f.Flag("single"), f.Flag("over")
	r := restorer{work: x.begin(s, now), f: f, open: map[uint64]bool{}}
	for call := range s.Inbound() {
		r.open[call.Call.Seq()] = true
	}
	r.b.order = f.Number("order")
	if x.last > idMask || r.b.order > table.Never-1 {
		f.Fail("impossible counters")
	}
	f.Items("open", len(data), r.stream)
	if err := f.Err(); err != nil {
		return Streams{}, err
	}
	x = r.x
	if r.b.streams.Len() > 0 {
		x.b = &r.b
	}
	if err := x.Check(); err != nil {
		f.Fail(err.Error())
		return Streams{}, f.Err()
	}
	return x, nil
}

// restorer reads a snapshot, which may be damaged or forged.
type restorer struct {
	work
	f    *engine.Fields  // all of it; it keeps the first fault
	open map[uint64]bool // the open calls of the State
}

// stream reads one stream.
func (r *restorer) stream(raw string) {
	g := r.f.Object(raw)
	id, gen := ID(g.Number("id")), g.Number("gen")
	last, written := g.Number("last"), g.Number("written")
	retry := g.Number("retry")
	const most = 1 << 31 // a session never sends that many messages, and they fit an int
	if _, _, twice := r.get(id); twice || id > r.x.last || gen > most || last >= most || written >= most || retry > table.Never {
		r.f.Fail("a stream twice, or impossible numbers")
		return
	}
	st := stream{last: int(last), written: int(written), gen: uint32(gen), order: g.Number("order"), retry: time.Duration(retry)}
	for _, flag := range st.flags() {
		*flag.on = g.Flag(flag.name)
	}
	g.Items("calls", len(raw), func(text string) {
		seq, err := strconv.ParseUint(text, 10, 64)
		if err != nil || !r.open[seq] || r.b.calls.Get(seq) != nil {
			r.f.Fail("a call that is not open, or on two streams")
			return
		}
		r.b.calls = r.b.calls.Put(seq, table.Never, id)
		st.calls++
	})
	g.Items("cuts", len(raw), func(text string) { st.cut = st.cut.restored(g.Object(text)) })
	var list []string
	g.Items("events", int(last), func(text string) { list = append(list, text) })
	st.first = st.last - len(list) + 1
	for i, text := range list {
		r.event(id, &st, st.first+i, text)
	}
	due := g.Instant("due")
	if g.Err() != nil {
		return
	}
	// No later than these Options have it, as if the last thing had happened to it just now.
	// But for what a client was told to come back for later.
	switch limit := r.due(id, &st); {
	case limit == table.Never:
		due = limit
	case !st.unheard():
		due = min(due, limit)
	}
	r.set(id, &st, due)
}

// event reads the n-th event of a stream.
func (r *restorer) event(id ID, st *stream, n int, raw string) {
	g := r.f.Object(raw)
	text := g.Raw("message")
	m := jsonrpc.Decoder{MaxBytes: len(text) + 1}.Decode([]byte(text)) // it is not of the peer
	e := event{data: string(jsonrpc.Append(nil, m)), req: g.Number("req")}
	e.final = m.Kind == jsonrpc.KindResult || m.Kind == jsonrpc.KindError
	switch {
	case m.Kind == jsonrpc.KindInvalid || m.Kind == jsonrpc.KindBatch:
		r.f.Fail("an event that is no message")
		return
	case e.req != 0 && m.Kind != jsonrpc.KindRequest:
		r.f.Fail("a request that is none")
		return
	}
	keep := int64(0)
	if id == backlog {
		keep = min(g.Instant("due"), r.b.clock.After(r.opt.Keep))
	}
	st.put(n, keep, e)
}
