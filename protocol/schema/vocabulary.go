package schema

import (
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// Ignored returns where a schema has keywords that constrain values and are
// not checked, such as some patterns: JSON pointers (RFC 6901), at most 16. It reads what
// CompileLenient reads, and omits what that reports.
func Ignored(schema jsonrpc.Raw) []string {
	_, _, ignored := Lenient{}.Read(schema)
	return ignored
}

// unchecked reads a keyword that is not applied to values. Its own value must still be
// valid for the keyword.
func (c *compiler) unchecked(r *rule, key, val string) bool {
	if r.unsure = true; key == "dependencies" && !c.dependent(newRule(), key, val) || key != "dependencies" && val[0] != '"' {
		return false
	}
	c.ignore()
	return true
}

// ignore records that the part at the path is not checked.
func (c *compiler) ignore() {
	if len(c.ignored) < maxFaults {
		c.ignored = append(c.ignored, c.pointer())
	}
}

// pattern reads a regular expression. One that cannot be matched is not checked.
func (c *compiler) pattern(r *rule, raw string) bool {
	s, ok := rawjson.Unquote(raw)
	if !ok || !c.read(raw) || !wellFormed(s) {
		return raw[0] == '"' && !ok && c.unchecked(r, "pattern", raw)
	}
	re := c.regex(s)
	if re == nil {
		r.unsure = true
		c.ignore()
		return !c.dead
	}
	r.beyond().pattern = re
	return true
}

// regex reads each pattern once.
func (c *compiler) regex(pattern string) *regex {
	if re, ok := c.regexes[pattern]; ok {
		return re
	}
	if !c.step(hashSteps + min(len(pattern), maxPattern)/textStep) {
		return nil
	}
	re := regexOf(pattern, c.parts)
	if re != nil {
		c.parts -= re.size
		c.step(partSteps * re.size)
	}
	if c.regexes == nil {
		c.regexes = map[string]*regex{}
	}
	c.regexes[pattern] = re
	return re
}

// patterned reads patternProperties.
func (c *compiler) patterned(r *rule, raw string) bool {
	return c.schemasByName(raw, wellFormed, func(name string, p *rule) {
		re := c.regex(name)
		if re == nil {
			r.unsure, r.patterns = true, true
			c.name(name)
			c.ignore()
			c.pop()
			return
		}
		r.beyond().patterns = append(r.beyond().patterns, patternRule{re, name, p})
	})
}

// format reads format. It is an annotation unless the Formats include it.
func (c *compiler) format(r *rule, raw string) bool {
	s, ok := rawjson.Unquote(raw)
	f := FormatNamed(s) & c.formats
	if r.unsure = r.unsure || f == 0; f != 0 {
		r.beyond().format = f
	}
	return ok || raw[0] == '"'
}

// schemasByName reads an object of schemas, whose names must be good, and passes them to f.
func (c *compiler) schemasByName(raw string, good func(string) bool, f func(name string, p *rule)) bool {
	o, ok := c.object(raw)
	defer c.close(&o)
	if !ok {
		return false
	}
	for _, m := range o.list {
		c.name(m.key)
		if good != nil && !good(m.key) {
			return false
		}
		var p *rule
		if !c.schema(&p, m.val) {
			return false
		}
		c.pop()
		f(m.key, p)
	}
	return true
}

// dependent reads what the presence of a member requires: lists of other
// names, or schemas for the object.
func (c *compiler) dependent(r *rule, key, raw string) bool {
	o, ok := c.object(raw)
	defer c.close(&o)
	if !ok {
		return false
	}
	for _, m := range o.list {
		c.name(m.key)
		var d dependency
		if old := r.names[m.key].dependency; old != nil {
			d = *old
		}
		d.keyword = key
		switch {
		case key != "dependentSchemas" && m.val[0] == '[':
			if !c.needed(r, &d, m.val) {
				return false
			}
		case key == "dependentRequired" || !c.schema(&d.rule, m.val):
			return false
		}
		c.pop()
		s := r.names[m.key]
		s.dependency = &d
		r.set(m.key, s)
	}
	return true
}

func (c *compiler) needed(r *rule, d *dependency, raw string) bool {
	var names []string
	if !c.strings(&names, raw) {
		return false
	}
	for _, name := range names {
		if !c.step(hashSteps + len(name)/nameBytes) {
			return false
		}
		s := r.names[name]
		if s.mark == 0 {
			o := r.ofObjects()
			o.marked = append(o.marked, name)
			s.mark = len(o.marked)
			r.set(name, s)
		}
		d.needs = append(d.needs, s.mark)
	}
	return true
}

// depends checks what the members of an object require; they are the list from index
// from on. Schemas of dependencies apply to the whole object.
func (e *evaluator) depends(r *rule, from int) verdict {
	if len(r.marked) == 0 {
		return yes
	}
	if !e.step(len(r.marked)) {
		return no
	}
	e.blank(len(r.marked) + 1)
	for i := range e.list[from:] {
		mark := e.list[from+i].slot.mark
		e.seen[mark/64] |= 1 << (mark % 64)
	}
	for i := range e.list[from:] {
		d := e.list[from+i].slot.dependency
		if d == nil {
			continue
		}
		for _, mark := range d.needs {
			if !e.step(1) {
				return no
			}
			if e.seen[mark/64]&(1<<(mark%64)) == 0 {
				e.name(r.marked[mark-1])
				return e.fail(r, d.keyword)
			}
		}
	}
	return yes
}

// named checks the name of a member against propertyNames.
func (e *evaluator) named(r *rule, name string) verdict {
	if !e.step(len(name) / nameBytes) {
		return no
	}
	if replaced(name) {
		return maybe
	}
	out := e.aside(r.naming, string(rawjson.AppendQuote(nil, name)))
	if out == no || e.dead {
		return e.fail(r, "propertyNames")
	}
	return out
}

// tally counts the elements that satisfy contains, by verdict.
type tally [yes + 1]int64

// contained says whether their number is in range.
func (e *evaluator) contained(r *rule, n tally) verdict {
	switch {
	case r.contains == nil:
		return yes
	case n[yes]+n[maybe] < r.held.min && r.held.min == 1:
		return e.fail(r, "contains")
	case n[yes]+n[maybe] < r.held.min:
		return e.fail(r, "minContains")
	case n[yes] > r.held.max:
		return e.fail(r, "maxContains")
	case n[yes] < r.held.min || n[yes]+n[maybe] > r.held.max:
		return maybe
	}
	return yes
}
