package nethttp

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/sansmcp/mcp/jsonrpc/sse"
	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server/streams"
)

// watchAfter is how long a connection waits before the Store is asked about turns of other
// processes. Most answers come before.
const watchAfter = 50 * time.Millisecond

// await answers a POST: with JSON if its answer comes alone and soon, else with a stream.
func (x *exchange) await(id string, c *conn) {
	h := x.h
	if x.whole {
		x.awaitWhole(id, c)
		return
	}
	if h.opt.StreamAfter < 0 {
		x.stream(id, c, 0, true)
		return
	}
	watching := false
	timer := c.timer
	timer.Reset(min(watchAfter, h.opt.StreamAfter))
	for {
		select {
		case body := <-c.answer:
			h.leave(id, c)
			c.free()
			x.answer(body)
			return
		case <-c.wake:
			r, err := x.record(id)
			if err != nil {
				h.leave(id, c)
				x.unanswered(err)
				return
			}
			if body, ok := r.Streams.Answer(c.at); ok && len(c.answer) == 0 { // made by another process
				x.fetch(id, c, body)
				return
			}
			if r.Streams.Plain(c.at) && !r.over {
				continue
			}
			x.stream(id, c, 0, true) // an empty one if the call was cancelled: a response is JSON or a stream (HTTP-012)
			return
		case <-timer.C:
			if !watching {
				watching = true
				h.watch(id)
				if rest := h.opt.StreamAfter - watchAfter; rest > 0 {
					timer.Reset(rest)
					continue
				}
			}
			x.stream(id, c, 0, true)
			return
		case <-x.r.Context().Done():
			h.detach(x.ctx, id, c)
			return
		case <-h.ctx.Done():
			h.detach(x.ctx, id, c)
			if len(c.answer) > 0 {
				x.answer(<-c.answer)
				return
			}
			x.refuse(busy())
			return
		}
	}
}

// fetch writes an answer that a turn of another process made. The turn that takes it from the record
// may fail: then it is kept for nothing, and still is the answer.
func (x *exchange) fetch(id string, c *conn, body []byte) {
	_ = x.h.turn(x.ctx, id, func(t *turn) error {
		t.touched = append(t.touched, c.at.Stream) // answerPosts does the rest
		return nil
	})
	x.h.leave(id, c)
	x.answer(body)
}

// unanswered ends the response to a POST that was taken, and whose answer cannot be had. If the
// session is gone, it is an empty stream: 404 would tell the client that the call did not begin.
func (x *exchange) unanswered(err error) {
	ended := errors.Is(err, ErrNoSession) || errors.Is(err, errForeign)
	switch {
	case !ended:
		x.failed(err)
	case x.whole:
		x.refuse(busy())
	default:
		x.streamHead()
	}
}

// answer writes the answer of a POST as the body.
func (x *exchange) answer(body []byte) { x.write(http.StatusOK, body) }

// streamHead writes the head of a stream.
func (x *exchange) streamHead() {
	head := x.w.Header()
	head["Content-Type"] = typeStream
	head["Cache-Control"] = noCache
	head["X-Accel-Buffering"] = noBuffer // proxies pass on what comes, when it comes
	x.w.WriteHeader(http.StatusOK)
}

var (
	typeStream = []string{headers.EventStream}
	noCache    = []string{"no-cache, no-transform"}
	noBuffer   = []string{"no"}
)

// errAnswered says that an answer came alone at the last moment.
var errAnswered = errors.New("nethttp: answered")

// stream writes the events of a stream after the cursor, until it ends or the connection
// does. begins is true for the stream of a POST, which has not begun.
func (x *exchange) stream(id string, c *conn, after int, begins bool) {
	h := x.h
	if begins {
		err := h.turn(x.ctx, id, func(t *turn) error {
			if len(c.answer) > 0 {
				return errAnswered
			}
			c.waits = false
			var eff streams.Effects
			t.Streams, t.State, eff = t.Streams.Begin(t.State, t.now, c.at)
			t.add(eff)
			return nil
		})
		switch {
		case errors.Is(err, errAnswered):
			h.leave(id, c)
			x.answer(<-c.answer)
			return
		case err != nil:
			h.leave(id, c)
			x.unanswered(err)
			return
		}
	}
	defer h.detach(x.ctx, id, c)
	_ = x.out.SetReadDeadline(time.Time{}) // that of the server is for requests
	x.deadline()
	x.streamHead()
	if x.out.Flush() != nil {
		return
	}
	h.watch(id)
	x.pump(id, c, after)
}

// pump is the loop of a stream: it writes what is new, and waits.
func (x *exchange) pump(id string, c *conn, after int) {
	h := x.h
	var beat <-chan time.Time
	var timer *time.Timer
	if h.opt.Heartbeat > 0 {
		timer = time.NewTimer(h.opt.Heartbeat)
		defer timer.Stop()
		beat = timer.C
	}
	for last := false; ; {
		r, err := x.record(id)
		if err != nil {
			return // it has ended, or the client comes back
		}
		events, end := r.Streams.Read(c.at, after)
		for len(events) > 0 {
			if events, after, err = x.events(events); err != nil {
				return
			}
			c.written.Store(int64(after))
			if timer != nil {
				timer.Reset(h.opt.Heartbeat)
			}
		}
		if end != streams.Open || r.over || last {
			return
		}
		select {
		case <-c.wake:
		case <-beat:
			if x.flush(heartbeat) != nil {
				return
			}
			timer.Reset(h.opt.Heartbeat)
		case <-x.r.Context().Done():
			return
		case <-h.ctx.Done():
			last = true // what is there is written
		}
	}
}

