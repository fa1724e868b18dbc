package nethttp

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server"
)

// exchange is one HTTP request and its response.
type exchange struct {
	h        *Handler
	w        http.ResponseWriter
	r        *http.Request
	rc       http.ResponseController
	head     headers.Head
	who      Principal
	ctx      context.Context // of its turns: it has the values of the request but does not end with it
	from     origin          // what ctx is
	legacy   bool            // HTTP+SSE of 2024-11-05
	begun    bool            // the head of its stream is written
	bodyOpen bool            // the body is not read to its end
	whole    bool            // the answer is JSON, however long it takes
	single   bool            // it belongs to no session
	unsaid   bool            // its _meta or headers are missing or not valid
	apart    bool            // it has a State of its own, whose record is not stored; the stripe's lock guards this
	state    server.State    // of apart
	id       jsonrpc.ID      // of the request, if it belongs to no session
	via      *ticket         // from the process that has passed it on; nil if its client has sent it
	body     []byte          // kept if it may have to be passed on
	away     *elsewhere      // set if it must be passed on
	spelled  jsonrpc.Raw     // as the client wrote it

	counts  bool // the response counts for its owner
	counted party
	era     uint64 // of the owner's share

	length [1]string // of the body of the response
	early  early     // its call, if the function runs first
}

// reading gives the body of a POST ReadTimeout to arrive, even if the Handler does not read it:
// then net/http does, before it writes the response. A body of another method is not read.
func (x *exchange) reading() {
	if x.r.ContentLength == 0 {
		return
	}
	if x.r.Method != http.MethodPost {
		// It is not needed, and may never arrive. HTTP/1 would wait for it before the response.
		if x.r.ProtoMajor == 1 {
			x.w.Header().Set("Connection", "close")
		}
		return
	}
	_ = x.rc.SetReadDeadline(time.Now().Add(x.h.opt.ReadTimeout))
	x.bodyOpen = true
}

// hasRead notes that the body was read.
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

// firstRecord returns the first record of the State.
func (x *exchange) firstRecord(now time.Time) Record {
	return Record{Step: 1, State: x.state, Streams: x.h.empty, Principal: x.who.ID, Active: now, at: now}
}

// turn makes a turn of the session that the request names. It does not ask the Store for an id that
// no Handler made, because such an id may contain a path or a query.
func (x *exchange) turn(id string, f func(*turn) error) error {
	if !given(id) && !x.single {
		return ErrNoSession
	}
	return x.h.turn(x.ctx, id, f)
}

// checkOwner reports whether the session is open, belongs to the sender of the request, and uses
// its transport. The id alone is not authentication (SEC-109).
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

// party returns the owner of the request.
func (x *exchange) party() party {
	if x.counts {
		return x.counted
	}
	if x.h.opt.Authenticate != nil {
		return party{name: x.who.ID}
	}
	return x.address()
}

// address returns the address of a request, as a party.
func (x *exchange) address() party {
	if at, ok := prefix(x.r.RemoteAddr); ok {
		return party{at: at}
	}
	return party{name: x.r.RemoteAddr}
}

// owner returns the name of the owner of the request's sessions: its principal, or without
// Authenticate its address.
func (x *exchange) owner() string {
	p := x.party()
	switch at := x.r.RemoteAddr; {
	case !p.at.IsValid():
		return p.name
	case p.at.Is4() && at[0] != '[': // such an address is written in one way only
		return at[:strings.IndexByte(at, ':')]
	}
	return p.at.String()
}

// count counts the response for its owner. It returns false if the owner has its share: three times
// what is free. So a quarter of what is free stays free for others.
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

// uncount is the inverse of count.
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

// buffers are for bodies and for what is written to streams.
var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 4<<10); return &b }}
