package worlds

import (
	"slices"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// link is the messages under way in one direction.
type link struct {
	list   []wire
	closed bool // nothing more is sent on it
}

// wire is a message under way. All fields except msg are for the Form.
type wire struct {
	msg      jsonrpc.Message
	kind     jsonrpc.Kind
	method   string
	own      uint64 // the id of a request of the sender that it is or concerns
	peer     uint64 // the id of a request of the receiver that it answers or reports progress of
	token    bool   // it asks for progress
	progress float64
	code     int64 // of an error
}

func (n *pair) link(i int) *link {
	if i == 0 {
		return &n.up
	}
	return &n.down
}

// newWire returns a message with what it concerns.
func newWire(m *jsonrpc.Message) wire {
	w := wire{msg: *m, kind: m.Kind, method: m.Method}
	id, _ := m.ID.Int64()
	number := func(member string) uint64 {
		v, _ := rawjson.Get(string(m.Body), member)
		n, _ := rawjson.Int(v)
		return uint64(n)
	}
	switch {
	case m.Kind == jsonrpc.KindRequest:
		w.own, w.token = uint64(id), hasToken(m.Body)
	case m.Kind == jsonrpc.KindResult:
		w.peer = uint64(id)
	case m.Kind == jsonrpc.KindError:
		w.peer, w.code = uint64(id), m.Err.Code
	case m.Method == "notifications/cancelled":
		w.own = number("requestId")
	case m.Method == "notifications/progress":
		w.peer = number("progressToken")
		v, _ := rawjson.Get(string(m.Body), "progress")
		w.progress, _ = rawjson.Float(v)
	}
	return w
}

// ignores reports whether an end with these books ignores a message after others.
func (b *books) ignores(w *wire, before []wire) bool {
	switch {
	case w.peer != 0: // an answer, or progress
		return b.req(w.peer) == nil
	case w.method == "notifications/cancelled":
		return !slices.ContainsFunc(b.calls, func(c call) bool { return c.id == w.own }) &&
			!slices.ContainsFunc(before, func(o wire) bool { return o.kind == jsonrpc.KindRequest && o.own == w.own })
	}
	return false
}
