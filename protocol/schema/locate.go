package schema

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// locator looks for a rule, starting from the root: rules do not keep their place, which is
// needed only for faults. It takes time linear in the schema.
type locator struct {
	way   []string // to the rule, in reverse
	queue []*target
	seen  map[*target]bool
}

// locate returns the JSON pointer to the keyword of a rule, from the whole schema.
func locate(root, r *rule, keyword string) string {
	l := locator{seen: map[*target]bool{}}
	place, found := "", l.find(root, r)
	for i := 0; !found && i < len(l.queue); i++ {
		place = l.queue[i].place
		found = l.find(&l.queue[i].rule, r)
	}
	if !found {
		return ""
	}
	var b strings.Builder
	b.WriteString(place)
	slices.Reverse(l.way)
	for _, part := range l.way {
		b.WriteByte('/')
		b.WriteString(escaped(part))
	}
	if keyword != KeywordFalse {
		b.WriteString("/" + keyword)
	}
	return b.String()
}

// find looks for the rule want in r, and keeps the targets of r's references for later.
func (l *locator) find(r, want *rule) bool {
	if r == want {
		return true
	}
	items, prefix := "items", "prefixItems"
	if r.tuple {
		items, prefix = "additionalItems", "items"
	}
	if l.one(want, r.items, items) || l.list(want, r.prefix, prefix) || l.one(want, r.contains, "contains") || l.one(want, r.naming, "propertyNames") ||
		l.one(want, r.additional, "additionalProperties") || l.list(want, r.allOf, "allOf") || l.list(want, r.anyOf, "anyOf") || l.list(want, r.oneOf, "oneOf") ||
		l.one(want, r.not, "not") || l.one(want, r.cond, "if") || l.one(want, r.then, "then") || l.one(want, r.els, "else") {
		return true
	}
	for _, name := range slices.Sorted(maps.Keys(r.names)) {
		s := r.names[name]
		if l.one(want, s.rule, name, "properties") || s.dependency != nil && l.one(want, s.dependency.rule, name, s.dependency.from()) {
			return true
		}
	}
	l.later(r.ref)
	if r.more == nil {
		return false
	}
	for _, p := range r.more.patterns {
		if l.one(want, p.rule, p.text, "patternProperties") {
			return true
		}
	}
	if d := r.more.dynamic; d != nil {
		l.later(d.first)
	}
	if s := r.more.scope; s != nil {
		for _, name := range slices.Sorted(maps.Keys(s.anchors)) {
			l.later(s.anchors[name])
		}
	}
	return l.one(want, r.more.restMembers, "unevaluatedProperties") || l.one(want, r.more.restItems, "unevaluatedItems")
}

// from returns the keyword that has the schema of a dependency.
func (d *dependency) from() string {
	if d.keyword == "dependencies" {
		return d.keyword
	}
	return "dependentSchemas"
}

func (l *locator) later(t *target) {
	if t != nil && !l.seen[t] {
		l.seen[t] = true
		l.queue = append(l.queue, t)
	}
}

// one looks in a rule at the parts of a way, the last one first.
func (l *locator) one(want, r *rule, way ...string) bool {
	if r == nil || !l.find(r, want) {
		return false
	}
	l.way = append(l.way, way...)
	return true
}

func (l *locator) list(want *rule, list []*rule, keyword string) bool {
	for i, r := range list {
		if l.one(want, r, strconv.Itoa(i), keyword) {
			return true
		}
	}
	return false
}
