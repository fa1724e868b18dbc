package provider

// converter writes the inputSchema of one tool.
type converter struct {
	rules   *dialect
	tool    string
	root    string
	keys    Names // of the properties of the root
	renames bool  // some of them have other names
	lost    []Loss
	stopped *Loss // why the tool cannot be strict

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

func (c *converter) lose(path, keyword string, a Action) {
	l := Loss{Tool: c.tool, Path: path, Keyword: cut(keyword), Action: a}
	if n := len(c.lost); n < maxLost && (n == 0 || c.lost[n-1] != l) {
		c.lost = append(c.lost, l)
	}
}

// enter begins a schema, if that is not too much.
func (c *converter) enter() bool {
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

// stop says why a tool cannot be strict.
func (c *converter) stop(path, keyword string) {
	if c.rules.strict && c.stopped == nil {
		c.stopped = &Loss{Tool: c.tool, Path: path, Keyword: cut(keyword), Action: NotStrict}
	}
}

// key is the name of a property as the provider has it.
func (c *converter) key(name string, root bool) string {
	if as, ok := c.keys.Provider(name); root && ok {
		return as
	}
	return name
}

// book is what is known of the references of a schema.
type book struct {
	targets map[string]string
	read    int
}

// node is a schema as 2020-12 writes it, whatever draft it was of: without what says nothing of
// values, and without members of a wrong shape.
type node struct {
	at       string
	list     []member // but properties and required
	props    []member
	closed   bool // it has properties, of which there may be none
	required []string
	opened   int // references that were written out
}
