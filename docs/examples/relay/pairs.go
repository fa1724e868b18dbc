package main

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
