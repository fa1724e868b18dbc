package nethttp

import (
	"errors"
	"net/http"
	"time"

	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server/streams"
)

// watchAfter is how long a connection waits before it asks the Store about turns of other
// processes. Most answers come before.
const watchAfter = 50 * time.Millisecond

// await answers a POST: with JSON if its answer comes alone and soon, otherwise with a stream.
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
	after := x.streamAfter()
	timer.Reset(min(watchAfter, after))
	for {
		select {
		case body := <-c.answer:
			h.leave(id, c)
			c.free()
			x.write(http.StatusOK, body)
			return
		case <-c.wake:
			r, err := x.record(id, c)
			if err != nil {
				x.unanswered(id, c, err)
				return
			}
			if body, ok := r.Streams.Answer(c.at); ok && len(c.answer) == 0 { // made by another process
				x.fetch(id, c, body)
				return
			}
			if r.Streams.Plain(c.at) && !r.over {
				continue
			}
			x.stream(id, c, 0, true) // an empty stream if the call was cancelled: a response is JSON or a stream (HTTP-012)
			return
		case <-timer.C:
			if !watching {
				watching = true
				h.watch(id)
				if rest := after - watchAfter; rest > 0 {
					timer.Reset(rest)
					continue
				}
			}
			x.stream(id, c, 0, true)
			return
		case <-c.over:
			x.lapsed(id, c)
			h.detach(x.ctx, id, c)
			return
		case <-x.r.Context().Done():
			h.detach(x.ctx, id, c)
			return
		case <-h.ctx.Done():
			h.detach(x.ctx, id, c)
			if len(c.answer) > 0 {
				x.write(http.StatusOK, <-c.answer)
				return
			}
			x.refuse(lost())
			return
		}
	}
}

// fetch writes an answer that a turn of another process made. If the turn that removes it from the
// record fails, it is kept in vain, but is still the answer.
func (x *exchange) fetch(id string, c *conn, body []byte) {
	_ = x.h.turn(x.ctx, id, func(t *turn) error {
		t.touched = append(t.touched, c.at.Stream) // answerPosts does the rest
		return nil
	})
	x.h.leave(id, c)
	x.write(http.StatusOK, body)
}

// errAnswered means that an answer came alone at the last moment.
var errAnswered = errors.New("nethttp: answered")

// stream writes the events of a stream after the cursor, until the stream or the connection ends.
// begins is true for the stream of a POST, which has not begun.
func (x *exchange) stream(id string, c *conn, after int, begins bool) {
	h := x.h
	if begins {
		err := h.turn(x.ctx, id, func(t *turn) error {
			if len(c.answer) > 0 {
				return errAnswered
			}
			if !t.Streams.Known(c.at) {
				return errTurnsLost
			}
			c.waits = false
			t.moved(t.Streams.Begin(t.State, t.now, c.at))
			return nil
		})
		switch {
		case errors.Is(err, errAnswered):
			h.leave(id, c)
			x.write(http.StatusOK, <-c.answer)
			return
		case err != nil:
			x.unanswered(id, c, err)
			return
		}
	}
	defer func() {
		if h.detach(x.ctx, id, c) && h.alone {
			c.free()
		}
	}()
	_ = x.rc.SetReadDeadline(time.Time{}) // the deadline of the server is for requests
	h.watch(id)
	x.pump(id, c, after)
}

// pump is the loop of a stream: it writes new events, and waits. The head is sent with the first
// events.
func (x *exchange) pump(id string, c *conn, after int) {
	h := x.h
	defer x.starts(-1)
	var beat, polls <-chan time.Time
	var timer *time.Timer
	l := x.newLease()
	lapsed, until := c.over, time.Time{}
	poll := func() {
		lapsed, polls, until = nil, time.Tick(h.member.lease/3), time.Now().Add(takenOver*h.member.lease)
	}
	for last := false; !isClosed(l.revoked); {
		r, err := x.record(id, c)
		if err != nil && after == 0 {
			if isClosed(lapsed) {
				poll()
			}
			if !errors.Is(err, ErrNoSession) && x.mayRead(polls, until) {
				continue
			}
			x.tellLost(c)
		}
		if err != nil {
			return // it has ended, or the client comes back
		}
		if c.passed(r.epoch) && after > 0 {
			return // its client comes back, and learns then if events were lost
		}
		events, end := r.Streams.Read(c.at, after)
		if end == streams.Dropped && after == 0 && len(events) == 0 {
			events = c.tellLost()
		}
		over := r.over || l.late && calls(r.State) == 0
		r = Record{} // what it keeps may be dropped while this is written
		if len(events) == 0 && !x.begun {
			x.starts(-1)
			if x.rc.Flush() != nil {
				return
			}
		}
		for len(events) > 0 {
			if events, after, err = x.events(events, end == streams.Ended); err != nil {
				return
			}
			c.written.Store(int64(after))
			if timer != nil {
				timer.Reset(h.opt.Heartbeat)
			}
		}
		if end != streams.Open || over || last {
			return
		}
		if timer == nil && h.opt.Heartbeat > 0 { // most streams are complete when they begin
			timer = time.NewTimer(h.opt.Heartbeat)
			beat = timer.C
		}
		select {
		case <-c.wake:
		case <-l.revoked:
		case <-l.expired:
			if !x.outlives(id, &l, after) {
				return
			}
		case <-lapsed:
			lapsed = nil
			switch _, err := h.opt.Store.Get(x.ctx, id); {
			case after == 0: // its client cannot come back: the end of its call is reported here
				poll()
			case err != nil:
				return
			default: // write the rest
				last = true
			}
		case <-polls:
		case <-beat:
			if x.flush(heartbeat, 0) != nil {
				return
			}
			timer.Reset(h.opt.Heartbeat)
		case <-x.r.Context().Done():
			return
		case <-h.ctx.Done():
			last = true // write the rest
		}
	}
}

// takenOver is the number of leases after which other processes that can reach the Store have answered the calls of a
// process without one.
const takenOver = 2

// mayRead waits for the next read of a Store that failed. It returns false if there is none.
func (x *exchange) mayRead(polls <-chan time.Time, until time.Time) bool {
	if polls == nil || !time.Now().Before(until) {
		return false
	}
	select {
	case <-polls:
		return true
	case <-x.r.Context().Done():
	case <-x.h.ctx.Done():
	}
	return false
}

// listen answers a GET.
func (x *exchange) listen(resume bool) {
	if !flushes(x.w) {
		x.refuse(x.noStream())
		return
	}
	c := x.h.newConn()
	after := 0
	id := x.head.Session
	err := x.turn(id, func(t *turn) error {
		if err := x.checkOwner(t); err != nil {
			return err
		}
		if err := x.handedOver(id); err != nil {
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
		x.h.comesHome(x.ctx, id, t)
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
		x.refuse(headers.Refuse(http.StatusGone, "events after this id were dropped; start a new stream"))
	default:
		x.failed(err)
	}
}
