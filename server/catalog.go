package server

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/protocol/uritemplate"
)

// Items are what a server offers. A nil list is not offered at all; an empty one
// that is not nil is offered and empty.
type Items struct {
	Tools             []protocol.Tool             // for tools/list
	Resources         []protocol.Resource         // for resources/list
	ResourceTemplates []protocol.ResourceTemplate // for resources/templates/list
	Prompts           []protocol.Prompt           // for prompts/list
	// PageSize is how many items a page has; zero means DefaultPageSize.
	PageSize int
	// Schemas checks the arguments and the structured results of the tools against their
	// schemas; nil means schema.Basic, which refuses a catalog with a schema that it
	// cannot use. schema.Lenient is for the tools of others, as a relay lists them: it
	// checks what it can of such a schema, and Catalog.Unchecked returns the rest.
	// schema.None checks nothing. With either of these an item is listed without its optional
	// members that cannot be sent, and Catalog.LeftOut returns those.
	Schemas schema.Validator
	// CursorKey tells cursors of this server from others. Servers that share the
	// sessions of a client share it.
	CursorKey [16]byte
	// Refused are mistakes that were found when the items were made, as Handlers.Refuse adds
	// them: NewCatalog fails with them.
	Refused []error
}

// DefaultPageSize is the number of items on a page.
const DefaultPageSize = 100

// Catalog is an immutable set of Items whose lists are encoded once. Any number of
// sessions share it. Lists are sorted by name or uri, so that a listing goes on
// where it was even if the catalog was replaced between two pages.
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

// NewCatalog encodes the items. It fails for an item that is not valid, as a template
// that breaks RFC 6570 (RES-013), and for two of one name (tools, prompts) or uri (resources,
// templates). The error names the item and the member. What is not valid in an item of others can
// be left out: see Items.Schemas.
func NewCatalog(items Items) (*Catalog, error) {
	if err := errors.Join(items.Refused...); err != nil {
		return nil, err
	}
	size := cmp.Or(items.PageSize, DefaultPageSize)
	if size < 0 {
		return nil, errors.New("server: negative page size")
	}
	c := &Catalog{required: map[string][]string{}}
	items = c.leaveOut(items)
	for _, p := range items.Prompts {
		name := strings.Clone(p.Name)
		for _, a := range p.Arguments {
			if a.Required {
				c.required[name] = append(c.required[name], strings.Clone(a.Name))
			}
		}
	}
	err := errors.Join(
		build(&c.tools, "tools", items.Tools, func(t protocol.Tool) string { return t.Name }),
		build(&c.resources, "resources", items.Resources, func(r protocol.Resource) string { return r.URI }),
		build(&c.templates, "resourceTemplates", items.ResourceTemplates, func(t protocol.ResourceTemplate) string { return t.URITemplate }),
		build(&c.prompts, "prompts", items.Prompts, func(p protocol.Prompt) string { return p.Name }),
	)
	if err == nil {
		err = errors.Join(c.parseTemplates(items.ResourceTemplates), c.compile(items))
	}
	if err != nil {
		return nil, err
	}
	for i, l := range protocol.Lists() {
		c.list(l).full = size
		c.list(l).paginate(l, min(size, len(c.list(l).keys)+1), byte('a'+i), engine.KeyOf(items.CursorKey))
	}
	for _, name := range c.tools.keys {
		if !protocol.ValidToolName(name) {
			c.odd = append(c.odd, name)
		}
	}
	c.hash = c.version()
	return c, nil
}

// NonstandardNames returns the names of tools that are listed and can be called, but are not what
// a tool should be called (tools, Tool Names; TOOL-104, TOOL-105): some clients refuse
// them. They are sorted, and the caller owns the slice.
func (c *Catalog) NonstandardNames() []string {
	if c == nil {
		return nil
	}
	return c.names(func(c *Catalog) []string { return c.odd })
}

// item is a member of one of the four lists.
type item interface {
	Validate() error
	AppendJSON(dst []byte) []byte
}

func build[T item](l *list, member string, items []T, key func(T) string) error {
	l.member, l.declared = member, items != nil
	sorted := slices.Clone(items)
	slices.SortStableFunc(sorted, func(a, b T) int { return strings.Compare(key(a), key(b)) })
	var text []byte
	for i, it := range sorted {
		k := key(it)
		if err := it.Validate(); err != nil {
			return fmt.Errorf("server: %s: %q: %w", member, k, err)
		}
		if k == "" || !utf8.ValidString(k) {
			return fmt.Errorf("server: %s: %q cannot be asked for", member, k)
		}
		// TOOL-011
		if i > 0 && k == l.keys[i-1] {
			return fmt.Errorf("server: %s: %q is there twice", member, k)
		}
		if i > 0 {
			text = append(text, ',')
		}
		l.keys = append(l.keys, strings.Clone(k))
		l.from = append(l.from, len(text))
		text = it.AppendJSON(text)
		l.to = append(l.to, len(text))
		l.sums = append(l.sums, fingerprint(member, text[l.from[i]:]))
		l.sum += l.sums[i]
	}
	l.text = string(text)
	return nil
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

// Only returns the catalog without the lists of other kinds: of CapTools, CapResources and
// CapPrompts. SetCatalog takes it for a session that declared those kinds (State.Capabilities).
func (c *Catalog) Only(kinds protocol.Capability) *Catalog {
	if c == nil || c.caps()&^kinds == 0 {
		return c
	}
	only := *c
	for _, l := range protocol.Lists() {
		if !kinds.Has(l.Cap) {
			*only.list(l) = list{}
		}
	}
	only.hash = "" // that of another
	only.hash = only.version()
	return &only
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
