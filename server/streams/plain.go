package streams

// Batch reports whether the answer that c reads is to a batch, and so an array.
func (x Streams) Batch(c Conn) bool {
	st, ok := x.of(c)
	return ok && st.batch
}

// Plain reports whether the response to a POST may still be JSON: nothing but answers stands
// on its stream, if anything, it has not ended without one, and Begin was not called. A batch
// has some of its answers so before it has all.
func (x Streams) Plain(c Conn) bool {
	st, ok := x.of(c)
	return ok && st.attached && !st.begun && !st.mixed && !st.hung && (!st.ended || st.last >= firstEvent)
}
