package nethttp

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol/headers"
)

// exchange is one HTTP request and its response.
type exchange struct {
	h        *Handler
	w        http.ResponseWriter
	r        *http.Request
	rc       http.ResponseController
	head     headers.Head
	who      Principal
	ctx      context.Context // of its turns: it has the values of the request and does not end with it
	from     origin          // which it is
	legacy   bool            // HTTP+SSE of 2024-11-05
	begun    bool            // the head of its stream is written
	bodyOpen bool            // the body is not read to its end
	whole    bool            // the answer is JSON, however long it takes
	single   bool            // it belongs to no session
	unsaid   bool            // it does not say what it is made under, or not well
	id       jsonrpc.ID      // of the request, if it belongs to no session
	via      *ticket         // another process has passed it on; nil: its client has sent it
	body     []byte          // where it may have to be passed on
	away     *elsewhere      // it has to be
	spelled  jsonrpc.Raw     // as the client wrote it

	counts  bool // the response counts for its owner
	counted party
	era     uint64 // of its share

	length [1]string // of the body of the response
	early  early     // its call, if the function runs first
}

// reading gives the body of a POST ReadTimeout to arrive, also where nobody reads it: then
// net/http does, before it writes the response. A body of another method is left where it is.
func (x *exchange) reading() {
	if x.r.ContentLength == 0 {
		return
	}
	if x.r.Method != http.MethodPost {
		// Nobody wants it, and it may never come. HTTP/1 would wait for it before the response.
		if x.r.ProtoMajor == 1 {
			x.w.Header().Set("Connection", "close")
		}
		return
	}
	_ = x.rc.SetReadDeadline(time.Now().Add(x.h.opt.ReadTimeout))
	x.bodyOpen = true
}

// hasRead says that the body was read.
func (x *exchange) hasRead() {
	if x.bodyOpen {
		_ = x.rc.SetReadDeadline(time.Time{})
		x.bodyOpen = false
	}
}

// deadline gives the client WriteTimeout for what is written next.
func (x *exchange) deadline() {
	d := x.h.opt.WriteTimeout
	if x.bodyOpen {
		d += x.h.opt.ReadTimeout
	}
	_ = x.rc.SetWriteDeadline(time.Now().Add(d))
}

// turn makes a turn of the session that the request names. The Store is asked for no id that no
// Handler ever gave: what stands in it may be a path, or a query.
func (x *exchange) turn(id string, f func(*turn) error) error {
	if !given(id) && !x.single {
		return ErrNoSession
	}
	return x.h.turn(x.ctx, id, f)
}

// checkOwner reports whether the session goes on, belongs to who sent the request, and is one of
// its transport. Its id alone proves nobody (SEC-109).
func (x *exchange) checkOwner(t *turn) error {
	if !x.owns(&t.Record) {
		return errForeign
	}
	return x.h.here(&t.Record)
}

// owns is checkOwner for a record.
func (x *exchange) owns(r *Record) bool {
	return !r.over && r.legacy == x.legacy && (x.h.opt.Authenticate == nil || r.Principal == x.who.ID)
}

// party returns whose request it is.
func (x *exchange) party() party {
	if x.h.opt.Authenticate != nil {
		return party{name: x.who.ID}
	}
	return x.address()
}

// address returns where a request comes from.
func (x *exchange) address() party {
	if at, ok := prefix(x.r.RemoteAddr); ok {
		return party{at: at}
	}
	return party{name: x.r.RemoteAddr}
}

// owner returns the name of whose sessions those of the request are: its principal, or without
// Authenticate the address that it comes from.
func (x *exchange) owner() string {
	p := x.party()
	switch at := x.r.RemoteAddr; {
	case !p.at.IsValid():
		return p.name
	case p.at.Is4() && at[0] != '[': // such an address is written in one way
		return at[:strings.IndexByte(at, ':')]
	}
	return p.at.String()
}

// count counts the response for its owner. It reports false if the owner has its share: three times
// what is free. So a quarter of what is free stays so for others.
func (x *exchange) count(p party) bool {
	t := &x.h.tally
	free := x.h.opt.MaxConnections - int(x.h.conns.Load()) + 1 // before this one
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.of[p]
	if s.n >= 3*free {
		return false
	}
	if t.of == nil {
		t.of = map[party]share{}
	}
	s.n++
	t.of[p] = s
	x.counts, x.counted, x.era = true, p, s.era
	return true
}

// uncount takes the response out again.
func (x *exchange) uncount() {
	if !x.counts {
		return
	}
	t := &x.h.tally
	t.mu.Lock()
	defer t.mu.Unlock()
	x.counts = false
	s := t.of[x.counted]
	if s.n--; s.n == 0 {
		delete(t.of, x.counted)
		return
	}
	t.of[x.counted] = s
}

// buffers are those of bodies and of what is written to streams.
var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 4<<10); return &b }}
