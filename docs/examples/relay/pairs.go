package main

import "time"

// pairs is a table that is looked up from both sides.
type pairs[A, B comparable] struct {
	a map[A]B
	b map[B]A
}

func (p *pairs[A, B]) put(a A, b B) {
	if p.a == nil {
		p.a, p.b = map[A]B{}, map[B]A{}
	}
	p.a[a], p.b[b] = b, a
}

func (p *pairs[A, B]) takeA(a A) (b B, known bool) {
	b, known = p.a[a]
	delete(p.a, a)
	delete(p.b, b)
	return b, known
}

func (p *pairs[A, B]) takeB(b B) (a A, known bool) {
	a, known = p.b[b]
	delete(p.a, a)
	delete(p.b, b)
	return a, known
}

// ok leaves the error of a verb out. A relay can: what a verb refuses is gone by then,
// and a refused verb has changed nothing.
func ok[S, O any](s S, out O, _ error) (S, O) { return s, out }

// nextDeadline returns when tick is next due.
func (r *relay) nextDeadline() (first time.Time, some bool) {
	first, some = r.s.NextDeadline()
	for i := range r.up {
		for _, due := range []func() (time.Time, bool){r.up[i].s.NextDeadline, r.up[i].lists.NextDeadline} {
			if t, ok := due(); ok && (!some || t.Before(first)) {
				first, some = t, true
			}
		}
	}
	return first, some
}
