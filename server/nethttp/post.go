package nethttp

import (
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server/streams"
)

// post takes a message in.
func (x *exchange) post(rules headers.Rules) {
	m, ok := x.message()
	if !ok {
		return
	}
	if x.h.opt.Stateless {
		if bad := rules.Check(x.head, m); bad != nil {
			x.refuse(bad)
			return
		}
		x.statelessPost(rules, m)
		return
	}
	opens := m.Kind == jsonrpc.KindRequest && m.Method == "initialize" && x.head.Session == ""
	if m.Kind == jsonrpc.KindRequest && !opens && x.head.Session == "" {
		x.sessionless(m)
		return
	}
	if bad := rules.Check(x.head, m); bad != nil {
		x.refuse(bad)
		return
	}
	if opens {
		x.begin(m)
		return
	}
	if x.h.draining.Load() && asks(m) {
		x.refuse(x.h.busy())
		return
	}
	x.answerTo(rules, x.head.Session, m)
}

// answerTo hands a message to a session, and answers what comes of it.
func (x *exchange) answerTo(rules headers.Rules, id string, m jsonrpc.Message) {
	c, reply, err := x.receive(id, m)
	switch {
	case err != nil:
		x.failed(err)
	case c != nil:
		x.await(id, c)
	case reply.Body == nil && reply.Status == http.StatusBadRequest:
		x.refuse(refusal(rules, m))
	default:
		x.write(reply.Status, reply.Body)
	}
}

// refusal says why a message was not taken (HTTP-010, HTTP-011).
func refusal(rules headers.Rules, m jsonrpc.Message) *headers.Refusal {
	if m.Kind == jsonrpc.KindInvalid {
		if bad := rules.Check(headers.Head{}, m); bad != nil {
			return bad
		}
	}
	return headers.Refuse(http.StatusBadRequest, "message not allowed in this session phase")
}

// asks reports whether a message asks for work: those that do not may help calls to end
// while a Handler is shut down.
func asks(m jsonrpc.Message) bool {
	if m.Kind != jsonrpc.KindBatch {
		return m.Kind == jsonrpc.KindRequest
	}
	for _, e := range m.Batch() {
		if e.Kind == jsonrpc.KindRequest {
			return true
		}
	}
	return false
}

// receive makes the turn of a message. Either there is a reply, or a conn to which the
// answer will come.
func (x *exchange) receive(id string, m jsonrpc.Message) (c *conn, reply streams.Reply, err error) {
	err = x.turn(id, func(t *turn) error {
		c, t.ctx = nil, x.ctx
		if err := x.checkOwner(t); err != nil {
			return err
		}
		x.h.accompany(x.ctx, id, t)
		s, out := t.State.Receive(t.now, m)
		var eff streams.Effects
		t.Streams, t.State, reply, eff = t.Streams.Post(s, t.now, m, out)
		t.add(eff)
		t.Active = t.now
		if reply.Status == http.StatusOK && reply.Body == nil {
			c = x.h.newConn()
			c.at, c.waits = reply.Conn, x.h.opt.StreamAfter > 0
			t.attach = c
		}
		return nil
	})
	return c, reply, err
}

// begin opens a session, if the server agrees (HTTP-040).
func (x *exchange) begin(m jsonrpc.Message) {
	h, now := x.h, time.Now()
	if h.draining.Load() {
		x.refuse(x.h.busy())
		return
	}
	s, err := h.app.Load().fresh.NewSession(now)
	if err != nil {
		x.failed(err)
		return
	}
	s, out := s.Receive(now, m)
	r := Record{Step: 1, Principal: x.who.ID, Active: now, at: now}
	var (
		reply streams.Reply
		eff   streams.Effects
	)
	r.Streams, r.State, reply, eff = h.empty.Post(s, now, m, out)
	if r.State.Phase() == lifecycle.Initializing {
		id, err := x.create(r)
		if err != nil {
			x.failed(err)
			return
		}
		h.due.rest(id)
		h.tell(id, eff.Output.Events)
		x.w.Header().Set(headers.Session, id)
	}
	x.write(reply.Status, reply.Body)
}

