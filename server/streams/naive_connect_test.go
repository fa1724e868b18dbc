package streams_test

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/sansmcp/mcp/server/streams"
)

func (l *line) known() bool { return l.begun && (l.primed || l.last > 1) }

func (m *naive) begin(l *line) {
	l.begun = true
	l.primed = m.poll && !(l.ended && l.last == 1)
}

// connect gives a GET stream its connection.
func (m *naive) connect(l *line) {
	m.conns++
	l.on, l.hung, l.retry, l.order = true, false, 0, m.conns
	m.keepFrom(l)
	var on []*line
	for _, x := range m.all {
		if x.get && x.on && !x.ended {
			on = append(on, x)
		}
	}
	slices.SortFunc(on, func(a, b *line) int { return cmp.Compare(a.order, b.order) })
	most := m.opt.MaxListeners
	if m.single {
		most = 1
	}
	for len(on) > most {
		m.detach(on[0])
		on = on[1:]
	}
	if b := m.find(0); b != nil {
		m.drop(b)
		for _, e := range b.kept {
			m.put(l, e.text, e.req, e.final)
		}
	}
}

func (m *naive) listen() streams.Conn {
	m.last++
	l := &line{id: int(m.last), gen: 1, last: 1, written: 1, get: true}
	m.begin(l)
	m.all = append(m.all, l)
	m.connect(l)
	return streams.Conn{Stream: streams.ID(l.id), Gen: 1}
}

// resume says what a Last-Event-ID comes to.
func (m *naive) resume(id string) (c streams.Conn, after int, err error) {
	var a, n int
	if k, _ := fmt.Sscanf(id, "%d-%d", &a, &n); k != 2 || fmt.Sprintf("%d-%d", a, n) != id || a < 1 || uint64(a) > m.last {
		return c, 0, streams.ErrEvent
	}
	l := m.find(a)
	if l == nil || l.dead {
		return c, 0, streams.ErrDropped
	}
	if !l.begun || n < 1 || n > l.last || n == 1 && !l.primed {
		return c, 0, streams.ErrEvent
	}
	if start := l.start(); n < start-1 {
		n, err = start-1, streams.ErrDropped
	}
	l.gen++
	l.written = n
	if l.get && !l.ended {
		m.connect(l)
	} else {
		l.on, l.hung, l.retry = true, false, 0
		m.keepFrom(l)
	}
	return streams.Conn{Stream: streams.ID(l.id), Gen: uint32(l.gen)}, n, err
}

// start is the number of the first note that is kept.
func (l *line) start() int { return l.last - len(l.kept) + 1 }

func (m *naive) of(c streams.Conn) *line {
	if l := m.find(int(c.Stream)); l != nil && l.id != 0 && l.gen == int(c.Gen) {
		return l
	}
	return nil
}

func (m *naive) wrote(c streams.Conn, n int) {
	l := m.of(c)
	if l == nil || l.dead || n < 1 || n <= l.written && l.begun {
		return
	}
	l.written, l.begun = max(min(n, l.last), l.written), true
	if !l.lonely() {
		m.keepFrom(l)
	}
}

func (m *naive) detach(l *line) {
	had := l.on
	l.on, l.hung, l.retry = false, false, 0
	switch {
	case !had:
	case l.known():
		m.keepFrom(l)
	case len(l.calls) > 0:
		m.die(l)
		m.keepFrom(l)
	default:
		m.lose(l)
		m.drop(l)
	}
}

// die is for a line that nobody can ever read, with calls that are open.
func (m *naive) die(l *line) {
	m.lose(l)
	l.kept, l.dead, l.begun, l.primed, l.hung, l.retry, l.mixed, l.written = nil, true, false, false, false, 0, false, l.last
}

func (m *naive) hang(l *line, retry time.Duration) {
	if l.known() {
		l.on, l.hung, l.retry = false, true, retry
	} else {
		l.ended = true
	}
	m.keepFrom(l)
}

func (m *naive) read(c streams.Conn, after int) (events []streams.Event, end streams.End) {
	l := m.of(c)
	if l == nil {
		if m.find(int(c.Stream)) != nil && c.Stream != 0 {
			return nil, streams.Replaced
		}
		return nil, streams.Dropped
	}
	if l.primed && after < 1 {
		events = append(events, streams.Event{N: 1, ID: fmt.Sprintf("%d-1", l.id), Retry: m.opt.Retry})
	}
	after = max(after, 1)
	if after < l.start()-1 {
		return events, streams.Dropped
	}
	for _, e := range l.kept {
		if e.n > after {
			events = append(events, streams.Event{N: e.n, ID: fmt.Sprintf("%d-%d", l.id, e.n), Data: e.text})
		}
	}
	switch {
	case l.ended:
		return events, streams.Ended
	case l.hung:
		if l.retry > 0 {
			events = append(events, streams.Event{N: max(after, l.last), Retry: l.retry})
		}
		return events, streams.HungUp
	case !l.on:
		return nil, streams.Replaced
	}
	return events, streams.Open
}
