package provider

import (
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

const (
	maxBook  = 128 << 20 // bytes of schemas read to follow references
	maxGraph = 200       // references that are followed from one
)

// book is what is known of the references of a schema.
type book struct {
	targets map[string]string
	within  map[string][]string
	read    int
}

// resolve returns the schema that a reference leads to. ok is false too if all that was read for
// references is too much.
func (c *converter) resolve(ref string) (rule string, ok bool) {
	if rule, ok = c.book.targets[ref]; ok {
		return rule, rule != ""
	}
	if c.book.targets == nil {
		c.book.targets, c.book.within = map[string]string{}, map[string][]string{}
	}
	if c.book.read += len(c.root); c.book.read > maxBook {
		return "", false
	}
	if rule, ok = resolve(c.root, ref); !ok {
		rule = ""
	}
	c.book.targets[ref] = rule
	return rule, ok
}

// resolve returns the schema that a reference within root leads to.
func resolve(root, ref string) (rule string, ok bool) {
	if ref == "#" {
		return root, true
	}
	if !strings.HasPrefix(ref, "#/") {
		return "", false
	}
	for _, name := range strings.Split(ref[2:], "/") {
		name = strings.ReplaceAll(strings.ReplaceAll(name, "~1", "/"), "~0", "~")
		if root != "" && root[0] == '[' {
			list := elementsOf(root)
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(list) {
				return "", false
			}
			root = list[i]
			continue
		}
		if root, ok = rawjson.Get(root, name); !ok {
			return "", false
		}
	}
	return root, root[0] == '{'
}

// kept reports whether a reference leads to what a strict schema still has.
func kept(ref string) bool {
	if ref == "#" {
		return true
	}
	parts := strings.Split(ref, "/")
	for i := 1; i < len(parts); i++ {
		switch parts[i] {
		case "$defs", "definitions", "properties":
			i++ // a name
		case "items":
		default:
			return false
		}
	}
	return true
}

// circular reports whether a schema that a reference leads to refers to itself or to what it
// lies in, over any number of references, or to too many to say.
func (c *converter) circular(ref string) bool {
	seen, todo := map[string]bool{}, []string{ref}
	for len(todo) > 0 && len(seen) < maxGraph {
		at := todo[0]
		todo = todo[1:]
		for _, next := range c.references(at) {
			if next == "#" || next == ref || strings.HasPrefix(ref, next+"/") {
				return true
			}
			if !seen[next] {
				seen[next] = true
				todo = append(todo, next)
			}
		}
	}
	return ref == "#" || len(todo) > 0
}

// references returns the references in what one leads to.
func (c *converter) references(ref string) []string {
	if list, there := c.book.within[ref]; there {
		return list
	}
	rule, _ := c.resolve(ref)
	if c.book.read += len(rule); c.book.read > maxBook {
		return []string{"#"}
	}
	list := references(rule)
	c.book.within[ref] = list
	return list
}

// references returns the references in a schema.
func references(raw string) (list []string) {
	todo := []string{raw}
	for len(todo) > 0 {
		raw := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if raw == "" {
			continue
		}
		switch raw[0] {
		case '[':
			todo = append(todo, elementsOf(raw)...)
		case '{':
			for _, m := range membersOf(raw) {
				if ref, ok := rawjson.Unquote(m.val); ok && m.name == "$ref" {
					list = append(list, ref)
				}
				todo = append(todo, m.val)
			}
		}
	}
	return list
}
