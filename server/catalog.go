package server

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/protocol/uritemplate"
)

// Items are what a server offers. A nil list is not offered; an empty non-nil list is offered.
type Items struct {
	Tools             []protocol.Tool             // for tools/list
	Resources         []protocol.Resource         // for resources/list
	ResourceTemplates []protocol.ResourceTemplate // for resources/templates/list
	Prompts           []protocol.Prompt           // for prompts/list
	// PageSize is how many items a page has; zero means 100.
	PageSize int
	// Schemas checks the arguments and the structured results of the tools against their schemas;
	// nil means schema.Basic, which refuses a catalog with a schema that it cannot use.
	// schema.Lenient is for third-party tools, as in a relay: it checks what it can of such a
	// schema, and Catalog.Unchecked returns the rest. schema.None checks nothing. With these two,
	// optional members that cannot be sent are dropped, and Catalog.LeftOut returns them.
	Schemas schema.Validator
	// CursorKey distinguishes cursors of this server from others. Servers that share sessions need
	// the same key.
	CursorKey [16]byte
	// Cache says how long clients may keep each list, without a session, by protocol.ToolList and its
	// like. Lists without an entry may not be kept.
	Cache map[*protocol.List]protocol.Cache
	// Refused are mistakes found while the items were made, from Handlers.Refuse: NewCatalog fails
	// with them.
	Refused []error
}

// Catalog is an immutable set of Items whose lists are encoded once. Any number of sessions can
// share it. Lists are sorted by name or uri, so that a listing continues in place if the catalog is
// replaced between two pages.
type Catalog struct {
	tools, resources, templates, prompts list

	odd       []string            // names of tools that break the rules for names
	checks    []check             // of the tools, in the order of their list
	unchecked []Unchecked         // what these leave out
	leftOut   []LeftOut           // what the items are listed without
	match     uritemplate.Set     // of the templates
	required  map[string][]string // the required arguments of prompts
	hash      string              // its version; "" for the zero Catalog
	asks      bool                // a function agrees to subscriptions: see Handlers.Subscribe

	upper, under *Catalog // of which it is made: see over
}

// item is a member of one of the four lists.
type item interface {
	Validate() error
	AppendJSON(dst []byte) []byte
}

// list returns one of the four lists.
func (c *Catalog) list(l *protocol.List) *list {
	switch l {
	case protocol.ResourceList:
		return &c.resources
	case protocol.TemplateList:
		return &c.templates
	case protocol.PromptList:
		return &c.prompts
	}
	return &c.tools
}

// only returns the catalog without the lists of other kinds: of CapTools, CapResources and
// CapPrompts.
func (c *Catalog) only(kinds protocol.Capability) *Catalog {
	if c == nil || c.caps()&^kinds == 0 {
		return c
	}
	part := *c
	for _, l := range protocol.Lists() {
		if !kinds.Has(l.Cap) {
			*part.list(l) = list{}
		}
	}
	part.hash = "" // that of another
	part.hash = part.version()
	return &part
}

// caps returns the capabilities that the lists of the catalog ask for.
func (c *Catalog) caps() (set protocol.Capability) {
	for _, l := range protocol.Lists() {
		if c.list(l).declared {
			set |= l.Cap
		}
	}
	return set
}

// version tells catalogs apart: a hash of each kind of list.
func (c *Catalog) version() string {
	if c.hash != "" { // read once: a Snapshot is taken often
		return c.hash
	}
	v := ""
	for i, sum := range [...]uint64{c.tools.sum, c.resources.sum + c.templates.sum, c.prompts.sum} {
		if i > 0 {
			v += "-"
		}
		v += strconv.FormatUint(sum, 16)
	}
	return v
}

// check is what a tool demands of its arguments and of its structured results. A nil
// function demands nothing.
type check struct {
	input, output func(value jsonrpc.Raw) error
	mirrored      []headers.Param
}

// LeftOut is an optional member of an item that cannot be sent, such as a _meta that is not an
// object. The catalog lists the item without it.
type LeftOut struct {
	// List is the name of the list in its result: tools, resources, resourceTemplates or prompts.
	List string
	// Item is the name of the tool or prompt, the uri of the resource, or the uriTemplate.
	Item string
	// Err names the member and the reason.
	Err *protocol.DecodeError
}

// String returns one line for a log.
func (l LeftOut) String() string {
	return fmt.Sprintf("server: %s: %q: left out: %v", l.List, l.Item, l.Err)
}

// Unchecked is a part of the schema of a tool that cannot be read or is ignored, such as a pattern
// with a lookaround, and so is not checked.
type Unchecked struct {
	// Tool is the name of the tool.
	Tool string
	// Output is true for the outputSchema, false for the inputSchema.
	Output bool
	// Fault leads to the place in the schema, with schema.KeywordUnchecked to an ignored keyword.
	// With schema.KeywordLimit, an empty Path, or the Path "/$schema", for an unknown dialect, only
	// the type of the value, an object, is checked.
	Fault schema.Fault
}

// String returns one line for a log.
func (u Unchecked) String() string {
	side := "inputSchema"
	if u.Output {
		side = "outputSchema"
	}
	return fmt.Sprintf("server: tools: %q: %s: %v", u.Tool, side, u.Fault)
}

// LeftOut returns the members that were dropped from items, in the order of the items given to
// NewCatalog: the first fault of each member. It is empty unless Items.Schemas is schema.Lenient or
// schema.None. The caller owns the slice.
func (c *Catalog) LeftOut() []LeftOut {
	if c == nil {
		return nil
	}
	return slices.Clone(c.leftOut)
}

// Unchecked returns the parts of schemas that are not checked because they cannot be read, and the
// keywords that are ignored, sorted by tool: the first 16 places of each kind in each schema. It is
// empty unless Items.Schemas is schema.Lenient. The caller owns the slice.
func (c *Catalog) Unchecked() []Unchecked {
	if c == nil {
		return nil
	}
	return slices.Clone(c.unchecked) // what Handlers.Over made has none: Handlers are checked by schema.Basic
}
