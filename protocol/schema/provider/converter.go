package provider

// converter writes the inputSchema of one tool.
type converter struct {
	rules   *dialect
	tool    string
	root    string
	keys    Names // of the properties of the root
	renames bool  // some of them have other names
	lost    []Loss
	stopped *Loss // why the tool cannot be strict; nil if it can

	depth   int      // of the schema being written
	refs    []string // being written out
	schemas int      // written
	bytes   int      // written for Gemini
	inlined int      // bytes written out in place of references
	book    book
	defs    []definition
	current string // the definition being written
	at      map[string]int
	names   map[string]bool
}

// definition is the target of references.
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

// enter begins a schema, unless a limit is reached.
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

// stop records why a tool cannot be strict.
func (c *converter) stop(path, keyword string) {
	if c.rules.strict && c.stopped == nil {
		c.stopped = &Loss{Tool: c.tool, Path: path, Keyword: cut(keyword), Action: NotStrict}
	}
}

// key returns the provider's name of a property.
func (c *converter) key(name string, root bool) string {
	if as, ok := c.keys.Provider(name); root && ok {
		return as
	}
	return name
}

// book holds the references of a schema that were read.
type book struct {
	targets map[string]string
	read    int
}

// node is a schema in the form of 2020-12, whatever its draft, without annotations of no use and
// without members of a wrong shape.
type node struct {
	at       string
	list     []member // except properties and required
	props    []member
	closed   bool // it has properties, possibly zero
	required []string
	opened   int // references that were written out
}
