package nethttp

import (
	"net/http"
	"slices"

	"github.com/sansmcp/mcp/jsonrpc/sse"
	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server/streams"
)

// tellLost answers the call of a response without events whose stream is lost. Its client cannot come back.
func (x *exchange) tellLost(c *conn) {
	if lost := c.tellLost(); lost != nil && x.r.Context().Err() == nil {
		_, _, _ = x.events(lost, true) // the response ends in any case
	}
}

// starts writes the head of a stream, once. length is the length of the whole stream, -1 if more
// may come.
func (x *exchange) starts(length int) {
	if x.begun {
		return
	}
	x.begun = true
	x.deadline()
	if length >= 0 {
		x.hasLength(length)
	}
	x.streamHead()
}

// heartbeat is written to a silent stream.
var heartbeat = sse.AppendComment(nil, "")

// events writes some of the events at once, and returns the others and the number of the last one
// that was written. ends means that none follow.
func (x *exchange) events(events []streams.Event, ends bool) (rest []streams.Event, after int, err error) {
	buf := buffers.Get().(*[]byte)
	b, waits := (*buf)[:0], 0
	for _, e := range events {
		waits += len(e.Data)
	}
	b = slices.Grow(b, len(events[0].Data)+256) // it may be long
	for len(events) > 0 && (len(b) == 0 || len(b)+len(events[0].Data) < writeBytes) {
		e := events[0]
		events, after = events[1:], e.N
		if h := x.h; h.opt.Stateless || x.single { // no client can come back
			if e.Data == "" {
				continue
			}
			e.ID, e.Retry = "", 0
		}
		b = sse.Append(b, sse.Event{ID: e.ID, HasID: e.ID != "", Data: e.Data, Retry: e.Retry, HasRetry: e.Retry > 0})
	}
	length := -1
	if ends && len(events) == 0 {
		length = len(b)
	}
	x.starts(length)
	err = x.flush(b, waits)
	if *buf = b; cap(b) <= 2*writeBytes {
		buffers.Put(buf)
	}
	return events, after, err
}

// flush writes to the connection, for at most WriteTimeout. beside is how many bytes wait to be
// written, including b.
func (x *exchange) flush(b []byte, beside int) error {
	x.deadline()
	if err := x.writeAll(b, beside); err != nil {
		return err
	}
	return x.rc.Flush()
}

// streamHead writes the head of a stream.
func (x *exchange) streamHead() {
	head := x.w.Header()
	head["Content-Type"] = typeStream
	head["Cache-Control"] = noCache
	head["X-Accel-Buffering"] = noBuffer // proxies pass events on at once (HTTP-213)
	x.w.WriteHeader(http.StatusOK)
}

var (
	typeStream = []string{headers.EventStream}
	noCache    = []string{"no-cache, no-transform"}
	noBuffer   = []string{"no"}
)
