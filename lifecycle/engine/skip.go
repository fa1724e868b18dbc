package engine

// MaxNumber bounds the numbers of ours, which stay exact in every reader of JSON.
const MaxNumber = 1 << 53

// Above returns a number above last: higher by so much, or by a part of those that are left, so that they last for
// tens of thousands of times.
func Above(last, by uint64) uint64 {
	return last + min(max(1, min(by, (MaxNumber-last)/1024)), MaxNumber-last)
}

// Skip leaves out the numbers of calls and the ids of requests of ours that may have been given since the snapshot
// that c comes from. An answer to one of them is late (JRPC-033).
func (c *Core) Skip(by uint64) {
	c.seq, c.last = Above(c.seq, by), Above(c.last, by)
}
