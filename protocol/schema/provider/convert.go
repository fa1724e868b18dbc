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
	strict   bool
	tool     string
	root     string
	lost     []Loss

	depth   int      // of the schemas that are being written
	refs    []string // that are being written out, for Gemini
	schemas int      // written for Gemini
	bytes   int      // written for Gemini
	book    book
}

const maxDepth = 100 // schemas within each other

func (c *converter) lose(path, keyword string) {
	l := Loss{Tool: c.tool, Path: path, Keyword: cut(keyword)}
	if n := len(c.lost); n < maxLost && (n == 0 || c.lost[n-1] != l) {
		c.lost = append(c.lost, l)
	}
}

// member is a member of a schema.
type member struct{ name, val string }

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
		list = append(list, member{name, val})
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

const (
	// atRoot are the keywords that no provider takes beside the type of the whole schema.
	atRoot words = " oneOf anyOf allOf "
	// atRootOpenAI are those that OpenAI refuses there too.
	atRootOpenAI words = " oneOf anyOf allOf enum not "

	inOpenAI words = " type properties required items enum const anyOf $ref $defs definitions description title" +
		" pattern format multipleOf minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems "
	inAzure     words = " type properties required items enum const anyOf $ref $defs definitions description title "
	inAnthropic words = " type properties required items enum const anyOf allOf $ref $defs definitions description title" +
		" default pattern format minItems "

	formatsOpenAI    words = " date-time time date duration email hostname ipv4 ipv6 uuid "
	formatsAnthropic words = " date-time time date duration email hostname uri ipv4 ipv6 uuid "
)

// parameters returns the schema as the provider takes it, "" for none.
func (c *converter) parameters() string {
	switch {
	case c.provider == Gemini:
		return c.declared()
	case c.strict:
		text, _ := c.merged(c.root, "")
		return c.schema(text, "", true)
	}
	// As it is, but for what is refused at the root.
	refused := atRoot
	text, _ := c.merged(c.root, "")
	if c.provider != Anthropic {
		refused = atRootOpenAI
	}
	for _, m := range membersOf(text) {
		if refused.has(m.name) {
			c.lose("", m.name)
			text = rawjson.Set(text, m.name, "")
		}
	}
	if _, there := rawjson.Get(text, "properties"); !there && c.provider != Anthropic {
		text = rawjson.Set(text, "properties", "{}") // OpenAI misses it
	}
	return text
}

func (c *converter) knows(keyword string) bool {
	switch c.provider {
	case Anthropic:
		return inAnthropic.has(keyword)
	case Azure:
		return inAzure.has(keyword)
	}
	return inOpenAI.has(keyword)
}

// schema returns a strict schema.
func (c *converter) schema(raw, path string, root bool) string {
	if raw[0] != '{' { // true, false, or no schema
		c.lose(path, raw)
		return "{}"
	}
	if c.depth == maxDepth {
		c.lose(path, "limit")
		return "{}"
	}
	c.depth++
	defer func() { c.depth-- }()
	list := membersOf(raw)
	var (
		object = root
		has    = map[string]string{}
		dst    = []byte{'{'}
	)
	for _, m := range list {
		has[m.name] = m.val
	}
	object = object || has["properties"] != "" || hasType(has["type"], "object")
	add := func(name, val string) {
		if len(dst) > 1 {
			dst = append(dst, ',')
		}
		dst = append(rawjson.AppendQuote(dst, name), ':')
		dst = append(dst, val...)
	}
	for _, m := range list {
		here := pointed(path, m.name)
		switch {
		case root && atRoot.has(m.name):
			c.lose(path, m.name)
		case m.name == "additionalProperties" && object:
			if m.val != "false" {
				c.lose(path, m.name)
			}
		case m.name == "required" || m.name == "properties":
			// below, together
		case m.name == "oneOf" && has["anyOf"] == "" && m.val[0] == '[':
			c.lose(path, m.name) // it says more
			add("anyOf", c.each(m.val, here))
		case m.name == "allOf" && !(c.knows(m.name) && c.takes(m)) && has["anyOf"] == "" && has["oneOf"] == "" && alone(m.val):
			add("anyOf", c.each(m.val, here)) // which says the same
		case !c.knows(m.name) || !c.takes(m):
			c.lose(path, m.name)
		case m.name == "$defs" || m.name == "definitions":
			add(m.name, c.named(m.val, here))
		case m.name == "anyOf" || m.name == "allOf":
			add(m.name, c.each(m.val, here))
		case m.name == "items":
			add(m.name, c.schema(m.val, here, false))
		default:
			add(m.name, m.val)
		}
	}
	if object {
		properties, required := c.properties(has["properties"], has["required"], path)
		add("properties", properties)
		add("required", required)
		add("additionalProperties", "false")
		if !root && has["properties"] == "" && has["additionalProperties"] == "" {
			c.lose(path, "additionalProperties") // a free object is closed to all
		}
	}
	return string(append(dst, '}'))
}

