package schema

import (
	"maps"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// Keywords with schemas in them.
var (
	ofOne  = names("additionalItems additionalProperties contains contentSchema else if items not propertyNames then unevaluatedItems unevaluatedProperties")
	ofList = names("allOf anyOf items oneOf prefixItems")
	ofMap  = names("$defs definitions dependencies dependentSchemas patternProperties properties")
)

func names(list string) map[string]bool {
	m := map[string]bool{}
	for name := range strings.FieldsSeq(list) {
		m[name] = true
	}
	return m
}

// spot is a place in a schema. Without text two places have its name, so none counts.
type spot struct {
	text    string
	path    []token
	dynamic bool // its name is from $dynamicAnchor, or its $recursiveAnchor is true
}

// resource is the whole schema, or a subschema with its own identifier.
type resource struct {
	spot
	uri     string // without a fragment
	place   string // the JSON pointer to it
	anchors map[string]spot
	scope   *scope
}

// scope is a resource for dynamic references: its dynamic anchors by their
// names, with "" for that of $recursiveAnchor.
type scope struct{ anchors map[string]*target }

// dynamic is a reference to the outermost open scope with the name.
type dynamic struct {
	name  string
	first *target // the target if no scope has it
	fixed bool    // it is always the target
}

// survey lists the possible targets of references other than places.
type survey struct {
	byURI   map[string]*resource
	byPlace map[string]*resource
	all     []*resource
}

// resources finds all identifiers and anchors of the schema, once.
func (c *compiler) resources() *survey {
	if c.known == nil {
		c.known = &survey{byURI: map[string]*resource{}, byPlace: map[string]*resource{}}
		path, in := c.path, c.in
		c.path = nil
		c.explore(c.root, nil)
		c.path, c.in = path, in
		if len(c.known.all) == 0 { // the schema is not an object
			c.known.add(&resource{spot: spot{text: c.root}})
		}
	}
	return c.known
}

func (s *survey) add(r *resource) {
	s.all = append(s.all, r)
	s.byPlace[r.place] = r
	if _, twice := s.byURI[r.uri]; twice {
		s.byURI[r.uri] = &resource{}
		return
	}
	s.byURI[r.uri] = r
}

// here returns the resource of what is being read.
func (c *compiler) here() *resource {
	if c.in == nil {
		return c.resources().all[0]
	}
	return c.in
}

// explore notes the identifiers and anchors of the schema text, in the resource in, and of its
// subschemas.
func (c *compiler) explore(text string, in *resource) {
	o, ok := c.object(text)
	defer c.close(&o)
	if !ok {
		return
	}
	if at := len(c.path); at == 0 || c.identified(&o) {
		id, _ := rawjson.Unquote(o.get(c.dialect.id))
		if !c.identified(&o) {
			id = ""
		}
		base := ""
		if in != nil {
			base = in.uri
		}
		id, _, _ = strings.Cut(id, "#")
		in = &resource{spot: spot{text: text, path: slices.Clone(c.path)}, place: c.pointer()}
		if in.uri = resolve(base, id); !c.step(ruleSteps + (len(base)+len(id)+len(in.place))/nameBytes) {
			return
		}
		in.dynamic = o.get("$recursiveAnchor") == "true"
		c.known.add(in)
	}
	c.anchors(&o, text, in)
	for _, m := range o.list {
		c.name(m.key)
		switch first := m.val[0]; {
		case ofOne[m.key] && first == '{':
			c.explore(m.val, in)
		case ofList[m.key] && first == '[':
			c.each(m.val, func(i int, x string) bool {
				c.index(i)
				c.explore(x, in)
				c.pop()
				return !c.dead
			})
		case ofMap[m.key] && first == '{':
			all, _ := c.object(m.val)
			for _, n := range all.list {
				c.name(n.key)
				c.explore(n.val, in)
				c.pop()
			}
			c.close(&all)
		}
		c.pop()
	}
}

// anchors notes the anchors of the schema o, whose text is text. A repeated anchor means
// nothing.
func (c *compiler) anchors(o *object, text string, in *resource) {
	for _, key := range [...]string{"$anchor", "$dynamicAnchor", c.dialect.id} {
		name, ok := rawjson.Unquote(o.get(key))
		if key == c.dialect.id {
			_, name, ok = strings.Cut(name, "#")
			ok = ok && c.dialect.idAnchor && name != "" && !(c.dialect.alone && o.find("$ref") >= 0)
		} else {
			ok = ok && c.dialect.anchor
		}
		if !ok || !c.step(hashSteps+len(name)/nameBytes) {
			continue
		}
		if in.anchors == nil {
			in.anchors = map[string]spot{}
		}
		if old, twice := in.anchors[name]; twice && !slices.Equal(old.path, c.path) {
			in.anchors[name] = spot{}
			continue
		}
		in.anchors[name] = spot{text: text, path: slices.Clone(c.path), dynamic: key == "$dynamicAnchor"}
	}
}

// identified reports whether a schema has an identifier that is not just an anchor:
// it is the base of references within the schema.
func (c *compiler) identified(o *object) bool {
	id := o.get(c.dialect.id)
	return len(id) > 1 && id[0] == '"' && id[1] != '#' && !(c.dialect.alone && o.find("$ref") >= 0)
}

// enter makes the schema o, at the path, the base of references, if it has an
// identifier.
func (c *compiler) enter(o *object) {
	if len(c.path) > 0 && c.identified(o) {
		if in := c.resources().byPlace[c.pointer()]; in != nil {
			c.in = in
		}
	}
}

// scoped gives the rule its scope, if the schema has dynamic references.
func (c *compiler) scoped(r *rule) {
	if !c.moving {
		return
	}
	in := c.here()
	if in.scope == nil {
		in.scope = &scope{}
		c.anchored(in)
	}
	if len(in.scope.anchors) > 0 {
		r.beyond().scope = in.scope
	}
}

// anchored reads the targets of the dynamic anchors of a resource.
func (c *compiler) anchored(in *resource) {
	in.scope.anchors = map[string]*target{}
	for _, name := range slices.Sorted(maps.Keys(in.anchors)) {
		if s := in.anchors[name]; s.dynamic && c.step(hashSteps+len(name)/nameBytes) {
			in.scope.anchors[name] = c.target(s, in)
		}
	}
	if in.dynamic {
		in.scope.anchors[""] = c.target(in.spot, in)
	}
}
