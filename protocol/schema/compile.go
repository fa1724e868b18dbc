package schema

import (
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// pending is the target of a $ref that is still to be read.
type pending struct {
	target *target
	text   string
	path   []token
	in     *resource // nil: the whole schema
}

// compiler reads schemas. Its path is a path in the schema.
type compiler struct {
	*work
	root    string
	lenient bool     // an unusable part is noted and ignored
	faults  []Fault  // for the unusable parts, at most maxFaults
	ignored []string // paths of assertions that are not checked, at most maxFaults
	dialect dialect
	foreign string            // the dialect, if the path is not usable because of it
	formats Formats           // the formats to check
	in      *resource         // the base of references; nil: the whole schema
	fresh   bool              // the next schema is the target of a reference
	moving  bool              // some references depend on the way to them
	known   *survey           // nil: not made yet
	regexes map[string]*regex // by their text
	parts   int               // how many more parts they may have
	whole   *target
	targets map[string]*target // by the pointers to them
	places  map[string]*place  // by the pointers that lead there
	queue   []pending
}

// compile reads a schema and everything that it refers to. The work is dead if the schema
// is not usable.
func (c *compiler) compile(schema string) *rule {
	text, fault := trim(schema)
	switch fault {
	case rawjson.OK:
	case rawjson.Depth:
		c.stop(Fault{Keyword: KeywordLimit})
	default:
		c.stop(Fault{Keyword: KeywordSchema})
	}
	c.dialect, c.parts = unnamed, min(freeParts+len(text)/partBytes, mostParts)
	c.root, c.whole = text, &target{rule: *newRule()}
	c.moving = strings.Contains(text, `"$dynamicRef"`) || strings.Contains(text, `"$recursiveRef"`)
	c.queue = append(c.queue, pending{target: c.whole, text: text})
	for len(c.queue) > 0 && !c.dead {
		next := c.queue[0]
		c.queue = c.queue[1:]
		c.path = append(c.path[:0], next.path...)
		c.in, c.fresh = next.in, true
		c.fill(&next.target.rule, next.text)
	}
	return &c.whole.rule
}

// bad ends the call: the schema is not usable here.
func (c *compiler) bad() bool {
	if !c.dead {
		c.stop(c.unusable())
	}
	return false
}

// unusable returns the fault of the schema at the path.
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
	at, in, fresh := len(c.path), c.in, c.fresh
	c.fresh = false
	if !c.speak(&o) {
		r.unsure = true
		c.back(at)
		return !c.dead
	}
	alone := c.dialect.alone && o.find("$ref") >= 0
	if c.enter(&o); c.in != in || fresh {
		c.scoped(r)
	}
	var before snapshot
	for _, m := range o.list {
		if alone && m.key != "$ref" && (m.key != "type" || at > 0) {
			continue // the protocol requires the type of the whole schema
		}
		c.name(m.key)
		if c.lenient {
			before.take(r)
		}
		if !c.keyword(r, &o, m) {
			if !c.spare() {
				return false
			}
			before.put(r)
			r.without(m.key)
		}
		c.back(at)
	}
	c.in = in
	if r.blind {
		r.ofArrays().items = nil
	}
	if r.adrift {
		r.ofArrays().contains = nil
	}
	r.marksHeld = c.dialect.held
	r.compound = r.ref != nil || r.more != nil && r.more.dynamic != nil || r.allOf != nil || r.anyOf != nil || r.oneOf != nil || r.not != nil || r.cond != nil
	return true
}

// keyword reads the member m of the schema o; false if its value is not valid.
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
		if !c.dialect.formal {
			return true
		}
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
	case "dependentRequired", "dependentSchemas":
		return !c.dialect.split || c.dependent(r, key, val)
	case "dependencies":
		if !c.dialect.split {
			return c.dependent(r, key, val)
		}
		return c.unchecked(r, key, val)
	case "pattern":
		return c.pattern(r, val)
	case "patternProperties":
		return c.patterned(r, val)
	case "format":
		return c.format(r, val)
	case "unevaluatedItems":
		return !c.dialect.anchor || c.schema(&r.beyond().restItems, val)
	case "unevaluatedProperties":
		return !c.dialect.anchor || c.schema(&r.beyond().restMembers, val)
	case "$dynamicRef", "$recursiveRef":
		switch {
		case !c.dialect.dynamic && key == "$dynamicRef", !c.dialect.recursive && key == "$recursiveRef":
			return true
		case !c.moving: // its name is spelled with escapes
			return c.unchecked(r, key, val)
		case key == "$dynamicRef":
			return c.referDynamic(r, val)
		}
		return c.referRecursive(r, val)
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
			return (c.dialect.tuple || c.odd()) && (!c.dialect.prefix || o.find("prefixItems") < 0) && c.list(&r.ofArrays().prefix, val)
		}
		return c.schema(&r.ofArrays().items, val)
	case "additionalItems":
		if c.dialect.tuple && o.tuple() {
			return c.schema(&r.ofArrays().items, val)
		}
	case "additionalProperties":
		return c.schema(&r.ofObjects().additional, val)
	case "not":
		return c.schema(&r.ofBranches().not, val)
	case "if":
		return !c.dialect.cond || c.schema(&r.ofBranches().cond, val)
	case "then":
		return c.schema(&r.ofBranches().then, val)
	case "else":
		return c.schema(&r.ofBranches().els, val)
	case "contains":
		return !c.dialect.formal || c.schema(&r.ofArrays().contains, val)
	case "propertyNames":
		return !c.dialect.formal || c.schema(&r.ofObjects().naming, val)
	case "prefixItems":
		return (c.dialect.prefix || c.odd()) && c.schemas(&r.ofArrays().prefix, val)
	case "allOf":
		return c.schemas(&r.ofBranches().allOf, val)
	case "anyOf":
		return c.schemas(&r.ofBranches().anyOf, val)
	case "oneOf":
		return c.schemas(&r.ofBranches().oneOf, val)
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
	i := -1
	for x := range a.All {
		if i++; !c.step(1) || !f(i, x) {
			return false
		}
	}
	return true
}

// schemas reads a list of schemas, which must not be empty.
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
