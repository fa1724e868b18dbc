package schema

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// refer reads a $ref. Its target is read later, once.
func (c *compiler) refer(r *rule, raw string) bool {
	t, _, ok := c.lead(raw)
	r.ref = t
	return ok
}

// referDynamic reads a $dynamicRef. Without a dynamic anchor as target it is a $ref.
func (c *compiler) referDynamic(r *rule, raw string) bool {
	t, name, ok := c.lead(raw)
	switch {
	case !ok:
		return false
	case name == "":
		r.also(t)
	default:
		r.beyond().dynamic = &dynamic{name: name, first: t}
	}
	return true
}

// referRecursive reads a $recursiveRef, whose target is always #.
func (c *compiler) referRecursive(r *rule, raw string) bool {
	if raw != `"#"` {
		return false
	}
	in := c.here()
	t := c.target(in.spot, in)
	if in.dynamic {
		r.beyond().dynamic = &dynamic{first: t}
	} else {
		r.also(t)
	}
	return true
}

// also makes the rule require t too.
func (r *rule) also(t *target) {
	r.beyond().dynamic = &dynamic{first: t, fixed: true}
}

// lead returns the target of a reference, and the name of the dynamic anchor if it is one.
func (c *compiler) lead(raw string) (t *target, name string, ok bool) {
	ref, ok := rawjson.Unquote(raw)
	if !ok {
		return nil, "", false
	}
	uri, fragment, _ := strings.Cut(ref, "#")
	in := c.in
	if uri != "" {
		uri = resolve(c.here().uri, uri)
		if !c.step(hashSteps + len(uri)/nameBytes) {
			return nil, "", false
		}
		if in = c.resources().byURI[uri]; in == nil || in.text == "" || c.dead {
			return nil, "", false
		}
	}
	fragment, err := url.PathUnescape(fragment)
	if err != nil {
		return nil, "", false
	}
	switch {
	case fragment == "" && in == nil:
		return c.whole, "", true
	case fragment == "":
		return c.target(in.spot, in), "", !c.dead
	case fragment[0] == '/':
		t, ok = c.pointed(in, fragment)
		return t, "", ok
	}
	if in == nil {
		in = c.here()
	}
	s := in.anchors[fragment]
	if s.text == "" || c.dead {
		return nil, "", false
	}
	if s.dynamic {
		name = fragment
	}
	return c.target(s, in), name, true
}

// target returns the rule of a place.
func (c *compiler) target(s spot, in *resource) *target {
	if len(s.path) == 0 {
		return c.whole
	}
	path := c.path
	c.path = s.path
	place := c.pointer()
	c.path = path
	if t := c.targets[place]; t != nil {
		return t
	}
	return c.later(pending{target: &target{rule: *newRule(), place: place}, text: s.text, path: s.path, in: in})
}

func (c *compiler) later(p pending) *target {
	if c.targets == nil {
		c.targets = map[string]*target{}
	}
	c.targets[p.target.place] = p.target
	c.queue = append(c.queue, p)
	return p.target
}

// pointed returns the target of a JSON pointer within a resource; nil is the whole schema.
func (c *compiler) pointed(in *resource, pointer string) (*target, bool) {
	start, way := 0, pointer
	next := pending{text: c.root, in: in}
	if in != nil {
		next.text, next.path = in.text, slices.Clone(in.path)
		start, way = len(in.place), in.place+pointer
	}
	if t := c.targets[way]; t != nil {
		return t, true
	}
	for at := start + 1; at <= len(way); {
		end := len(way)
		if i := strings.IndexByte(way[at:], '/'); i >= 0 {
			end = at + i
		}
		part, ok := unescaped(way[at:end]), false
		if next.text, ok = c.child(way[:at-1], next.text, part); !ok {
			return nil, false
		}
		if at > start+1 && c.identified(&c.places[way[:at-1]].object) {
			if inner := c.resources().byPlace[way[:at-1]]; inner != nil {
				next.in = inner
			}
		}
		next.path = append(next.path, token{name: part, named: true})
		at = end + 1
	}
	next.target = &target{rule: *newRule(), place: way}
	return c.later(next), true
}

// place is an object or array on the way of a pointer. It is read once, since many pointers
// share their way.
type place struct {
	object object
	list   []string
}

// child returns the member or element of raw that the next part of the pointer names. way is
// the pointer to raw.
func (c *compiler) child(way, raw, part string) (val string, ok bool) {
	p := c.places[way]
	if p == nil {
		p = &place{}
		if raw[0] == '{' {
			p.object, ok = c.object(raw)
			p.object.list = slices.Clone(p.object.list)
			c.close(&p.object)
		} else {
			ok = c.each(raw, func(_ int, x string) bool {
				p.list = append(p.list, x)
				return true
			})
		}
		if !ok {
			return "", false
		}
		if c.places == nil {
			c.places = map[string]*place{}
		}
		c.places[way] = p
	}
	if !c.step(hashSteps + len(way)/stepBytes + len(part)/nameBytes) {
		return "", false
	}
	if raw[0] == '{' {
		val = p.object.get(part)
		return val, val != ""
	}
	n, err := strconv.Atoi(part)
	if err != nil || strconv.Itoa(n) != part || n < 0 || n >= len(p.list) {
		return "", false
	}
	return p.list[n], true
}