// create stores the first record of a session, which ends for no other one until it rests.
func (x *exchange) create(r Record) (id string, err error) {
	id = newID()
	if err = x.admitSession(id, r); err != nil {
		return "", err
	}
	stored := false
	defer func() { // also if the Store panics
		if !stored {
			x.h.due.forget(id)
		}
	}()
	defer x.h.recovered(&err)
	err = x.h.opt.Store.Put(x.ctx, id, r, 0)
	stored = err == nil
	return id, err
}

// newID returns the id of a session: 26 characters of base 32, 130 bits (HTTP-041, HTTP-042).
func newID() string { return rand.Text() }

// given reports whether an id can be one of newID.
func given(id string) bool {
	if len(id) != 26 {
		return false
	}
	for i := range len(id) {
		if c := id[i]; (c < 'A' || c > 'Z') && (c < '2' || c > '7') {
			return false
		}
	}
	return true
}

// sessionless answers a request that has no session and opens none with 400 (HTTP-044) and,
// under its id, with what a State says that nobody has spoken to (package server, Contract): a
// method that no supported revision has is unknown, which tells a client of a later revision to
// initialize. What such a State would answer with a result needs a session here all the same.
func (x *exchange) sessionless(m jsonrpc.Message) {
	now := time.Now()
	s, err := x.h.app.Load().fresh.NewSession(now)
	if err != nil {
		x.failed(err)
		return
	}
	answer := jsonrpc.Message{Kind: jsonrpc.KindError, ID: m.ID, Err: &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "a session is needed"}}
	if _, out := s.Receive(now, m); len(out.Send) > 0 && out.Send[0].Message.Kind == jsonrpc.KindError {
		answer = out.Send[0].Message
	}
	x.write(http.StatusBadRequest, jsonrpc.Append(nil, answer.Spelled(m.Spelling())))
}

// message reads and decodes the body. If it cannot, it answers.
func (x *exchange) message() (m jsonrpc.Message, ok bool) {
	buf := buffers.Get().(*[]byte)
	defer func() {
		if cap(*buf) <= WriteBytes {
			buffers.Put(buf)
		}
	}()
	// One that served a stream may be larger than what a body has for nothing.
	body, status := x.read((*buf)[:0:min(cap(*buf), WriteBytes)])
	*buf = body
	if status != 0 {
		if status == http.StatusServiceUnavailable {
			x.refuse(x.h.busy())
		} else {
			x.refuse(headers.Refuse(status, http.StatusText(status)))
		}
		return m, false
	}
	return x.h.decoder.Decode(body), true
}

// buffers are those of bodies and of what is written to streams.
var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 4<<10); return &b }}

// read reads the body, into memory that grows with what arrives. What is beyond WriteBytes is
// counted: what is not is part of what a connection costs. status is that of a failure, else 0.
func (x *exchange) read(buf []byte) (body []byte, status int) {
	h := x.h
	if x.r.ContentLength > int64(h.opt.MaxBody) {
		return buf, http.StatusRequestEntityTooLarge
	}
	held := int64(0)
	defer func() { h.reading.Add(-held) }()
	for {
		if len(buf) == cap(buf) {
			buf = append(make([]byte, 0, x.grown(cap(buf))), buf...)
		}
		if more := int64(cap(buf)) - held; more > 0 && cap(buf) > WriteBytes {
			held += more
			if all := h.reading.Add(more); all > int64(h.opt.BodyBytes) && all > held {
				return buf, http.StatusServiceUnavailable
			}
		}
		n, err := x.r.Body.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		switch {
		case len(buf) > h.opt.MaxBody:
			x.w.Header().Set("Connection", "close")
			return buf, http.StatusRequestEntityTooLarge
		case errors.Is(err, io.EOF):
			x.hasRead()
			return buf, 0
		case errors.Is(err, os.ErrDeadlineExceeded):
			x.w.Header().Set("Connection", "close")
			return buf, http.StatusRequestTimeout
		case err != nil:
			return buf, http.StatusBadRequest
		}
	}
}

// grown returns how large the buffer of a body is made that has filled one of n bytes.
func (x *exchange) grown(n int) int {
	next := 2 * n
	if n < WriteBytes {
		next = min(next, WriteBytes)
	}
	// One byte more than there may be or will be, to see the end.
	if most := x.h.opt.MaxBody; most < next {
		next = most + 1
	}
	if all := x.r.ContentLength; int64(n) <= all && all < int64(next) {
		next = int(all) + 1
	}
	return max(next, n+1)
}
