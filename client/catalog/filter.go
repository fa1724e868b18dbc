package catalog

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Filter decides which items of a server pass. An item passes if no rule of Deny matches it, and a
// rule of Allow does or Allow is empty. The zero Filter passes all items.
//
// Allow covers all kinds: a Filter that allows only some tools passes no resources. Add Rule{Kind:
// protocol.ResourceList} to pass all resources.
type Filter struct {
	Allow []Rule // what passes; empty: everything
	Deny  []Rule // what does not pass, even if Allow matches
}

// Rule matches items. Each set field must match; the zero Rule matches every item.
type Rule struct {
	// Kind is one of protocol.Lists, such as protocol.ToolList; nil means every kind.
	Kind *protocol.List
	// Name is a pattern of the item's name, uri or uriTemplate, as the server spells it; "" means
	// every name. The syntax is that of path.Match, except that * and ? also match a slash.
	Name string
	// ReadOnly and Destructive are the required annotations of a tool; absent ones have the defaults
	// of the specification: not read-only, and destructive. A rule with one of them matches only
	// tools. An annotation that cannot be read matches in Deny, and not in Allow.
	ReadOnly, Destructive *bool
}

// Check returns a *lifecycle.ConfigError for the first rule that cannot be used: one with a malformed
// pattern, with a Kind that is not in protocol.Lists, or with annotations of a kind other than tools. A
// rule with a malformed pattern matches everything in Deny, and nothing in Allow.
func (f Filter) Check() error {
	var fill lifecycle.Filler
	for i, r := range f.Allow {
		r.check("Allow", i, &fill)
	}
	for i, r := range f.Deny {
		r.check("Deny", i, &fill)
	}
	return fill.Err("catalog")
}

func (r Rule) check(list string, i int, fill *lifecycle.Filler) {
	field := list + "[" + strconv.Itoa(i) + "]."
	if r.Kind != nil && !slices.Contains(protocol.Lists(), r.Kind) {
		fill.Wrong(field+"Kind", strconv.Quote(r.Kind.Member), "want one of protocol.Lists, or nil for every kind")
	}
	if r.hints() && r.Kind != nil && r.Kind != protocol.ToolList {
		fill.Wrong(field+"Kind", strconv.Quote(r.Kind.Member), "want protocol.ToolList or nil: only tools have ReadOnly and Destructive")
	}
	if _, ok := matches(r.Name, ""); !ok {
		fill.Wrong(field+"Name", strconv.Quote(r.Name), "want a pattern of path.Match")
	}
}

func (r *Rule) hints() bool { return r.ReadOnly != nil || r.Destructive != nil }

// Passes reports whether an item passes. raw is the unchanged item.
func (f Filter) Passes(kind *protocol.List, name string, raw jsonrpc.Raw) bool {
	if f.Denies(kind, name, raw) {
		return false
	}
	return len(f.Allow) == 0 || slices.ContainsFunc(f.Allow, func(r Rule) bool { return r.matches(kind, name, raw, false) })
}

// Denies reports whether a rule of Deny matches an item.
func (f Filter) Denies(kind *protocol.List, name string, raw jsonrpc.Raw) bool {
	return slices.ContainsFunc(f.Deny, func(r Rule) bool { return r.matches(kind, name, raw, true) })
}

// Restricts reports whether the Filter may hide items of a kind.
func (f Filter) Restricts(kind *protocol.List) bool {
	return len(f.Allow) > 0 || slices.ContainsFunc(f.Deny, func(r Rule) bool { return r.covers(kind) })
}

// Clone returns a copy that shares nothing with f.
func (f Filter) Clone() Filter { return Filter{cloned(f.Allow), cloned(f.Deny)} }

func cloned(rules []Rule) []Rule {
	rules = slices.Clone(rules)
	for i := range rules {
		r := &rules[i]
		for _, h := range []**bool{&r.ReadOnly, &r.Destructive} {
			if *h != nil {
				*h = protocol.Ptr(**h)
			}
		}
	}
	return rules
}

// Equal reports whether two Filters have the same rules in the same order.
func (f Filter) Equal(g Filter) bool {
	return slices.EqualFunc(f.Allow, g.Allow, Rule.equal) && slices.EqualFunc(f.Deny, g.Deny, Rule.equal)
}

func (r Rule) equal(q Rule) bool {
	same := func(a, b *bool) bool { return (a == nil) == (b == nil) && (a == nil || *a == *b) }
	return r.Kind == q.Kind && r.Name == q.Name && same(r.ReadOnly, q.ReadOnly) && same(r.Destructive, q.Destructive)
}

// covers reports whether a rule applies to a kind.
func (r *Rule) covers(kind *protocol.List) bool {
	return (r.Kind == nil || r.Kind == kind) && (kind == protocol.ToolList || !r.hints())
}

// matches reports whether a rule matches; doubt is the result if that is unknown.
func (r *Rule) matches(kind *protocol.List, name string, raw jsonrpc.Raw, doubt bool) bool {
	if !r.covers(kind) {
		return false
	}
	if r.Name != "" {
		matched, ok := matches(r.Name, name)
		if !ok {
			return doubt
		}
		if !matched {
			return false
		}
	}
	if !r.hints() {
		return true
	}
	readOnly, known := hint(raw, "readOnlyHint", false)
	if r.ReadOnly != nil && known && readOnly != *r.ReadOnly {
		return false
	}
	destructive, told := hint(raw, "destructiveHint", true)
	if readOnly && known { // a read-only tool is not destructive
		destructive, told = false, true
	}
	if r.Destructive != nil && told && known && destructive != *r.Destructive {
		return false
	}
	if r.ReadOnly != nil && !known || r.Destructive != nil && !(told && known) {
		return doubt
	}
	return true
}

// matches reports whether a name matches a pattern; ok is false for a malformed pattern.
func matches(pattern, name string) (matched, ok bool) {
	if inBrackets(pattern, '/') {
		return false, false // a slash is replaced below
	}
	const slash = "\x00" // path.Match ends "*" at slashes only
	matched, err := path.Match(strings.ReplaceAll(pattern, "/", slash), strings.ReplaceAll(name, "/", slash))
	return matched, err == nil
}

// inBrackets reports whether a character is within brackets of a pattern.
func inBrackets(pattern string, c byte) bool {
	in := false
	for i := 0; i < len(pattern); i++ {
		switch b := pattern[i]; {
		case b == '\\':
			i++
		case b == '[':
			in = true
		case b == ']':
			in = false
		case in && b == c:
			return true
		}
	}
	return false
}

// hint returns an annotation of a tool; known is false if it cannot be decoded, or occurs twice.
func hint(item jsonrpc.Raw, member string, otherwise bool) (value, known bool) {
	raw, found, ok := only(string(item), "annotations")
	if ok && found {
		raw, found, ok = only(raw, member)
	}
	switch {
	case !ok || found && rawjson.Type(raw) != "boolean":
		return otherwise, false
	case !found:
		return otherwise, true
	}
	return raw == "true", true
}

// only returns a member of an object; ok is false if it occurs twice, or object is not an object.
func only(object, member string) (val string, found, ok bool) {
	o, _ := rawjson.Members(object) // what is not an object is Bad
	for name, v := range o.All {
		if name != member {
			continue
		}
		if found {
			return "", false, false
		}
		val, found = v, true
	}
	return val, found, !o.Bad()
}