// takes reports whether a provider takes the value of a keyword that it knows.
func (c *converter) takes(m member) bool {
	switch m.name {
	case "type":
		_, one := rawjson.Unquote(m.val)
		return one || m.val[0] == '[' && len(stringsOf(m.val)) > 0
	case "format":
		s, _ := rawjson.Unquote(m.val)
		if c.provider == Anthropic {
			return formatsAnthropic.has(s)
		}
		return formatsOpenAI.has(s)
	case "items":
		return m.val[0] == '{' || m.val[0] == 't' || m.val[0] == 'f'
	case "anyOf":
		return m.val[0] == '['
	case "allOf":
		return m.val[0] == '[' && !slices.ContainsFunc(elementsOf(m.val), func(s string) bool {
			_, refers := rawjson.Get(s, "$ref")
			return refers
		})
	case "$defs", "definitions":
		return m.val[0] == '{'
	case "minItems":
		return c.provider != Anthropic || m.val == "0" || m.val == "1"
	case "enum":
		return c.provider != Anthropic || simple(m.val)
	case "$ref":
		ref, _ := rawjson.Unquote(m.val)
		_, there := c.resolve(ref)
		return there && kept(ref) && (c.provider != Anthropic || !c.circular(ref))
	}
	return true
}

// properties returns the properties and the required names of an object.
func (c *converter) properties(raw, required, path string) (properties, names string) {
	need := map[string]bool{}
	for _, name := range stringsOf(required) {
		need[name] = true
	}
	var list []member
	if raw != "" && raw[0] == '{' {
		list = membersOf(raw)
	}
	dst, all := []byte{'{'}, []byte{'['}
	for i, m := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		text := c.schema(m.val, pointed(pointed(path, "properties"), m.name), false)
		wanted := need[m.name]
		if c.provider.requiresAll() {
			if !wanted && !acceptsNull(m.val, 0) {
				text = nullable(text)
			}
			wanted = true
		}
		dst = append(append(rawjson.AppendQuote(dst, m.name), ':'), text...)
		if wanted {
			if len(all) > 1 {
				all = append(all, ',')
			}
			all = rawjson.AppendQuote(all, m.name)
		}
		delete(need, m.name)
	}
	if len(need) > 0 {
		c.lose(path, "required") // of what properties does not have
	}
	return string(append(dst, '}')), string(append(all, ']'))
}

// named returns an object of schemas.
func (c *converter) named(raw, path string) string {
	dst := []byte{'{'}
	for i, m := range membersOf(raw) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(rawjson.AppendQuote(dst, m.name), ':')
		dst = append(dst, c.schema(m.val, pointed(path, m.name), false)...)
	}
	return string(append(dst, '}'))
}

// each returns a list of schemas.
func (c *converter) each(raw, path string) string {
	dst := []byte{'['}
	for i, val := range elementsOf(raw) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, c.schema(val, path+"/"+strconv.Itoa(i), false)...)
	}
	return string(append(dst, ']'))
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

// alone reports whether an array has one element.
func alone(raw string) bool { return raw[0] == '[' && len(elementsOf(raw)) == 1 }

// simple reports whether an array has no arrays and objects.
func simple(raw string) bool {
	for _, val := range elementsOf(raw) {
		if val[0] == '{' || val[0] == '[' {
			return false
		}
	}
	return raw[0] == '['
}

// hasType reports whether the value of type is or has a name.
func hasType(raw, name string) bool {
	if s, ok := rawjson.Unquote(raw); ok {
		return s == name
	}
	for _, s := range stringsOf(raw) {
		if s == name {
			return true
		}
	}
	return false
}
