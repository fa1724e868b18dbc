package provider

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// resolve returns the target of a reference. ok is also false if references have read too
// much.
func (c *converter) resolve(ref string) (rule string, ok bool) {
	if rule, ok = c.book.targets[ref]; ok {
		return rule, rule != ""
	}
	if c.book.targets == nil {
		c.book.targets = map[string]string{"#": c.root}
		if memberOf(c.root, "type") == "" {
			c.book.targets["#"] = rawjson.Set(c.root, "type", `"object"`) // arguments are objects
		}
		for _, keyword := range [...]string{"$defs", "definitions"} { // the target of most references, in one walk
			defs, _ := rawjson.Get(c.root, keyword)
			for _, m := range membersOf(defs) {
				if isSchema(m.val) {
					c.book.targets["#"+pointed("/"+keyword, m.name)] = m.val
				}
			}
		}
		return c.resolve(ref)
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

// resolve returns the target of a reference within root.
func resolve(root, ref string) (rule string, ok bool) {
	if ref == "#" {
		return root, true
	}
	if !strings.HasPrefix(ref, "#/") {
		return "", false
	}
	for name := range strings.SplitSeq(ref[2:], "/") {
		name = strings.ReplaceAll(strings.ReplaceAll(percent(name), "~1", "/"), "~0", "~")
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
	return root, isSchema(root)
}

// final returns the last of a chain of references without siblings, and its target.
func (c *converter) final(ref string) (last, target string, ok bool) {
	for range maxRefs {
		if target, ok = c.resolve(ref); !ok {
			return ref, "", false
		}
		next, there := rawjson.Get(target, "$ref")
		s, isText := rawjson.Unquote(next)
		if !there || !isText || len(membersOf(target)) > 1 {
			return ref, target, true
		}
		ref = s
	}
	return ref, "", false
}

// percent decodes percent-encoding in a fragment, as in List%3Cstring%3E.
func percent(s string) string {
	if text, err := url.PathUnescape(s); err == nil {
		return text
	}
	return s
}

// defined returns the reference to the definition of a reference's target.
func (c *converter) defined(ref string) string {
	ref, _ = rawjson.Unquote(ref)
	if c.at == nil {
		c.at, c.names = map[string]int{}, map[string]bool{}
	}
	i, there := c.at[ref]
	if !there {
		name := "root"
		if ref != "#" {
			name = functionName.changed(ref[strings.LastIndexByte(ref, '/')+1:])
		}
		name = name[:min(len(name), maxName/2)]
		for try, base := len(c.defs)+1, name; c.names[name]; try++ {
			name = base + "_" + strconv.Itoa(try)
		}
		i = len(c.defs)
		c.at[ref], c.names[name] = i, true
		c.defs = append(c.defs, definition{ref: ref, name: name})
	}
	if from, there := c.at[c.current]; there && c.current != "" {
		c.defs[from].to = append(c.defs[from].to, ref)
	}
	return "#/$defs/" + c.defs[i].name
}

// refer returns a schema that refers to a definition.
func (c *converter) refer(ref string) string {
	return `{"$ref":` + string(rawjson.AppendQuote(nil, c.defined(ref))) + `}`
}

// circular reports whether a definition leads to itself.
func (c *converter) circular() bool {
	state := make([]byte, len(c.defs)) // 1 is in progress, 2 is done
	var visit func(i int) bool
	visit = func(i int) bool {
		if state[i] != 0 {
			return state[i] == 1
		}
		state[i] = 1
		for _, ref := range c.defs[i].to {
			if visit(c.at[ref]) {
				return true
			}
		}
		state[i] = 2
		return false
	}
	return slices.ContainsFunc(c.defs, func(d definition) bool { return visit(c.at[d.ref]) })
}
