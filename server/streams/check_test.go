package streams

import (
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/server"
)

// whole returns streams of every kind: 1 of a POST with an answer, ended; 2 of a POST that is
// open and has an event; 3 a GET stream with a connection; 4 one that was hung up; 5 of a POST
// whose connection is gone for good; and a backlog.
func whole() Streams {
	x := New(Options{})
	w := x.begin(server.State{}, time.Unix(1, 0))
	w.x.last = 5
	w.b.order = 1
	blank := stream{first: firstEvent, last: firstEvent - 1, written: firstEvent - 1, gen: 1}
	one, two, three, four, five := blank, blank, blank, blank, blank
	one.begun, one.attached, one.calls = true, true, 1
	two.begun, two.primed, two.attached, two.calls = true, true, true, 2
	three.listener, three.begun, three.primed, three.attached, three.order = true, true, true, true, 1
	four.listener, four.begun, four.primed, four.hung, four.retry = true, true, true, true, time.Second
	five.dead, five.calls = true, 1
	w.b.calls = w.b.calls.Put(1, table.Never, 1).Put(2, table.Never, 2).Put(3, table.Never, 2).Put(5, table.Never, 5)
	for id, st := range []stream{one, two, three, four, five} {
		w.set(ID(id+1), &st, w.due(ID(id+1), &st))
	}
	w.add(1, `{"jsonrpc":"2.0","id":1,"result":{}}`, 0, true)
	w.ended(1)
	w.add(2, `{"jsonrpc":"2.0","method":"a"}`, 0, false)
	w.add(backlog, `{"jsonrpc":"2.0","method":"b"}`, 0, false)
	x, _, _ = w.done()
	return x
}

func TestCheckFindsDamage(t *testing.T) {
	if err := whole().Check(); err != nil {
		t.Fatalf("streams as they should be: %v", err)
	}
	// change puts a stream in as it is, with everything that follows from it.
	change := func(id ID, f func(*stream)) func(*Streams) {
		return func(x *Streams) {
			w := x.begin(server.State{}, time.Time{})
			st, due, _ := w.get(id)
			f(&st)
			w.set(id, &st, due)
			*x.b = w.b
		}
	}
	due := func(id ID, at int64) func(*Streams) {
		return func(x *Streams) { x.b.streams = x.b.streams.Put(uint64(id), at, x.b.streams.Get(uint64(id)).V) }
	}
	for _, c := range []struct {
		why   string
		spoil func(*Streams)
	}{
		{"a body without a stream", func(x *Streams) { x.b.streams = table.Table[stream]{} }},
		{"and says 1", change(2, func(st *stream) { st.calls = 1 })},
		{"answers 1 calls", func(x *Streams) { x.b.calls, _ = x.b.calls.Delete(2) }},
		{"a table has", func(x *Streams) { x.b.calls = x.b.calls.Put(9, table.Never, 9) }},
		{"not among the victims", func(x *Streams) { x.b.victims = table.Table[struct{}]{} }},
		{"not among those that wait", func(x *Streams) { x.b.answers = table.Table[struct{}]{} }},
		{"does not listen", func(x *Streams) { x.b.listen = table.Table[ID]{} }},
		{"does not listen", func(x *Streams) { x.b.listen = x.b.listen.Put(^uint64(1), 1, 2) }},
		{"a table has", func(x *Streams) { x.b.listen = x.b.listen.Put(7, 1, 2) }},
		{"a table has", func(x *Streams) { x.b.victims = x.b.victims.Put(7, 1, struct{}{}) }},
		{"a table has", func(x *Streams) { x.b.answers = x.b.answers.Put(7, 1, struct{}{}) }},
		{"bytes are kept", func(x *Streams) { x.b.plain++ }},
		{"bytes are kept", func(x *Streams) { x.b.unread-- }},
		{"a gap", change(2, func(st *stream) { st.events = st.events.Put(9, 0, event{}) })},
		{"not given yet", func(x *Streams) { x.last = 4 }},
		{"impossible numbers", change(2, func(st *stream) { st.last++ })},
		{"impossible numbers", change(2, func(st *stream) { st.written = 0 })},
		{"impossible numbers", change(2, func(st *stream) { st.written = 3 })},
		{"not what it says", change(2, func(st *stream) { st.bytes++ })},
		{"not what it says", change(2, func(st *stream) { st.finals++ })},
		{"not what it says", change(2, func(st *stream) { st.mixed = false })},
		{"an answer on a GET", change(1, func(st *stream) { st.listener = true })},
		{"a stream of its own", func(x *Streams) { x.single = true }},
		{"listens and does not", change(3, func(st *stream) { st.order = 0 })},
		{"listens and does not", change(2, func(st *stream) { st.order = 7 })},
		{"impossible order", func(x *Streams) { x.b.order = 0 }},
		{"do not go together", change(3, func(st *stream) { st.batch = true })},
		{"do not go together", change(2, func(st *stream) { st.ended = true })},
		{"do not go together", change(1, func(st *stream) { st.ended = false })},
		{"after the session has ended", func(x *Streams) { x.over = true }},
		{"no backlog", change(0, func(st *stream) { st.gen = 1 })},
		{"at another time", due(0, 7)},
		{"never connected", change(2, func(st *stream) { st.gen = 0 })},
		{"never connected", change(2, func(st *stream) { st.begun = false })},
		{"never connected", change(3, func(st *stream) { st.begun, st.primed = false, false })},
		{"hung up, and not", change(2, func(st *stream) { st.hung = true })},
		{"hung up, and not", change(4, func(st *stream) { st.primed = false })},
		{"hung up, and not", change(4, func(st *stream) { st.hung = false })},
		{"hung up, and not", change(4, func(st *stream) { st.retry = -1 })},
		{"dead, and not", change(5, func(st *stream) { st.mixed = true })},
		{"dead, and not", change(5, func(st *stream) { // the one event that it has is an answer
			e := event{data: "x", final: true}
			st.events, st.last, st.bytes, st.finals = st.events.Put(firstEvent, 0, e), firstEvent, e.cost(), e.cost()
		})},
		{"nobody can come back", change(5, func(st *stream) { st.dead = false })},
		{"while a call is open", due(2, 7)},
	} {
		x := whole()
		b := *x.b
		x.b = &b
		c.spoil(&x)
		if err := x.Check(); err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: found %v", c.why, err)
		}
	}
}
