package nethttp

import (
	"net/http"
	"time"
)

// lease is how long the response to a request may go on: until its token counts no more, or its
// principal is revoked (SEC-113).
type lease struct {
	timer   *time.Timer
	expired <-chan time.Time
	revoked <-chan struct{}
	late    bool // it has expired, and what is under way has expiredGrace to end
}

// expiredGrace is how long a response goes on whose client could not come back for its answer.
const expiredGrace = time.Minute

func (x *exchange) newLease() lease {
	l := lease{revoked: x.revoked()}
	if !x.who.Expires.IsZero() {
		l.timer = time.NewTimer(time.Until(x.who.Expires))
		l.expired = l.timer.C
	}
	return l
}

// grace gives what is under way expiredGrace to end, once.
func (l *lease) grace() bool {
	if l.late {
		return false
	}
	l.late = true
	l.timer.Reset(expiredGrace)
	return true
}

// outlives takes in that the token of a stream counts no more. It reports false if the stream ends: then
// its client comes back with another token, and reads on behind the event after. It cannot if it has no
// id of an event; then the call that it waits for may end first, and a subscription ends with its result
// (SUBS-014).
func (x *exchange) outlives(id string, l *lease, after int) bool {
	keeps := !x.single && !x.legacy && !x.h.opt.Stateless && (x.r.Method != http.MethodPost || after > 0)
	if keeps || !l.grace() {
		return false
	}
	if x.single {
		_ = x.turn(id, func(t *turn) error {
			t.step(t.State.InputClosed(t.now))
			return nil
		})
	}
	return true
}

// streamAfter is Options.StreamAfter, or as long as the token counts.
func (x *exchange) streamAfter() time.Duration {
	d := x.h.opt.StreamAfter
	if came := x.early.now; !came.IsZero() {
		d = max(0, d-time.Since(came))
	}
	if !x.who.Expires.IsZero() {
		d = min(d, max(0, time.Until(x.who.Expires)))
	}
	return d
}

// Revoke ends the streams of a principal, as if their connections were lost: because its tokens are no
// longer valid. First make Options.Authenticate reject them. A request that is just being authenticated
// is authenticated again. Sessions and calls continue, and can be resumed with a valid token of the
// principal. A response that would be JSON continues until Options.StreamAfter; a client that accepts
// only JSON gets 503. It covers the requests of this process.
func (h *Handler) Revoke(principal string) {
	t := &h.tally
	t.revoked.Add(1) // before the look, for requests that are not counted yet
	t.mu.Lock()
	defer t.mu.Unlock()
	p := party{name: principal}
	s, ok := t.of[p]
	if !ok {
		return
	}
	if s.cut != nil {
		close(s.cut)
	}
	s.cut, s.era = nil, s.era+1
	t.of[p] = s
}

// revoked returns what is closed when the principal of a request is revoked; nil if it cannot be.
func (x *exchange) revoked() <-chan struct{} {
	if x.h.opt.Authenticate == nil {
		return nil
	}
	t := &x.h.tally
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.of[x.counted]
	if s.era != x.era { // it was
		return closed
	}
	if s.cut == nil {
		s.cut = make(chan struct{})
		t.of[x.counted] = s
	}
	return s.cut
}

// closed is closed.
var closed = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()
