package schema

import (
	"math/bits"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// verdict says whether a schema holds. It is maybe if the checked keywords hold
// and an ignored one could still object.
type verdict uint8

const (
	no verdict = iota
	maybe
	yes
)

// evaluator applies rules to values. Its path is a path in the value.
type evaluator struct {
	work
	depth  int
	text   *text
	seen   []uint64
	failed *rule // the rule that the fault is about
	marks  marks
	marked []verdict // of all open marks
	scopes []*scope  // the open ones, the outermost first
	all    *faults   // receives the first faults, if the check continues after one
}

// text is the canonical text of a value.
type text struct {
	of  string
	buf []byte
}

// evaluate checks one value, without white space around it, and returns how many steps are
// left. What most calls need is on the stack. If all is not nil it receives all faults; the error
// is the first one.
func evaluate(steps int, r *rule, value string, all *faults) (left int, err error) {
	var (
		fault Fault
		path  [4]token
		list  [4]member
		seen  [2]uint64
		canon text
	)
	e := evaluator{work: work{steps: steps, path: path[:0], list: list[:0], fault: &fault}, seen: seen[:0], text: &canon, all: all}
	if e.apply(r, value) == no || e.dead {
		if all != nil && !e.dead {
			e.noteFault()
		}
		if all.count() > 0 {
			return e.steps, all.list[0]
		}
		if e.failed != nil && !e.dead {
			fault.SchemaPath = locate(r, e.failed, fault.Keyword)
		}
		return e.steps, fault
	}
	return e.steps, nil
}

// canonical returns the canonical text of v, valid until the next call. Branches ask for the
// same value repeatedly, so it is kept.
func (e *evaluator) canonical(v string) []byte {
	t := e.text
	if t.of != v {
		t.of, t.buf = v, e.canon(t.buf[:0], v)
	}
	if !e.read(v) { // it is hashed or compared
		return nil
	}
	return t.buf
}

// fail reports the first fault that no branch can undo.
func (e *evaluator) fail(r *rule, keyword string) verdict {
	if e.quiet == 0 && !e.dead {
		*e.fault, e.failed = Fault{Path: e.pointer(), Keyword: keyword}, r
	}
	return no
}

// apply reports whether r holds for v, which is valid and has no white space
// around it.
func (e *evaluator) apply(r *rule, v string) verdict {
	if e.depth == maxDepth {
		e.stop(Fault{Keyword: KeywordLimit})
	}
	if !e.step(1) {
		return no
	}
	e.depth++
	var out verdict
	if r.more == nil {
		out = e.parts(r, v)
	} else {
		out = e.whole(r, v)
	}
	e.depth--
	return out
}

func (e *evaluator) parts(r *rule, v string) verdict {
	out := yes
	switch {
	case r.never:
		return e.fail(r, KeywordFalse)
	case r.unsure:
		out = maybe
		e.noteAll(maybe) // an unchecked keyword may look at any of them
	}
	if out = min(out, e.plain(r, v)); out == no {
		return no
	}
	switch v[0] {
	case '{':
		if r.objects() {
			out = min(out, e.members(r, v))
		}
	case '[':
		if r.arrays() {
			out = min(out, e.elements(r, v))
		}
	}
	if !r.compound || out == no {
		return out
	}
	if out = min(out, e.referred(r, v)); out == no {
		return no
	}
	if out = min(out, e.every(r, v)); out == no {
		return no
	}
	if out = min(out, e.some(r, v)); out == no {
		return no
	}
	if out = min(out, e.one(r, v)); out == no {
		return no
	}
	if out = min(out, e.negated(r, v)); out == no {
		return no
	}
	return min(out, e.conditional(r, v))
}

// plain checks what needs no look inside the value.
func (e *evaluator) plain(r *rule, v string) verdict {
	var kind kinds
	switch v[0] {
	case '{':
		kind = kindObject
	case '[':
		kind = kindArray
	case '"':
		kind = kindString
	case 't', 'f':
		kind = kindBoolean
	case 'n':
		kind = kindNull
	default:
		return e.number(r, v)
	}
	if r.types&kind == 0 {
		return e.fail(r, "type")
	}
	if kind == kindString && !r.length.any() {
		if !e.read(v) {
			return no
		}
		switch n := int64(codePoints(v)); {
		case n < r.length.min:
			return e.fail(r, "minLength")
		case n > r.length.max:
			return e.fail(r, "maxLength")
		}
	}
	if kind == kindString && r.more != nil {
		if out := e.stringExtra(r, v); out != yes {
			return min(out, e.equal(r, v))
		}
	}
	return e.equal(r, v)
}

func (e *evaluator) number(r *rule, v string) verdict {
	if r.types&kindNumber == 0 || r.numbers() {
		if !e.read(v) {
			return no
		}
		d, ok := parseDecimal(v)
		switch {
		case !ok:
			e.stop(Fault{Keyword: KeywordSyntax})
			return no
		case r.types&kindNumber == 0 && (r.types&kindInteger == 0 || !d.integral()):
			return e.fail(r, "type")
		case r.minimum != nil && d.compare(*r.minimum) < 0:
			return e.fail(r, "minimum")
		case r.maximum != nil && d.compare(*r.maximum) > 0:
			return e.fail(r, "maximum")
		case r.exclusiveMin != nil && d.compare(*r.exclusiveMin) <= 0:
			return e.fail(r, "exclusiveMinimum")
		case r.exclusiveMax != nil && d.compare(*r.exclusiveMax) >= 0:
			return e.fail(r, "exclusiveMaximum")
		case r.multipleOf != nil && (!e.step(len(d.digits)) || !r.multipleOf.divides(d)):
			return e.fail(r, "multipleOf")
		}
	}
	return e.equal(r, v)
}

func (e *evaluator) equal(r *rule, v string) verdict {
	if r.enum == nil && r.constant == "" {
		return yes
	}
	text := e.canonical(v)
	switch {
	case e.dead:
		return no
	case r.constant != "" && r.constant != string(text):
		return e.fail(r, "const")
	case r.enum != nil && !r.enum[string(text)]:
		return e.fail(r, "enum")
	}
	return yes
}

func (e *evaluator) elements(r *rule, v string) verdict {
	if !e.read(v) {
		return no
	}
	out, n, odd := yes, 0, false
	var seen map[string]bool
	var held tally
	a, _ := rawjson.Elements(v)
	a.Trust(depthWithin)
	for ; ; n++ {
		x, ok := a.Next()
		if !ok {
			break
		}
		e.index(n)
		at, before := len(e.path)-1, len(e.list)
		if out = min(out, e.element(r, n, x)); out == no {
			if !e.goesOn(at, before) {
				return no
			}
			out, odd = yes, true
			continue
		}
		if r.contains != nil {
			held[e.held(r, n, x)]++
		}
		if r.unique {
			if seen == nil {
				seen = map[string]bool{}
			}
			text := e.canonical(x)
			if !e.step(hashSteps) {
				return no
			}
			if seen[string(text)] {
				return e.fail(r, "uniqueItems")
			}
			seen[string(text)] = true
		}
		e.pop()
	}
	switch {
	case !e.ended(a.Fault()):
		return no
	case int64(n) < r.count.min:
		return e.fail(r, "minItems")
	case int64(n) > r.count.max:
		return e.fail(r, "maxItems")
	case odd:
		return no
	}
	return min(out, e.contained(r, held))
}

func (e *evaluator) element(r *rule, n int, x string) verdict {
	switch {
	case !e.step(1):
		return no
	case n < len(r.prefix):
		e.note(n, yes)
		return e.within(r.prefix[n], x)
	case r.items == nil:
		return yes
	case r.items.never && r.tuple:
		return e.fail(r, "additionalItems")
	case r.items.never:
		return e.fail(r, "items")
	}
	e.note(n, yes)
	return e.within(r.items, x)
}

func (e *evaluator) members(r *rule, v string) verdict {
	from := len(e.list)
	if _, ok := e.work.members(v); !ok || !e.step(len(r.required)) {
		return no
	}
	out := e.inspect(r, v, from)
	e.drop(from)
	return out
}

// inspect checks the object v, whose members are the list from index from on.
func (e *evaluator) inspect(r *rule, v string, from int) verdict {
	before, count := len(e.list), e.all.count()
	if missing := e.lookUp(r, e.list[from:]); missing >= 0 {
		name := r.required[missing]
		e.name(name)
		at := len(e.path) - 1
		if p := r.names[name].rule; p != nil && p.wanted {
			e.fail(p, "required")
		} else {
			e.fail(r, "required")
		}
		if !e.goesOn(at, before) {
			return no
		}
	}
	end := len(e.list)
	switch n := int64(end - from); {
	case n < r.size.min:
		return e.fail(r, "minProperties")
	case n > r.size.max:
		return e.fail(r, "maxProperties")
	}
	out := e.depends(r, from)
	for i := from; i < end && out != no; i++ {
		at := len(e.path)
		if r.naming != nil {
			out = min(out, e.named(r, e.list[i].key))
		}
		if d := e.list[i].slot.dependency; d != nil && d.rule != nil && out != no {
			out = min(out, e.apply(d.rule, v))
		}
		if out != no {
			out = min(out, e.property(r, i-from, &e.list[i]))
		}
		if out == no && e.goesOn(at, end) {
			out = yes
		}
	}
	if e.all != nil && e.all.count() > count {
		return no
	}
	return out
}

// lookUp finds the slots of the members. It returns the place of the first missing name in
// required, -1 if none is missing.
func (e *evaluator) lookUp(r *rule, list []member) int {
	if len(r.names) == 0 {
		return -1
	}
	e.blank(len(r.required))
	for i := range list {
		s := r.names[list[i].key]
		if list[i].slot = s; s.need > 0 {
			e.seen[(s.need-1)/64] |= 1 << ((s.need - 1) % 64)
		}
	}
	for i, word := range e.seen {
		if at := 64*i + bits.TrailingZeros64(^word); at < min(64*(i+1), len(r.required)) {
			return at
		}
	}
	return -1
}

// blank empties the set seen and gives it room for places up to n.
func (e *evaluator) blank(n int) {
	if words := (n + 63) / 64; words <= cap(e.seen) {
		e.seen = e.seen[:words]
		clear(e.seen)
	} else {
		e.seen = make([]uint64, words)
	}
}
