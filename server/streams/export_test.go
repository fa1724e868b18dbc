package streams

// Has reports whether a connection still reads a stream.
func (x Streams) Has(c Conn) bool { _, ok := x.of(c); return ok }
