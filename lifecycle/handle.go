package lifecycle

import "strconv"

// Call is the handle of an inbound request: theirs, we owe an answer. It is
// comparable, opaque and never used again within a State's life, so an answer
// that comes late can never reach another request of the same id. The zero Call
// is none.
type Call struct{ seq, key uint64 }

// MakeCall makes a handle. It is for dispatchers; everybody else gets Calls from
// an Output or an Event.
func MakeCall(seq, key uint64) Call { return Call{seq, key} }

// Seq returns the number of the request within the State's life, 1 for the
// first. It is unique and may name a stream; 0 is no request.
func (c Call) Seq() uint64 { return c.seq }

// Key returns the table key of the handle. It is for dispatchers.
func (c Call) Key() uint64 { return c.key }

// IsZero reports whether c is no Call.
func (c Call) IsZero() bool { return c == Call{} }

// String returns the handle for logs.
func (c Call) String() string { return "call " + strconv.FormatUint(c.seq, 10) }

// Req is the handle of an outbound request: ours, we wait for the answer. It is
// comparable, opaque and never used again within a State's life. The wire id is
// in the message; a Req may use several over its life. The zero Req is none.
type Req struct{ seq, key uint64 }

// MakeReq makes a handle. It is for dispatchers.
func MakeReq(seq, key uint64) Req { return Req{seq, key} }

// Seq returns the number of the request within the State's life.
func (r Req) Seq() uint64 { return r.seq }

// Key returns the table key of the handle. It is for dispatchers.
func (r Req) Key() uint64 { return r.key }

// IsZero reports whether r is no Req.
func (r Req) IsZero() bool { return r == Req{} }

// String returns the handle for logs.
func (r Req) String() string { return "req " + strconv.FormatUint(r.seq, 10) }
