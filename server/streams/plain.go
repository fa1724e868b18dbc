package streams

// Whole returns the answers on the stream of a POST as the body of a JSON response, an array for a
// batch, once it has ended; nil if there are none. Other messages on it are omitted, and may have
// been dropped.
func (x Streams) Whole(c Conn) (body []byte, end End) {
	st, ok := x.of(c)
	switch {
	case !ok && x.has(c.Stream):
		return nil, Replaced
	case !ok:
		return nil, Dropped
	case !st.ended && st.hung:
		return nil, HungUp
	case !st.ended && !st.attached:
		return nil, Replaced
	case !st.ended:
		return nil, Open
	}
	for leaf := range st.events.All() {
		switch {
		case !leaf.V.final:
		case !st.batch:
			return []byte(leaf.V.data), Ended
		case body == nil:
			body = append([]byte{'['}, leaf.V.data...)
		default:
			body = append(append(body, ','), leaf.V.data...)
		}
	}
	if body != nil {
		body = append(body, ']')
	}
	return body, Ended
}

// Plain reports whether the response to a POST may still be JSON: its stream has only answers, if
// anything, it has not ended without one, and Begin was not called. A batch can have some of its
// answers before it has all.
func (x Streams) Plain(c Conn) bool {
	st, ok := x.of(c)
	return ok && st.attached && !st.begun && !st.mixed && !st.hung && (!st.ended || st.last >= firstEvent)
}
