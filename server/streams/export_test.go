package streams

// Has reports whether a connection still reads a stream.
func (x Streams) Has(c Conn) bool { _, ok := x.of(c); return ok }

// Filled returns the options that New makes of o.
func Filled(o Options) Options {
	o, _ = o.filled()
	return o
}
