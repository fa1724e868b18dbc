package lifecycle

import "strconv"

// Owner identifies the State that made a handle: handles of different States never compare equal,
// and a State refuses those of others.
type Owner struct{ _ byte }

// handle is what a Call and a Req have in common.
type handle struct {
	owner *Owner
	seq   uint64
}

// Seq returns the number of the request within the State's life, 1 for the
// first. It is unique there and may name a stream; 0 stands for none.
func (h handle) Seq() uint64 { return h.seq }

// OwnedBy reports whether the State of owner made the handle. It is for dispatchers.
func (h handle) OwnedBy(owner *Owner) bool { return h.owner == owner }

// IsZero reports whether the handle is a zero one.
func (h handle) IsZero() bool { return h.seq == 0 }

// Call is the handle of an inbound request. It is comparable and opaque, belongs to the State that
// made it and is never reused by that State, so a late answer can reach neither another request of
// the same id nor another session. The zero Call means no call.
type Call struct {
	handle
	key uint64
}

// MakeCall makes a handle. It is for dispatchers; other code gets Calls from an Output, an Event,
// or after Restore from the State.
func MakeCall(owner *Owner, seq, key uint64) Call { return Call{handle{owner, seq}, key} }

// Key returns the table key of the handle. It is for dispatchers, and for keeping a handle outside
// the process: see the Call method of a State.
func (c Call) Key() uint64 { return c.key }

// String returns the handle for logs.
func (c Call) String() string { return "call " + strconv.FormatUint(c.seq, 10) }

// Req is the handle of an outbound request. It is comparable and opaque, belongs to the State that
// made it and is never reused by that State. The wire id is in the message; a Req may use several
// over its life. The zero Req means no request.
type Req struct{ handle }

// MakeReq makes a handle. It is for dispatchers.
func MakeReq(owner *Owner, seq uint64) Req { return Req{handle{owner, seq}} }

// String returns the handle for logs.
func (r Req) String() string { return "req " + strconv.FormatUint(r.seq, 10) }
