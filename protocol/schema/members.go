package schema

import (
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// property checks member i of an object.
func (e *evaluator) property(r *rule, i int, m *member) verdict {
	out, looked, name := yes, no, "*" // looked: properties or a pattern has looked at it
	if m.slot.rule != nil {
		looked, name = yes, m.key
		out = e.member(m.slot.rule, name, m.val)
	}
	if r.more != nil && len(r.more.patterns) > 0 && out != no {
		by, is := e.patterned(r, name, m)
		looked, out = max(looked, by), min(out, is)
	}
	if r.patterns {
		looked = max(looked, maybe)
	}
	switch {
	case out == no || looked == yes || r.additional == nil:
	case looked == maybe: // or additionalProperties has
		looked, out = yes, maybe
	case r.additional.never:
		return e.fail(r, "additionalProperties")
	default:
		looked, out = yes, min(out, e.member(r.additional, name, m.val))
	}
	e.note(i, looked)
	return out
}

// member checks the value of a member.
func (e *evaluator) member(p *rule, name, val string) verdict {
	e.name(name)
	out := e.within(p, val)
	if out != no {
		e.pop()
	}
	return out
}

// patterned checks a member against the patterns that match its name, and reports whether
// any do. For a name with U+FFFD, which may stand for something else, both are unknown.
func (e *evaluator) patterned(r *rule, shown string, m *member) (looked, out verdict) {
	if replaced(m.key) {
		return maybe, maybe
	}
	out = yes
	for i := range r.more.patterns {
		p := &r.more.patterns[i]
		if !e.step(1) {
			return no, no
		}
		if !e.matches(p.regex, m.key) {
			continue
		}
		looked = yes
		if out = min(out, e.member(p.rule, shown, m.val)); out == no {
			return looked, no
		}
	}
	if e.dead {
		return no, no
	}
	return looked, out
}

// stringExtra checks pattern and format of a string.
func (e *evaluator) stringExtra(r *rule, v string) verdict {
	if r.more.pattern == nil && r.more.format == 0 {
		return yes
	}
	s, ok := e.unquoted(v)
	switch {
	case e.dead:
		return no
	case !ok: // half a surrogate pair is no text
		return maybe
	case r.more.pattern != nil && !e.matches(r.more.pattern, s):
		return e.fail(r, "pattern")
	case r.more.format == 0:
		return yes
	}
	out := r.more.format.fits(s)
	if out == no {
		return e.fail(r, "format")
	}
	return out
}

// unquoted returns the text of the string v.
func (e *evaluator) unquoted(v string) (s string, ok bool) {
	if !e.read(v) {
		return "", false
	}
	if strings.IndexByte(v, '\\') < 0 {
		return v[1 : len(v)-1], true
	}
	if !e.step(len(v) / escapeBytes) {
		return "", false
	}
	return rawjson.Unquote(v)
}

// matches reports whether a pattern matches a text. It is also false if the call is over.
func (e *evaluator) matches(r *regex, text string) bool {
	return e.step(matchSteps(len(text), r.size)) && r.re.MatchString(text)
}

// matchSteps returns the steps of a match, without overflowing a 32-bit int.
func matchSteps(bytes, size int) int {
	return int(min(1+(int64(bytes)+1)*int64(size)/matchStep, mostSteps+1))
}
