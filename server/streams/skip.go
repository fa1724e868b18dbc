package streams

import "github.com/sansmcp/mcp/lifecycle/engine"

// Skip skips numbers: of streams, of the events on existing streams, and of their connections. It is for a session
// that continues from an older snapshot than the newest, because a store has lost what came after. by is a random
// number up to server.MaxSkip. Then no event id is used for two events, and no Conn for two connections. Ids of
// events in the snapshot stay valid; those of lost events are ErrDropped, or ErrEvent.
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
