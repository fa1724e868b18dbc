package worlds

import (
	"errors"
	"slices"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
)

// link is what is on its way in one direction.
type link struct {
	list   []wire
	closed bool // nothing more is put on it
}

// wire is a message on its way. All but msg is there for the Form.
type wire struct {
	msg      jsonrpc.Message
	kind     jsonrpc.Kind
	method   string
	own      uint64 // the id of a request of the sender that it is or is about
	peer     uint64 // the id of a request of the receiver that it answers or tells the progress of
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

// newWire says what a message is about.
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

// spoken returns n as the Form has it: of what is on its way and finds nobody who waits for it, it does not count what it
// is about. Ids are not used again, so nobody ever will.
func (n *pair) spoken() pair {
	m := *n
	for i := range 2 {
		l, to, copied := m.link(i), &m.books[1-i], false
		for k, w := range l.list {
			if !to.ignores(&w, l.list[:k]) {
				continue
			}
			if !copied {
				l.list, copied = slices.Clone(l.list), true
			}
			l.list[k] = wire{kind: w.kind, method: w.method}
		}
	}
	return m
}

// ignores reports whether an end of these books does nothing about a message that comes after others.
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

func errName(err error) string {
	for _, e := range []error{lifecycle.ErrPhase, lifecycle.ErrCapability, lifecycle.ErrGone, lifecycle.ErrLimit, lifecycle.ErrParams, lifecycle.ErrProgress, lifecycle.ErrRevision} {
		if errors.Is(err, e) {
			return e.Error()
		}
	}
	return err.Error()
}