// heartbeat is what a stream that is silent writes.
var heartbeat = sse.AppendComment(nil, "")

// events writes some of the events in one go, and returns those that are left and the number
// of the last one that was written.
func (x *exchange) events(events []streams.Event) (rest []streams.Event, after int, err error) {
	buf := buffers.Get().(*[]byte)
	b := (*buf)[:0]
	for len(events) > 0 && (len(b) == 0 || len(b)+len(events[0].Data) < WriteBytes) {
		e := events[0]
		events, after = events[1:], e.N
		if h := x.h; h.opt.Stateless { // there is nothing to come back to
			if e.Data == "" {
				continue
			}
			e.ID, e.Retry = "", 0
		}
		b = sse.Append(b, sse.Event{ID: e.ID, HasID: e.ID != "", Data: e.Data, Retry: e.Retry, HasRetry: e.Retry > 0})
	}
	err = x.flush(b)
	if *buf = b; cap(b) <= 2*WriteBytes {
		buffers.Put(buf)
	}
	return events, after, err
}

// flush writes to the connection, for WriteTimeout at most.
func (x *exchange) flush(b []byte) error {
	x.deadline()
	if _, err := x.w.Write(b); err != nil {
		return err
	}
	return x.out.Flush()
}

// listen answers a GET.
func (x *exchange) listen(resume bool) {
	if !flushes(x.w) {
		x.h.opt.Log.Error("nethttp: a GET needs a ResponseWriter that can Flush, or Unwrap to one that can")
		x.refuse(headers.Refuse(http.StatusInternalServerError, "the server cannot stream"))
		return
	}
	c := x.h.newConn()
	after := 0
	id := x.head.Session
	err := x.turn(id, func(t *turn) error {
		if err := x.mine(t); err != nil {
			return err
		}
		var (
			eff streams.Effects
			err error
		)
		if resume {
			t.Streams, t.State, c.at, after, eff, err = t.Streams.Resume(t.State, t.now, x.head.LastEventID)
		} else {
			t.Streams, t.State, c.at, eff, err = t.Streams.Listen(t.State, t.now)
		}
		if c.at == (streams.Conn{}) {
			if err == nil {
				err = streams.ErrEvent
			}
			return err
		}
		t.add(eff)
		t.Active, t.attach = t.now, c
		return nil
	})
	switch {
	case err == nil:
		x.stream(id, c, after, false)
	case errors.Is(err, streams.ErrListeners):
		bad := headers.Refuse(http.StatusMethodNotAllowed, "there are no streams to listen to")
		bad.Allow = "POST, DELETE"
		x.refuse(bad)
	case errors.Is(err, streams.ErrEvent):
		x.refuse(headers.Refuse(http.StatusBadRequest, "no event of this session has this id"))
	case errors.Is(err, streams.ErrDropped):
		x.refuse(headers.Refuse(http.StatusGone, "what follows this event is no longer kept"))
	default:
		x.failed(err)
	}
}

// detach takes in that a connection is gone. It cancels nothing (HTTP-020).
func (h *Handler) detach(ctx context.Context, id string, c *conn) {
	err := h.insist(h.ctx, func() error {
		return h.turn(ctx, id, func(t *turn) error { return t.detached(c) })
	})
	if err != nil {
		h.leave(id, c)
		return
	}
	h.watch(id) // as leave does
}

// detached is the turn of detach.
func (t *turn) detached(c *conn) error {
	if n := int(c.written.Load()); n > 0 {
		t.Streams = t.Streams.Wrote(t.now, c.at, n)
	}
	var eff streams.Effects
	t.Streams, t.State, eff = t.Streams.Detach(t.State, t.now, c.at)
	t.add(eff)
	t.Active, t.detach = t.now, c
	return nil
}

// insist does what has to do with the Store, and again for three seconds if that fails, as
// long as ctx goes on: a client waits for it that has no way to ask again.
func (h *Handler) insist(ctx context.Context, f func() error) error {
	for wait := firstRetry; ; wait *= 2 {
		err := f()
		if err == nil || errors.Is(err, ErrNoSession) || wait > lastRetry || ctx.Err() != nil {
			return err
		}
		pause(ctx, wait)
	}
}

const (
	firstRetry = 50 * time.Millisecond
	lastRetry  = 1600 * time.Millisecond
)

// record returns the newest record for a connection.
func (x *exchange) record(id string) (r Record, err error) {
	err = x.h.insist(x.r.Context(), func() error {
		r, err = x.h.opt.Store.Get(x.ctx, id)
		return err
	})
	return r, err
}

// leave takes a connection from those of this process, without a turn: its stream has ended,
// or the session has.
func (h *Handler) leave(id string, c *conn) {
	st := h.stripe(id)
	st.mu.Lock()
	defer st.mu.Unlock()
	if l := st.live[id]; l != nil {
		l.drop(c)
		l.tidy(st)
		if st.live[id] == l { // what runs on is looked after
			l.watch()
		}
	}
}
