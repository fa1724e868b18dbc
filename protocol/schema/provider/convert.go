package provider

import (
	"slices"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// converter writes the inputSchema of one tool.
type converter struct {
	provider Provider
	rules    *dialect
	tool     string
	root     string
	keys     Names // of the properties of the root
	renames  bool  // some of them have other names
	lost     []Loss
	stopped  *Loss // why the tool cannot be strict

	depth   int      // of the schemas that are being written
	refs    []string // that are being written out
	schemas int      // written
	bytes   int      // written for Gemini
	inlined int      // bytes written out in place of references
	book    book
	defs    []definition
	current string // the definition that is being written
	at      map[string]int
	names   map[string]bool
}

// definition is a schema that references lead to.
type definition struct {
	ref, name string
	to        []string // the references in it
}

const (
	maxDepth   = 100    // schemas within each other
	maxSchemas = 10_000 // of a tool
	maxBytes   = 1 << 20
	maxRefs    = 32 // written out within each other
)

func (c *converter) lose(path, keyword string, a Action) {
	l := Loss{Tool: c.tool, Path: path, Keyword: cut(keyword), Action: a}
	if n := len(c.lost); n < maxLost && (n == 0 || c.lost[n-1] != l) {
		c.lost = append(c.lost, l)
	}
}

// enter begins a schema, if that is not too much.
func (c *converter) enter(at string) bool {
	if c.schemas >= maxSchemas || c.depth == maxDepth {
		return false
	}
	c.schemas++
	c.depth++
	return true
}

// leave ends a schema.
func (c *converter) leave(n *node) {
	c.depth--
	c.refs = c.refs[:len(c.refs)-n.opened]
}

// parameters returns the schema as the provider takes it, "" for none.
func (c *converter) parameters() string {
	n := c.rooted()
	switch {
	case c.rules == &declaredGemini:
		return c.declared(n)
	case c.rules.strict:
		return c.defining(c.strictly(n, true), c.below)
	}
	return c.defining(c.loosely(n, true), c.loose)
}

// defining adds the definitions to the root.
func (c *converter) defining(root string, write func(raw, at string) string) string {
	var all object
	for i := 0; i < len(c.defs) && c.stopped == nil; i++ {
		ref := c.defs[i].ref
		c.current, c.refs = ref, nil
		target, _ := c.resolve(ref)
		text := write(target, ref[1:])
		all.add(c.defs[i].name, text)
	}
	if all.dst == nil {
		return root
	}
	return strings.TrimSuffix(root, "}") + `,"$defs":` + all.String() + "}"
}

// defined returns the reference to the definition of what one leads to.
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
	state := make([]byte, len(c.defs)) // 1 is on the way, 2 is done
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

// membersOf returns the members of an object, of those with one name the last.
func membersOf(raw string) []member {
	var list []member
	at := map[string]int{}
	o, _ := rawjson.Members(raw)
	o.Trust(rawjson.DefaultDepth)
	for {
		name, val, more := o.Next()
		if !more {
			return list
		}
		if i, there := at[name]; there {
			list[i].val = val
			continue
		}
		at[name] = len(list)
		list = append(list, member{name: name, val: val})
	}
}

// pointed returns the pointer to a member.
func pointed(path, name string) string {
	return path + "/" + strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}

// words is a set of words with spaces around each.
type words string

func (w words) has(name string) bool {
	return name != "" && !strings.Contains(name, " ") && strings.Contains(string(w), " "+name+" ")
}

func elementsOf(raw string) (list []string) {
	a, _ := rawjson.Elements(raw)
	a.Trust(rawjson.DefaultDepth)
	for {
		val, more := a.Next()
		if !more {
			return list
		}
		list = append(list, val)
	}
}

func stringsOf(raw string) (list []string) {
	for _, val := range elementsOf(raw) {
		if s, ok := rawjson.Unquote(val); ok {
			list = append(list, s)
		}
	}
	return list
}

// hasType reports whether the value of type is or has a name.
func hasType(raw, name string) bool { return slices.Contains(typesIn(raw), name) }
