package schema

import (
	"unicode/utf8"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// verdict says whether a schema holds. It is maybe if it does as far as it is
// checked: a keyword that is ignored could still object.
type verdict uint8

const (
	no verdict = iota
	maybe
	yes
)

// evaluator applies rules to values. Its path is in the value.
type evaluator struct {
	*work
	depth int
	buf   []byte // a canonical text
}

// fail reports the first fault that no branch can make good.
func (e *evaluator) fail(keyword string) verdict {
	if e.quiet == 0 && !e.dead {
		e.fault = Fault{Path: e.pointer(), Keyword: keyword}
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
	out := e.parts(r, v)
	e.depth--
	return out
}

func (e *evaluator) parts(r *rule, v string) verdict {
	out := yes
	switch {
	case r.never:
		return e.fail(KeywordFalse)
	case r.unsure:
		out = maybe
	}
	for _, part := range [...]func(*evaluator, *rule, string) verdict{
		(*evaluator).plain, (*evaluator).object, (*evaluator).array, (*evaluator).referred, (*evaluator).every,
		(*evaluator).some, (*evaluator).one, (*evaluator).negated, (*evaluator).conditional,
	} {
		if out = min(out, part(e, r, v)); out == no {
			break
		}
	}
	return out
}

// plain checks what can be said without a look inside.
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
		return e.fail("type")
	}
	if kind == kindString && !r.length.any() {
		if !e.read(v) {
			return no
		}
		s, _ := rawjson.Unquote(v)
		switch n := int64(utf8.RuneCountInString(s)); {
		case n < r.length.min:
			return e.fail("minLength")
		case n > r.length.max:
			return e.fail("maxLength")
		}
	}
	return e.equal(r, v)
}

func (e *evaluator) number(r *rule, v string) verdict {
	if r.types&kindNumber == 0 || r.numbers() {
		if !e.read(v) {
			return no
		}
		d, _ := parseDecimal(v)
		switch {
		case r.types&kindNumber == 0 && (r.types&kindInteger == 0 || !d.integral()):
			return e.fail("type")
		case r.minimum != nil && d.compare(*r.minimum) < 0:
			return e.fail("minimum")
		case r.maximum != nil && d.compare(*r.maximum) > 0:
			return e.fail("maximum")
		case r.exclusiveMin != nil && d.compare(*r.exclusiveMin) <= 0:
			return e.fail("exclusiveMinimum")
		case r.exclusiveMax != nil && d.compare(*r.exclusiveMax) >= 0:
			return e.fail("exclusiveMaximum")
		case r.multipleOf != nil && (!e.step(len(d.digits)) || !r.multipleOf.divides(d)):
			return e.fail("multipleOf")
		}
	}
	return e.equal(r, v)
}

func (e *evaluator) equal(r *rule, v string) verdict {
	if r.enum == nil && r.constant == "" {
		return yes
	}
	e.buf = e.canon(e.buf[:0], v)
	switch {
	case e.dead:
		return no
	case r.constant != "" && r.constant != string(e.buf):
		return e.fail("const")
	case r.enum != nil && !r.enum[string(e.buf)]:
		return e.fail("enum")
	}
	return yes
}

func (e *evaluator) array(r *rule, v string) verdict {
	if v[0] != '[' || !r.arrays() {
		return yes
	}
	if !e.read(v) {
		return no
	}
	out, n := yes, 0
	var seen map[string]bool
	a, _ := rawjson.Elements(v)
	for ; ; n++ {
		x, ok := a.Next()
		if !ok {
			break
		}
		e.index(n)
		if out = min(out, e.element(r, n, x)); out == no {
			return no
		}
		if r.unique {
			if seen == nil {
				seen = map[string]bool{}
			}
			e.buf = e.canon(e.buf[:0], x)
			e.step(hashSteps)
			if seen[string(e.buf)] {
				return e.fail("uniqueItems")
			}
			seen[string(e.buf)] = true
		}
		e.pop()
	}
	switch {
	case int64(n) < r.count.min:
		return e.fail("minItems")
	case int64(n) > r.count.max:
		return e.fail("maxItems")
	}
	return out
}

func (e *evaluator) element(r *rule, n int, x string) verdict {
	switch {
	case !e.step(1):
		return no
	case n < len(r.prefix):
		return e.apply(r.prefix[n], x)
	case r.items == nil:
		return yes
	case r.items.never:
		return e.fail("items")
	}
	return e.apply(r.items, x)
}

func (e *evaluator) object(r *rule, v string) verdict {
	if v[0] != '{' || !r.objects() {
		return yes
	}
	o, ok := e.members(v)
	if !ok || !e.step(len(r.required)) {
		return no
	}
	for _, name := range r.required {
		if o.find(name) < 0 {
			e.name(name)
			return e.fail("required")
		}
	}
	switch n := int64(len(o.list)); {
	case n < r.size.min:
		return e.fail("minProperties")
	case n > r.size.max:
		return e.fail("maxProperties")
	}
	out := yes
	for _, m := range o.list {
		if out = min(out, e.property(r, m)); out == no {
			break
		}
	}
	return out
}

func (e *evaluator) property(r *rule, m member) verdict {
	name, p := m.key, r.properties[m.key]
	if p == nil {
		if r.additional == nil || r.patterns {
			return yes
		}
		if r.additional.never {
			return e.fail("additionalProperties")
		}
		name, p = "*", r.additional
	}
	e.name(name)
	out := e.apply(p, m.val)
	if out != no {
		e.pop()
	}
	return out
}
