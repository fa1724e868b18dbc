package streams

// Whole returns the answers on the stream of a POST as the body of a JSON response, an array for a
// batch, once it has ended; nil if there are none. Other messages on it are omitted, and may be
// dropped.
func (x Streams) Whole(c Conn) (body []byte, end End) {
	st, end := x.reads(c)
	if end == Ended {
		body = st.body()
	}
	return body, end
}

// body returns the answers on a stream as the body of a JSON response, nil if there are none.
func (st *stream) body() (body []byte) {
	for leaf := range st.events.All() {
		switch {
		case !leaf.V.final:
		case !st.batch:
			return []byte(leaf.V.data)
		case body == nil:
			body = append(append(make([]byte, 0, st.finals), '['), leaf.V.data...) // each counts more than its text and a comma
		default:
			body = append(append(body, ','), leaf.V.data...)
		}
	}
	if body != nil {
		body = append(body, ']')
	}
	return body
}

// Plain reports whether the response to a POST may still be JSON: its stream has at most answers,
// has not ended without one, and Begin was not called. This includes a batch with some of its
// answers.
func (x Streams) Plain(c Conn) bool {
	st, ok := x.of(c)
	return ok && st.attached && !st.begun && !st.mixed && !st.hung && (!st.ended || st.last >= firstEvent)
}
