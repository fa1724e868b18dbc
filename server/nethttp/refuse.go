package nethttp

import (
	"bytes"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// busy is the answer to a request if nothing was done, because a limit is reached or the Handler
// shuts down. Its data tell a client so, which 503 alone does not.
func (h *Handler) busy() *headers.Refusal {
	text := "server busy"
	if h.draining.Load() {
		text = "server shutting down"
	}
	return later(text)
}

// lost is the answer to a request that may have had effects, and whose answer is lost. Its data tell a
// client so.
func lost() *headers.Refusal {
	bad := headers.Refuse(http.StatusServiceUnavailable, "the answer is lost")
	bad.Err.Data = `{"outcome":"unknown"}`
	return bad
}

// away is the answer to a request if nothing was done because the Store failed.
func away() *headers.Refusal { return later("the session cannot be read or stored") }

// later is the answer to a request if nothing was done.
func later(why string) *headers.Refusal {
	bad := headers.Refuse(http.StatusServiceUnavailable, why+"; retry after 1s")
	bad.Err.Data = (&toolerror.Error{Kind: toolerror.Unavailable, After: time.Second}).Payload()
	return bad
}

// refuse writes a Refusal: for a request without a session under its id (HTTP-218).
func (x *exchange) refuse(bad *headers.Refusal) {
	for _, f := range bad.Fields() {
		x.w.Header().Set(f.Name, f.Value)
	}
	if bad.Status == http.StatusServiceUnavailable {
		x.w.Header().Set("Retry-After", "1")
	}
	x.write(bad.Status, jsonrpc.Append(nil, jsonrpc.Message{Kind: jsonrpc.KindError, ID: x.id, Err: &bad.Err}.Spelled(x.spelled)))
}

// write writes a whole response, with body as JSON if not empty, for at most WriteTimeout.
func (x *exchange) write(status int, body []byte) {
	if x.single && status == http.StatusOK {
		status = x.statusOf(body)
	}
	head := x.w.Header()
	x.hasLength(len(body))
	if len(body) > 0 {
		head["Content-Type"] = typeJSON
	}
	x.deadline()
	x.w.WriteHeader(status)
	if err := x.writeAll(body, 0); err == nil {
		_ = x.rc.Flush() // now, before the deadline is reset
	}
}

// hasLength sets the length of the body of the response.
func (x *exchange) hasLength(n int) {
	x.length[0] = strconv.Itoa(n)
	x.w.Header()["Content-Length"] = x.length[:]
}

var typeJSON = []string{headers.JSON}

// failed answers the request of a turn that was not made.
func (x *exchange) failed(err error) {
	var differs *differsError
	switch {
	case errors.As(err, &x.away):
		if x.via != nil {
			x.refuse(misdirected())
		} // otherwise it is passed on
	case errors.As(err, &differs):
		x.refuse(&headers.Refusal{Status: http.StatusBadRequest, Err: protocol.HeaderMismatch(differs.why)})
	case errors.Is(err, ErrNoSession), errors.Is(err, errForeign), errors.Is(err, lifecycle.ErrPhase):
		x.refuse(headers.NoSession())
	case errors.Is(err, errFull):
		x.refuse(x.h.busy())
	case errors.Is(err, errPanic):
		x.refuse(broken())
	default:
		x.h.storeFailed(err)
		if errors.Is(err, errUnknown) {
			x.refuse(lost())
			return
		}
		x.refuse(away())
	}
}

// writeAll writes to the connection, under the deadline that is set. Memory that the exchange holds
// in addition to b counts too.
func (x *exchange) writeAll(b []byte, beside int) error {
	if len(b)+beside <= writeBytes {
		_, err := x.w.Write(b)
		return err
	}
	w := &x.h.writing
	one := w.begin(&x.rc, x.party(), len(b)+beside, x.h.opt.WritingBytes)
	defer w.end(one)
	for len(b) > 0 {
		n := min(len(b), writeBytes)
		if _, err := x.w.Write(b[:n]); err != nil {
			return err
		}
		if b = b[n:]; !w.moves(one) {
			return errSlow
		}
	}
	return nil
}

// statusOf returns the status of an answer to a request without a session. This module writes answers,
// so a result stands behind the id.
func (x *exchange) statusOf(body []byte) int {
	rest, _ := bytes.CutPrefix(body, []byte(`{"jsonrpc":"2.0","id":`))
	if i := bytes.IndexByte(rest, ','); i < 0 || !bytes.HasPrefix(rest[i:], []byte(`,"result":`)) { // an id may have a comma
		if m := jsonrpc.Decode(body); m.Err != nil {
			return x.status(m.Err.Code)
		}
	}
	return http.StatusOK
}

// status returns the status of an error (HTTP-204).
func (x *exchange) status(code int64) int {
	switch code {
	case protocol.CodeHeaderMismatch, protocol.CodeMissingCapability, protocol.CodeUnsupportedVersion, jsonrpc.CodeParseError, jsonrpc.CodeInvalidRequest:
		return http.StatusBadRequest
	case jsonrpc.CodeMethodNotFound:
		return http.StatusNotFound
	case jsonrpc.CodeInvalidParams:
		if x.unsaid { // not for what the method does with its params
			return http.StatusBadRequest
		}
	}
	return http.StatusOK
}
