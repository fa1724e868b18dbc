package nethttp

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/internal/cluster"
	"github.com/sansmcp/mcp/server/streams"
)

// reply writes a response that is complete.
func (x *exchange) reply(rules headers.Rules, m jsonrpc.Message, r streams.Reply) {
	if r.Body == nil && r.Status == http.StatusBadRequest {
		x.refuse(refusal(rules, m, "message not allowed in this session phase"))
		return
	}
	x.write(r.Status, r.Body)
}

// receive makes the turn of a message. It returns a reply, or a conn for the answer.
func (x *exchange) receive(id string, m jsonrpc.Message) (c *conn, reply streams.Reply, err error) {
	var owners cluster.Owners
	err = x.turn(id, func(t *turn) (err error) {
		c, owners = nil, t.owners
		reply, err = x.receiveIn(t, id, m, &c)
		return err
	})
	if err == nil && reply.Status == http.StatusBadRequest { // its id may be that of a call whose process has died
		x.h.suspect(id, owners)
	}
	return c, reply, err
}

// receiveIn is the turn of receive. The answer will go to *c, which is made if it is nil.
func (x *exchange) receiveIn(t *turn, id string, m jsonrpc.Message, c **conn) (reply streams.Reply, err error) {
	t.ctx = x.ctx
	if err := x.checkOwner(t); err != nil {
		return reply, err
	}
	if err := x.handedOver(id); err != nil {
		return reply, err
	}
	if x.single {
		t.from = x.r.RemoteAddr
	}
	x.h.accompany(x.ctx, id, t)
	if x.single && x.h.opt.Companion != nil {
		if err := x.differs(m, protocol.MetaOf(m.Body, m.Span).Version(), x.h.offers(id)); err != nil {
			return reply, err
		}
	}
	s, out := t.State.Receive(t.now, m)
	return x.posted(t, s, out, m, c), nil
}

// posted handles the results of a message.
func (x *exchange) posted(t *turn, s server.State, out server.Output, m jsonrpc.Message, c **conn) (reply streams.Reply) {
	var eff streams.Effects
	if x.streamed() {
		t.Streams, t.State, reply, eff = t.Streams.PostStream(s, t.now, m, out)
	} else {
		t.Streams, t.State, reply, eff = t.Streams.Post(s, t.now, m, out)
	}
	t.add(eff)
	t.Active = t.now
	if reply.Status == http.StatusOK && reply.Body == nil {
		if *c == nil {
			*c = x.h.newConn()
		}
		(*c).at, (*c).waits = reply.Conn, x.h.opt.StreamAfter > 0
		t.attach = *c
		if !x.h.alone {
			(*c).call = m.ID.Clone()
		}
	}
	return reply
}

// streamed reports whether the answer to a request is a stream that begins with it.
func (x *exchange) streamed() bool { return x.h.opt.StreamAfter < 0 && x.early.state == isAnswered }

// refusal says why a message was refused, if it is one (HTTP-010, HTTP-011).
func refusal(rules headers.Rules, m jsonrpc.Message, why string) *headers.Refusal {
	if m.Kind == jsonrpc.KindInvalid {
		if bad := rules.Check(headers.Head{}, m); bad != nil {
			return bad
		}
	}
	return headers.Refuse(http.StatusBadRequest, why)
}

// asks reports whether a message asks for work: the others may help calls to end while a Handler is
// shut down.
func asks(m jsonrpc.Message) bool {
	return m.Kind == jsonrpc.KindRequest || slices.ContainsFunc(m.Batch(), asks)
}

// message reads and decodes the body, or answers if it cannot.
func (x *exchange) message() (m jsonrpc.Message, ok bool) {
	buf := buffers.Get().(*[]byte)
	defer func() {
		if cap(*buf) <= writeBytes {
			buffers.Put(buf)
		}
	}()
	// A buffer that served a stream may be larger than what a body has for free.
	body, status := x.read((*buf)[:0:min(cap(*buf), writeBytes)])
	*buf = body
	if status != 0 {
		if status == http.StatusServiceUnavailable {
			x.refuse(x.h.busy())
		} else {
			x.refuse(headers.Refuse(status, http.StatusText(status)))
		}
		return m, false
	}
	if (x.h.homes() || x.h.retries()) && x.via == nil {
		x.body = bytes.Clone(body)
	}
	return x.h.decoder.Decode(body), true
}

// read reads the body, into memory that grows with what arrives. Bytes beyond writeBytes are
// counted; the others are part of the cost of a connection. status is that of a failure, otherwise
// 0.
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
		if more := int64(cap(buf)) - held; more > 0 && cap(buf) > writeBytes {
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

// grown returns the size of the next buffer for a body that has filled one of n bytes.
func (x *exchange) grown(n int) int {
	next := 2 * n
	if n < writeBytes {
		next = min(next, writeBytes)
	}
	// One byte more than there can be, to see the end.
	if most := x.h.opt.MaxBody; most < next {
		next = most + 1
	}
	if all := x.r.ContentLength; int64(n) <= all && all < int64(next) {
		next = int(all) + 1
	}
	return max(next, n+1)
}
