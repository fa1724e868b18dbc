package streams_test

import (
	"time"
)

// tick gives up what is due, the earliest first, and then calls.
func (m *naive) tick(abandon func(call uint64)) {
	var calls []uint64
	for {
		var due *line
		for _, l := range m.all {
			if t := l.when(); !t.IsZero() && !t.After(m.now) && (due == nil || t.Before(due.when())) {
				due = l
			}
		}
		if due == nil && len(calls) > 0 {
			for _, call := range calls {
				abandon(call)
			}
			calls = nil
			continue
		}
		if due == nil {
			return
		}
		l := due
		switch {
		case l.id == 0:
			m.miss(l.kept[0])
			if l.kept = l.kept[1:]; len(l.kept) == 0 {
				m.drop(l)
			}
		case l.ended:
			m.lose(l)
			m.drop(l)
		case l.lonely():
			m.die(l)
			l.due = time.Time{}
			calls = append(calls, l.calls...)
		case !l.on:
			m.drop(l)
			for _, e := range l.kept {
				if e.n > l.written {
					m.put(m.listening(), e.text, e.req, e.final)
				}
			}
		default:
			m.hang(l, m.opt.Retry)
		}
	}
}

// when is when a line is due; zero for never.
func (l *line) when() time.Time {
	if l.id == 0 {
		return l.kept[0].due
	}
	return l.due
}

// weigh returns what a line counts.
func (l *line) weigh() (plain, unread int) {
	for _, e := range l.kept {
		if e.final && l.written < l.last {
			unread += e.size()
		} else {
			plain += e.size()
		}
	}
	if l.ended || l.get && !l.on {
		plain += 256
	}
	return plain, unread
}

// rank says how early the front of a line is taken.
func (l *line) rank() int {
	if len(l.kept) == 0 || l.kept[0].n <= l.written {
		switch {
		case l.ended:
			return 0
		case !l.on:
			return 1
		}
		return 2
	}
	switch {
	case l.kept[0].final:
		return 7
	case l.on:
		return 6
	case l.ended:
		return 3
	case l.id == 0:
		return 4
	}
	return 5
}

// fit makes the limits hold; mild takes only what was written.
func (m *naive) fit(mild bool) {
	for {
		plain, unread := m.bytes()
		overPlain := plain > m.opt.MaxBytes
		if !overPlain && (mild || unread <= m.opt.MaxAnswers) {
			return
		}
		var best *line
		worse := func(a, b *line) bool {
			if overPlain {
				return a.rank() < b.rank()
			}
			return !a.on && b.on
		}
		for _, l := range m.all {
			p, u := l.weigh()
			if overPlain && p == 0 || !overPlain && u == 0 || mild && l.rank() > 2 {
				continue
			}
			if overPlain && len(l.kept) == 1 && l.kept[0] == m.newest && l.written < l.last || !overPlain && m.onlyAnswer(l) {
				continue
			}
			if best == nil || worse(l, best) {
				best = l
			}
		}
		if best == nil {
			if !overPlain || mild {
				return
			}
			overPlain = false
			if unread <= m.opt.MaxAnswers {
				return
			}
			m.fitAnswers()
			return
		}
		m.cut(best, !overPlain)
	}
}

// onlyAnswer reports whether the newest message is the one answer on a line.
func (m *naive) onlyAnswer(l *line) bool {
	n := 0
	for _, e := range l.kept {
		if e.final {
			n++
		}
	}
	return n == 1 && l.kept[len(l.kept)-1] == m.newest && m.newest.final
}

// fitAnswers is fit where nothing is left to take for MaxBytes.
func (m *naive) fitAnswers() {
	for {
		_, unread := m.bytes()
		if unread <= m.opt.MaxAnswers {
			return
		}
		var best *line
		for _, l := range m.all {
			_, u := l.weigh()
			if u == 0 || m.onlyAnswer(l) {
				continue
			}
			if best == nil || !l.on && best.on {
				best = l
			}
		}
		if best == nil {
			return
		}
		m.cut(best, true)
	}
}

func (m *naive) cut(l *line, toAnswer bool) {
	if len(l.kept) == 0 {
		m.drop(l)
		return
	}
	for len(l.kept) > 0 {
		e := l.kept[0]
		l.kept = l.kept[1:]
		if e.n > l.written {
			m.miss(e)
		}
		if !toAnswer || e.final {
			break
		}
	}
	if len(l.kept) == 0 && (l.id == 0 || l.ended) {
		m.drop(l)
	}
}

func (m *naive) bytes() (plain, unread int) {
	for _, l := range m.all {
		p, u := l.weigh()
		plain, unread = plain+p, unread+u
	}
	return plain, unread
}

// next is when a tick is due.
func (m *naive) next() (first time.Time) {
	for _, l := range m.all {
		if t := l.when(); !t.IsZero() && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	return first
}
