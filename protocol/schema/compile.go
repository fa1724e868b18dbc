package schema

import (
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// pending is a place that a $ref leads to and that is still to be read.
type pending struct {
	rule  *rule
	text  string
	path  []token
	inner bool // it is within a schema that has an $id
}

// compiler reads schemas. Its path is in the schema.
type compiler struct {
	*work
	root    string
	lenient bool     // what is not usable is noted and left out
	faults  []Fault  // what was, the first maxFaults
	ignored []string // where assertions are that are not checked, the first maxFaults
	dialect dialect
	foreign string             // why the place is not usable: it is not of this dialect
	inner   int                // how many schemas with an $id are open within the first
	anchors map[string]pending // by their names; nil: not looked for yet
	targets map[string]*rule   // by the text of the $ref
	places  map[string]*place  // by the pointers that lead there
	queue   []pending
}

// compile reads a schema and what it refers to. The work is dead if it is not
// usable.
func compile(w *work, schema string) *rule {
	c := compiler{work: w}
	return c.compile(schema)
}

func (c *compiler) compile(schema string) *rule {
	text, fault := trim(schema)
	switch fault {
	case rawjson.OK:
	case rawjson.Depth:
		c.stop(Fault{Keyword: KeywordLimit})
	default:
		c.stop(Fault{Keyword: KeywordSchema})
	}
	root := newRule()
	c.dialect = unnamed
	c.root, c.targets = text, map[string]*rule{"#": root, "": root}
	c.queue = append(c.queue, pending{rule: root, text: text})
	for len(c.queue) > 0 && !c.dead {
		next := c.queue[0]
		c.queue = c.queue[1:]
		c.path = append(c.path[:0], next.path...)
		if c.inner = 0; next.inner {
			c.inner = 1
		}
		c.fill(next.rule, next.text)
	}
	c.path = c.path[:0]
	return root
}

// bad ends the call: the schema is not usable here.
func (c *compiler) bad() bool {
	if !c.dead {
		c.stop(c.unusable())
	}
	return false
}

// unusable is the fault of what the path leads to.
func (c *compiler) unusable() Fault {
	return Fault{Path: c.pointer(), Keyword: KeywordSchema, Dialect: c.foreign}
}

// schema reads text as a schema into *p; false means that the call is over.
func (c *compiler) schema(p **rule, text string) bool {
	*p = newRule()
	return c.fill(*p, text)
}

func (c *compiler) fill(r *rule, text string) bool {
	if !c.step(ruleSteps) {
		return false
	}
	switch text {
	case "true":
		return true
	case "false":
		r.never = true
		return true
	}
	o, ok := c.object(text)
	defer c.close(&o)
	if !ok {
		r.unsure = true
		return c.spare()
	}
	at, inner := len(c.path), c.inner
	if !c.speak(&o) {
		r.unsure = true
		c.back(at)
		return !c.dead
	}
	alone := c.dialect.alone && o.find("$ref") >= 0
	if at > 0 && !alone && resource(&o) {
		c.inner++
	}
	var before rule
	for _, m := range o.list {
		if alone && m.key != "$ref" && (m.key != "type" || at > 0) {
			continue // the type of the whole schema is for the protocol
		}
		c.name(m.key)
		if c.lenient {
			before = *r
		}
		if !c.keyword(r, &o, m) {
			if !c.spare() {
				return false
			}
			*r = before
			r.without(m.key)
		}
		c.back(at)
	}
	c.inner = inner
	if r.blind {
		r.items = nil
	}
	if r.adrift {
		r.contains = nil
	}
	r.compound = r.ref != nil || r.allOf != nil || r.anyOf != nil || r.oneOf != nil || r.not != nil || r.cond != nil
	return true
}

// keyword reads the member m of the schema o; false if its value cannot be.
func (c *compiler) keyword(r *rule, o *object, m member) bool {
	key, val := m.key, m.val
	switch key {
	case "type":
		return c.types(r, val)
	case "enum":
		r.enum = map[string]bool{}
		return c.each(val, func(_ int, x string) bool {
			r.enum[string(c.canon(nil, x))] = true
			return c.step(hashSteps)
		})
	case "const":
		r.constant = string(c.canon(nil, val))
		return true
	case "$ref":
		return c.refer(r, val)
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains":
		return c.counts(r, key, val)
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		return c.bounds(r, o, key, val)
	case "uniqueItems":
		r.unique = val == "true"
		return r.unique || val == "false"
	case "required":
		return c.required(r, val)
	case "properties":
		return c.properties(r, val)
	case "dependentRequired":
		return !c.dialect.split || c.dependent(r, key, val)
	case "dependentSchemas":
		return !c.dialect.split || c.dependent(r, key, val)
	case "dependencies":
		if !c.dialect.split {
			return c.dependent(r, key, val)
		}
		return c.unchecked(r, key, val)
	case "pattern", "patternProperties", "format", "unevaluatedItems", "unevaluatedProperties", "$dynamicRef", "$recursiveRef":
		return c.unchecked(r, key, val)
	case "$id", "$anchor", "$dynamicAnchor":
		return val[0] == '"'
	case "$defs", "definitions":
		return val[0] == '{'
	}
	return c.applicator(r, o, key, val)
}

// applicator reads a keyword whose value is a schema or a list of them.
func (c *compiler) applicator(r *rule, o *object, key, val string) bool {
	switch key {
	case "items":
		if val[0] == '[' {
			r.tuple = true
			return (c.dialect.tuple || c.odd()) && (!c.dialect.prefix || o.find("prefixItems") < 0) && c.list(&r.prefix, val)
		}
		return c.schema(&r.items, val)
	case "additionalItems":
		if c.dialect.tuple && o.tuple() {
			return c.schema(&r.items, val)
		}
	case "additionalProperties":
		return c.schema(&r.additional, val)
	case "not":
		return c.schema(&r.not, val)
	case "if":
		return c.schema(&r.cond, val)
	case "then":
		return c.schema(&r.then, val)
	case "else":
		return c.schema(&r.els, val)
	case "contains":
		return c.schema(&r.contains, val)
	case "propertyNames":
		return c.schema(&r.naming, val)
	case "prefixItems":
		return (c.dialect.prefix || c.odd()) && c.schemas(&r.prefix, val)
	case "allOf":
		return c.schemas(&r.allOf, val)
	case "anyOf":
		return c.schemas(&r.anyOf, val)
	case "oneOf":
		return c.schemas(&r.oneOf, val)
	}
	return true
}

// each calls f for the elements of the array raw.
func (c *compiler) each(raw string, f func(i int, x string) bool) bool {
	a, ok := rawjson.Elements(raw)
	if !ok || !c.read(raw) {
		return false
	}
	a.Trust(depthWithin)
	for i := 0; ; i++ {
		x, ok := a.Next()
		if !ok {
			return true
		}
		if !c.step(1) || !f(i, x) {
			return false
		}
	}
}

// schemas reads a list of schemas, which is not empty.
func (c *compiler) schemas(list *[]*rule, raw string) bool {
	return c.list(list, raw) && len(*list) > 0
}

func (c *compiler) list(list *[]*rule, raw string) bool {
	return c.each(raw, func(i int, x string) bool {
		c.index(i)
		var r *rule
		if !c.schema(&r, x) {
			return false
		}
		c.pop()
		*list = append(*list, r)
		return true
	})
}

func (c *compiler) properties(r *rule, raw string) bool {
	return c.schemasByName(raw, nil, func(name string, p *rule) {
		s := r.names[name]
		s.rule = p
		r.set(name, s)
	})
}

func (c *compiler) required(r *rule, raw string) bool {
	var names []string
	if !c.strings(&names, raw) {
		return false
	}
	for _, name := range names {
		if !c.step(hashSteps + len(name)/nameBytes) {
			return false
		}
		if s := r.names[name]; s.need == 0 {
			r.required = append(r.required, name)
			s.need = len(r.required)
			r.set(name, s)
		}
	}
	return true
}

func (c *compiler) strings(list *[]string, raw string) bool {
	return c.each(raw, func(_ int, x string) bool {
		s, ok := rawjson.Unquote(x)
		*list = append(*list, s)
		return ok
	})
}

func (c *compiler) types(r *rule, raw string) bool {
	r.types = 0
	if name, ok := rawjson.Unquote(raw); ok {
		r.types = kindNamed(name)
		r.isObject = r.types == kindObject
		return r.types != 0
	}
	var names []string
	if !c.strings(&names, raw) {
		return false
	}
	for _, name := range names {
		k := kindNamed(name)
		if k == 0 {
			return false
		}
		r.types |= k
	}
	return r.types != 0
}

func (c *compiler) counts(r *rule, key, raw string) bool {
	n, ok := parseCount(raw)
	switch key {
	case "minContains", "maxContains":
		switch {
		case !c.dialect.bounds:
			return true
		case key == "minContains":
			r.held.min = n
		default:
			r.held.max = n
		}
	case "minLength":
		r.length.min = n
	case "maxLength":
		r.length.max = n
	case "minItems":
		r.count.min = n
	case "maxItems":
		r.count.max = n
	case "minProperties":
		r.size.min = n
	default:
		r.size.max = n
	}
	return ok
}

func (c *compiler) bounds(r *rule, o *object, key, raw string) bool {
	if key == "multipleOf" {
		m, ok := parseDivisor(raw)
		r.multipleOf = &m
		return ok
	}
	if raw == "true" || raw == "false" {
		return (c.dialect.old || c.odd()) && o.find(bounded[key]) >= 0
	}
	d, ok := parseDecimal(raw)
	switch {
	case key == "minimum" && (!c.dialect.old || o.get("exclusiveMinimum") != "true"):
		r.minimum = &d
	case key == "maximum" && (!c.dialect.old || o.get("exclusiveMaximum") != "true"):
		r.maximum = &d
	case key == "minimum" || key == "exclusiveMinimum":
		r.exclusiveMin = &d
	default:
		r.exclusiveMax = &d
	}
	return ok
}

// bounded names the keyword that a boolean, as draft 4 has it, makes exclusive.
var bounded = map[string]string{"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}

// tuple reports whether the schema o lists the schemas of elements as drafts before
// 2020-12 do, with additionalItems for those behind.
func (o *object) tuple() bool {
	return strings.HasPrefix(o.get("items"), "[") && o.find("prefixItems") < 0
}
