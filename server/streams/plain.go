package streams

// Plain reports whether the response to a POST may still be JSON: nothing but answers stands
// on its stream, if anything, it has not ended without one, and Begin was not called. A batch
// has some of its answers so before it has all.
func (x Streams) Plain(c Conn) bool {
	st, ok := x.of(c)
	return ok && st.attached && !st.begun && !st.mixed && !st.hung && (!st.ended || st.last >= firstEvent)
}
