package main

import (
	"math/rand/v2"
	"net"
	"sync"
	"time"
)

// link is one connection through the proxy.
type link struct {
	proxy          *proxy
	client, server net.Conn
	pace           pace
	done           chan struct{} // closed by the cut
	once           sync.Once

	mu      sync.Mutex
	random  *rand.Rand
	idle    bool // no exchange is under way
	held    bool // nothing is forwarded any more
	turn    int  // counts exchanges
	plan    plan // of the exchange that is under way
	answers answers
	point   bool // the answer has come to the point that the plan names
	events  int
	left    int // bytes until the cut, once at the point
}

// cut ends both connections. It counts if f is a fate.
func (l *link) cut(f fate, reset bool) {
	l.once.Do(func() {
		if f != whole {
			l.proxy.cut[f].Add(1)
		}
		close(l.done)
		for _, conn := range []net.Conn{l.client, l.server} {
			if reset {
				_ = conn.(*net.TCPConn).SetLinger(0)
			}
			_ = conn.Close()
		}
	})
}

// up forwards requests.
func (l *link) up() {
	defer l.cut(whole, false)
	buf := make([]byte, 16<<10)
	for {
		n, err := l.client.Read(buf)
		if n > 0 {
			l.wait(l.pace.delay)
			if b := l.request(buf[:n]); len(b) > 0 {
				if _, err := l.server.Write(b); err != nil {
					return
				}
			}
		}
		if err != nil {
			return
		}
	}
}

// request returns what is to be forwarded of b, and begins an exchange if none is under
// way.
func (l *link) request(b []byte) []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held {
		return nil
	}
	if !l.idle {
		return b
	}
	l.proxy.exchanges.Add(1)
	l.turn++
	l.idle, l.point, l.events, l.left = false, false, 0, 0
	l.plan = l.proxy.chaos.Load().plan(l.random)
	switch l.plan.fate {
	case unsent:
		l.cut(unsent, l.plan.reset)
		return nil
	case partly:
		if _, err := l.server.Write(b[:l.random.IntN(len(b))]); err == nil {
			l.cut(partly, false) // by a reset the server would see nothing of it
		}
		return nil
	case late:
		l.later(late)
	}
	return b
}

// later cuts after the pause of the plan, if the same exchange is under way then.
func (l *link) later(f fate) {
	turn, p := l.turn, l.plan
	l.proxy.running.Go(func() {
		if !l.sleep(p.pause) {
			return
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.turn == turn && !l.idle {
			l.cut(f, p.reset)
		}
	})
}

// down forwards answers.
func (l *link) down() {
	defer l.cut(whole, false)
	defer l.stall()
	buf := make([]byte, 16<<10)
	if l.pace.slow {
		buf = buf[:256]
	}
	for {
		n, err := l.server.Read(buf)
		if n > 0 {
			l.wait(l.pace.delay)
			if l.pace.slow {
				l.sleep(2 * time.Millisecond)
			}
			if !l.answer(buf[:n]) {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// stall waits for the cut of a connection that stands still: the client does not hear that
// the server has left.
func (l *link) stall() {
	l.mu.Lock()
	held := l.held
	l.mu.Unlock()
	if held {
		<-l.done
	}
}

// answer forwards b up to the cut that is due in it, if any, and reports whether there is
// more to forward.
func (l *link) answer(b []byte) bool {
	n, f := l.look(b)
	if n > 0 {
		if _, err := l.client.Write(b[:n]); err != nil {
			return false
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.held: // the cut comes later
		return true
	case f != whole:
		l.cut(f, l.plan.reset)
		return false
	}
	return true
}

// look follows the answer and returns how much of b is to be forwarded, and the fate that
// is due after it.
func (l *link) look(b []byte) (int, fate) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held {
		return 0, whole
	}
	if l.plan.fate == unanswered {
		return 0, unanswered
	}
	if l.plan.fate == headless && !l.point {
		l.point, l.left = true, l.plan.bytes
	}
	for i, c := range b {
		if l.point {
			if l.left == 0 {
				return i, l.plan.fate
			}
			l.left--
		}
		switch m := l.answers.step(c); {
		case m == answerEnd:
			l.idle, l.held, l.point, l.plan = true, false, false, plan{}
		case m == headEnd && l.plan.fate == afterHead,
			m == eventEnd && l.resumable():
			l.point, l.left = true, l.plan.bytes
			if l.plan.pause > 0 { // whatever comes meanwhile goes through
				l.point = false
				l.later(l.plan.fate)
				l.held = l.plan.fate == stalled // from the next bytes on
			}
		}
	}
	if l.point && l.left == 0 {
		return len(b), l.plan.fate
	}
	return len(b), whole
}

// resumable counts an event and reports whether it is the one after which to cut.
func (l *link) resumable() bool {
	if l.plan.fate != afterEvent && l.plan.fate != stalled {
		return false
	}
	l.events++
	return l.events == l.plan.events
}

// wait delays bytes on some connections.
func (l *link) wait(delay bool) {
	if !delay {
		return
	}
	l.mu.Lock()
	d := time.Duration(l.random.IntN(4000)) * time.Microsecond
	l.mu.Unlock()
	l.sleep(d)
}

// sleep reports whether the link still is there after d.
func (l *link) sleep(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-l.done:
		return false
	}
}
