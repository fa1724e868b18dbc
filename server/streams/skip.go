package streams

import "github.com/sansmcp/mcp/lifecycle/engine"

// Skip skips numbers of streams, of events on existing streams, and of their connections. It is for a session that
// continues from an older snapshot because a store has lost newer ones. by is a random number up to server.MaxSkip.
// Then ids of events and Conns are never reused. Ids in the snapshot stay valid; lost ones are ErrDropped, or
// ErrEvent.
func (x Streams) Skip(by uint64) Streams {
	x.last = ID(engine.Above(uint64(x.last), by))
	if x.b == nil {
		return x
	}
	b := *x.b
	for leaf := range x.b.streams.All() {
		st := leaf.V
		if ID(leaf.Key) == backlog || st.dead {
			continue
		}
		st.cut = &cut{at: st.last, by: engine.Above(st.cut.offset(), by), gen: st.gen, before: st.cut}
		b.streams = b.streams.Put(leaf.Key, leaf.Deadline, st)
	}
	x.b = &b
	return x
}
