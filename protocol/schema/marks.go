package schema

import (
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// marks say which members or elements of a value a schema has evaluated, for
// unevaluatedProperties and unevaluatedItems. A mark is maybe if that depends on something
// unchecked. They are a part of the list of all open marks; without asked
// they are not needed.
type marks struct {
	from, end int
	asked     bool
}

// markBytes is how many marks are copied in one step.
const markBytes = 16

// note marks the member or element at the place i.
func (e *evaluator) note(i int, v verdict) {
	if e.marks.asked {
		m := &e.marked[e.marks.from+i]
		*m = max(*m, v)
	}
}

// noteAll marks all.
func (e *evaluator) noteAll(v verdict) {
	e.step((e.marks.end - e.marks.from) / markBytes)
	for i := e.marks.from; i < e.marks.end; i++ {
		e.marked[i] = max(e.marked[i], v)
	}
}

// mark opens n marks at the end of the list.
func (e *evaluator) mark(n int) marks {
	m := marks{len(e.marked), len(e.marked) + n, true}
	if m.end > cap(e.marked) {
		more := make([]verdict, m.from, 2*m.end)
		copy(more, e.marked)
		e.marked = more
	}
	e.marked = e.marked[:m.end]
	clear(e.marked[m.from:])
	return m
}

// within is apply for a part of the value, which has marks of its own.
func (e *evaluator) within(r *rule, v string) verdict {
	marks := e.marks
	e.marks.asked, e.marks.end = false, e.marks.from
	out := e.apply(r, v)
	e.marks = marks
	return out
}

// aside is try without leaving marks.
func (e *evaluator) aside(r *rule, v string) verdict {
	marks := e.marks
	e.marks.asked, e.marks.end = false, e.marks.from
	out := e.try(r, v)
	e.marks = marks
	return out
}

// branch is try for a schema whose marks count if it holds, with at most the verdict most.
func (e *evaluator) branch(r *rule, v string, most verdict) verdict {
	if !e.marks.asked {
		return e.try(r, v)
	}
	n := e.marks.end - e.marks.from
	if !e.step(1 + n/markBytes) {
		return no
	}
	before := e.mark(n)
	copy(e.marked[before.from:], e.marked[e.marks.from:e.marks.end])
	out := e.try(r, v)
	for i := range n {
		m := &e.marked[e.marks.from+i]
		*m = max(e.marked[before.from+i], min(*m, out, most))
	}
	e.marked = e.marked[:before.from]
	return out
}

// whole is parts for a rule with more than the common keywords.
func (e *evaluator) whole(r *rule, v string) verdict {
	var out verdict
	scopes := len(e.scopes)
	if s := r.more.scope; s != nil {
		e.enter(s)
	}
	switch {
	case v[0] == '{' && r.more.restMembers != nil:
		out = e.remaining(r, r.more.restMembers, v)
	case v[0] == '[' && r.more.restItems != nil:
		out = e.remaining(r, r.more.restItems, v)
	default:
		out = e.parts(r, v)
	}
	e.scopes = e.scopes[:scopes]
	return out
}

// enter is append to the scopes.
func (e *evaluator) enter(s *scope) {
	n := len(e.scopes)
	if n == cap(e.scopes) {
		e.scopes = grown(e.scopes)
	}
	e.scopes = e.scopes[:n+1]
	e.scopes[n] = s
}

// remaining is parts with the unevaluated keyword after all other keywords.
func (e *evaluator) remaining(r, rest *rule, v string) verdict {
	n, ok := e.size(v)
	if !ok || !e.step(1+n/markBytes) {
		return no
	}
	around := e.marks
	e.marks = e.mark(n)
	from := e.marks.from
	out := e.parts(r, v)
	if out != no {
		out = min(out, e.rest(r, rest, v))
	}
	e.marks, e.marked = around, e.marked[:from]
	if out != no {
		e.noteAll(yes) // rest has evaluated what nothing else has
	}
	return out
}

// size returns the number of members or elements.
func (e *evaluator) size(v string) (n int, ok bool) {
	if v[0] == '{' {
		from := len(e.list)
		_, ok = e.work.members(v)
		n = len(e.list) - from
		e.drop(from)
		return n, ok
	}
	ok = e.elementsOf(v, func(string) bool {
		n++
		return true
	})
	return n, ok // two steps: Go does not specify whether n is read before or after the call
}

// elementsOf calls f for the elements of the array v; it returns false if f does or the call is over.
func (w *work) elementsOf(v string, f func(x string) bool) bool {
	a, ok := rawjson.Elements(v)
	if !ok || !w.read(v) {
		return false
	}
	a.Trust(depthWithin)
	for x := range a.All {
		if !w.step(1) || !f(x) {
			return false
		}
	}
	return w.ended(a.Fault())
}

// rest applies unevaluatedProperties or unevaluatedItems to what has no mark.
func (e *evaluator) rest(r, rest *rule, v string) verdict {
	out := yes
	marks := e.marks
	if v[0] == '[' {
		i := 0
		ok := e.elementsOf(v, func(x string) bool {
			e.index(i)
			if out = min(out, e.unmarked(r, rest, e.marked[marks.from+i], x, "unevaluatedItems")); out == no {
				return false
			}
			e.pop()
			i++
			return true
		})
		if !ok {
			return no
		}
		return out
	}
	from := len(e.list)
	if _, ok := e.work.members(v); !ok {
		out = no
		marks.end = marks.from
	}
	for i := range marks.end - marks.from {
		m := e.list[from+i]
		name := m.key
		if _, known := r.names[name]; !known {
			name = "*"
		}
		if rest.never && e.marked[marks.from+i] == no { // as with additionalProperties
			out = e.fail(r, "unevaluatedProperties")
			break
		}
		e.name(name)
		if out = min(out, e.unmarked(r, rest, e.marked[marks.from+i], m.val, "unevaluatedProperties")); out == no {
			break
		}
		e.pop()
	}
	e.drop(from)
	return out
}

func (e *evaluator) unmarked(r, rest *rule, mark verdict, v, keyword string) verdict {
	switch {
	case !e.step(1):
		return no
	case mark == yes:
		return yes
	case mark == maybe:
		return max(e.aside(rest, v), maybe)
	case rest.never:
		return e.fail(r, keyword)
	}
	return e.within(rest, v)
}

// held checks an element against contains.
func (e *evaluator) held(r *rule, n int, x string) verdict {
	out := e.aside(r.contains, x)
	if r.marksHeld {
		e.note(n, out)
	}
	return out
}
