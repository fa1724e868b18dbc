package schema

import (
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

func (c *compiler) properties(r *rule, raw string) bool {
	return c.schemasByName(raw, nil, func(name string, p *rule) {
		s := r.names[name]
		s.rule = p
		r.set(name, s)
		if p.wanted {
			r.need(name)
		}
	})
}

// required reads the names of required members or, as in draft 3, whether the member with this
// schema is required.
func (c *compiler) required(r *rule, raw string) bool {
	if raw == "true" || raw == "false" {
		r.wanted = raw == "true"
		return c.dialect.tuple && c.dialect.prefix || c.odd()
	}
	var names []string
	if !c.strings(&names, raw) {
		return false
	}
	for _, name := range names {
		if !c.step(hashSteps + len(name)/nameBytes) {
			return false
		}
		r.need(name)
	}
	return true
}

// need makes a member required.
func (r *rule) need(name string) {
	if s := r.names[name]; s.need == 0 {
		o := r.ofObjects()
		o.required = append(o.required, name)
		s.need = len(o.required)
		r.set(name, s)
	}
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
	var of *count
	switch key[len("min"):] {
	case "Contains":
		if !c.dialect.bounds {
			return true
		}
		of = &r.ofArrays().held
	case "Length":
		of = &r.length
	case "Items":
		of = &r.ofArrays().count
	default:
		of = &r.ofObjects().size
	}
	if strings.HasPrefix(key, "min") {
		of.min = n
	} else {
		of.max = n
	}
	return ok
}

func (c *compiler) bounds(r *rule, o *object, key, raw string) bool {
	if key == "multipleOf" {
		m, ok := parseDivisor(raw)
		r.ofNumbers().multipleOf = &m
		return ok
	}
	if raw == "true" || raw == "false" {
		return (c.dialect.old || c.odd()) && o.find(bounded[key]) >= 0
	}
	d, ok := parseDecimal(raw)
	n := r.ofNumbers()
	switch {
	case key == "minimum" && (!c.dialect.old || o.get("exclusiveMinimum") != "true"):
		n.minimum = n.keep(d)
	case key == "maximum" && (!c.dialect.old || o.get("exclusiveMaximum") != "true"):
		n.maximum = n.keep(d)
	case key == "minimum" || key == "exclusiveMinimum":
		n.exclusiveMin = n.keep(d)
	default:
		n.exclusiveMax = n.keep(d)
	}
	return ok
}

// bounded names the keyword that a boolean, as in draft 4, makes exclusive.
var bounded = map[string]string{"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}

// tuple reports whether the schema o lists the schemas of elements as drafts before
// 2020-12 do, with additionalItems for the rest.
func (o *object) tuple() bool {
	return strings.HasPrefix(o.get("items"), "[") && o.find("prefixItems") < 0
}
