package server

import (
	"slices"

	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
)

// over returns the catalog of what c and base have; of two of one key that of c. Both are made
// by NewCatalog. It refers to both, and takes time in proportion to c.
func (c *Catalog) over(base *Catalog) *Catalog {
	both := &Catalog{upper: c, under: base}
	for _, l := range protocol.Lists() {
		both.list(l).lay(c.list(l), base.list(l))
	}
	both.hash, both.asks = both.version(), c.asks || base.asks
	return both
}

// fingerprint tells an item from others.
func fingerprint(member string, item []byte) uint64 {
	return engine.Hash([2]uint64{}, uint64(len(member)), string(item))
}

// needs returns the required arguments of a prompt.
func (c *Catalog) needs(prompt string) []string {
	switch {
	case c.upper == nil:
		return c.required[prompt]
	case c.upper.prompts.has(prompt):
		return c.upper.required[prompt]
	}
	return c.under.required[prompt]
}

// matches reports whether some template matches a uri.
func (c *Catalog) matches(uri string) bool {
	if c.upper != nil {
		return c.upper.matches(uri) || c.under.matches(uri)
	}
	_, found := c.match.Find(uri)
	return found
}

// names returns sorted names of tools; the caller owns the slice.
func (c *Catalog) names(of func(*Catalog) []string) []string {
	if c.upper == nil {
		return slices.Clone(of(c))
	}
	list := c.upper.names(of)
	for _, name := range of(c.under) {
		if !c.upper.tools.has(name) {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// NonstandardNames returns the names of listed tools that do not follow the recommendation (tools,
// Tool Names; TOOL-104, TOOL-105): some clients refuse them. They are sorted, and the caller owns
// the slice.
func (c *Catalog) NonstandardNames() []string {
	if c == nil {
		return nil
	}
	return c.names(func(c *Catalog) []string { return c.odd })
}
