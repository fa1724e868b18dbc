package uritemplate

import (
	"slices"
	"strings"
)

// newQuery returns nil if the order of parameters matters or there is only one.
func newQuery(c *compiled) *query {
	q := &query{slots: map[string][]int{}, rest: -1}
	end := -1 // of the parts for parameters
	for k, p := range c.parts {
		if p.op == nil || !p.op.query {
			continue
		}
		switch {
		case end >= 0 && end != k:
			return nil
		case end < 0:
			q.from = p.op.firstKind
			if q.from == ampersand && k > 0 {
				q.before(c.parts[k-1])
			}
		}
		end = k + 1
		for i := p.from; i < p.to; i++ {
			v := &c.vars[i]
			if v.Explode && q.rest < 0 {
				q.rest = len(q.again)
			}
			q.add(v.Name, v.Explode)
		}
	}
	if end > 0 && end < len(c.parts) {
		if text, ok := strings.CutPrefix(c.parts[end].literal, "&"); ok {
			q.literal(text)
		}
	}
	if len(q.again) < 2 {
		return nil
	}
	return q
}

// before adds the parameters that are text of the template before {&…}.
func (q *query) before(p part) {
	if _, text, ok := strings.Cut(p.literal, "?"); ok {
		q.from = question
		q.literal(text)
	}
}

func (q *query) literal(text string) {
	text, _, _ = strings.Cut(text, "#")
	for p := range strings.SplitSeq(text, "&") {
		q.add(p, false)
	}
}

// add adds a place for a parameter that begins with a name.
func (q *query) add(parameter string, again bool) {
	tokens, _ := scan(parameter) // Parse has read it
	name := string(appendName(nil, tokens))
	q.slots[name] = append(q.slots[name], len(q.again))
	q.again = append(q.again, again)
}

// parameter is a part of a URI between & and &, and its place in the template.
type parameter struct{ from, to, slot int }

// sort returns the URI with its parameters in the order of the template, and those that
// it does not name at the place of the first exploded variable. It returns nil if they
// are in this order already, or if one has no place.
func (q *query) sort(uri []token) []token {
	start := slices.IndexFunc(uri, func(t token) bool { return t.kind == q.from })
	if start < 0 {
		return nil
	}
	var list []parameter
	used := make([]bool, len(q.again))
	var name []byte
	at, end := start+1, false
	for i := at; !end; i++ {
		end = i == len(uri) || uri[i].kind == hash
		if !end && uri[i].kind != ampersand {
			continue
		}
		name = appendName(name[:0], uri[at:i])
		slot := q.slot(name, used)
		if slot < 0 {
			return nil
		}
		list = append(list, parameter{at, i, slot})
		at = i + 1
	}
	bySlot := func(a, b parameter) int { return a.slot - b.slot }
	if slices.IsSortedFunc(list, bySlot) {
		return nil
	}
	tail := list[len(list)-1].to
	slices.SortStableFunc(list, bySlot)
	sorted := append(make([]token, 0, len(uri)), uri[:start]...)
	for i, p := range list {
		if i == 0 {
			sorted = append(sorted, uri[start])
		} else {
			sorted = append(sorted, token{kind: ampersand, b: '&', lead: true})
		}
		sorted = append(sorted, uri[p.from:p.to]...)
	}
	return append(sorted, uri[tail:]...)
}

// slot returns the place of a parameter, or -1.
func (q *query) slot(name []byte, used []bool) int {
	for list := q.slots[string(name)]; len(list) > 0; list = list[1:] {
		if i := list[0]; !used[i] {
			used[i] = !q.again[i]
			return i
		}
	}
	return q.rest
}

// appendName appends the tokens up to the = in a form in which equal names, and no others,
// are equal text.
func appendName(dst []byte, tokens []token) []byte {
	for _, t := range tokens {
		if t.kind == equals {
			break
		}
		if t.kind == encoded {
			dst = append(dst, '%')
		}
		dst = append(dst, t.b)
	}
	return dst
}
